"""What slapd says on lines of their own: terms of filters without an index, deferred operations.

    <= mdb_equality_candidates: (mail) not indexed
    connection_input: conn=1005 deferring operation: pending operations

The kernel says which lines may be messages of the server, and only these are looked at. The first
kind names no operation: it is tied to its search by the thread or the connection that some formats
print before it, else by time: to the searches at work at that moment whose filter has such a term.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ldap_workbench.logs.access.server_messages import (
    Connections,
    SelectedLines,
    ServerMessages,
    times_around,
)
from ldap_workbench.model.operations import NOTES, TYPES, Int64, Operations, text_at

Term = tuple[str, str]
"""(attribute in lower case, type of index: eq, sub, pres, approx)."""

_CANDIDATES = re.compile(
    rb"<= \w{1,8}_(\w{1,16})_candidates: \(([^)\n]{1,200})\) "
    rb"(?:not indexed|index_param failed \(18\))"
)
"""back-bdb, -hdb, -mdb, -wt; slapd before 2.4.15 says 18, which is 'inappropriate matching'."""
_KINDS = {
    b"equality": "eq",
    b"inequality": "eq",
    b"approx": "approx",
    b"substring": "sub",
    b"substrings": "sub",
    b"presence": "pres",
    b"ext": "eq",
}
"""Which index slapd looked for; an inequality reads the one for equality."""
_OWNER = re.compile(rb"(?:(0x[0-9a-f]{4,16})|(conn=\d{1,18} op=\d{1,9})) $")
_DEFERS = b" deferring operation: "
_DEFERRING = re.compile(
    rb"connection_\w{1,12}: conn=(\d{1,18}) deferring operation: ([a-z ]{1,60})"
)
_ALIASES = {
    "commonname": "cn", "surname": "sn", "userid": "uid", "rfc822mailbox": "mail",
    "gn": "givenname", "organizationname": "o", "organizationalunitname": "ou",
    "domaincomponent": "dc", "countryname": "c", "localityname": "l",
    "stateorprovincename": "st", "streetaddress": "street", "friendlycountryname": "co",
    "emailaddress": "email", "pkcs9email": "email",
}  # fmt: skip
"""Names that filters have for what slapd calls by its first name."""
_TERM = re.compile(r"\(([A-Za-z0-9][\w.-]*)(?:;[\w-]+)*(?::[^=()]*)?([~<>:]?=)([^()]*)\)")
_BACK = 64 << 10
"""Bytes before a notice in which the request of its thread is looked for."""
_KEPT, _TERMS, _SETS, _CONNECTIONS = 1_000_000, 500, 20_000, 10_000
"""Bounds of what a hostile log can have: places of one term, terms, sets of them, connections."""
_SHAPE_BITS = 32
_SHOWN = 100
_FULLY = np.uint8(1 << NOTES.index("A"))
_PARTLY = np.uint8(1 << NOTES.index("U"))
_SRCH = TYPES.index("SRCH")


@dataclass
class Deferrals:
    """Operations of one connection that slapd put off until others had ended."""

    client: str = ""
    first_ns: int | None = None
    last_ns: int | None = None
    reasons: Counter[str] = field(default_factory=Counter)

    def see(self, time_ns: int | None) -> None:
        if time_ns is not None:
            self.first_ns = time_ns if self.first_ns is None else min(self.first_ns, time_ns)
            self.last_ns = time_ns if self.last_ns is None else max(self.last_ns, time_ns)


class SlapdNotices:
    """Such lines of one log, fed in the pieces its scanner has."""

    def __init__(self, messages: ServerMessages) -> None:
        self.terms: Counter[Term] = Counter()
        """Lines that say of a term that it has no index."""
        self.searches: Counter[Term] = Counter()
        """Searches they were tied to."""
        self.deferrals: dict[int, Deferrals] = {}
        self.messages = messages
        self._names: dict[str, str] = {}
        """Attributes as slapd writes them, by their names in lower case."""
        self._places: dict[Term, Int64] = {}
        self._of_request: dict[int, set[Term]] = {}
        self._pending_deferrals: list[tuple[int, int]] = []
        self._shapes: dict[Term, list[int]] = {}
        self._looked_into = 0
        self._sets: list[frozenset[Term]] = [frozenset()]
        self._numbers: dict[frozenset[Term], int] = {frozenset(): 0}
        self.index_keys: list[str] = []
        """What the index keys of its operations are: 'mail key(eq), cn key(sub)'."""
        self._index_keys: dict[str, int] = {}

    def add(self, lines: SelectedLines) -> None:
        """Look through lines that may be messages."""
        places: dict[tuple[bytes, bytes], list[int]] = {}
        for match in _CANDIDATES.finditer(lines.text):
            places.setdefault((match[1], match[2]), []).append(lines.place(match.start()))
        for words, at in places.items():
            if (term := self._term(*words)) is not None:
                self.terms[term] += len(at)
                self._take_places(term, lines.piece, at, lines.offset)
        if _DEFERS in lines.text:
            self._take_deferrals(lines)
        self.messages.add(lines)

    def _take_places(self, term: Term, text: bytes, at: list[int], offset: int) -> None:
        """Remember where a term is named, or which request its notice names itself."""
        elsewhere = []
        for place in at:
            # Behind the prefix of syslog nothing names a thread.
            is_syslog = text[place - 2 : place - 1] == b":"
            request = None if is_syslog else _request_before(text, place)
            if request is None:
                elsewhere.append(offset + place)
            elif len(self._of_request) < _KEPT:
                self._of_request.setdefault(offset + request, set()).add(term)
        if elsewhere:
            before = self._places.get(term, np.empty(0, np.int64))
            self._places[term] = np.concatenate((before, np.array(elsewhere, np.int64)))[-_KEPT:]

    def _term(self, looked_for: bytes, attribute: bytes) -> Term | None:
        """The term of a notice; None where there are too many. 'cn;lang-de' is of cn."""
        name = attribute.decode("utf-8", "replace").partition(";")[0].strip()
        term = name.lower(), _KINDS.get(looked_for, "eq")
        if term not in self.terms and len(self.terms) >= _TERMS:
            return None
        self._names.setdefault(term[0], name)
        return term

    def _take_deferrals(self, lines: SelectedLines) -> None:
        for match in _DEFERRING.finditer(lines.text):
            connection = int(match[1])
            if connection not in self.deferrals:
                if len(self.deferrals) >= _CONNECTIONS:
                    continue
                self.deferrals[connection] = Deferrals()
            self.deferrals[connection].reasons[match[2].decode("ascii").strip()] += 1
            place = lines.offset + lines.place(match.start())
            self._pending_deferrals.append((connection, place))

    def mark(
        self, operations: Operations, last_ns: int | None, connections: Connections
    ) -> Operations:
        """The operations of a piece, with notes and index keys where slapd named a term.

        `last_ns`: the time of the newest line, for what no operation ended near.
        """
        time_at = times_around(operations, last_ns)
        self.messages.date(time_at, connections)
        self._date_deferrals(operations, time_at)
        operations = replace(operations, index_keys=self.index_keys)
        named = self._named(operations)
        rows = np.flatnonzero(named)
        if not len(rows):
            return operations
        # Alike are searches with the same filter and the same terms.
        alike = (named[rows] << _SHAPE_BITS) + operations.fingerprint[rows] + 1
        kinds, which, counts = np.unique(alike, return_inverse=True, return_counts=True)
        note, key = np.empty(len(kinds), np.uint8), np.empty(len(kinds), np.int32)
        for place, (kind, n) in enumerate(zip(kinds.tolist(), counts.tolist(), strict=True)):
            terms = self._sets[kind >> _SHAPE_BITS]
            shape = text_at(operations.fingerprints, (kind & ((1 << _SHAPE_BITS) - 1)) - 1)
            note[place] = _FULLY if reads_all(shape, terms) else _PARTLY
            key[place] = self._number(terms)
            self.searches.update(dict.fromkeys(terms, n))
        # Columns that no line filled are views of one number.
        notes, keys = operations.notes.copy(), np.array(operations.index_key)
        notes[rows] |= note[which]
        keys[rows] = key[which]
        return replace(operations, notes=notes, index_key=keys)

    def not_indexed(self) -> list[dict[str, Any]]:
        """As it stands in `Source.details`: terms without an index, those of most lines first."""
        return [
            {
                "attribute": self._names[term[0]],
                "kind": term[1],
                "lines": n,
                "searches": self.searches[term],
            }
            for term, n in self.terms.most_common(_SHOWN)
        ]

    def deferred(self) -> list[dict[str, Any]]:
        """As it stands in `Source.details`: connections, those that were held back most first."""
        most = sorted(self.deferrals.items(), key=lambda item: (-item[1].reasons.total(), item[0]))
        return [
            {
                "conn": connection,
                "client": of.client,
                "n": of.reasons.total(),
                "reasons": dict(of.reasons),
                "first_ns": of.first_ns,
                "last_ns": of.last_ns,
            }
            for connection, of in most[:_SHOWN]
        ]

    def _named(self, operations: Operations) -> Int64:
        """Of each operation the number of the set of terms that slapd named; 0 for none."""
        named = np.zeros(len(operations), np.int64)
        searches = np.flatnonzero((operations.kind == _SRCH) & (operations.request_at >= 0))
        if self._of_request:
            known = np.fromiter(self._of_request, np.int64, len(self._of_request))
            for row in searches[np.isin(operations.request_at[searches], known)].tolist():
                terms = self._of_request.pop(int(operations.request_at[row]))
                named[row] = self._set_number(frozenset(terms))
        self._look_into_filters(operations)
        for term, places in self._places.items():
            rows = searches[np.isin(operations.fingerprint[searches], self._shapes.get(term, []))]
            nearest = np.searchsorted(places, operations.request_at[rows], "right")
            at_work = nearest < len(places)
            at_work[at_work] = places[nearest[at_work]] < operations.result_at[rows[at_work]]
            rows = rows[at_work]
            before = named[rows]
            for number in np.unique(before).tolist():
                named[rows[before == number]] = self._set_number(self._sets[number] | {term})
        return named

    def _set_number(self, terms: frozenset[Term]) -> int:
        if terms not in self._numbers:
            if len(self._sets) >= _SETS:
                return 0
            self._numbers[terms] = len(self._sets)
            self._sets.append(terms)
        return self._numbers[terms]

    def _look_into_filters(self, operations: Operations) -> None:
        """Which shapes of filters that are new have which terms."""
        for number in range(self._looked_into, len(operations.fingerprints)):
            for term in _terms_in(operations.fingerprints[number]):
                self._shapes.setdefault(term, []).append(number)
        self._looked_into = len(operations.fingerprints)

    def _date_deferrals(self, operations: Operations, time_at: Callable[[int], int | None]) -> None:
        """Times by the results around them, and clients by the operations of their connections."""
        for connection, at in self._pending_deferrals:
            self.deferrals[connection].see(time_at(at))
        self._pending_deferrals = []
        nameless = [number for number, of in self.deferrals.items() if not of.client]
        rows = np.flatnonzero(np.isin(operations.conn, nameless) & (operations.client >= 0))
        for row in rows[::-1].tolist():
            client = text_at(operations.clients, int(operations.client[row]))
            self.deferrals[int(operations.conn[row])].client = client

    def _number(self, terms: frozenset[Term]) -> int:
        """The place of some terms among the index keys."""
        key = ", ".join(f"{self._names[name]} key({kind})" for name, kind in sorted(terms))
        if key not in self._index_keys:
            self._index_keys[key] = len(self._index_keys)
            self.index_keys.append(key)
        return self._index_keys[key]


def reads_all(text: str, lacking: Set[Term]) -> bool:
    """Whether terms without an index leave a filter with none that narrows it.

    Of '&' no part has an index, of '|' one part has none.
    """
    return _narrowed_by_none(text, lacking) is True


def parts_of(text: str) -> Iterator[str]:
    """The filters of a list: '(a=?)(b=?)' are two."""
    depth, begin = 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == ")" and depth == 0:
            yield text[begin : at + 1]
            begin = at + 1


def _narrowed_by_none(text: str, lacking: Set[Term]) -> bool | None:
    inner = text[1:-1]
    if inner[:1] in ("&", "|"):
        parts = [_narrowed_by_none(part, lacking) for part in parts_of(inner[1:])]
        known = [part for part in parts if part is not None]
        combine: Callable[[list[bool]], bool] = all if inner[0] == "&" else any
        return combine(known) if known else None
    match = _TERM.fullmatch(text)
    return None if match is None else _term_of(match) in lacking


def _terms_in(text: str) -> frozenset[Term]:
    return frozenset(_term_of(match) for match in _TERM.finditer(text))


def _term_of(match: re.Match[str]) -> Term:
    name, operator, value = match[1].lower(), match[2], match[3]
    kind = "eq"
    if operator == "~=":
        kind = "approx"
    elif operator == "=" and value == "*":
        kind = "pres"
    elif operator == "=" and "*" in value:
        kind = "sub"
    return _ALIASES.get(name, name), kind


def _request_before(text: bytes, at: int) -> int | None:
    """Where the request of the thread or operation begins that a notice names; None for none."""
    owner = _OWNER.search(text, max(0, at - 48), at)
    if owner is None:
        return None
    words = owner[1] + b" conn=" if owner[1] else owner[2] + b" "
    found_at = text.rfind(words, max(0, at - _BACK), owner.start())
    if found_at < 0:
        return None
    begin, end = text.rfind(b"\n", 0, found_at) + 1, text.find(b"\n", found_at)
    return begin if b" SRCH base=" in text[found_at:end] else None
