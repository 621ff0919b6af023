"""The plan of an experiment: the order of its windows, and what it will cost.

Three plans to choose from before anybody counts pairs: half an hour, four hours, a night.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ldap_workbench.experiment.load import check_command
from ldap_workbench.inference.counts.metrics import SLO, known_metric
from ldap_workbench.inference.counts.warmup import FLOOR_S, RESTART_FLOOR_S
from ldap_workbench.model.errors import KnobError, UsageError
from ldap_workbench.model.experiment import Design, Plan, Step, Then
from ldap_workbench.model.knob import Treatment, ValueKind
from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.model.plan_fields import OF_EVERY_PLAN
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.indexes import unused
from ldap_workbench.tuning.plan import PlannedChange

MINIMUM_PAIRS = 6
"""With fewer, even the most extreme outcome has p > 0.05 in the sign-flip test (2 / 30)."""

BUILT = ("index.", "olcDbIndex", "vlv.", "backend-index-entry-limit")
"""Begins the names of settings for which a running server builds something."""

RESTART_S = 10.0
"""What a restart is reckoned at in a plan; the real one is waited for."""

FLUSH_S = 15.0
"""What waiting for the buffered access log takes on average after a window."""

_LONGEST_FLUSH_S = 30.0
"""389 DS writes a buffered log out at the latest after this; a busy server, or one that does not
buffer, at once."""

_AROUND_S = 2.0, 5.0
"""Least and most that starting the sources of a window and reading its rest take, by our clock."""


def parse_design(text: str) -> Design:
    """'pairs:8', 'abba:4', 'ab' or 'ab:4'. Raises UsageError."""
    match = re.fullmatch(r"(pairs|abba|ab)(?::(\d+))?", text.strip().lower())
    if not match:
        raise UsageError(
            Message("'{text}' is not a design.", text=text),
            remedy=Message(
                "Use pairs:8 (random order), abba:4 (balanced) or ab:4 (four of A, then four of B: "
                "suggests only)."
            ),
        )
    kind = match.group(1)
    k = int(match.group(2) or {"pairs": 8, "abba": 4, "ab": 1}[kind])
    if k < 1:
        raise UsageError(
            Message("A design needs at least one pair."),
            remedy=Message("Use a design such as pairs:8."),
        )
    return Design(kind, k)


def is_built(treatment: Treatment) -> bool:
    """Whether something is built for it, as an index, each time it is switched on."""
    offline = {knob.name for knob in load_catalogue("openldap").knobs if knob.rebuilds}
    return is_built_live(treatment) or any(asked.knob in offline for asked in treatment.settings)


def is_built_live(treatment: Treatment) -> bool:
    """Whether the server builds it while it runs."""
    return any(setting.knob.startswith(BUILT) for setting in treatment.settings)


def usual_design(treatment: Treatment, *, test_server: bool) -> str:
    """The design where nobody names one: an index of a server in use is switched on once.

    Built again for every pair it would be load without end for those who use the server.
    """
    return "ab" if is_built(treatment) and not test_server else "pairs:8"


def parse_looks(text: str) -> tuple[int, ...]:
    """'8,12,16': numbers of pairs; nothing for none. Raises UsageError."""
    try:
        return tuple(int(word) for word in text.split(",")) if text.strip() else ()
    except ValueError as error:
        raise UsageError(
            Message("'{text}' does not name interim analyses.", text=text),
            remedy=Message("Give numbers of pairs with commas: 8,12,16."),
        ) from error


def order(design: Design, seed: int) -> tuple[Step, ...]:
    """The windows in the order they are measured; the coin of `pairs` is a seeded generator.

    It is thrown again where all pairs would begin alike: any trend would then look like an effect.
    The test knows of that (`inference/significance/signflip.py`).
    """
    if design.kind == "ab":
        return tuple(Step(arm, i) for arm in "AB" for i in range(design.k))
    if design.kind == "abba":
        pairs = ["AB" if i % 2 == 0 else "BA" for i in range(2 * design.k)]
    else:
        pairs = _draw(design.k, seed)
    return tuple(Step(arm, pair) for pair, arms in enumerate(pairs) for arm in arms)


def _draw(k: int, seed: int) -> list[str]:
    coin = random.Random(seed)  # noqa: S311 - an order, not a secret
    while True:
        pairs = [coin.choice(("AB", "BA")) for _ in range(k)]
        if k < 2 or len({*pairs}) > 1:
            return pairs


def make_plan(
    treatment: Treatment, design: Design, *, window_s: float, seed: int, **options: Any
) -> Plan:
    """A plan with its order drawn. `options` are the other fields of Plan. Raises UsageError."""
    if window_s <= 0:
        raise UsageError(
            Message("A window must be longer than 0 s."),
            remedy=Message("Give its length in seconds, such as 300."),
        )
    if not treatment.settings:
        options["then"] = Then.REVERT  # there is nothing to keep
    check_command(options.get("load", ""))
    known_metric(options.get("primary", SLO))
    restarted = bool(options.get("restart"))
    if restarted and can_trim(window_s, options.get("trim_s", 0.0), restarted=True):
        options["trim_auto"] = True
    _check_looks(design, options.get("looks", ()))
    if options.get("trim_auto"):
        _check_trim(window_s, restarted=restarted)
    plan = Plan(
        treatment=treatment,
        design=design,
        steps=order(design, seed),
        window_s=window_s,
        seed=seed,
        **options,
    )
    if not is_measurable(plan):
        raise UsageError(
            Message("A length or a limit of the plan is negative or infinite."),
            safe=Message("Nothing was changed."),
            remedy=Message("Give finite numbers from 0 on."),
        )
    return plan


def can_trim(window_s: float, trim_s: float, *, restarted: bool) -> bool:
    """Whether windows are long enough for the warm-up rule, and nobody named what to discard."""
    return not trim_s and window_s >= 2 * (RESTART_FLOOR_S if restarted else FLOOR_S)


def is_measurable(plan: Plan) -> bool:
    """Whether windows, waits and limits are finite, and every pair has both arms."""
    fields = [getattr(plan, field.name) for field in OF_EVERY_PLAN]
    numbers = (*fields, plan.level, *plan.guards.values())
    in_range = all(0 <= number < math.inf for number in numbers) and plan.window_s > 0
    pairs = [plan.steps[i : i + 2] for i in range(0, len(plan.steps), 2)]
    if not plan.in_pairs:
        half = len(plan.steps) // 2
        pairs = list(zip(plan.steps[:half], plan.steps[half:], strict=len(plan.steps) % 2 == 0))
    whole = all({step.arm for step in pair} == {"A", "B"} for pair in pairs)
    numbered = all(step.pair == i for i, pair in enumerate(pairs) for step in pair)
    return in_range and plan.level < 1 and bool(pairs) and whole and numbered


def _check_looks(design: Design, looks: Sequence[int]) -> None:
    """Looks are for randomised pairs; the first where a difference can be established at all."""
    if not looks:
        return
    if design.kind != "pairs":
        raise UsageError(
            Message("Interim analyses need randomised pairs."),
            remedy=Message("Use a design such as pairs:24."),
        )
    if min(looks) < MINIMUM_PAIRS or max(looks) > design.k or list(looks) != sorted({*looks}):
        raise UsageError(
            Message(
                "Interim analyses after {looks:list} pairs do not fit {design}.",
                looks=tuple(map(str, looks)),
                design=str(design),
            ),
            remedy=Message(
                "Give them in rising order, from {minimum_pairs} to {k}.",
                minimum_pairs=MINIMUM_PAIRS,
                k=design.k,
            ),
        )


def _check_trim(window_s: float, *, restarted: bool) -> None:
    """The warm-up rule cuts a minute at least, and more than half a window never."""
    least = 2 * (RESTART_FLOOR_S if restarted else FLOOR_S)
    if window_s < least:
        raise UsageError(
            Message(
                "Windows of {window_s:g} s are too short to find the warm-up: at "
                "least {least:g} s of each are discarded, and at most half of it.",
                window_s=window_s,
                least=least / 2,
            ),
            safe=Message("Nothing was changed."),
            remedy=Message(
                "Use windows of {least:g} s or more, or set the warm-up to discard yourself.",
                least=least,
            ),
        )


def check_differs(plan: Plan, planned: Sequence[PlannedChange]) -> None:
    """Raise KnobError where the server has the treatment already: both arms would be the same."""
    if planned and not any(change.writes for change in planned):
        indexes = [change for change in planned if change.knob.kind is ValueKind.INDEX]
        off = next((setting for one in indexes if (setting := unused(one.location.dn))), "")
        raise KnobError(
            Message(
                "The server already has {treatment}: both arms would be the same.",
                treatment=str(plan.treatment),
            ),
            remedy=sentences(
                Message(
                    "Choose another value, or first set the server to what you want to compare "
                    "with."
                ),
                Message("To compare with the index unused: {setting}.", setting=off)
                if off
                else NOTHING,
            ),
        )


def duration_s(plan: Plan, clock_rate: float = 1.0) -> float:
    """Seconds the plan takes on the wall, about; `clock_rate` is that of the server's clock."""
    step_s = plan.window_s + plan.settle_s + FLUSH_S + (RESTART_S if plan.restart else 0.0)
    return step_s * len(plan.steps) / clock_rate


