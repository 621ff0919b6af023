"""Rows of a report's tables in words, the same for HTML and Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ldap_workbench.figures import formats
from ldap_workbench.figures.names import metric_name, metric_value
from ldap_workbench.figures.operations.view import OperationRow
from ldap_workbench.figures.overview.findings import CONFIDENCES, cost_of
from ldap_workbench.figures.tails.client_view import CAVEAT
from ldap_workbench.figures.tails.probes import ProbePicture
from ldap_workbench.figures.tails.table import NUMBERS
from ldap_workbench.figures.verdict.host_changes import host_cells
from ldap_workbench.figures.verdict.stored import ledger_rows, left_out_s
from ldap_workbench.figures.verdict.view import metrics_of
from ldap_workbench.inference.significance.sequential import ALPHA
from ldap_workbench.model.change import Change
from ldap_workbench.model.finding import Advice, Evidence, Finding, Link
from ldap_workbench.model.kind import OperationKind
from ldap_workbench.model.message import Message, from_json, is_message
from ldap_workbench.model.operations import ALL, INTERNAL
from ldap_workbench.model.tail import Tail
from ldap_workbench.model.units import format_duration, format_time
from ldap_workbench.model.verdict import MetricVerdict, Verdict
from ldap_workbench.model.window import LineCounts, Source, SourceKind, SourceState
from ldap_workbench.report import words
from ldap_workbench.report.parts import ExperimentPart, Fact, GroupPart, WindowPart
from ldap_workbench.report.trial import value_words

Row = dict[str, Any]

_TYPES_METRICS = ("p50", "p99")
EVIDENCE, ADVICE = 3, 6
WHYS = 3
"""Reasons of sources that are not complete."""
FUNCTIONS = 20
"""Functions in stacks of threads."""


def group_tables(group: GroupPart) -> Row:
    """All tables of a group of windows by name, as HTML and Markdown take them."""
    experiment = group.experiment
    verdict = experiment.verdict if experiment else None
    return {
        "part": group,
        "verdict": verdict_words(verdict) if verdict else None,
        "plan": plan_facts(experiment) if experiment else [],
        "metrics": metric_rows(metrics_of(verdict)) if verdict else [],
        "interval": interval_heading(verdict),
        "types": type_rows(verdict) if verdict else [],
        "ledger": ledger_rows(experiment.ledger) if experiment else None,
        "arm_tails": arm_tails(group),
        "slowest": slowest_rows(group.slowest),
        "sources": source_totals(group),
        "window_sources": source_rows(group),
        "window_tails": window_tails(group),
        "host": host_rows(group),
        "client": client_rows(group),
        "stacks": stack_rows(group),
        "probes": probe_rows(group),
    }


@dataclass(frozen=True)
class VerdictWords:
    """A verdict as the reader meets it: its word, its look, its sentence, what it rests on."""

    word: str
    tone: str
    sentence: str
    why: str
    takes: str
    dropped: tuple[str, ...]
    warnings: tuple[str, ...]


def verdict_words(verdict: Verdict) -> VerdictWords:
    """The verdict in words; the reason and what it would take, unless the sentence says them."""
    primary = verdict.primary
    sentence, why, takes = str(verdict.sentence), str(verdict.why), str(primary.takes)
    return VerdictWords(
        word=words.judgement(primary.verdict),
        tone=words.tone(primary.verdict),
        sentence=sentence,
        why="" if why in sentence else why,
        takes="" if takes in sentence else takes,
        dropped=tuple(map(str, verdict.dropped)),
        warnings=tuple(map(str, verdict.warnings)),
    )


def plan_facts(part: ExperimentPart) -> list[Fact]:
    """The rest of the plan, as far as it says something."""
    plan = part.experiment.plan
    primary = plan.primary_metric
    rows = [
        Fact("Length of a window", formats.seconds(plan.window_s)),
        Fact("Metric the verdict rests on", str(metric_name(primary.metric, primary.type))),
        Fact("Latency target (SLO)", format_duration(plan.slo_ns)),
        Fact("Wait before each window", formats.seconds(plan.settle_s)),
    ]
    if cut := left_out_s(plan, part.verdict):
        rows.append(Fact("Left out at the start of each", formats.seconds(cut)))
    if plan.looks:
        pairs = ", ".join(map(str, plan.looks))
        rows.append(Fact("Would have ended it decided", f"a look after {pairs} pairs"))
    if plan.restart:
        rows.append(Fact("Restarts", "before every window, of both arms alike"))
    if plan.cold:
        rows.append(Fact("Page cache", "dropped before every window, of both arms alike"))
    where = "on the server's host" if plan.load_on_host else "on the workbench's machine"
    load = f"{plan.load} ({where})" if plan.load else "the server's own clients"
    rows.append(Fact("Load", load))
    if plan.guards:
        limits = ", ".join(_guard(name, limit) for name, limit in sorted(plan.guards.items()))
        rows.append(Fact("Would have ended it early", limits))
    return rows


def _guard(name: str, limit: float) -> str:
    if name == "error_share":
        return f"more than {formats.share(limit)} of operations failing"
    if name == "p99_ns":
        return f"a p99 above {format_duration(round(limit))}"
    if name == "lag_s":
        return f"a replica more than {limit:g} s behind the others"
    return f"{name} above {limit:g}"


def interval_heading(verdict: Verdict | None) -> str:
    """Of the table of metrics: the primary metric's interval is as wide as its test is strict."""
    level = formats.number(verdict.details.alpha) if verdict else None
    if level is None or level == ALPHA:
        return "95 % interval"
    return f"Interval (first {100 * (1 - level):.3g} %, others 95 %)"


