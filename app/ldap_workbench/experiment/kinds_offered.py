"""Kinds of operation that a change may be judged by: those that a session has often enough."""

from __future__ import annotations

from collections.abc import Iterator

from ldap_workbench.model.kind import OperationKind
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Search, counted, groups

_MOST = {"filter": 6, "client": 3, "dn": 3}
_LEAST_SHARE, _NEARLY_ALL = 0.01, 0.9
"""Shares of the operations: rarer kinds take too many windows, others are as good as all."""
_LONGEST_NAME = 300


def frequent_kinds(session: Session) -> tuple[OperationKind, ...]:
    """Of the longest window: searches by filter, then operations by client and by bind DN.

    Of each the most frequent first.
    """
    windows = [w for w in session.windows() if session.operation_source(w) is not None]
    if not windows:
        return ()
    longest = max(windows, key=lambda window: (window.seconds, window.id))
    return tuple(kind for by in _MOST for kind in _frequent(session, longest, by))


def _frequent(session: Session, window: Window, by: str) -> Iterator[OperationKind]:
    search = Search((window,))
    total = counted(session, search)
    most = 1.0 if by == "filter" else _NEARLY_ALL
    frequent = [
        group
        for group in groups(session, search, by)
        if _LEAST_SHARE * total <= group.n <= most * total
    ]
    frequent.sort(key=lambda group: (-group.n, group.name))
    kinds = filter(None, (_kind(by, group.name) for group in frequent))
    for _, kind in zip(range(_MOST[by]), kinds, strict=False):
        yield kind


def _kind(by: str, value: str) -> OperationKind | None:
    """None for what has no such value, or one that cannot be written into a plan."""
    if not value or len(value) > _LONGEST_NAME:
        return None
    written = f"SRCH[{value}]" if by == "filter" else f"{ALL}[{by}={value}]"
    return OperationKind.parse(written)
