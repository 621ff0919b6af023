"""Windows of sessions as counts: each operation in the stratum of its request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ldap_workbench.advice.evidence.companions import waiting_of
from ldap_workbench.advice.evidence.view import LogLines
from ldap_workbench.inference.counts.cube import Cube
from ldap_workbench.inference.counts.requests import (
    READ,
    RequestColumns,
    columns_of,
    count_requests,
)
from ldap_workbench.inference.counts.strata import Strata, choose_strata
from ldap_workbench.inference.counts.windows import WindowCounts, windows_from_cubes
from ldap_workbench.inference.significance.rare import LONG_S
from ldap_workbench.model.kind import OperationKind, PrimaryMetric
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import COLUMNS, TYPES, Operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState, Window
from ldap_workbench.session.reader import Session
from ldap_workbench.session.unanswered import Waiting, is_persistent

_TABLES = ("fingerprints", "bases", "clients", "bind_dns")


def kind_in(primary: str) -> OperationKind | None:
    """The kind of operation a primary metric is about; None for a type, or for all."""
    return OperationKind.parse(PrimaryMetric.parse(primary).type)


def counted(
    session: Session,
    windows: Sequence[Window],
    slo_ns: int,
    trim_s: float = 0.0,
    wanted: OperationKind | None = None,
) -> list[WindowCounts]:
    """The counts of windows without their first `trim_s` seconds, with what is wrong with each."""
    (counts,) = counted_together([(session, windows)], slo_ns, trim_s, wanted)
    return counts


def counted_together(
    parts: Sequence[tuple[Session, Sequence[Window]]],
    slo_ns: int,
    trim_s: float = 0.0,
    wanted: OperationKind | None = None,
    *,
    failures: bool = False,
) -> list[list[WindowCounts]]:
    """The counts of the windows of each session, whose requests are told apart alike in all.

    What is of the `wanted` kind is counted apart from all else. `failures`: what fails counts as
    over the target and all else as below.
    """
    trim_ns = round(trim_s * NS_PER_S)
    flaws = [[_flaws(access_logs(session, w)) for w in windows] for session, windows in parts]
    requests = [
        [count_requests(_requests(session, _cut(w, trim_ns)), wanted) for w in windows]
        for session, windows in parts
    ]
    fit = [
        of_window
        for of_part, flaws_of_part in zip(requests, flaws, strict=True)
        for of_window, flaw in zip(of_part, flaws_of_part, strict=True)
        if not flaw
    ]
    strata = choose_strata(fit, wanted)
    counts = [
        windows_from_cubes(
            [
                _cube(
                    session,
                    window,
                    (window.start_ns + trim_ns, window.end_ns),
                    slo_ns,
                    strata,
                    failures=failures,
                )
                for window in windows
            ],
            [(window.arm or "A", window.pair) for window in windows],
            dict(enumerate(flaws[i])),
            strata,
            requests[i],
        )
        for i, (session, windows) in enumerate(parts)
    ]
    return [
        [
            replace(counted, hung=hung_in(session, window))
            for counted, window in zip(counts[i], windows, strict=True)
        ]
        for i, (session, windows) in enumerate(parts)
    ]


def hung_in(session: Session, window: Window) -> bool:
    """Whether the server did not answer its monitor for `LONG_S`, by our clock, in a window.

    A request that comes meanwhile is not read, so the log of 389 DS tells nothing of its waiting:
    its etime begins when the server goes on.
    """
    rate = session.facts.clock_rate if session.facts else 1.0
    for source in session.sources(window.id):
        if source.kind != SourceKind.MONITOR:
            continue
        cuts = [end - start for start, end in source.outages]
        silent_ns = max([source.details.get("slowest_answer_ns") or 0, *cuts])
        if silent_ns / NS_PER_S / rate >= LONG_S:
            return True
    return False


def _cut(window: Window, trim_ns: int) -> Window:
    return replace(window, start_ns=min(window.start_ns + trim_ns, window.end_ns))


def _requests(session: Session, window: Window) -> RequestColumns:
    source = session.operation_source(window)
    tables: dict[str, Sequence[str]] = dict.fromkeys(_TABLES, ())
    if source is not None:
        tables = session.strings(source)
    return RequestColumns(session.client_columns(window, READ), tables)


def _cube(
    session: Session,
    window: Window,
    span_ns: tuple[int, int],
    slo_ns: int,
    strata: Strata,
    *,
    failures: bool,
) -> Cube:
    """The counts of one window, with the searches that had no answer when it ended."""
    operations = session.operations(window)
    cube = _counted(operations, span_ns, slo_ns, strata, failures=failures)
    waiting = _unanswered(session, window, operations)
    if not waiting:
        return cube
    given_up = _as_given_up(waiting, window.end_ns)
    return cube.merged(_counted(given_up, span_ns, slo_ns, strata, failures=failures))


def _counted(
    operations: Operations,
    span_ns: tuple[int, int],
    slo_ns: int,
    strata: Strata,
    *,
    failures: bool,
) -> Cube:
    of_each = strata.of(columns_of(operations))
    return Cube.from_operations(
        operations, *span_ns, slo_ns=slo_ns, strata=of_each, failures=failures
    )


def _unanswered(session: Session, window: Window, operations: Operations) -> list[Waiting]:
    """Searches of a window that were open at its end.

    Not those left open to be told of changes, nor those given up, which have a row of their own.
    """
    waiting = list(waiting_of(window, session.sources(window.id)))
    source = session.operation_source(window)
    if not waiting or source is None:
        return []
    lines = LogLines(session, source)
    abandoned = operations.take(operations.kind == TYPES.index("ABANDON"))
    starts = abandoned.end_ns - abandoned.etime_ns

    def is_abandoned(search: Waiting) -> bool:
        same = abandoned.conn == search.conn
        return bool((np.abs(starts[same] - search.time_ns) < NS_PER_S).any())

    return [
        search
        for search in waiting
        if search.is_search
        and search.time_ns >= window.start_ns
        and not is_abandoned(search)
        and not is_persistent(search, lines.at)
    ]


def _as_given_up(waiting: Sequence[Waiting], end_ns: int) -> Operations:
    """Searches as if their clients had given up at the end of the window."""
    columns: dict[str, Any] = {
        name: np.zeros(len(waiting), dtype) for name, dtype in COLUMNS.items()
    }
    columns["end_ns"][:] = end_ns
    columns["etime_ns"][:] = [end_ns - search.time_ns for search in waiting]
    columns["kind"][:] = TYPES.index("ABANDON")
    columns["conn"][:] = [search.conn for search in waiting]
    columns["request_at"][:] = -1
    columns["result_at"][:] = -1
    return Operations(**columns)


def access_logs(session: Session, window: Window) -> list[Source]:
    """The access logs that were read in a window."""
    return [s for s in session.sources(window.id) if s.kind is SourceKind.ACCESS_LOG]


def _flaws(logs: Sequence[Source]) -> tuple[Message, ...]:
    """Why a window cannot be trusted: lines are missing, or its clock went back."""
    flaws = []
    for log in logs:
        if log.state is SourceState.FAILED or _lacks_lines(log):
            flaws.append(
                Message("the access log is incomplete: {why}", why=log.why or log.state.label)
            )
        if log.details.get("clock_steps_back"):
            flaws.append(Message("the clock of the log went back by more than a second"))
    return tuple(dict.fromkeys(flaws))


def _lacks_lines(log: Source) -> bool:
    """Whether a rotated file was gone unread, the link was given up, or a clock was set."""
    return any(log.details.get(name) for name in ("gaps", "cut_off", "repeated", "clock_step"))
