"""The verdict over the windows of an experiment, from what the session holds.

Planned looks: judging what is measured so far, at the numbers of pairs named beforehand. A look
ends an experiment that is decided, for better or worse, at its share of the level. Where the plan
says so it also ends one that is futile: a stop that makes no claim costs no level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ldap_workbench.experiment.counting import access_logs, counted_together, kind_in
from ldap_workbench.experiment.index_proof import seen_in_log
from ldap_workbench.experiment.record import Record
from ldap_workbench.inference.counts.metrics import FAILED, MATERIAL, known_metric
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.selection import ONE_SHOT
from ldap_workbench.inference.significance.sequential import ALPHA
from ldap_workbench.inference.verdict.analyse import analyse
from ldap_workbench.inference.verdict.failures import COUNTED_NS, analyse_failures
from ldap_workbench.inference.verdict.wording import effect
from ldap_workbench.model.errors import ExperimentError, WorkbenchError
from ldap_workbench.model.experiment import Experiment, Plan
from ldap_workbench.model.message import NOTHING, Message, count_of, verbatim
from ldap_workbench.model.progress import OnProgress, Progress
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.verdict import RULES, Judgement, Verdict
from ldap_workbench.model.window import Window
from ldap_workbench.servers.product import product_of
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.catalogue import load_catalogue


def with_earlier_word(today: Verdict, stored: Verdict, session: Session) -> Verdict:
    """Today's verdict; where the stored one had another word, with a note of it and of why."""
    before, now = stored.primary.verdict, today.primary.verdict
    if before == now:
        return today
    note = Message(
        "Judged {before} by {version} when it was measured; by today's rules: {now}. {why}",
        before=Judgement.named(before),
        version=_version(session),
        now=Judgement.named(now),
        why=_reason(today),
    )
    return replace(today, warnings=(note, *today.warnings))


def not_judged_again(stored: Verdict, session: Session, why: Message) -> Verdict:
    """The stored verdict with a note that it is of earlier rules."""
    note = Message(
        "Judged by {version}, whose rules were others. It cannot be judged again: {why}",
        version=_version(session),
        why=why,
    )
    return replace(stored, warnings=(note, *stored.warnings))


def _version(session: Session) -> Message | str:
    return session.meta.get("written_by") or Message("an earlier version")


def _reason(today: Verdict) -> Message:
    if today.why:
        return today.why
    if today.primary.takes:
        return Message("Data needed: {takes}.", takes=today.primary.takes)
    return Message("{effect}.", effect=effect(today.primary))


_USUAL_PRIMARY, _USUAL_SLO_NS = "slo", 100_000_000
_WHOLE_IN_ONE = ("pairs", "abba", "ab")
"""Designs whose windows are all in one session."""


def judge(session: Session, experiment: Experiment) -> Verdict:
    """The verdict of an experiment over the windows it has, both of a pair or neither."""
    plan = experiment.plan
    known = {window.id: window for window in session.windows()}
    windows = [known[number] for number in experiment.windows if number in known]
    verdict = judge_windows(
        session,
        [window for window in windows if not window.cancelled],
        primary=plan.primary,
        seed=plan.seed,
        slo_ns=plan.slo_ns,
        trim="auto" if plan.trim_auto else plan.trim_s,
        restarted=plan.restart,
        looks=plan.looks,
        level=plan.level,
        design=str(plan.design),
        loop=_loop_of(plan),
        lost=experiment.lost,
        lasting=_lasting(plan, session.facts),
        waited_s=plan.settle_s,
        must_last=plan.must_last,
        b=b_of(plan),
    )
    used = seen_in_log(session, plan.treatment, windows)
    remarks = (*plan.earlier, *experiment.void, *experiment.remarks, *used)
    return replace(verdict, warnings=(*verdict.warnings, *remarks))


def verdict_of_today(session: Session, experiment: Experiment) -> Verdict | None:
    """The verdict of an experiment, judged again where earlier rules gave it.

    It is the stored one unless its word changes: then today's, with a note of what it was. One that
    cannot be judged again says so. To judge, every operation of the experiment is read.
    """
    stored = experiment.verdict and experiment.verdict.naming(b_of(experiment.plan))
    if stored is None or stored.rules >= RULES:
        return stored
    if experiment.plan.design.kind not in _WHOLE_IN_ONE:
        why = Message("it is over several replicas, and this is the session of one.")
        return not_judged_again(stored, session, why)
    try:
        today = judge(session, experiment)
    except WorkbenchError as error:
        return not_judged_again(stored, session, error.what)
    except ValueError as error:  # a plan of a stranger, such as one with a negative seed
        return not_judged_again(stored, session, verbatim(str(error)))
    noted = with_earlier_word(today, stored, session)
    return stored if noted is today else noted