def metric_rows(metrics: Iterable[MetricVerdict]) -> list[Row]:
    """Metrics in words; a p-value never stands without the number of pairs."""
    return [
        {
            "name": str(metric_name(m.metric, m.type)),
            "verdict": words.judgement(m.verdict),
            "a": metric_value(m.metric, m.a, m.n_a),
            "b": metric_value(m.metric, m.b, m.n_b),
            "ratio": formats.ratio(m.ratio),
            "interval": formats.ratio_interval(m.low, m.high),
            "pooled": formats.ratio(m.pooled),
            "pooled_interval": _interval(m.pooled_low, m.pooled_high),
            "p": f"{m.p_adjusted:.3f} ({words.pairs(m.n_pairs)})" if m.n_pairs else formats.DASH,
            "takes": str(m.takes),
        }
        for m in metrics
    ]


def _interval(low: float | None, high: float | None) -> str:
    return "" if formats.number(low) is None else str(formats.ratio_interval(low, high))


def type_rows(verdict: Verdict) -> list[Row]:
    """Median and p99 of each operation type; a kind of operation has rows of its own."""
    chosen = [
        metrics[name]
        for kind, metrics in sorted(verdict.types.items())
        for name in _TYPES_METRICS
        if name in metrics and OperationKind.parse(kind) is None
    ]
    return metric_rows(chosen)


def arm_tails(group: GroupPart) -> list[Row]:
    """Tails of the arms side by side: each type once per arm, all operations first.

    None where no operation was timed: what was imported may be iostat alone.
    """
    rows: list[Row] = []
    tails = [tail for arm in group.arms for tail in arm.tails]
    if not any(tail.n for tail in tails):
        return []
    for kind in _types(tails):
        same = [tail for tail in tails if tail.type == kind]
        rows += [_tail(tail, begins=index == 0) for index, tail in enumerate(same)]
    return rows


def window_tails(group: GroupPart) -> list[Row]:
    """Tails of every window by itself; none where there is only one."""
    timed = any(tail.n for part in group.windows for tail in part.tails)
    if len(group.windows) < 2 or not timed:
        return []
    rows: list[Row] = []
    for part in group.windows:
        by_type = {tail.type: tail for tail in part.tails}
        ordered = [by_type[kind] for kind in _types(part.tails)]
        rows += [
            _tail(tail, begins=True) | {"begins": i == 0, "window": tail.window if i == 0 else ""}
            for i, tail in enumerate(ordered)
        ]
    return rows


def _types(tails: Sequence[Tail]) -> list[str]:
    totals: dict[str, int] = {}
    for tail in tails:
        totals[tail.type] = totals.get(tail.type, 0) + tail.n
    return sorted(totals, key=lambda kind: (kind != ALL, kind == INTERNAL, -totals[kind], kind))


def _tail(tail: Tail, *, begins: bool) -> Row:
    return {
        "begins": begins,
        "window": tail.window,
        "type": tail.type if begins else "",
        "numbers": [str(column.text(tail)) for column in NUMBERS],
    }


def slowest_rows(slowest: Iterable[OperationRow]) -> list[Row]:
    """The slowest operations with their times in words."""
    return [
        {
            "one": one,
            "etime": formats.etime(one.etime_ns, one.resolution_ns),
            "wtime": formats.etime(one.wtime_ns),
        }
        for one in slowest
    ]


