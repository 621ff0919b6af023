"""A mail to the owner of a client: what was seen of it, its queries, and what to change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ldap_workbench.advice.families.grouping import by_cost
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import client_operations, text_at
from ldap_workbench.model.units import format_time
from ldap_workbench.model.window import Window
from ldap_workbench.report.text import markdown
from ldap_workbench.session.reader import Session

_QUERIES = 5
"""Of one finding are quoted, those that were waited for longest first."""
_NAMED = 10


@dataclass
class _Use:
    """What one client asked: how often and how long it waited, ns; `queries` by filter shape."""

    operations: int = 0
    waited_ns: int = 0
    everybody_ns: int = 0
    queries: dict[str, tuple[int, int]] = field(default_factory=dict)


def owner_mail(session: Session, findings: Iterable[Finding], client: str) -> str:
    """Markdown for the owner of a client, which is an address or a bind DN.

    In it are the findings that have steps for owners and name the client or a query of it. Raises
    UsageError where no window has it.
    """
    use = _use(session, client)
    concerned = [f for f in by_cost(list(findings)) if f.owner_steps and _concerns(f, client, use)]
    first, last = session.windows()[0], session.windows()[-1]
    opening = Message(
        "Operations of {client} that the directory logged from {start} to {end}: {operations}. "
        "The client waited {waited:duration} for them, {share:percent} of what all clients "
        "waited.",
        start=format_time(first.start_ns),
        end=format_time(last.end_ns),
        operations=use.operations,
        client=markdown(client),
        waited=use.waited_ns,
        share=use.waited_ns / max(use.everybody_ns, 1),
    )
    heading = Message("Use of the directory by {client}", client=markdown(client))
    parts = [f"# {heading}", str(opening), *_queries(use.queries, use)]
    for finding in concerned:
        parts += _section(finding, use)
    if not concerned:
        parts.append(str(Message("Nothing was seen that its owner should change.")))
    return "\n\n".join(parts) + "\n"


def _section(finding: Finding, use: _Use) -> Iterator[str]:
    yield f"## {markdown(str(finding.title))}"
    yield markdown(str(finding.sentence))
    yield from _queries(_filters(finding), use)
    yield str(Message("What to change:"))
    yield "\n".join(f"- {markdown(str(step))}" for step in finding.owner_steps)


def _queries(texts: Iterable[str], use: _Use) -> Iterator[str]:
    """Those of the client among the texts, with how often and how long."""
    asked = sorted(
        (text for text in texts if text in use.queries), key=lambda t: -use.queries[t][1]
    )
    if not asked:
        return
    yield str(Message("The queries this client waited for longest:"))
    lines = []
    for text in asked[:_QUERIES]:
        count, waited_ns = use.queries[text]
        said = count_of(
            "{query}: {n} time, waited for {waited:duration} in all",
            "{query}: {n} times, waited for {waited:duration} in all",
            n=count,
            query=markdown(text),
            waited=waited_ns,
        )
        lines.append(f"- {said}")
    yield "\n".join(lines)


def _concerns(finding: Finding, client: str, use: _Use) -> bool:
    named: Sequence[Mapping[str, str]] = finding.numbers.get("clients") or ()
    if named and all(isinstance(one, Mapping) for one in named):
        names = {name.lower() for one in named for name in one.values()}
        return client.lower() in names
    return any(text in use.queries for text in _filters(finding))


def _filters(finding: Finding) -> list[str]:
    several = finding.numbers.get("filters") or [finding.numbers.get("filter")]
    return [text for text in several if isinstance(text, str)]


def _use(session: Session, client: str) -> _Use:
    use, names = _Use(), defaultdict[str, int](int)
    for window in session.windows():
        _add(use, session, window, client, names)
    if not use.operations:
        most = sorted(names, key=lambda name: -names[name])[:_NAMED]
        raise UsageError(
            Message("No operation of '{client}' is in this session.", client=client),
            remedy=Message("Name an address or a bind DN, such as {names:or}.", names=tuple(most))
            if most
            else Message("Its log names no clients."),
        )
    return use


def _add(use: _Use, session: Session, window: Window, client: str, names: dict[str, int]) -> None:
    operations = session.operations(window)
    everybody = client_operations(operations)
    use.everybody_ns += int(operations.etime_ns[everybody].sum())
    rows = np.zeros(len(operations), dtype=bool)
    for column, table in (
        (operations.client, operations.clients),
        (operations.bind_dn, operations.bind_dns),
    ):
        places, counts = np.unique(column[everybody], return_counts=True)
        for place, count in zip(places, counts, strict=True):
            if name := text_at(table, int(place)):
                names[name] += int(count)
                if name.lower() == client.lower():
                    rows |= everybody & (column == place)
    use.operations += int(rows.sum())
    use.waited_ns += int(operations.etime_ns[rows].sum())
    for place in np.unique(operations.fingerprint[rows]):
        if text := text_at(operations.fingerprints, int(place)):
            same = rows & (operations.fingerprint == place)
            count, waited_ns = use.queries.get(text, (0, 0))
            waited_ns += int(operations.etime_ns[same].sum())
            use.queries[text] = count + int(same.sum()), waited_ns
