"""A session turned into what its report says, whatever the report is written in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ldap_workbench import __version__
from ldap_workbench.advice.evidence.view import settings_now
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.experiment.judge import verdict_of_today
from ldap_workbench.experiment.tried_advice import beside_history
from ldap_workbench.figures.formats import number
from ldap_workbench.figures.names import arm_name
from ldap_workbench.figures.operations.view import slowest
from ldap_workbench.figures.overview.findings import findings_of, times_of
from ldap_workbench.figures.tails.client_view import client_numbers, client_views
from ldap_workbench.figures.tails.curve import TailCurve, curve_of, distribution_of
from ldap_workbench.figures.tails.icicle import Stacks, session_stacks
from ldap_workbench.figures.tails.probes import probe_pictures
from ldap_workbench.figures.timeline.strips import Strip, concurrency_strip, log_strips
from ldap_workbench.figures.timeline.view import sampled_strips
from ldap_workbench.figures.verdict.host_changes import host_changes
from ldap_workbench.figures.verdict.pairs import Measured, measured, pooled, trimmed
from ldap_workbench.figures.verdict.stored import left_out_s
from ldap_workbench.inference.counts.tails import tails
from ldap_workbench.model.change import Change
from ldap_workbench.model.experiment import Experiment
from ldap_workbench.model.message import Message, count_of, verbatim
from ldap_workbench.model.operations import ALL, TYPES, is_type
from ldap_workbench.model.progress import OnProgress, Progress, no_progress
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.units import format_duration, format_size, format_time
from ldap_workbench.model.window import SourceState, Window, by_arm
from ldap_workbench.report.parts import (
    ArmPart,
    Fact,
    GroupPart,
    HostPart,
    ReportModel,
    WindowPart,
)
from ldap_workbench.report.trial import experiment_part
from ldap_workbench.session.reader import Session

SLOWEST, _NAMED = 10, 8
_STATES = {
    SourceState.PARTIAL: Message("partial"),
    SourceState.MISSING: Message("missing"),
    SourceState.FAILED: Message("failed"),
}
_COMPARED = 3
"""Windows compared with the first one."""


def report_model(session: Session, progress: OnProgress = no_progress) -> ReportModel:
    """Read a session once, window by window. Raises SessionError where it cannot be understood."""
    facts = session.facts
    windows = session.windows()
    changes = tuple(session.changes())
    experiments = session.experiments()
    reading = _Reading(session, progress, len(windows))
    groups = [reading.experiment(experiment, windows, changes) for experiment in experiments]
    taken = {number for experiment in experiments for number in experiment.windows}
    rest = [window for window in windows if window.id not in taken]
    if rest:
        groups.append(reading.capture(rest))
    progress(Progress(Message("Looking for what stands out"), 0.9))
    results, times = findings_of(session), times_of(session)
    advice = advise(results, facts, settings=settings_now(session))
    title, subtitle = _titles(session, experiments, windows)
    return ReportModel(
        title=title,
        subtitle=subtitle,
        simulated=is_simulated(session, facts),
        facts=server_facts(facts),
        target=facts,
        groups=tuple(groups),
        changes=changes,
        marks=tuple(session.marks()),
        versions=version_facts(session),
        warnings=tuple(_warnings(groups, changes)),
        findings=results,
        times=times,
        advice=tuple(beside_history(advice, facts)),
    )


class _Reading:
    """Reads the operations of a session's windows, each once."""

    def __init__(self, session: Session, progress: OnProgress, count: int) -> None:
        self._session = session
        self._progress = progress
        self._count = max(count, 1)
        self._read = 0

    def experiment(
        self, experiment: Experiment, windows: Sequence[Window], changes: Sequence[Change]
    ) -> GroupPart:
        ours = [window for window in windows if window.id in experiment.windows]
        plan = experiment.plan
        parts = [self._measure(window) for window in ours]
        experiment = replace(experiment, verdict=verdict_of_today(self._session, experiment))
        part = experiment_part(experiment, parts, changes, self._session.facts)
        trim_ns = round(left_out_s(plan, part.verdict) * 1e9)
        group = self._group(f"Experiment: {plan.treatment}", parts, trim_ns)
        primary = plan.primary_metric
        kind = "" if primary.of_all else primary.operation_type
        return replace(
            group,
            experiment=part,
            slo_ns=plan.slo_ns,
            primary_type=kind,
            type_curves=_type_curves(kind, parts) if kind in TYPES else (),
        )

    def capture(self, windows: Sequence[Window]) -> GroupPart:
        return self._group("Captured windows", [self._measure(window) for window in windows], 0)

    def _measure(self, window: Window) -> Measured:
        text = Message("Reading window {name}", name=window.name)
        self._progress(Progress(text, 0.9 * self._read / self._count))
        self._read += 1
        source = self._session.operation_source(window)
        sources = self._session.sources(window.id)
        resolution = next((s.resolution_ns for s in sources if s.id == source), 1)
        return measured(window, self._session.operations(window), resolution)

    def _group(self, title: str, parts: Sequence[Measured], trim_ns: int) -> GroupPart:
        names = sorted({part.window.arm for part in parts})
        return GroupPart(
            title=title,
            windows=tuple(self._window(part) for part in parts),
            arms=tuple(_arm(name, parts, trim_ns) for name in names),
            slowest=tuple(slowest(self._session, [part.window for part in parts], SLOWEST)),
            strips=strips(self._session, parts),
            host=host_parts(self._session, [part.window for part in parts]),
            probes=tuple(probe_pictures(self._session, [part.window for part in parts])),
            client=client_numbers(client_views(self._session, [part.window for part in parts])),
            stacks=_stacks(self._session, [part.window for part in parts]),
        )

    def _window(self, part: Measured) -> WindowPart:
        window = part.window
        return WindowPart(
            window=window,
            sources=tuple(self._session.sources(window.id)),
            tails=tuple(
                tails(part.operations, window=window.name, resolution_ns=part.resolution_ns)
            ),
            curve=curve_of(
                verbatim(window.name), window.arm, part.etimes(), resolution_ns=part.resolution_ns
            ),
            resolution_ns=part.resolution_ns,
        )