def source_totals(group: GroupPart) -> list[Row]:
    """Each kind of source over all windows: how complete, what it gave, what was skipped."""
    kinds: dict[SourceKind, list[Source]] = {}
    for part in group.windows:
        for source in part.sources:
            kinds.setdefault(source.kind, []).append(source)
    return [_source_total(kind, sources) for kind, sources in kinds.items()]


def _source_total(kind: SourceKind, sources: Sequence[Source]) -> Row:
    whole = sum(source.state is SourceState.COMPLETE for source in sources)
    states = {source.state.value for source in sources}
    state = states.pop() if len(states) == 1 else f"complete in {whole} of {len(sources)}"
    samples = [source.samples for source in sources]
    # Settings are read again for every window: they are not more by that.
    gathered = max(samples) if kind is SourceKind.CONFIG else sum(samples)
    return {
        "source": kind.value,
        "state": state,
        **_amounts(kind, gathered, [source.lines for source in sources]),
        "remarks": _lacks_of(sources),
    }


def _amounts(kind: SourceKind, samples: int, lines: Sequence[LineCounts]) -> Row:
    """What a source gave: its samples, and its lines where any were read."""
    noun = words.tables()["sources"].get(kind.value, "samples")
    names = ("understood", "set_aside", "unknown")
    sums = {name: sum(getattr(counts, name) for counts in lines) for name in names}
    counted = any(sums.values())
    return {
        "gathered": f"{formats.amount(samples)} {noun}",
        **{name: formats.amount(n) if counted else formats.DASH for name, n in sums.items()},
    }


def _lacks_of(sources: Sequence[Source]) -> str:
    """Why some are not complete, the most frequent first, and why lines were skipped."""
    whys = Counter(str(source.why).rstrip(".") for source in sources if source.why)
    parts = [why if n == 1 else f"{why} ({n} windows)" for why, n in whys.most_common(WHYS)]
    if (more := len(whys) - WHYS) > 0:
        parts.append(f"and {more} other reasons, see the appendix")
    reasons: Counter[str] = Counter()
    for source in sources:
        reasons.update(source.lines.reasons)
    parts += [f"{reason}: {formats.amount(n)}" for reason, n in sorted(reasons.items())]
    coarsest = max(source.resolution_ns for source in sources)
    if coarsest > 1:
        parts.append(f"etime in steps of {format_duration(coarsest)}")
    return "; ".join(parts) or formats.DASH


def source_rows(group: GroupPart) -> list[Row]:
    """Every source of every window, for the appendix: its state, its lines, all its counters."""
    return [
        _source(part, source, begins=index == 0)
        for part in group.windows
        for index, source in enumerate(part.sources)
    ]


def _source(part: WindowPart, source: Source, *, begins: bool) -> Row:
    window = part.window
    cut = ", cut short" if window.cancelled else ""
    return {
        "begins": begins,
        "window": window.name if begins else "",
        "start": f"{formats.clock(window.start_ns)}, {window.seconds:.1f} s{cut}" if begins else "",
        "source": source.kind.value,
        "state": source.state.value,
        **_amounts(source.kind, source.samples, [source.lines]),
        "remarks": _remarks(source),
    }


def _remarks(source: Source) -> str:
    """Reasons for the state, reasons for skipped lines, and counters other than 0."""
    parts = [str(source.why)] if source.why else []
    if source.kind in (SourceKind.SUMMARY, SourceKind.CLIENT):
        parts += [str(from_json(note)).rstrip(".") for note in source.details.get("notes", ())]
    parts += [
        f"{reason}: {formats.amount(n)}" for reason, n in sorted(source.lines.reasons.items())
    ]
    for name, value in sorted(source.details.items()):
        value = from_json(value) if is_message(value) else value
        if isinstance(value, int | str | Message) and value and name != "bytes":
            parts.append(f"{name.replace('_', ' ')}: {value}")
    if source.resolution_ns > 1:
        parts.append(f"etime in steps of {format_duration(source.resolution_ns)}")
    return "; ".join(parts) or formats.DASH


def host_rows(group: GroupPart) -> list[Row]:
    """What companions show in A and in B: clear changes as sentences, everything as rows."""
    return [
        {
            "title": f"{part.b} against {part.a}",
            "sentences": [f"{change.sentence}." for change in part.changes if change.is_apart],
            "rows": [host_cells(change) for change in part.changes],
        }
        for part in group.host
    ]


def probe_rows(group: GroupPart) -> list[Row]:
    """Imported histograms in numbers: each bucket with its calls, and the share beyond it."""
    return [
        {
            "probe": picture.probe,
            "labels": [run.label for run in picture.runs],
            "rows": [_bucket_row(picture, bound) for bound in _bounds(picture)],
        }
        for picture in group.probes
    ]