def judge_chosen(
    session: Session,
    windows: Sequence[Window],
    *,
    primary: str | None = None,
    slo_ns: int | None = None,
) -> Verdict:
    """The verdict over windows an operator names, with their arms and pairs.

    Those of an experiment are judged as it was planned. What differs from its plan, metric, target
    or pairs, was chosen afterwards and only suggests; so do windows that are no pairs of one.
    """
    experiment = _experiment_of(session, windows)
    if experiment is None:
        return judge_windows(
            session,
            windows,
            primary=primary or _USUAL_PRIMARY,
            slo_ns=slo_ns or _USUAL_SLO_NS,
            design="ab",
        )
    plan = experiment.plan
    departures = _departures(experiment, windows, primary, slo_ns)
    if not departures:
        today, stored = judge(session, experiment), experiment.verdict
        return with_earlier_word(today, stored, session) if stored else today
    in_pairs = [session.window(window.id) for window in windows]
    verdict = judge_windows(
        session,
        in_pairs,
        primary=primary or plan.primary,
        seed=plan.seed,
        slo_ns=slo_ns or plan.slo_ns,
        trim="auto" if plan.trim_auto else plan.trim_s,
        restarted=plan.restart,
        level=plan.level,
        loop=_loop_of(plan),
        afterwards=True,
        lost=experiment.lost,
        lasting=_lasting(plan, session.facts),
        waited_s=plan.settle_s,
    )
    return replace(verdict, warnings=(*departures, *verdict.warnings))


def _experiment_of(session: Session, windows: Sequence[Window]) -> Experiment | None:
    """The experiment of which these are whole pairs, each window in its own arm."""
    stored = {window.id: window for window in session.windows()}
    if any(stored[window.id].arm != window.arm for window in windows):
        return None
    pairs: dict[int, set[str]] = {}
    for window in windows:
        pairs.setdefault(stored[window.id].pair, set()).add(window.arm)
    if any(arms != {"A", "B"} for arms in pairs.values()):
        return None
    chosen = {window.id for window in windows}
    return next((e for e in session.experiments() if chosen <= set(e.windows)), None)


def _departures(
    experiment: Experiment, windows: Sequence[Window], primary: str | None, slo_ns: int | None
) -> tuple[Message, ...]:
    """What is asked otherwise than it was planned, a sentence each."""
    plan, pairs = experiment.plan, len(experiment.windows) // 2
    departures = []
    if primary not in (None, plan.primary):
        departures.append(
            Message(
                "Chosen afterwards: the plan's primary metric is {metric}. Another one only "
                "suggests.",
                metric=plan.primary,
            )
        )
    if slo_ns not in (None, plan.slo_ns):
        departures.append(
            Message(
                "Chosen afterwards: the plan's latency target is {target:duration}. Another one "
                "only suggests.",
                target=plan.slo_ns,
            )
        )
    if len(windows) // 2 < pairs:
        departures.append(
            count_of(
                "Chosen afterwards: {chosen} of {n} pair. A part of an experiment only suggests.",
                "Chosen afterwards: {chosen} of {n} pairs. A part of an experiment only suggests.",
                n=pairs,
                chosen=len(windows) // 2,
            )
        )
    return tuple(departures)


def _loop_of(plan: Plan) -> str:
    """Of its clients: the same load command runs in both arms, so what it gets done is an outcome.

    A replay sends the same operations, whatever the answers.
    """
    return "closed" if plan.load and not plan.replays else "auto"


def _lasting(plan: Plan, facts: TargetFacts | None) -> Message:
    """What of the effect outlives the revert, by the first knob of which that is known."""
    knobs = load_catalogue(product_of(facts)).knobs
    lasting = {knob.name: knob.lasting for knob in knobs if knob.lasting}
    treated = (setting.knob for setting in plan.treatment.settings)
    return next((lasting[name] for name in treated if name in lasting), NOTHING)


