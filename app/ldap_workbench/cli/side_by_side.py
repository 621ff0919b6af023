"""Several replicas at once: connecting them, and capturing them side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from ldap_workbench.campaign.canary import Servers, connected_replicas, session_paths
from ldap_workbench.campaign.side_by_side import Beside, capture_side_by_side
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.cli.console import long_work, print_columns, print_json, print_table, say
from ldap_workbench.cli.link import Writer, connected, opened_journal
from ldap_workbench.figures.verdict.canary_view import AGREEMENTS
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S, format_duration, format_time
from ldap_workbench.model.window import SourceState


@contextmanager
def replicas(
    profiles: Sequence[str], writer: Writer | None = None, *, offline: bool = False
) -> Iterator[Servers]:
    """All of them connected on one journal, their open changes told. Raises UsageError."""
    with (
        opened_journal(writer) as journal,
        connected_replicas(profiles, connected, journal, offline=offline) as servers,
    ):
        yield servers


def capture_replicas(profiles: Sequence[str], output: Path, plan: CapturePlan, json: bool) -> None:
    """One window of each at the same time; ends with 1 where a source is not complete."""
    paths = session_paths(output, profiles)
    if there := [path for path in paths if path.exists()]:
        raise UsageError(
            Message("{path} exists already.", path=str(there[0])),
            safe=Message("Nothing was changed."),
            remedy=Message("Name a new file."),
        )
    with replicas(profiles) as servers, long_work() as (tell, stop):
        captures = capture_side_by_side(servers, paths, plan, progress=tell, stop=stop)
    if json:
        print_json([_document(capture) for capture in captures])
    else:
        _print(captures)
    if not all(_is_whole(capture) for capture in captures):
        raise typer.Exit(1)


def _print(captures: Sequence[Beside]) -> None:
    first = min(capture.began_ns for capture in captures)
    headings = ("replica", "began", "clock", "known to", "behind the others", "session")
    rows = [
        [
            capture.profile,
            f"{(capture.began_ns - first) / NS_PER_S:.3f} s after the first",
            f"{capture.offset_ns / NS_PER_S:+.4f} s",
            "not measured" if capture.error_ns is None else format_duration(capture.error_ns),
            f"{capture.lag.largest_s:.1f} s at most" if len(capture.lag.times_ns) else "no CSN",
            str(capture.captured.path),
        ]
        for capture in captures
    ]
    print_table(headings, rows)
    arrows = [(capture.profile, arrow) for capture in captures for arrow in capture.agreements]
    if arrows:
        say("")
        print_columns(AGREEMENTS, arrows)
    for capture in captures:
        for source in capture.captured.sources:
            if source.state is not SourceState.COMPLETE:
                state = f"the {source.kind.value} is {source.state.value}"
                say(f"{capture.profile}: {state}: {source.why}")


def _document(capture: Beside) -> dict[str, Any]:
    return {
        "profile": capture.profile,
        "session": str(capture.captured.path),
        "window": asdict(capture.captured.window),
        "began": format_time(capture.began_ns),
        "clock_offset_ns": capture.offset_ns,
        "clock_error_ns": capture.error_ns,
        "largest_lag_s": capture.lag.largest_s if len(capture.lag.times_ns) else None,
        "agreements": [asdict(arrow) for arrow in capture.agreements],
        "complete": _is_whole(capture),
    }


def _is_whole(capture: Beside) -> bool:
    return all(source.state is SourceState.COMPLETE for source in capture.captured.sources)
