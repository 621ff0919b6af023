"""Operations as a person looks for them: a page, a group, the lines of the log.

Looking for the operations of a finding: `finding=stall`, `finding=stall/2`. What a finding is about
is made out again from the session, so the words find the same in a copy of it, and in one that was
opened again. Called in the session's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.wording import current_id
from ldap_workbench.figures.overview.findings import findings_of
from ldap_workbench.figures.table import tab_separated
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operation_filter import OperationFilter
from ldap_workbench.model.operations import ABSENT, NOTES, TYPES, text_at
from ldap_workbench.model.window import Window
from ldap_workbench.session.conditions import Condition, parse_conditions, words_of
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import (
    Found,
    Group,
    Search,
    counted,
    groups,
    of_rows,
    ordered,
    rows,
    summed,
)

PAGE = 256
"""Rows that are read at a time."""
COPIED_AT_MOST = 100_000
_AT_ONCE = 8192
_AROUND = 8


@dataclass(frozen=True)
class OperationRow:
    """One operation as a person looks at it. Times in ns; None where the log does not say."""

    window: str
    source: int
    resolution_ns: int
    type: str
    etime_ns: int
    wtime_ns: int | None
    optime_ns: int | None
    start_ns: int
    conn: int
    op: int
    err: int
    nentries: int | None
    notes: str
    client: str
    bind_dn: str
    base: str
    fingerprint: str
    request_at: int
    result_at: int
    wqtime_ns: int | None = None
    writetime_ns: int | None = None
    index_ns: int | None = None
    index_ids: int | None = None
    index_key: str = ""
    wbusy: int | None = None
    wmax: int | None = None
    wqdepth: int | None = None
    deref: int | None = None
    vlv: bool = False

    @property
    def end_ns(self) -> int:
        return self.start_ns + self.etime_ns


@dataclass(frozen=True)
class GroupRow:
    """Operations that have a text in common, and their part of the time of all that were found."""

    group: Group
    share: float
    resolution_ns: int


class Listing:
    """The operations that a search finds, in some order: how many, and the first page of them.

    Raises UsageError where it asks for a finding that the session does not have.

    `rare` names the columns of model.operations.RARE in which the session says something.
    The order of all is found out when somebody looks beyond that page.
    """

    def __init__(self, session: Session, search: Search, by: str, *, descending: bool) -> None:
        self.search = search
        self._resolved = resolved(session, search)
        self._by, self._descending = by, descending
        self._numbers: NDArray[np.int64] | None = None
        self.total = counted(session, self._resolved)
        self.rare = frozenset(session.rare)
        top = ordered(session, self._resolved, by, descending=descending, limit=PAGE)
        self.first = _rows(session, search, top)

    def numbers(self, session: Session) -> NDArray[np.int64]:
        """The row numbers of all; to be called in the session's thread."""
        if self._numbers is None:
            by, descending = self._by, self._descending
            self._numbers = ordered(session, self._resolved, by, descending=descending)
        return self._numbers

    def page(self, session: Session, place: int) -> list[OperationRow]:
        """The rows of one page."""
        here = slice(place * PAGE, (place + 1) * PAGE)
        return _rows(session, self.search, self.numbers(session)[here])

    def summed(self, session: Session, ranges: Sequence[tuple[int, int]]) -> Group:
        """What the operations from these first to last rows have in sum."""
        numbers = self.numbers(session)
        return summed(
            session, np.concatenate([numbers[first : last + 1] for first, last in ranges])
        )

    def copied(
        self,
        session: Session,
        ranges: Sequence[tuple[int, int]],
        cells: Callable[[OperationRow], Sequence[str]],
    ) -> list[str]:
        """Lines of these first and last rows, or of all without any, with tabs between cells.

        No more than a clipboard should hold.
        """
        numbers = self.numbers(session)
        parts = [numbers[first : last + 1] for first, last in ranges]
        numbers = (np.concatenate(parts) if parts else numbers)[:COPIED_AT_MOST]
        lines: list[str] = []
        for first in range(0, len(numbers), _AT_ONCE):
            lines += [
                tab_separated(cells(row))
                for row in _rows(session, self.search, numbers[first : first + _AT_ONCE])
            ]
        return lines


@dataclass(frozen=True, eq=False)
class Grouping:
    """What was found, in groups."""

    search: Search
    rows: list[GroupRow]


@dataclass(frozen=True)
class RawLines:
    """The request and result line of an operation, and what stands around the result."""

    request: str
    result: str
    around: tuple[str, ...]


def slowest(session: Session, windows: Sequence[Window], most: int) -> list[OperationRow]:
    """The slowest client operations of all these windows, longest first."""
    search = Search(tuple(windows))
    return _rows(session, search, ordered(session, search, limit=most))


def grouped(session: Session, search: Search, by: str) -> Grouping:
    """The groups of what a search finds, each with its part of the time."""
    parts = groups(session, resolved(session, search), by)
    whole = sum(group.sum_ns for group in parts) or 1
    coarsest = max(_resolutions(session).values(), default=1)
    return Grouping(search, [GroupRow(g, g.sum_ns / whole, coarsest) for g in parts])


def raw_lines(session: Session, row: OperationRow) -> RawLines:
    """What the log says of an operation; '' where the line was not kept."""
    request = session.raw_line(row.source, row.request_at) if row.request_at >= 0 else ""
    if row.result_at < 0:
        return RawLines(request, "", ())
    around = tuple(session.raw_around(row.source, row.result_at, _AROUND))
    return RawLines(request, session.raw_line(row.source, row.result_at), around)