def b_of(plan: Plan) -> Message:
    """What arm B of a plan is."""
    if plan.changes_nothing:
        return Message("the unchanged server, as A")
    return verbatim(str(plan.treatment))


def judge_windows(session: Session, windows: Sequence[Window], **how: Any) -> Verdict:
    """The verdict over windows of one session; see `judge_sessions`."""
    return judge_sessions([(session, windows)], **how)


def judge_sessions(
    parts: Sequence[tuple[Session, Sequence[Window]]],
    *,
    primary: str = "slo",
    seed: int = 0,
    slo_ns: int = 100_000_000,
    trim: float | str = 0.0,
    restarted: bool = False,
    looks: Sequence[int] = (),
    level: float = ALPHA,
    design: str | None = None,
    loop: str = "auto",
    afterwards: bool = False,
    lost: Sequence[str] = (),
    lasting: Message = NOTHING,
    waited_s: float = 0.0,
    must_last: bool = False,
    of_sessions: bool = False,
    b: Message = NOTHING,
) -> Verdict:
    """The verdict over windows with arms "A" and "B" and their pairs, all trimmed alike.

    `b` is what arm B was, in the sentence of the verdict; without it, its windows are named.
    `parts` are sessions with windows of theirs. `trim` is seconds or "auto", which needs the counts
    of whole windows; see `analyse`.
    """
    if {window.arm for _, windows in parts for window in windows} != {"A", "B"}:
        raise ExperimentError(
            Message("A verdict needs at least one window of each arm."),
            safe=Message("Nothing was changed."),
            remedy=Message("Measure both arms, or name the windows of each."),
        )
    cut = 0.0 if isinstance(trim, str) else trim
    logs = []
    for session, windows in parts:
        for window in windows:
            logs += access_logs(session, window)
    is_of_failures = known_metric(primary).metric == FAILED
    counts = _counts(parts, slo_ns, cut, primary)
    failing = [_counts(parts, COUNTED_NS, cut, primary, failures=True)] if is_of_failures else []
    judge = analyse_failures if is_of_failures else analyse
    verdict = judge(
        counts,
        *failing,
        primary=primary,
        seed=seed,
        slo_ns=slo_ns,
        design=design,
        loop=loop,
        trim=trim if isinstance(trim, str) else 0.0,
        restarted=restarted,
        looks=looks,
        level=level,
        afterwards=afterwards,
        lost=lost,
        lasting=lasting,
        waited_s=waited_s + cut,
        must_last=must_last,
        of_sessions=of_sessions,
        resolution_ns=max((log.resolution_ns for log in logs), default=1),
    )
    return replace(verdict.naming(b or _windows_of_b(parts)), rules=RULES)


def _counts(
    parts: Sequence[tuple[Session, Sequence[Window]]],
    slo_ns: int,
    cut_s: float,
    primary: str,
    *,
    failures: bool = False,
) -> list[WindowCounts]:
    """Of the windows of all sessions."""
    together = counted_together(parts, slo_ns, cut_s, kind_in(primary), failures=failures)
    return [window for of_part in together for window in of_part]


LEAST_SESSIONS = 2
"""Of each arm: one says nothing of how sessions differ."""
Arms = Mapping[str, Sequence[tuple[Session, Sequence[Window]]]]
"""Arm "A" or "B" -> its sessions, each with windows of its own."""


def judge_arms(arms: Arms, *, primary: str = "slo", slo_ns: int = 100_000_000) -> Verdict:
    """What several sessions an arm suggest: a session counts once, however many its windows.

    Raises ExperimentError where an arm has fewer than LEAST_SESSIONS, or two of them are of the
    same time of one server.
    """
    for arm, sessions in arms.items():
        if len(sessions) < LEAST_SESSIONS:
            raise ExperimentError(
                Message("Arm {arm} has one session: how sessions differ is not known.", arm=arm),
                safe=Message("Nothing was changed."),
                remedy=Message(
                    "Name two sessions of each arm, better four or more: --with before every one "
                    "of arm B."
                ),
            )
    _refuse_same_time(arms)
    parts = [
        (session, [replace(window, arm=arm, pair=number) for window in windows])
        for arm, sessions in arms.items()
        for number, (session, windows) in enumerate(sessions)
    ]
    names = tuple(session.path.name for session, _ in arms["B"])
    verdict = judge_sessions(
        parts,
        primary=primary,
        slo_ns=slo_ns,
        design=ONE_SHOT,
        of_sessions=True,
        b=Message("{files:and}", files=names),
    )
    return replace(verdict, warnings=(*_other_servers(arms), *verdict.warnings))