def _bounds(picture: ProbePicture) -> list[float]:
    return sorted({bound for run in picture.runs for bound in run.low})


def _bucket_row(picture: ProbePicture, bound: float) -> Row:
    cells = []
    for run in picture.runs:
        at = run.low.index(bound) if bound in run.low else None
        count = formats.amount(run.counts[at]) if at is not None else formats.DASH
        share = formats.share(run.beyond[at]) if at is not None else formats.DASH
        cells += [count, share]
    shown = f"{bound:,.0f} ns" if picture.is_time else f"{bound:,.0f}"
    return {"bound": shown, "cells": cells}


def client_rows(group: GroupPart) -> Row | None:
    """What a client measured, beside the server."""
    if group.client is None:
        return None
    headings, *rows = group.client.texts()
    return {"headings": headings, "rows": rows, "caveat": CAVEAT}


def stack_rows(group: GroupPart) -> Row | None:
    """Functions in stacks of threads; in two arms those that differ most come first."""
    if (stacks := group.stacks) is None:
        return None
    headings, *rows = stacks.function_numbers(FUNCTIONS).texts()
    return {
        "headings": headings,
        "rows": rows,
        "more": len(stacks.functions) - len(rows),
        "caveat": stacks.caveat() if stacks.compared else "",
    }


def finding_rows(findings: Iterable[Finding]) -> list[Row]:
    """Findings with how likely they matter, and the first places to look."""
    return [_finding(finding) for finding in findings]


def _finding(finding: Finding) -> Row:
    """The links of a chain are all shown, as a time line; of other evidence the first."""
    severities = words.tables()["severities"]
    chain = [_link(item) for item in finding.evidence if isinstance(item, Link)]
    shown = finding.evidence[: 0 if chain else EVIDENCE]
    return {
        "title": finding.title,
        "severity": str(severities.get(str(finding.severity), finding.severity)),
        "sentence": finding.sentence,
        "beside": _beside(finding),
        "owner": list(finding.owner_steps),
        "chain": chain,
        "evidence": [_evidence(item) for item in shown],
        "more": 0 if chain else max(0, len(finding.evidence) - EVIDENCE),
    }


def _beside(finding: Finding) -> str:
    """What it costs, how sure it is, and what would disprove it, in sentences."""
    said: list[Message] = [cost_of(finding), CONFIDENCES[finding.confidence]]
    if finding.disproof:
        said.append(Message("What would rule this out: {disproof}", disproof=finding.disproof))
    return " ".join(str(sentence) for sentence in said if sentence)


def _link(link: Link) -> Row:
    """One row of the time line of a chain."""
    start, end = (None if t is None else formats.clock(t) for t in (link.start_ns, link.end_ns))
    return {
        "from": start or formats.DASH,
        "to": end if end and end != start else formats.DASH,
        "link": link.link,
        "seen": link.source or "not seen",
        "text": link.text,
    }


def _evidence(evidence: Evidence) -> str:
    when = f"{format_time(evidence.start_ns)}: " if evidence.start_ns is not None else ""
    return f"{when}{evidence.text}"


def advice_rows(advice: Iterable[Advice]) -> list[Row]:
    """Advice with the settings to try; steps where nothing can be set for the operator."""
    return [
        {
            "title": advised.title,
            "change": str(advised.treatment) or "; ".join(map(str, advised.steps)),
            "tried": " ".join(map(str, advised.tried)),
            "why": advised.why,
            "expected": advised.expected,
            "cost": advised.cost,
            "risk": f"{advised.risk_level}: {advised.risk}",
        }
        for advised in list(advice)[:ADVICE]
    ]


def change_rows(changes: Iterable[Change]) -> list[Row]:
    """Journal entries with values as people read them."""
    rows: list[Row] = []
    last = None
    for change in changes:
        rows.append(
            {
                "begins": change.group != last,
                "id": change.id,
                "created": formats.clock(change.created_ns),
                "updated": formats.clock(change.updated_ns),
                "knob": change.knob,
                "where": f"{change.dn or change.attribute} on {change.server}",
                "before": value_words(change.knob, change.before),
                "asked": value_words(change.knob, change.asked),
                "got": value_words(change.knob, change.got),
                "state": change.state.value + (", open" if change.state.open else ""),
                "proof": str(change.proof),
                "message": str(change.message),
            }
        )
        last = change.group
    return rows