def _rows(session: Session, search: Search, numbers: NDArray[np.int64]) -> list[OperationRow]:
    return operation_rows(rows(session, search, numbers), search.windows, _resolutions(session))


def _resolutions(session: Session) -> dict[int, int]:
    return {source.id: source.resolution_ns for source in session.sources()}


def operation_rows(
    matches: Found, windows: Sequence[Window], resolutions: Mapping[int, int]
) -> list[OperationRow]:
    """Rows of a few operations; `windows` are those searched, `resolutions` (ns) by source."""
    return [_row(matches, i, windows, resolutions) for i in range(len(matches.operations))]


def _row(
    matches: Found, i: int, windows: Sequence[Window], resolutions: Mapping[int, int]
) -> OperationRow:
    ops, source, window = matches.operations, int(matches.sources[i]), int(matches.windows[i])
    return OperationRow(
        window=windows[window].name if window >= 0 else "",
        source=source,
        resolution_ns=resolutions.get(source, 1),
        type=TYPES[ops.kind[i]],
        etime_ns=int(ops.etime_ns[i]),
        wtime_ns=_known(ops.wtime_ns[i]),
        optime_ns=_known(ops.optime_ns[i]),
        start_ns=int(ops.end_ns[i] - ops.etime_ns[i]),
        conn=int(ops.conn[i]),
        op=int(ops.op[i]),
        err=int(ops.err[i]),
        nentries=_known(ops.nentries[i]),
        notes="".join(letter for bit, letter in enumerate(NOTES) if ops.notes[i] >> bit & 1),
        client=text_at(ops.clients, ops.client[i]),
        bind_dn=text_at(ops.bind_dns, ops.bind_dn[i]),
        base=text_at(ops.bases, ops.base[i]),
        fingerprint=text_at(ops.fingerprints, ops.fingerprint[i]),
        request_at=int(ops.request_at[i]),
        result_at=int(ops.result_at[i]),
        wqtime_ns=_known(ops.wqtime_ns[i]),
        writetime_ns=_known(ops.writetime_ns[i]),
        index_ns=_known(ops.index_ns[i]),
        index_ids=_known(ops.index_ids[i]),
        index_key=text_at(ops.index_keys, ops.index_key[i]),
        wbusy=_at_least_0(ops.wbusy[i]),
        wmax=_at_least_0(ops.wmax[i]),
        wqdepth=_at_least_0(ops.wqdepth[i]),
        deref=_at_least_0(ops.deref[i]),
        vlv=bool(ops.vlv[i]),
    )


def _at_least_0(value: int) -> int | None:
    return int(value) if value >= 0 else None


def _known(value: int) -> int | None:
    return None if value == ABSENT else int(value)


def resolved(session: Session, search: Search) -> Search:
    """The same search with the operations of findings in the place of their names.

    Raises UsageError for a finding that the session does not have, or that names no operations.
    """
    if not any(condition.finding for condition in search.conditions):
        return search
    conditions = [
        _of_finding(session, condition.finding) if condition.finding else condition
        for condition in search.conditions
    ]
    return replace(search, conditions=tuple(conditions))


def _of_finding(session: Session, name: str) -> Condition:
    known = {finding.id: finding for finding in findings_of(session)}
    id_, _, number = name.partition("/")
    id_ = current_id(id_)
    if id_ not in known:
        about = tuple(sorted(which for which, finding in known.items() if _filters(finding)))
        raise UsageError(
            Message("This session has no finding '{name}'.", name=id_),
            remedy=Message("Findings that name operations: {known:list}.", known=about)
            if about
            else Message("None of its findings names operations."),
        )
    filters = _filters(known[id_])
    if number:
        filters = {n: which for n, which in filters.items() if str(n) == number}
    if not filters:
        raise UsageError(
            Message("'{name}' names no operations.", name=name),
            remedy=Message("List the findings with: ldap-workbench findings FILE --json"),
        )
    return any_of([of_filter(session, which) for which in filters.values()])


def _filters(finding: Finding) -> dict[int, OperationFilter]:
    """The filters of a finding by the number of their evidence, from 1."""
    return {
        number: evidence.which
        for number, evidence in enumerate(finding.evidence, start=1)
        if evidence.which is not None
    }


def of_filter(session: Session, which: OperationFilter) -> Condition:
    """A condition that a filter's operations meet, and no others of any window."""
    if which.rows is None:
        parts = list(parse_conditions(words_of(which)))
    else:
        [window] = [
            window
            for window in session.windows()
            if session.operation_source(window) == which.source
        ]
        parts = [of_rows(session, window, which.rows.mask())]
    sql = [part.sql for part in parts]
    # Beside a filter that asks for more.
    sql += [] if which.own else ["NOT own"]
    sql += [] if which.internal else ["NOT internal"]
    parameters = tuple(value for part in parts for value in part.parameters)
    return Condition(f"({' AND '.join(sql)})", parameters, internal=which.internal, own=which.own)


def any_of(conditions: list[Condition]) -> Condition:
    """What meets one of them at least; nothing does where there are none."""
    return Condition(
        f"({' OR '.join(condition.sql for condition in conditions) or 'false'})",
        tuple(value for condition in conditions for value in condition.parameters),
        internal=any(condition.internal for condition in conditions),
        own=any(condition.own for condition in conditions),
    )
