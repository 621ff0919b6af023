"""Which index each term of an expensive filter has, lacks, or may lack, and what it would serve."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.cost import paid_by_entries
from ldap_workbench.advice.evidence.indexes import (
    SPLIT_ORDERING,
    Database,
    Term,
    database_of,
    databases,
    index_type,
    terms_of,
)
from ldap_workbench.advice.evidence.inside import client_writes, filter_of, sample, with_filter
from ldap_workbench.advice.evidence.rows import Rows, base_at
from ldap_workbench.advice.evidence.unindexed import (
    LackingTerm,
    UnindexedNotice,
    reads_one_entry,
    without_index,
)
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import search_words
from ldap_workbench.logs.access.slapd_notices import parts_of
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import ABSENT, TYPES, Int64, client_operations, text_at

_SRCH = TYPES.index("SRCH")
_BUILT_IN = {
    "389ds": {"objectclass", "parentid", "nsuniqueid", "entryrdn", "numsubordinates"},
    "opendj": {"objectclass", "entryuuid"},
    "unboundid": {"objectclass", "entryuuid"},
}
"""Attributes with the index they need from the start: each is missing only where it was removed."""
_STATISTICS = re.compile(r"([^\s,]+) key\((\w+)\)")
_INSTANCE = re.compile(r"/slapd-([^/)\s]+)")
_COMPARED = 20
"""Requests of a kind that are compared, to see which values never change."""
_VERY_MANY = 1000
"""Entries that a search returns, and would also where its terms had an index they are known to
lack."""
_LINES = 5
"""Lines that are read of a kind of search, to see whether it reads its base alone."""


@dataclass(frozen=True)
class MissingIndex:
    """An index that would serve searches of a window.

    `known`: the configuration or the log shows that it is missing, else it may be there. `existing`
    are the types the attribute has, `line` is the value of olcDbIndex that says so. `share_of_time`
    is the part its searches have in the etime of all client operations.
    """

    attribute: str
    types: tuple[str, ...]
    database: str
    suffix: str
    existing: tuple[str, ...]
    line: str
    known: bool
    searches: int
    share_of_time: float


def missing_in(
    database: Database | None,
    attributes: Iterable[str],
    types: Sequence[str] = ("eq",),
    *,
    known: bool = True,
) -> list[dict[str, Any]]:
    """Numbers of a finding: indexes a database lacks, or without types those to build again."""
    place = database or Database("", "")
    return [asdict(_index(place, attribute, types, known=known)) for attribute in attributes]


def _index(
    place: Database,
    attribute: str,
    types: Iterable[str],
    *,
    known: bool,
    spelled: str = "",
    searches: int = 0,
    share_of_time: float = 0.0,
) -> MissingIndex:
    return MissingIndex(
        attribute=spelled or attribute,
        types=tuple(dict.fromkeys(types)),
        database=place.name,
        suffix=place.suffix,
        existing=tuple(sorted(place.types(attribute))),
        line=place.line(attribute),
        known=known,
        searches=searches,
        share_of_time=share_of_time,
    )


def missing_for(text: str, place: Database | None, product: str) -> list[dict[str, Any]]:
    """Numbers of a finding: what a filter lacks that the server says had no index."""
    lacking = [
        term
        for term in terms_of(text.lower())
        if not term.negated and term.attribute not in _BUILT_IN.get(product, ())
        if place is None or not place.serves(term)
    ]
    known = place is not None or len(lacking) == 1
    return [
        index
        for term in lacking
        for index in missing_in(
            place, [term.attribute], [index_type(term.kind, product)], known=known
        )
    ]


def as_numbers(missing: Sequence[MissingIndex]) -> dict[str, Any]:
    """Indexes among the numbers of a finding."""
    return {"missing_indexes": [asdict(index) for index in missing]}


@dataclass(frozen=True)
class _Need:
    """What one kind of search lacks of an attribute: kinds of term, whether that is certain."""

    row: int
    known: bool
    kinds: frozenset[str]


_MARKS_AS = {"dsee": "389ds", "oud": "opendj"}
"""Products whose logs mark searches without an index as those of a relative do."""


class IndexAdvisor:
    """What is known of the indexes in one window: by the configuration, else by what the log shows.

    389 DS marks every search with a term that has no index; OpenDJ and its relatives one that no
    index served at all; slapd none. `computed` are attributes that no index can serve.
    """

    def __init__(self, view: WindowView, computed: Set[str] = frozenset()) -> None:
        self._view, self._operations, self._computed = view, view.operations, computed
        self._product = _MARKS_AS.get(view.product, view.product)
        self._known = databases(view.configuration)
        clients = client_operations(view.operations)
        self._clients_ns = int(view.operations.etime_ns[clients].sum())
        self._shown: dict[tuple[str, str], bool] = {}
        self._searches: NDArray[np.bool_] = clients & (view.operations.kind == _SRCH)

    def numbers(self, kinds: Sequence[tuple[str, Rows]]) -> dict[str, Any]:
        """The numbers of a finding that advice on indexes is made of."""
        return {
            **as_numbers(self.missing(kinds)),
            "changes": int(client_writes(self._operations).sum()),
            "negations": self._negations(kinds),
            "instance": self._instance,
            "release": self._view.version,
            "all_indexed": sum(len(rows) for kind, rows in kinds if not self._lacking(kind, rows)),
        }

    def missing(self, kinds: Sequence[tuple[str, Rows]]) -> list[MissingIndex]:
        """The indexes that kinds of search (filter, rows) lack or may lack; none that exists."""
        needs: dict[tuple[str, str], list[_Need]] = defaultdict(list)
        for text, rows in kinds:
            row, lacking = self._slowest(rows), self._lacking(text, rows)
            unknown = {term.attribute for term in lacking if self._has(term, row) is None}
            # The log marks the search, and nothing else of it can be the reason.
            alone = bool(self._marked[row]) and len(unknown) == 1
            for attribute in dict.fromkeys(term.attribute for term in lacking):
                terms = [t for t in self._indexable(text) if t.attribute == attribute]
                wanted = frozenset(t.kind for t in terms if not self._has(t, row))
                known = alone or attribute not in unknown
                needs[self._place(row).name, attribute].append(_Need(row, known, wanted))
        return [self._needed(attribute, same) for (_, attribute), same in needs.items()]

    def of_notices(self, notices: Sequence[UnindexedNotice]) -> list[MissingIndex]:
        """What searches lack of which nothing but notices of the error log of 389 DS is known.

        Such a search has no term that an index serves: with one term left it is that one.
        """
        lacking: dict[tuple[str, str], list[tuple[UnindexedNotice, Term, bool]]] = defaultdict(list)
        for notice in notices:
            place = database_of(self._known, notice.base)
            terms = [
                term
                for term in self._indexable(notice.filter)
                if not term.negated
                and not (place.serves(term) if place else term.attribute in _BUILT_IN["389ds"])
            ]
            alone = place is not None or len({term.attribute for term in terms}) == 1
            for term in terms:
                lacking[place.name if place else "", term.attribute].append((notice, term, alone))
        return [self._of_terms(same) for same in lacking.values()]

    def _of_terms(self, terms: Sequence[tuple[UnindexedNotice, Term, bool]]) -> MissingIndex:
        notice, term, _ = terms[0]
        spelled = re.search(
            rf"\(({re.escape(term.attribute)})[;~<>=:]", notice.asked, re.IGNORECASE
        )
        return _index(
            database_of(self._known, notice.base) or Database("", ""),
            term.attribute,
            (index_type(t.kind, "389ds") for _, t, _ in terms),
            known=any(known for _, _, known in terms),
            spelled=spelled[1] if spelled else "",
            searches=len({notice for notice, _, _ in terms}),
        )

    def of_lines(self, terms: Sequence[LackingTerm]) -> list[MissingIndex]:
        """What lines of slapd name, in a log without the searches themselves."""
        nowhere = Database("", "")
        return [
            _index(nowhere, term.attribute, [term.kind], known=True, searches=term.searches)
            for term in terms
        ]

    def describe(self, text: str, rows: Rows) -> Message:
        """What each term of a filter has, lacks or may lack."""
        row = self._slowest(rows)
        if not terms_of(text) or self._has_none:
            return NOTHING
        if self._marks_all and not self._marked[rows].any():
            return Message("The log marks none of them as unindexed: their terms have an index.")
        if self._paid_by_entries([t for t in self._indexable(text) if not t.negated], rows):
            return Message("What is returned takes the time: for an entry no more than elsewhere.")
        groups: dict[tuple[str, bool | None], list[str]] = defaultdict(list)
        for term in self._indexable(text):
            if not term.negated:
                kind = index_type(term.kind, self._product)
                groups[term.attribute, self._has(term, row)].append(kind)
        said = [
            Message(
                _STATES[has],
                attribute=self._spelled(attribute, row),
                types=tuple(dict.fromkeys(types)),
            )
            for (attribute, has), types in groups.items()
        ]
        said += [
            Message("no index serves {negation}", negation=negation)
            for negation in self._negations([(text, rows)])
        ]
        if not said:
            return NOTHING
        if self._product == "unboundid":
            return Message(
                "Indexes: {terms:list}. The workbench does not set up PingDirectory: dsconfig "
                "create-local-db-index adds one there, and rebuild-index builds it. The in-memory "
                "server of the UnboundID LDAP SDK, whose log looks the same, has no indexes.",
                terms=tuple(said),
            )
        return Message("Indexes: {terms:list}.", terms=tuple(said))

    def rebuilt(self, text: str, row: int) -> dict[str, Any]:
        """Numbers of a finding: the indexes of a filter, to be built again."""
        every = [term.attribute for term in terms_of(text) if not term.negated]
        built_in = _BUILT_IN.get(self._product, ())
        names = [name for name in every if name not in built_in] or every
        spelled = dict.fromkeys(self._spelled(name, row) for name in names)
        there = missing_in(self._place(row), spelled, types=())
        return {"missing_indexes": there}

    def _negations(self, kinds: Sequence[tuple[str, Rows]]) -> list[str]:
        """The attributes of which filters ask what does not have them: '(!(sudoHost=*))'."""
        negated = [
            f"(!({self._spelled(term.attribute, self._slowest(rows))}={value}))"
            for text, rows in kinds
            for term in terms_of(text)
            for value in ["*" if term.kind == "pres" else "…"]
            if term.negated
        ]
        return list(dict.fromkeys(negated))

    def _needed(self, attribute: str, needs: Sequence[_Need]) -> MissingIndex:
        kinds = frozenset().union(*(need.kinds for need in needs))
        row = needs[0].row
        searches, time_ns = self._served(attribute, kinds)
        return _index(
            self._place(row),
            attribute,
            (index_type(kind, self._product) for kind in _KINDS if kind in kinds),
            known=any(need.known for need in needs),
            spelled=self._spelled(attribute, row),
            searches=searches,
            share_of_time=time_ns / max(self._clients_ns, 1),
        )

    def _served(self, attribute: str, kinds: Set[str]) -> tuple[int, int]:
        """How many searches an index of these kinds would serve, and their etime."""
        counts, times = self._by_filter
        shapes = [
            at
            for at, text in enumerate(self._operations.fingerprints)
            if counts[at]
            if any(
                term.attribute == attribute and term.kind in kinds and not term.negated
                for term in terms_of(text)
            )
        ]
        return int(counts[shapes].sum()), int(times[shapes].sum())

    @cached_property
    def _by_filter(self) -> tuple[Int64, Int64]:
        """For each filter the searches that may lack an index, and their etime in ns."""
        known = self._searches & (self._operations.fingerprint >= 0)
        chosen = known if self._product == "openldap" else known & self._marked
        shapes, size = self._operations.fingerprint[chosen], len(self._operations.fingerprints)
        times = np.bincount(shapes, self._operations.etime_ns[chosen], size)
        return np.bincount(shapes, minlength=size), times.astype(np.int64)

    def _lacking(self, text: str, rows: Rows) -> list[Term]:
        """The terms of a filter that an index would serve and that have none, if it is known."""
        if self._has_none or (self._marks_all and not self._marked[rows].any()):
            return []
        row = self._slowest(rows)
        terms = [term for term in self._indexable(text) if not term.negated]
        if self._paid_by_entries(terms, rows):
            return []
        lacking = [term for term in terms if not self._has(term, row)]
        constant = self._constant(text, rows) if lacking else set()
        return [term for term in lacking if term not in constant]

    def _constant(self, text: str, rows: Rows) -> set[Term]:
        """Terms of an AND that ask for the same in all searches, beside others that do not.

        (status=enabled) leads to nearly all entries; an index for it narrows nothing that those of
        the others do not, or would not.
        """
        asked = self._view.request_of
        if asked is None or not text.startswith("(&"):
            return set()
        lines = [filter_of(asked(int(row))) for row in sample(rows, _COMPARED)]
        split = [list(parts_of(line[2:-1])) for line in lines if line and line.startswith("(&")]
        parts = list(parts_of(text[2:-1]))
        if len(split) < _COMPARED // 2 or any(len(one) != len(parts) for one in split):
            return set()
        terms = list(map(terms_of, parts))
        same = [len({one[place] for one in split}) == 1 for place in range(len(parts))]
        narrows = [bool(of) and not any(term.negated for term in of) for of in terms]
        if not any(
            is_other for is_other, is_same in zip(narrows, same, strict=True) if not is_same
        ):
            return set()
        return {term for of, is_same in zip(terms, same, strict=True) if is_same for term in of}

    def _paid_by_entries(self, terms: Sequence[Term], rows: Rows) -> bool:
        """Whether nothing shows that an index is missing, and what is returned takes the time."""
        row, shapes = self._slowest(rows), self._operations.fingerprint
        states = {self._has(term, row) for term in terms}
        if self._marked[rows].any() or (None not in states and False not in states):
            return False
        if False in states and np.median(self._operations.nentries[rows]) < _VERY_MANY:
            return False
        others = self._searches & (shapes != shapes[row])
        return paid_by_entries(self._operations, rows, others)

    def _indexable(self, text: str) -> list[Term]:
        """Not what is computed for each entry, nor substrings of DNs, whose keys are too many.

        A class beside what is computed narrows nothing: most entries below a base have it.
        """
        names, every = search_words("dn_substring_index", "words"), terms_of(text)
        stored = [term for term in every if term.attribute not in self._computed]
        if len(stored) < len(every) and {term.attribute for term in stored} <= {"objectclass"}:
            return []
        return [term for term in stored if term.kind != "sub" or term.attribute not in names]

    def _has(self, term: Term, row: int) -> bool | None:
        """Whether a term has its index; None where neither configuration nor log shows it."""
        if place := database_of(self._known, base_at(self._operations, row)):
            needed = self._product in SPLIT_ORDERING and term.attribute in _BUILT_IN[self._product]
            return needed or place.serves(term)
        key = term.attribute, index_type(term.kind, self._product)
        if named := set(self._named_by_slapd(row)):
            return key not in named
        if key not in self._shown:
            self._shown[key] = self._is_shown(*key)
        if self._shown[key] or term.attribute in _BUILT_IN.get(self._product, ()):
            return True
        return False if key in self._unindexed else None

    @property
    def _has_none(self) -> bool:
        """Whether it is the in-memory server of the UnboundID LDAP SDK, which has no indexes."""
        return self._view.facts is not None and "in-memory" in self._view.facts.product.lower()

    @property
    def _marks_all(self) -> bool:
        """Whether the log marks a search of which one term alone has no index."""
        return self._product == "389ds"

    @cached_property
    def _marked(self) -> NDArray[np.bool_]:
        return without_index(self._view)

    @cached_property
    def _unmarked(self) -> NDArray[np.bool_]:
        plain: NDArray[np.bool_] = self._searches & ~self._marked & (self._operations.err == 0)
        return plain

    def _is_shown(self, attribute: str, wanted: str) -> bool:
        """Whether the log shows an index: it did not mark a search for that term alone."""
        if self._product == "openldap":
            return False
        if (attribute, wanted) in self._read:
            return True

        def asks_for_it_alone(text: str) -> bool:
            terms = terms_of(text)
            return (
                len(terms) == 1
                and not terms[0].negated
                and (terms[0].attribute, index_type(terms[0].kind, self._product))
                == (attribute, wanted)
            )

        rows = np.flatnonzero(self._unmarked & with_filter(self._operations, asks_for_it_alone))
        return any(not reads_one_entry(self._view, int(row)) for row in sample(rows, _LINES))

    @cached_property
    def _read(self) -> set[tuple[str, str]]:
        """What statistics of 389 DS show to have an index, in searches that are not marked."""
        return set(self._keys(self._unmarked))

    @cached_property
    def _unindexed(self) -> set[tuple[str, str]]:
        """What statistics of 389 DS show to have no index: its line names every entry."""
        return set(self._keys(self._searches & self._marked))

    def _named_by_slapd(self, row: int) -> Iterator[tuple[str, str]]:
        """The terms of a search of which slapd says that they have no index; it names them all."""
        if self._product == "openldap" and self._operations.index_ids[row] == ABSENT:
            yield from self._keys(np.arange(len(self._operations)) == row)

    def _keys(self, rows: NDArray[np.bool_]) -> Iterator[tuple[str, str]]:
        """Attribute and type of index keys: by STAT lines those with the most entries."""
        for number in np.unique(self._operations.index_key[rows]):
            key = text_at(self._operations.index_keys, int(number))
            for match in _STATISTICS.finditer(key):
                yield match[1].lower(), match[2]

    def _place(self, row: int) -> Database:
        """Back end and suffix of a search, as far as they are known."""
        base = base_at(self._operations, row)
        backends = self._view.facts.backends if self._view.facts else ()
        named = [Database(backend.name, backend.suffix) for backend in backends]
        place = database_of(self._known, base) or database_of(named, base)
        return place or Database("", _likely_suffix(base))

    def _slowest(self, rows: Rows) -> int:
        return int(rows[np.argmax(self._operations.etime_ns[rows])])

    def _spelled(self, attribute: str, row: int) -> str:
        """The name as the client wrote it; filters of operations are in lower case."""
        asked = self._view.request_of(row) if self._view.request_of else ""
        match = re.search(rf"\(({re.escape(attribute)})[;~<>=:]", asked, re.IGNORECASE)
        return match[1] if match else attribute

    @property
    def _instance(self) -> str:
        """The instance of 389 DS, without 'slapd-'; '' where it is not known.

        By the server, its configuration, or the second line of its access log, which names it.
        """
        if self._view.facts and self._view.facts.instance:
            return self._view.facts.instance.removeprefix("slapd-")
        texts = [entry.first("nsslapd-directory") for entry in self._view.configuration.entries]
        if line_at := self._view.line_at:
            texts.append(line_at(len(line_at(0).encode()) + 1))
        return next((match[1] for text in texts if (match := _INSTANCE.search(text))), "")


def _likely_suffix(base: str) -> str:
    """The part of a base that a server usually has as its suffix: all of its dc, else its last."""
    parts = base.split(",")
    domain = [part for part in parts if part.strip().lower().startswith("dc=")]
    if domain:
        return ",".join(domain)
    return ",".join(parts[-2 if parts[-1].strip().lower().startswith("c=") else -1 :])


_KINDS = ("eq", "ordering", "pres", "sub", "approx")
_STATES = {
    True: Message("{attribute} has {types:list}").template,
    False: Message("{attribute} lacks {types:list}").template,
    None: Message("{attribute} needs {types:list}, which may be missing").template,
}
