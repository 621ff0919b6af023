"""Why a search was slow: its index plan where the log has one, and what its result line tells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from ldap_workbench.figures.operations.view import OperationRow
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.servers.product import product_of_window
from ldap_workbench.session.reader import Session

STATISTICS = "nsslapd-statlog-level"
"""The knob with which 389 DS logs the index keys of each search."""
_LONGEST = 4 << 20
"""Bytes of log looked through between a request and its result."""
_STAT = re.compile(
    r"\bconn=(?P<conn>\d+) op=(?P<op>\d+) STAT read index: attribute=(?P<attribute>\S+) "
    r"key\((?P<kind>\w+)\)(?:=(?P<value>.*?))?(?: --> count \d+)* --> count (?P<count>\d+)"
    r"(?: \(duration (?P<seconds>[\d.]+)\))?"
)
_WAIT, _MANY, _TIMES = 0.5, 1_000, 10
"""Shares and numbers from which on something is named as a reason."""


@dataclass(frozen=True)
class IndexKey:
    """One key of an index that a search read: how many entries it lists, and in which time (ns)."""

    attribute: str
    kind: str
    value: str
    entries: int
    time_ns: int | None = None


@dataclass(frozen=True)
class SlowSearch:
    """An operation with its index plan, in the order of the log, and why it took its time."""

    row: OperationRow
    plan: tuple[IndexKey, ...]
    reasons: tuple[Message, ...]
    may_have_plan: bool = True
    """Whether its server can log index keys at all: 389 DS can."""

    @property
    def lacks_plan(self) -> bool:
        """Whether a window with statistics of index reads would tell more."""
        return self.row.type == "SRCH" and not self.plan and self.may_have_plan

    def as_json(self) -> dict[str, Any]:
        reasons = [str(reason) for reason in self.reasons]
        return {**asdict(self.row), "plan": [asdict(key) for key in self.plan], "reasons": reasons}


def explain(session: Session, row: OperationRow) -> SlowSearch:
    """Why an operation took its time, as far as the session tells."""
    plan = tuple(_keys(session, row))
    log = [source for source in session.sources() if source.id == row.source]
    may_have_plan = bool(plan) or product_of_window(session.facts, log) == "389ds"
    return SlowSearch(row, plan, tuple(_reasons(row, plan, may_have_plan)), may_have_plan)


def _keys(session: Session, row: OperationRow) -> Iterator[IndexKey]:
    """The STAT lines of an operation, between its request and its result."""
    if row.request_at < 0 or row.result_at <= row.request_at:
        return
    length = min(row.result_at - row.request_at, _LONGEST)
    text = session.raw(row.source, row.request_at, length).decode("utf-8", "backslashreplace")
    for line in text.splitlines():
        key = _of_json(line, row) if line.startswith("{") else _of_text(line, row)
        if key is not None:
            yield key


def _of_text(line: str, row: OperationRow) -> IndexKey | None:
    match = _STAT.search(line)
    if not match or (int(match["conn"]), int(match["op"])) != (row.conn, row.op):
        return None
    seconds = match["seconds"]
    time_ns = round(float(seconds) * NS_PER_S) if seconds else None
    value = match["value"] or ""
    return IndexKey(match["attribute"], match["kind"], value, int(match["count"]), time_ns)


def _of_json(line: str, row: OperationRow) -> IndexKey | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict) or event.get("operation") != "STAT":
        return None
    count = event.get("stat_count")
    if (event.get("conn_id"), event.get("op_id")) != (row.conn, row.op) or type(count) is not int:
        return None
    attribute, kind, value = (
        str(event.get(name, "")) for name in ("stat_attr", "stat_key", "stat_key_value")
    )
    return IndexKey(attribute, kind, value, count)


def _reasons(
    row: OperationRow, plan: tuple[IndexKey, ...], may_have_plan: bool
) -> Iterator[Message]:
    if row.wtime_ns and row.wtime_ns >= _WAIT * row.etime_ns:
        yield Message(
            "It waited {wait:duration} of {etime:duration} before a worker thread began with it.",
            wait=row.wtime_ns,
            etime=row.etime_ns,
        )
    if row.index_key and row.index_ids is None:
        keys = _lacking(row.index_key)
        yield Message("slapd says that it has no index for {keys:list}.", keys=keys)
        if "A" in row.notes:
            yield Message("Nothing else narrows its filter: it read every entry of its scope.")
    elif set("UA") & set(row.notes):
        yield Message("No index helped with all of its filter (notes={notes}).", notes=row.notes)
    if "S" in row.notes:
        yield Message("The server sorted the entries before it answered.")
    if plan:
        yield _most_expensive(row, plan)
    elif row.type == "SRCH" and may_have_plan:
        yield Message(
            "The log has no index plan of it: with {knob} = 1 the server logs each index key that "
            "it reads.",
            knob=STATISTICS,
        )
    if row.nentries is not None and row.nentries >= _MANY:
        yield count_of("It returned {n} entry.", "It returned {n} entries.", n=row.nentries)


def _lacking(index_key: str) -> tuple[str, ...]:
    """'mail key(eq), cn key(sub)' as 'mail (eq)', 'cn (sub)'."""
    return tuple(index_key.replace(" key(", " (").split(", "))


def _named(key: IndexKey) -> str:
    return f"{key.attribute} ({key.kind}){f' = {key.value}' if key.value else ''}"


def _most_expensive(row: OperationRow, plan: tuple[IndexKey, ...]) -> Message:
    """The key that lists most entries, beside how many came of it."""
    key = max(plan, key=lambda term: (term.entries, term.time_ns or 0))
    name = _named(key)
    returned = row.nentries or 0
    if key.entries >= _TIMES * max(returned, 1):
        # Those shorter than the result are no terms of it: objectclass=referral is the server's.
        terms = (term for term in plan if term.entries >= max(returned, 1))
        narrow = min(terms, key=lambda term: term.entries)
        if narrow.entries * _TIMES <= key.entries:
            return Message(
                "The index key {key} lists {entries} entries, {other} lists {few}, and the search "
                "returned {returned}. Leave the first out of the filter, or let the server skip "
                "such long lists (nsIndexIDListScanLimit).",
                key=name,
                entries=key.entries,
                other=_named(narrow),
                few=narrow.entries,
                returned=returned,
            )
        return Message(
            "The index key {key} lists {entries} entries, and the search returned {returned}: "
            "the rest was read for nothing. Search for a rarer value, or index the rest of the "
            "filter.",
            key=name,
            entries=key.entries,
            returned=returned,
        )
    return Message(
        "Its index keys are short, {key} lists most: {entries} entries. Its time went elsewhere.",
        key=name,
        entries=key.entries,
    )
