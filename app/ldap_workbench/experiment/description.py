"""A plan in sentences, to read before saying yes: what, how often, how long, what it can say."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from ldap_workbench.experiment.guards import ERROR_SHARE, LAG_S, P99_NS
from ldap_workbench.experiment.plan import (
    MINIMUM_PAIRS,
    RESTART_S,
    duration_range_s,
    duration_s,
    is_built,
)
from ldap_workbench.inference.counts.warmup import RESTART_FLOOR_S
from ldap_workbench.inference.significance.sequential import look_alpha
from ldap_workbench.model.experiment import Plan, Then
from ldap_workbench.model.message import Message, count_of

_AFTERWARDS = {
    Then.ASK: Message("Afterwards: you decide whether to keep the change."),
    Then.KEEP: Message("Afterwards: the change is kept."),
    Then.REVERT: Message("Afterwards: the change is reverted."),
    Then.KEEP_IF_BETTER: Message("Afterwards: the change is kept if it is better, else reverted."),
}


def describe(plan: Plan, clock_rate: float = 1.0) -> list[Message]:
    """The first sentence names the treatment, the second the windows and how long they take."""
    lines = [_treatment(plan), _windows(plan, clock_rate)]
    lines += _disturbances(plan, clock_rate)
    if len({step.pair for step in plan.steps}) < MINIMUM_PAIRS:
        lines.append(
            Message(
                "With fewer than {least} pairs a difference can be suggested, not established.",
                least=MINIMUM_PAIRS,
            )
        )
    lines += _limits(plan)
    lines += _patience(plan)
    lines += plan.earlier
    if plan.treatment.settings:
        lines += [ends_early(plan), afterwards(plan)]
    return lines


def ends_early(plan: Plan) -> Message:
    """Which limits end it, while an index is built as well."""
    limits = limits_in_words(plan.guards)
    if LAG_S in plan.guards:
        lag = Message("a replica is more than {lag:g} s behind the others", lag=plan.guards[LAG_S])
        limits = (*limits, lag)
    if not limits:
        return Message("No limit of errors, latency or lag ends it early: none is set.")
    return Message("It ends early, and is reverted, when {limits:or}.", limits=limits)


def limits_in_words(guards: Mapping[str, float]) -> tuple[Message, ...]:
    """Those of failures and latency."""
    limits = []
    if ERROR_SHARE in guards:
        share = guards[ERROR_SHARE]
        limits.append(Message("more than {share:percent} of operations fail", share=share))
    if P99_NS in guards:
        limits.append(Message("p99 exceeds {p99:duration}", p99=round(guards[P99_NS])))
    return tuple(limits)


def afterwards(plan: Plan) -> Message:
    """What follows the verdict."""
    return _AFTERWARDS[plan.then]


def downtime(plan: Plan, clock_rate: float = 1.0) -> Message:
    """How long the restarts of a plan leave its users without service, in all."""
    return length(RESTART_S * len(plan.steps) / clock_rate)


def restarts_ahead(plan: Plan, server: str, clock_rate: float, now_s: float) -> Message:
    """What users will notice before anything else: restarts, time without service, the end.

    By the clock of this machine, with its day where that is not today.
    """
    return Message(
        "This restarts the server {server} {times} times: about {down} without service in all, "
        "until about {time} (local time).",
        server=server,
        times=len(plan.steps),
        down=downtime(plan, clock_rate),
        time=end_by_the_clock(now_s, duration_s(plan, clock_rate)),
    )


def end_by_the_clock(now_s: float, seconds: float) -> str:
    """When it will be so many seconds later here, with the day where that is not today."""
    end = datetime.fromtimestamp(now_s + seconds).astimezone()
    today = datetime.fromtimestamp(now_s).astimezone().date()
    return f"{end:%H:%M}" if end.date() == today else f"{end:%Y-%m-%d %H:%M}"


def length(seconds: float) -> Message:
    """'3.9 h', below two hours '85 min', and below two minutes '85 s'."""
    if seconds >= 7200:
        return Message("{hours:.1f} h", hours=seconds / 3600)
    if seconds >= 120:
        return Message("{minutes:.0f} min", minutes=seconds / 60)
    return Message("{seconds:.0f} s", seconds=seconds)


def _treatment(plan: Plan) -> Message:
    if plan.treatment.settings:
        return Message("Treatment: {treatment}.", treatment=str(plan.treatment))
    return Message("Noise floor: nothing is changed in either arm; any difference is noise.")


def _windows(plan: Plan, clock_rate: float) -> Message:
    pairs = len({step.pair for step in plan.steps})
    arms = ["".join(s.arm for s in plan.steps if s.pair == pair) for pair in range(pairs)]
    if not plan.in_pairs:
        arms = ["".join(s.arm for s in plan.steps if s.arm == arm) for arm in "AB"]
    least, most = duration_range_s(plan, clock_rate)
    return count_of(
        "{n} pair of {window:g} s windows, in the order {order} (seed {seed:plain}); "
        "{least} to {most} in all.",
        "{n} pairs of {window:g} s windows, in the order {order} (seed {seed:plain}); "
        "{least} to {most} in all.",
        n=pairs,
        window=plan.window_s,
        order=" ".join(arms),
        seed=plan.seed,
        least=length(least),
        most=length(most),
    )


def _disturbances(plan: Plan, clock_rate: float) -> list[Message]:
    """What those who use the server or its host may notice."""
    lines, times = [], len(plan.steps)
    if plan.restart:
        lines.append(
            Message(
                "The server is restarted before every window, in both arms alike: {times} "
                "restarts, about {down} without service in all.",
                times=times,
                down=downtime(plan, clock_rate),
            )
        )
        lines.append(warm_up_of(plan))
    if plan.cold:
        lines.append(
            Message(
                "The page cache of the server's host is dropped before every window, in both arms "
                "alike: {times} times.",
                times=times,
            )
        )
        lines.append(
            Message(
                "Caution: other programs on that host must read their files from disk again, "
                "which slows them for a while. A dropped cache cannot be put back."
            )
        )
    return lines


def warm_up_of(plan: Plan) -> Message:
    """What is done about a server that is cold after a restart."""
    if plan.trim_auto:
        return Message(
            "What a restarted server needs to warm up is discarded, the same from every window: "
            "{least:g} s or more.",
            least=RESTART_FLOOR_S,
        )
    if plan.trim_s:
        return Message(
            "The first {trim:g} s of every window are discarded: the server warms up in them.",
            trim=plan.trim_s,
        )
    return Message(
        "Caution: every window begins with a cold server, and windows of {window:g} s are too "
        "short to find its warm-up. Use {least:g} s or more, or discard a warm-up you name.",
        window=plan.window_s,
        least=2 * RESTART_FLOOR_S,
    )


def _limits(plan: Plan) -> list[Message]:
    """What the design can and cannot say."""
    lines = []
    if plan.design.kind == "ab":
        lines.append(
            Message(
                "Windows of A before those of B cannot separate the change from the time that "
                "passed: they can suggest, never establish."
            )
        )
        if is_built(plan.treatment):
            lines.append(
                Message(
                    "With pairs the server would build the index again for each pair, so one "
                    "switch is the usual plan. On a server that its profile marks as a test "
                    "server, pairs are the usual plan."
                )
            )
    if plan.design.kind == "abba":
        lines.append(
            Message(
                "ABBA order is balanced against a steady trend, but it is not random: its "
                "p-values are not exact. Those of randomised pairs are."
            )
        )
    if plan.design.kind == "pairs" and plan.design.k > 1:
        lines.append(
            Message(
                "The order was drawn from all orders in which some pairs begin with A and some "
                "with B; p-values are exact for these."
            )
        )
    if plan.looks:
        level = look_alpha(plan.looks, plan.level)
        lines.append(
            Message(
                "Interim analyses after {pairs} pairs, each at p ≤ {level:.3g} instead of "
                "{whole:.3g}; the first decision ends the experiment.",
                pairs=tuple(map(str, plan.looks)),
                level=level,
                whole=plan.level,
            )
        )
        if least := next((k for k in plan.looks if _least_p(k, plan.design.k) > level), None):
            lines.append(
                Message(
                    "An interim analysis after {pairs} pairs is too early: no outcome reaches "
                    "that p.",
                    pairs=least,
                )
            )
    if plan.futility:
        lines.append(
            Message(
                "An interim analysis also ends the experiment once an improvement that matters is "
                "unlikely (80 % interval)."
            )
        )
    return lines


def _least_p(pairs: int, designed: int) -> float:
    """Of the clearest outcome there can be, after some pairs of a design."""
    return 2 / (2.0**pairs - 2 * 0.5 ** (designed - pairs))


def _patience(plan: Plan) -> list[Message]:
    """What happens when the link breaks or another administrator is at it."""
    return [
        count_of(
            "A pair in which the link breaks, this machine sleeps or another administrator "
            "changes the server is measured again, at most once in all.",
            "A pair in which the link breaks, this machine sleeps or another administrator "
            "changes the server is measured again, at most {n} times in all.",
            n=plan.repeats,
        ),
        Message(
            "A server that does not answer is waited for, {length} at most.",
            length=length(plan.patience_s),
        ),
        *_restart_wait(plan),
    ]


def _restart_wait(plan: Plan) -> list[Message]:
    if not plan.restart:
        return []
    return [
        Message(
            "After the restart command the server is waited for, {length} at most.",
            length=length(plan.restart_wait_s),
        )
    ]