def duration_range_s(plan: Plan, clock_rate: float = 1.0) -> tuple[float, float]:
    """Seconds the plan takes on the wall at least and at most, if nothing is measured again.

    How long each window waits for its log depends on how busy the server is: with short windows
    that is more than all the rest.
    """
    shortest = plan.window_s + plan.settle_s
    longest = shortest + _LONGEST_FLUSH_S + (RESTART_S if plan.restart else 0.0)
    least, most = (
        seconds / clock_rate + around
        for seconds, around in zip((shortest, longest), _AROUND_S, strict=True)
    )
    return len(plan.steps) * least, len(plan.steps) * most


@dataclass(frozen=True)
class Size:
    """Randomised pairs of `window_s` windows; more and shorter find more in the same time."""

    name: Message
    takes: Message
    """On a server that is not simulated, in round figures."""
    pairs: int
    window_s: float

    @property
    def title(self) -> Message:
        """Its name, with the time it takes."""
        return Message("{name} ({takes})", name=self.name, takes=self.takes)


SIZES = {
    # Windows that wait 5 s after a change and 15 s for the log fill the time named.
    "quick": Size(Message("Quick"), Message("30 min"), 6, 120),
    "standard": Size(Message("Standard"), Message("4 h"), 22, 300),
    "thorough": Size(Message("Thorough"), Message("overnight"), 67, 300),
}