def _arm(name: str, parts: Sequence[Measured], trim_ns: int) -> ArmPart:
    """The windows of an arm together; those cut short are not counted in."""
    ours = [p for p in parts if p.window.arm == name and not p.window.cancelled]
    together = pooled([trimmed(part, trim_ns) for part in ours])
    resolution = max((part.resolution_ns for part in ours), default=1)
    label = arm_name(name) or Message("captured")
    quantiles = tails(together, window=str(label), resolution_ns=resolution)
    etimes = np.sort(together.etime_ns[is_type(together, ALL)])
    curve = curve_of(label, name, etimes, resolution_ns=resolution)
    shape = distribution_of(label, name, etimes, resolution_ns=resolution)
    return ArmPart(name, len(ours), tuple(quantiles), curve, shape)


def _type_curves(kind: str, parts: Sequence[Measured]) -> tuple[TailCurve, ...]:
    curves = []
    for name in ("A", "B"):
        ours = [p for p in parts if p.window.arm == name and not p.window.cancelled]
        etimes = [part.etimes(kind) for part in ours]
        if etimes:
            together = np.concatenate(etimes)
            coarsest = max(part.resolution_ns for part in ours)
            curves.append(curve_of(arm_name(name), name, together, resolution_ns=coarsest))
    return tuple(curves)


def strips(session: Session, parts: Sequence[Measured]) -> tuple[Strip, ...]:
    """What the access log tells over time, then what was sampled, as the timeline draws it."""
    windows = [part.window for part in parts]
    ended = [part.ended() for part in parts]
    concurrency = concurrency_strip(ended, windows, ())
    logged = [*log_strips(ended, windows), *([concurrency] if concurrency else [])]
    return (*logged, *sampled_strips(session, windows))


def host_parts(session: Session, windows: Sequence[Window]) -> tuple[HostPart, ...]:
    """Arm B against arm A; of windows without arms each later one against the first."""
    ordered = sorted(windows, key=lambda window: window.start_ns)
    of_a, of_b = by_arm(windows)
    if of_a and of_b:
        pairs = [("A", of_a, "B", of_b)]
    else:
        first, later = ordered[:1], ordered[1:]
        pairs = [(a.name, [a], b.name, [b]) for a in first for b in later[:_COMPARED]]
    compared = [
        HostPart(a, b, tuple(host_changes(session, before, after))) for a, before, b, after in pairs
    ]
    return tuple(part for part in compared if part.changes)


def _stacks(session: Session, windows: Sequence[Window]) -> Stacks | None:
    """Arm B against arm A where both have stacks; else those of all windows together."""
    stacks = session_stacks(session, *by_arm(windows))
    return stacks if stacks and stacks.compared else session_stacks(session, windows, ())


def _titles(
    session: Session, experiments: Sequence[Experiment], windows: Sequence[Window]
) -> tuple[Message, Message]:
    treatments = dict.fromkeys(str(experiment.plan.treatment) for experiment in experiments)
    what = verbatim("; ".join(treatments)) or Message("Measurement windows")
    facts = session.facts
    title = Message("{what} on {host}", what=what, host=facts.host) if facts else what
    if not windows:
        return title, Message("The session holds no window.")
    start = min(window.start_ns for window in windows)
    end = max(window.end_ns for window in windows)
    span = count_of(
        "{n} window from {start:time} to {end:time}",
        "{n} windows from {start:time} to {end:time}",
        n=len(windows),
        start=start,
        end=end,
    )
    return title, span