def _refuse_same_time(arms: Arms) -> None:
    """Copies, and imports that overlap, are no further sessions: they hardly differ."""
    parts = [
        (window, session)
        for sessions in arms.values()
        for session, windows in sessions
        for window in windows
        if session.facts
    ]
    latest: dict[str, tuple[int, Session]] = {}
    for window, session in sorted(parts, key=lambda part: part[0].start_ns):
        end, other = latest.get(_server_of(session), (window.start_ns, session))
        if window.start_ns < end and other is not session:
            raise ExperimentError(
                Message(
                    "{files:and} hold the same time of one server.",
                    files=tuple(sorted([other.path.name, session.path.name])),
                ),
                safe=Message("Nothing was changed."),
                remedy=Message("Name each recording once, and windows that do not overlap."),
            )
        if window.end_ns > end:
            latest[_server_of(session)] = window.end_ns, session


def _other_servers(arms: Arms) -> tuple[Message, ...]:
    """Which servers the arms are of, where they are not the same in both, or not known."""
    a, b = (tuple(sorted({_server_of(session) for session, _ in arms[arm]})) for arm in "AB")
    if not all(session.facts for sessions in arms.values() for session, _ in sessions):
        return (
            Message(
                "Not every session says which server it is of: that they are of one, and of "
                "different times, is for you to know."
            ),
        )
    if a == b:
        return ()
    return (Message("A was measured on {a:list}, B on {b:list}.", a=a, b=b),)


def _server_of(session: Session) -> str:
    facts = session.facts
    return f"{facts.host} ({facts.product} {facts.version})" if facts else "?"


def _windows_of_b(parts: Sequence[tuple[Session, Sequence[Window]]]) -> Message:
    """The first window of arm B, how many others there are, and their file."""
    [(session, windows), *_] = [
        (session, named) for session, every in parts if (named := _of_b(every))
    ]
    first, others, file = windows[0].name, len(windows) - 1, session.path.name
    if not others:
        return Message("{window} of {file}", window=first, file=file)
    return count_of(
        "{window} and {n} other window of {file}",
        "{window} and {n} other windows of {file}",
        n=others,
        window=first,
        file=file,
    )


def _of_b(windows: Sequence[Window]) -> list[Window]:
    return [window for window in windows if window.arm == "B"]


def decided_early(record: Record, done: int, progress: OnProgress) -> bool:
    """Whether a look planned after `done` windows decides, so that no more is measured."""
    plan = record.plan
    pairs, half = divmod(done, 2)
    if half or pairs not in plan.looks or done == len(plan.steps):
        return False
    progress(Progress(Message("Interim analysis after {pairs} pairs", pairs=pairs)))
    with record.reader() as session:
        verdict = judge(session, record.experiment)
    primary = verdict.primary
    decided = primary.verdict in (Judgement.BETTER, Judgement.WORSE)
    futile = plan.futility and is_futile(verdict)
    said = _said(pairs, primary.verdict, len(plan.steps) // 2 - pairs, ends=decided or futile)
    progress(Progress(said))
    record.mark("look", said)
    return decided or futile


def is_futile(verdict: Verdict) -> bool:
    """Whether no improvement that matters is likely any more.

    By the 80 % interval, whatever the level of the look: in simulated campaigns that saves a third
    of the hours, and finds what the interval of the look finds (tests/bench/campaigns.py).
    """
    hope = verdict.details.hope
    return hope is not None and hope > 1 / MATERIAL[verdict.primary.metric]


def _said(pairs: int, verdict: str, left: int, *, ends: bool) -> Message:
    if not ends:
        return Message(
            "Interim analysis after {pairs} pairs: {verdict}.", pairs=pairs, verdict=verdict
        )
    return count_of(
        "Interim analysis after {pairs} pairs: {verdict}. The experiment ends here; {n} pair "
        "is not measured.",
        "Interim analysis after {pairs} pairs: {verdict}. The experiment ends here; {n} pairs "
        "are not measured.",
        n=left,
        pairs=pairs,
        verdict=verdict,
    )
