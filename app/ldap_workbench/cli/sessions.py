"""Commands that read a session file: windows, tails, compare, report, export."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ldap_workbench.advice.families.host_changes import HostChange, host_changes
from ldap_workbench.cli.alone import needing_qt
from ldap_workbench.cli.console import note, print_json, print_table, say
from ldap_workbench.cli.remarks import as_json, remarks
from ldap_workbench.experiment import judge_windows
from ldap_workbench.figures import formats
from ldap_workbench.figures.host_comparison import host_cells
from ldap_workbench.figures.names import judgement_name, metric_name
from ldap_workbench.figures.verdict_view import metrics_of
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.remarks import capture_cost
from ldap_workbench.model.tail import Tail
from ldap_workbench.model.units import (
    format_latency,
    format_time,
)
from ldap_workbench.model.verdict import LedgerArm, MetricVerdict, Verdict
from ldap_workbench.model.window import Source, SourceState, Window
from ldap_workbench.session import Session
from ldap_workbench.statistics import tails as tails_of

File = Annotated[Path, typer.Argument(help="A session file (*.ldapwb).")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]


def windows(file: File, json: Json = False) -> None:
    """List the windows of a session, their sources and how complete each is."""
    with Session.open(file) as session:
        rows = [(w, session.sources(w.id), count_operations(session, w)) for w in session.windows()]
    if json:
        print_json([_window_json(*row) for row in rows])
        return
    for window, sources, operations in rows:
        arm = f", arm {window.arm} of pair {window.pair + 1}" if window.arm else ""
        cut = ", cancelled" if window.cancelled else ""
        say(
            f"{window.id}  {window.name}: {format_time(window.start_ns)}, "
            f"{window.seconds:.1f} s, {operations:,} operations{arm}{cut}{_flaws(sources)}"
        )
        headings = ("source", "name", "state", "samples", "understood", "set aside", "unknown")
        numbers = headings[3:]
        print_table(headings, [_source_row(source) for source in sources], numbers=numbers)
        said = [f"{source.name}: {text}" for source in sources for text in remarks(source)]
        for line in [window.notes, *said, capture_cost(window, sources)]:
            if line:
                say(f"   {line}")


def count_operations(session: Session, window: Window) -> int:
    """Operations of clients that start in a window: what tails, findings and reports count."""
    return len(session.client_columns(window, ["end_ns"])["end_ns"])


def _window_json(window: Window, sources: list[Source], operations: int) -> dict[str, Any]:
    return {
        **asdict(window),
        "operations": operations,
        "cost": capture_cost(window, sources),
        "sources": [{**asdict(source), "remarks": remarks(source)} for source in sources],
    }


def _flaws(sources: list[Source]) -> str:
    """Which sources are not complete; '' where all are."""
    flawed = [s for s in sources if s.state is not SourceState.COMPLETE]
    return "".join(f", {source.kind.value} {source.state.value}" for source in flawed)


def _source_row(source: Source) -> list[str]:
    lines = source.lines
    counts = [str(n) for n in (lines.understood, lines.set_aside, lines.unknown)]
    if counts == ["0", "0", "0"]:
        counts = ["", "", ""]
    return [source.kind.value, source.name, source.state.value, str(source.samples), *counts]


def tails(
    file: File,
    window: Annotated[
        list[str] | None, typer.Option("--window", help="Id or name; repeatable.")
    ] = None,
    json: Json = False,
) -> None:
    """Print the etime tails of each window per operation type (nearest rank)."""
    with Session.open(file) as session:
        chosen = [(w, _log_of(session, w)) for w in chosen_windows(session, window)]
        found = [(t, log) for w, log in chosen for t in _tails(session, w, log)]
    if json:
        print_json([{**t.to_json(), "log": as_json(log) if log else None} for t, log in found])
        return
    headings = ("window", "type", "n", "p50", "p90", "p95", "p99", "p99.9", "max")
    print_table(headings, [_tail_row(tail) for tail, _ in found], numbers=headings[2:])
    for each, log in chosen:
        for sentence in remarks(log) if log else ["No access log, so no latencies."]:
            say(f"{each.name}: {sentence}")


def _log_of(session: Session, window: Window) -> Source | None:
    """The access log of a window, None where there is none."""
    source = session.operation_source(window)
    return next((s for s in session.sources(window.id) if s.id == source), None)


def _tails(session: Session, window: Window, log: Source | None) -> list[Tail]:
    resolution = log.resolution_ns if log else 1
    return tails_of(session.latencies(window), window=window.name, resolution_ns=resolution)


def _tail_row(tail: Tail) -> list[str]:
    quantiles = (tail.p50_ns, tail.p90_ns, tail.p95_ns, tail.p99_ns, tail.p999_ns, tail.max_ns)
    shown = [with_resolution(ns, tail.resolution_ns) for ns in quantiles]
    return [tail.window, tail.type, f"{tail.n:,}", *shown]


def with_resolution(ns: int | None, resolution_ns: int) -> str:
    """A whole-second log says 0 s for anything below 1 s: '0 to 1 s', never 0.000."""
    return "-" if ns is None else format_latency(ns, resolution_ns)


def compare(
    file: File,
    a: Annotated[str, typer.Option("--a", help="Windows of arm A: ids or names, with commas.")],
    b: Annotated[str, typer.Option("--b", help="Windows of arm B: ids or names, with commas.")],
    primary: Annotated[str, typer.Option(help="Metric the verdict rests on.")] = "slo",
    slo_ms: Annotated[float, typer.Option("--slo-ms", help="Latency target (SLO), ms.")] = 100.0,
    json: Json = False,
) -> None:
    """Judge any windows against any others; those that were not randomised can only suggest."""
    with Session.open(file) as session:
        sides = {"A": a.split(","), "B": b.split(",")}
        chosen = [
            replace(session.window(name.strip()), arm=arm, pair=pair)
            for arm, names in sides.items()
            for pair, name in enumerate(names)
        ]
        randomised = _are_pairs_of_an_experiment(session, chosen)
        design = None if randomised else "ab"
        slo_ns = round(slo_ms * 1e6)
        verdict = judge_windows(session, chosen, primary=primary, slo_ns=slo_ns, design=design)
        arms = [[window for window in chosen if window.arm == arm] for arm in "AB"]
        host = host_changes(session, arms[0], arms[1])
        timed = any(session.operation_source(window) is not None for window in chosen)
    if json:
        print_json(verdict.to_json() | {"host": [change.to_json() for change in host]})
        return
    if timed or not host:
        print_verdict(verdict)
    if host:
        print_host(host, randomised=randomised)


def print_host(changes: list[HostChange], *, randomised: bool) -> None:
    """What companions of the logs show in both arms: clear changes first."""
    for change in changes:
        if change.is_apart:
            say(f"{change.sentence}.")
    headings = ("on the host", "where", "A", "B", "B/A", "ranges", "intervals")
    rows = [_host_row(change) for change in changes]
    print_table(headings, rows, numbers=("A", "B", "B/A", "intervals"))
    if not randomised:
        note(
            "These windows were not randomised: indicative only. Differences may have other causes."
        )


def _host_row(change: HostChange) -> list[str]:
    return [*map(str, host_cells(change)), f"{change.a.intervals}, {change.b.intervals}"]


def _are_pairs_of_an_experiment(session: Session, chosen: list[Window]) -> bool:
    """Whether the coin decided the order: the same arms and pairs the session has for them."""
    stored = {w.id: w for w in session.windows()}
    pairs: dict[int, set[str]] = {}
    for window in chosen:
        if stored[window.id].arm != window.arm:
            return False
        pairs.setdefault(stored[window.id].pair, set()).add(window.arm)
    return all(arms == {"A", "B"} for arms in pairs.values())


def print_verdict(verdict: Verdict) -> None:
    """The sentence, then every metric with its interval."""
    say(str(verdict.sentence))
    headings = ("metric", "verdict", "B/A", "interval", "pairs", "p", "data needed")
    rows = [_metric_row(metric) for metric in metrics_of(verdict)]
    print_table(headings, rows, numbers=("B/A", "pairs", "p"))
    if ledger := verdict.details.ledger:
        columns = ("arm", "stalls", "stalls/h", "stalled s/h", "longest")
        print_table(
            columns, [_ledger_row(*arm) for arm in sorted(ledger.arms.items())], numbers=columns[1:]
        )
    for line in (*verdict.dropped, *verdict.warnings):
        note(str(line))


def _ledger_row(arm: str, found: LedgerArm) -> list[str]:
    cells = (
        formats.amount(found.count),
        formats.amount(found.per_hour, ".3g"),
        formats.amount(found.stalled_s_per_hour, ".3g"),
        formats.amount(found.longest_ns, "duration"),
    )
    return [arm, *map(str, cells)]


def _metric_row(metric: MetricVerdict) -> list[str]:
    return [
        str(metric_name(metric.metric, metric.type)),
        str(judgement_name(metric.verdict)),
        str(formats.ratio(metric.ratio)),
        str(formats.ratio_interval(metric.low, metric.high)),
        str(metric.n_pairs),
        f"{metric.p_adjusted:.3f}" if metric.n_pairs else formats.DASH,
        str(metric.takes),
    ]


def report(
    file: File,
    output: Annotated[Path, typer.Option("--output", "-o", help="OUT.html, .md or .pdf.")],
) -> None:
    """Write the report of a session as one self-contained file."""
    from ldap_workbench.report import write_report  # templates are loaded only when wanted

    write_report(file, output, render_pdf=_pdf if output.suffix == ".pdf" else None)
    say(f"Report written to {output}")


def _pdf(html: str, output: Path) -> None:
    with needing_qt():
        from ldap_workbench.gui.report.pdf import print_pdf

    print_pdf(html, output)


def export(
    file: File,
    folder: Annotated[Path, typer.Argument(help="Folder for the files; created if missing.")],
    parquet: Annotated[bool, typer.Option("--parquet", help="Operations and samples.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="The same as CSV.")] = False,
    ldif: Annotated[bool, typer.Option("--ldif", help="The change and its undo.")] = False,
    dsconf: Annotated[bool, typer.Option("--dsconf", help="Both as scripts.")] = False,
    ansible: Annotated[bool, typer.Option("--ansible", help="Both as Ansible tasks.")] = False,
    hlog: Annotated[bool, typer.Option("--hlog", help="Etimes as HdrHistogram log.")] = False,
    openmetrics: Annotated[
        bool, typer.Option("--openmetrics", help="Tails of windows for Prometheus.")
    ] = False,
    grafana: Annotated[
        bool, typer.Option("--grafana", help="Windows and marks as annotations.")
    ] = False,
) -> None:
    """Export a session for other tools."""
    from ldap_workbench.report import export as write_export

    asked = {
        "parquet": parquet,
        "csv": csv,
        "ldif": ldif,
        "dsconf": dsconf,
        "ansible": ansible,
        "hlog": hlog,
        "openmetrics": openmetrics,
        "grafana": grafana,
    }
    formats = [name for name, on in asked.items() if on]
    if not formats:
        raise UsageError(
            Message("No format was chosen."),
            remedy=Message("Add --parquet, --ldif, --hlog or another."),
        )
    for path in write_export(file, folder, formats):
        say(f"{path}")


def chosen_windows(session: Session, names: list[str] | None) -> list[Window]:
    """Windows by id or name, all without names. Raises UsageError for an unknown one."""
    return [session.window(name) for name in names] if names else session.windows()
