"""Looking for the operations of a finding: `finding=stall`, `finding=stall/2`.

What a finding is about is made out again from the session, so the words find the same in a copy of
it, and in one that was opened again. Called in the session's thread.
"""

from __future__ import annotations

from dataclasses import replace

from ldap_workbench.advice.evidence.wording import current_id
from ldap_workbench.figures.overview.findings import findings_of
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operation_filter import OperationFilter
from ldap_workbench.session.conditions import Condition, parse_conditions, words_of
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Search, of_rows


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