def _warnings(groups: Sequence[GroupPart], changes: Sequence[Change]) -> list[Message]:
    """What a reader must know before believing any number."""
    warnings = []
    if pending := sum(change.state.open for change in changes):
        warnings.append(
            count_of(
                "{n} journal entry was open when this session was written: what it changed may be "
                "in force on the server.",
                "{n} journal entries were open when this session was written: what they changed "
                "may be in force on the server.",
                n=pending,
            )
        )
    parts = [part for group in groups for part in group.windows]
    lacks: dict[str, tuple[Message, list[str]]] = {}
    for part in parts:
        for lack in _lacks(part):
            lacks.setdefault(str(lack), (lack, []))[1].append(part.window.name)
    warnings += [
        Message("{lack} in {windows}.", lack=lack, windows=_listed(names))
        for lack, names in lacks.values()
    ]
    noted = dict.fromkeys((p.window.name, str(p.window.notes)) for p in parts if p.window.notes)
    return [*warnings, *(verbatim(f"{name}: {note}") for name, note in noted)]


def _lacks(part: WindowPart) -> list[Message]:
    messages = [
        Message(
            "The {source} source is {state}", source=source.kind.label, state=_STATES[source.state]
        )
        for source in part.sources
        if source.state is not SourceState.COMPLETE
    ]
    if part.window.cancelled:
        messages.append(Message("The measurement was cut short"))
    if not _clients(part):
        messages.append(Message("No operation of a client was seen"))
    return messages


def _listed(names: Sequence[str]) -> Message:
    if len(names) == 1:
        return verbatim(names[0])
    shown = ", ".join(names[:_NAMED]) + (" …" if len(names) > _NAMED else "")
    return Message("{n} windows ({names})", n=len(names), names=shown)


def _clients(part: WindowPart) -> int:
    return next((tail.n for tail in part.tails if tail.type == ALL), 0)


def server_facts(facts: TargetFacts | None) -> tuple[Fact, ...]:
    """Rows in the order a reader asks for them; what is not known says why where that is known."""
    if facts is None:
        return ()
    rows = [
        ("Server", f"{facts.product} {facts.version}", "version"),
        ("Host", facts.host, "host"),
        ("Instance", facts.instance, "instance"),
        ("Started", _time(facts.started_ns), "started_ns"),
        ("Backends", _backends(facts), "backends"),
        ("Database library", facts.db_library, "db_library"),
        ("Database directory", facts.db_directory, "db_directory"),
        ("Disk under the database", facts.device, "device"),
        ("CPU", "" if number(facts.cores) is None else f"{facts.cores} cores", "cores"),
        ("Memory", _size(facts.ram_bytes), "ram_bytes"),
        ("Kernel", facts.kernel, "kernel"),
        ("Access log", facts.access_log, "access_log"),
        ("Server clock", _clock(facts), "clock_offset_ns"),
        ("Profile", facts.profile, "profile"),
    ]
    known = []
    for name, value, key in rows:
        if value:
            known.append(Fact(name, value))
        elif key in facts.unknown:
            known.append(Fact(name, "not known", str(facts.unknown[key])))
    return tuple(known)


def version_facts(session: Session) -> tuple[Fact, ...]:
    """Who wrote the session and who the report."""
    return (
        Fact("Session written by", session.meta.get("written_by", "not known")),
        Fact("Session schema", session.meta.get("schema", "not known")),
        Fact("Report written by", f"ldap-workbench {__version__}"),
    )


def is_simulated(session: Session, facts: TargetFacts | None) -> bool:
    """Whether the server was the practice directory, which only behaves like a real one."""
    marked = session.meta.get("simulated", "").lower() not in ("", "0", "no", "false")
    return marked or bool(facts and facts.simulated)


def _time(ns: int | None) -> str:
    return "" if number(ns) is None or ns is None else format_time(ns)


def _size(value: int | None) -> str:
    return "" if number(value) is None or value is None else format_size(value)


def _backends(facts: TargetFacts) -> str:
    return ", ".join(f"{backend.name} ({backend.suffix})" for backend in facts.backends)


def _clock(facts: TargetFacts) -> str:
    offset = facts.clock_offset_ns
    if number(offset) is None or facts.clock_error_ns is None:
        return ""
    side = "ahead of" if offset > 0 else "behind"
    error = format_duration(facts.clock_error_ns)
    return f"{format_duration(abs(offset))} {side} the workbench's clock (± {error})"
