"""A mail to the owner of a client: what was seen of it, its queries, and what to change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ldap_workbench.advice.families.find import by_cost
from ldap_workbench.figures.operations.view import any_of, of_filter
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import client_operations, text_at
from ldap_workbench.model.units import format_time
from ldap_workbench.model.window import Window
from ldap_workbench.report.text import markdown
from ldap_workbench.session.conditions import Condition, exactly, parse_conditions
from ldap_workbench.session.reader import Session
from ldap_workbench.session.search import Search, columns, counted, of_rows

_QUERIES = 5
"""Of one finding are quoted, those that were waited for longest first."""
_NAMED = 10


@dataclass
class _Use:
    """What one client asked: how often and how long it waited, ns; `queries` by filter shape.

    `names` are its address and bind DNs, `others` those of everybody else.
    """

    client: str
    windows: tuple[Window, ...]
    operations: int = 0
    waited_ns: int = 0
    everybody_ns: int = 0
    queries: dict[str, tuple[int, int]] = field(default_factory=dict)
    asked_by: set[Condition] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    others: set[str] = field(default_factory=set)


def owner_mail(
    session: Session, findings: Iterable[Finding], client: str, windows: Sequence[Window]
) -> str:
    """Markdown for the owner of a client, which is an address or a bind DN.

    In it are those findings of the windows that have steps for owners and name the client or have
    operations of it, without what they say of other clients. Raises UsageError where neither an
    operation nor a finding has it.
    """
    use = _Use(client, tuple(windows))
    counts = Counter[str]()
    for window in windows:
        _add(use, session, window, counts)
    seen = [f for f in by_cost(list(findings)) if f.owner_steps]
    sections = [part for finding in seen for part in _section(session, finding, use)]
    if not use.operations and not sections:
        raise _unknown(client, counts)
    opening = Message(
        "Operations of {client} that the directory logged from {start} to {end}: {operations}. "
        "The client waited {waited:duration} for them, {share:percent} of what all clients "
        "waited.",
        start=format_time(min(window.start_ns for window in windows)),
        end=format_time(max(window.end_ns for window in windows)),
        operations=use.operations,
        client=markdown(client),
        waited=use.waited_ns,
        share=use.waited_ns / max(use.everybody_ns, 1),
    )
    heading = Message("Use of the directory by {client}", client=markdown(client))
    parts = [f"# {heading}", str(opening), *_queries(use.queries, use), *sections]
    if not sections:
        parts.append(str(Message("No finding asks for a change of this client.")))
    return "\n\n".join(parts) + "\n"


def _section(session: Session, finding: Finding, use: _Use) -> Iterator[str]:
    """A finding as far as it is about the client; nothing where it is not."""
    pieces = [(piece, _operations_of(session, piece, use)) for piece in finding.evidence]
    part = _of_client([which for _, which in pieces if which is not None], use)
    waited_ns = columns(session, part, ["etime_ns"])["etime_ns"]
    if not len(waited_ns) and use.client.lower() not in _names_in(finding.numbers):
        return
    about = [
        (str(piece.text), _is_own(session, piece, which, use))
        for piece, which in pieces
        if which is not None or "client" in piece.text.parameters
    ]
    own = [text for text, is_own in about if is_own and not _names_others(text, use)]
    yield f"## {markdown(str(finding.title))}"
    if len(own) == len(about) > 0 and not _names_others(str(finding.sentence), use):
        yield markdown(str(finding.sentence))
    elif len(waited_ns):
        yield str(
            count_of(
                "{n} operation of this client is among those it is about; the client waited "
                "{waited:duration} for it.",
                "{n} operations of this client are among those it is about; the client waited "
                "{waited:duration} for them.",
                n=len(waited_ns),
                waited=int(waited_ns.sum()),
            )
        )
    if own:
        yield "\n".join(f"- {markdown(text)}" for text in own)
    yield from _queries(_filters(finding), use)
    yield str(Message("What to change:"))
    yield "\n".join(f"- {markdown(str(step))}" for step in finding.owner_steps)


def _operations_of(session: Session, piece: Evidence, use: _Use) -> Condition | None:
    """What its operations meet; None where it is not about operations."""
    if piece.which is not None:
        return of_filter(session, piece.which)
    at = piece.start_ns or 0
    around = [window for window in use.windows if window.start_ns <= at < window.end_ns]
    # In one window alone, what no words find is known by the rows that are listed.
    if not piece.operations or len(around) != 1:
        return None
    listed = np.zeros(max(piece.operations) + 1, dtype=bool)
    listed[list(piece.operations)] = True
    return of_rows(session, around[0], listed)


def _of_client(any_of_these: list[Condition], use: _Use) -> Search:
    return Search(use.windows, (any_of(any_of_these), any_of(list(use.asked_by))))


def _is_own(session: Session, piece: Evidence, which: Condition | None, use: _Use) -> bool:
    """Whether a piece of evidence is about this client and no other."""
    if which is None or piece.which is None:
        client = piece.text.parameters.get("client", "")
        values = client.parameters.values() if isinstance(client, Message) else (client,)
        return use.client.lower() in {str(value).lower() for value in values}
    own = counted(session, _of_client([which], use))
    return own == counted(session, Search(use.windows, (which,))) > 0


def _names_others(text: str, use: _Use) -> bool:
    return any(name in text for name in use.others - use.names)


def _names_in(value: object) -> set[str]:
    """Every text in the numbers of a finding, in lower case: clients are in lists and by name."""
    if isinstance(value, str):
        return {value.lower()}
    if isinstance(value, Mapping):
        value = [*value, *value.values()]
    return set().union(*map(_names_in, value)) if isinstance(value, list | tuple) else set()


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


def _filters(finding: Finding) -> list[str]:
    several = finding.numbers.get("filters") or [finding.numbers.get("filter")]
    return [text for text in several if isinstance(text, str)]


def _unknown(client: str, counts: Counter[str]) -> UsageError:
    most = tuple(name for name, _ in counts.most_common(_NAMED))
    return UsageError(
        Message("No operation of '{client}' is in this session.", client=client),
        remedy=Message("Name an address or a bind DN, such as {names:or}.", names=most)
        if most
        else Message("Its log names no clients."),
    )


def _add(use: _Use, session: Session, window: Window, counts: Counter[str]) -> None:
    operations = session.operations(window)
    everybody = client_operations(operations)
    use.everybody_ns += int(operations.etime_ns[everybody].sum())
    rows = np.zeros(len(operations), dtype=bool)
    sides = (
        ("client", operations.client, operations.clients),
        ("dn", operations.bind_dn, operations.bind_dns),
    )
    for word, column, table in sides:
        places, times = np.unique(column[everybody], return_counts=True)
        for place, n in zip(places, times, strict=True):
            if name := text_at(table, int(place)):
                counts[name] += int(n)
                if name.lower() == use.client.lower():
                    rows |= everybody & (column == place)
                    use.asked_by.update(parse_conditions(exactly(word, name)))
    for _, column, table in sides:
        use.names |= {text_at(table, int(place)) for place in np.unique(column[rows])}
    use.others |= counts.keys()
    use.operations += int(rows.sum())
    use.waited_ns += int(operations.etime_ns[rows].sum())
    for place in np.unique(operations.fingerprint[rows]):
        if text := text_at(operations.fingerprints, int(place)):
            same = rows & (operations.fingerprint == place)
            count, waited_ns = use.queries.get(text, (0, 0))
            waited_ns += int(operations.etime_ns[same].sum())
            use.queries[text] = count + int(same.sum()), waited_ns
