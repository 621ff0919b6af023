"""The indexes of a server: one name for those of all products, and what each writes of them.

389 DS and OpenDJ have an entry for each attribute that is indexed, slapd a line of olcDbIndex.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ldap_workbench.connect.directory import Directory, Entry
from ldap_workbench.model.change import WHOLE_ENTRY
from ldap_workbench.model.errors import DirectoryError
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.tuning.tunable import Tunable

Values = tuple[str, ...] | None

ENABLED, USES = "vlvEnabled", "vlvUses"
"""Whether 389 DS uses a sorted list, and how often it has: shown in its entry, and not stored."""
LINES = "olcDbIndex"
"""The attribute of a database of slapd; each value is a line with names and types."""


@dataclass(frozen=True)
class IndexEntries:
    """How a product writes down an index that is an entry of its own."""

    place: re.Pattern[str]
    """Of its DN, with the attribute and the back end as groups."""
    named_by: str
    types: str
    """The attribute with the types of index."""
    others: tuple[str, ...]
    """The lines of a new entry beside its name and its types."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Types that it calls otherwise: eq -> equality."""
    needed: frozenset[str] = frozenset()
    """Attributes whose indexes the server itself needs; 389 DS marks them in their entries."""
    built_by: frozenset[str] = frozenset()
    """Attributes of the entry a change of which has the index built again."""
    in_place: bool = False
    """Whether the types of an entry may be changed. 389 DS takes one that is added for built until
    its build begins, and finds nothing by it; one that is taken out it fills and uses on until it
    is restarted (2.3.1, 3.1.2). An entry that is deleted and added serves nobody until its build,
    and has the types it says."""

    def name(self, word: str) -> str:
        """The usual name of a type: eq of equality."""
        names = {stored: name for name, stored in self.words.items()}
        return names.get(word.lower(), word)

    def new(self, attribute: str, types: Sequence[str]) -> tuple[str, ...]:
        """The lines of the entry of an index."""
        return in_order((f"{self.named_by}: {attribute}", *self.others, *self.type_lines(types)))

    def type_lines(self, types: Iterable[str]) -> list[str]:
        """The lines that say these types."""
        return [f"{self.types}: {self.words.get(name, name)}" for name in types]


DS389 = IndexEntries(
    re.compile(
        r"cn=(?P<attribute>[^,]+),cn=index,cn=(?P<backend>[^,]+),"
        r"cn=ldbm database,cn=plugins,cn=config",
        re.IGNORECASE,
    ),
    "cn",
    "nsIndexType",
    ("nsSystemIndex: false", "objectClass: top", "objectClass: nsIndex"),
)
OPENDJ = IndexEntries(
    re.compile(
        r"ds-cfg-attribute=(?P<attribute>[^,]+),cn=Index,"
        r"ds-cfg-backend-id=(?P<backend>[^,]+),cn=Backends,cn=config",
        re.IGNORECASE,
    ),
    "ds-cfg-attribute",
    "ds-cfg-index-type",
    ("objectClass: top", "objectClass: ds-cfg-backend-index"),
    {"eq": "equality", "pres": "presence", "sub": "substring", "approx": "approximate"},
    frozenset(("aci", "ds-sync-conflict", "ds-sync-hist", "entryuuid", "objectclass")),
    frozenset(("ds-cfg-index-entry-limit",)),
    in_place=True,
)
VLV = IndexEntries(
    re.compile(
        r"cn=(?P<attribute>[^,]+),cn=(?P=attribute),cn=(?P<backend>[^,]+),"
        r"cn=ldbm database,cn=plugins,cn=config",
        re.IGNORECASE,
    ),
    "cn",
    "vlvSort",
    ("objectClass: top", "objectClass: vlvIndex"),
)
"""The order of a sorted list of 389 DS, which is built as an index is (vlv.py)."""
_PRODUCTS = (DS389, OPENDJ, VLV)


class Place(Protocol):
    """An attribute of an entry, or the entry itself."""

    @property
    def dn(self) -> str: ...

    @property
    def attribute(self) -> str: ...


def is_index(dn: str, attribute: str) -> bool:
    """Whether a place of the configuration says how attributes are indexed."""
    if attribute.lower() == LINES.lower():
        return True
    entries = entries_at(dn)
    return entries is not None and attribute in (WHOLE_ENTRY, entries.types)


def entries_at(dn: str) -> IndexEntries | None:
    """The way of the product whose entry of an index has this DN."""
    return next((one for one in _PRODUCTS if one.place.fullmatch(dn)), None)


def attribute_and_backend(dn: str) -> tuple[str, str]:
    """Of the entry of an index. Raises ValueError for another entry."""
    for one in _PRODUCTS:
        if match := one.place.fullmatch(dn):
            return match["attribute"], match["backend"]
    raise ValueError(dn)


def schema_names(directory: Directory) -> list[str]:
    """Every name of every attribute that a server's schema has; [] where it cannot be read."""
    where, types = "subschemaSubentry", "attributeTypes"
    try:
        root = directory.search("", attributes=(where,))
        place = root[0].first(where) if root else None
        schema = directory.search(place, attributes=(types,)) if place else []
    except DirectoryError:
        return []
    definitions = [text for entry in schema for text in entry.values(types) or ()]
    named = (re.search(r"\bNAME\s+(\([^)]*\)|'[^']*')", text) for text in definitions)
    return [name for match in named if match for name in re.findall(r"'([^']+)'", match[1])]


def unused(dn: str) -> str:
    """The setting by which 389 DS stops using an index that it goes on maintaining; '' elsewhere.

    On 2.3.1 it took 4 to 30 ms where a build of 2,000 entries took 4 s; searches then read as many
    entries as without the index (notes=U), and what was added meanwhile was found by it afterwards.
    """
    if entries_at(dn) is not DS389:
        return ""
    attribute, backend = attribute_and_backend(dn)
    return f"nsIndexIDListScanLimit.{attribute}@{backend}+=limit=0"


def back_end_of(place: Place) -> str:
    """The entry of the database, or above all its indexes, that the place of an index is in."""
    dn = place.dn if place.attribute.lower() == LINES.lower() else place.dn.partition(",")[2]
    return dn.lower()


def suffix_of(target: Tunable, dn: str) -> str:
    """The suffix of the back end of an index, or of a database; '' where it is not known."""
    own = dn.partition(",")[0].partition("=")[2]
    backend = attribute_and_backend(dn)[1] if entries_at(dn) else own
    suffixes = [known.suffix for known in target.facts.backends if known.name == backend]
    return suffixes[0] if suffixes else ""


def types_at(attribute: str, values: Values, indexed: str) -> tuple[str, ...] | None:
    """The types of index that an attribute of people's entries has, None where it has none.

    `values` are those of olcDbIndex, of the types of an entry or of the whole entry of an index.
    """
    if attribute == WHOLE_ENTRY:
        values = _types_of(values or ())
    elif attribute.lower() == LINES.lower():
        line = _line_of(values, indexed)
        return None if line is None else _split(names_and_types(line)[1]) or ("default",)
    return tuple(map(_usual, _split(",".join(values)))) if values else None


def describe_index(knob: str, attribute: str, values: Values) -> Message:
    """The values of a place for a sentence: of index.mail its types, else all that is there."""
    indexed = knob.partition(".")[2]
    if indexed or attribute == WHOLE_ENTRY:
        values = types_at(attribute, values, indexed)
    return verbatim(", ".join(values)) if values else Message("absent")


def names_and_types(line: str) -> tuple[tuple[str, ...], str]:
    """A value of olcDbIndex: 'cn,uid eq,sub' -> (('cn', 'uid'), 'eq,sub')."""
    names, _, types = re.sub(r"^\{\d+\}", "", line).strip().partition(" ")
    return tuple(filter(None, names.split(","))), types.strip()


def lost(attribute: str, before: Values, after: Values) -> list[str]:
    """The indexes that are there before and not after, as 'mail eq'."""
    return sorted(_every(attribute, before) - _every(attribute, after))


def builds_again(place: Place) -> bool:
    """Whether any change at a place has an index built that is there."""
    way = entries_at(place.dn)
    return way is not None and place.attribute.lower() in way.built_by


def is_obsolete(dn: str) -> bool:
    """Whether this is the entry of an index of entrydn, which entryrdn replaced.

    389 DS can neither build it, nor does an import (1.4.4.11, 2.3.1, 3.1.2): its entry is removed
    with the server stopped, which leaves its file for a revert; over LDAP the file would go, too.
    """
    return entries_at(dn) is DS389 and attribute_and_backend(dn)[0].lower() == "entrydn"


def must_build(place: Place, before: Values, after: Values) -> bool:
    """Whether there is something to build that was not there before, or is no longer there."""
    if is_obsolete(place.dn):
        return False
    if builds_again(place):
        return before != after
    if not is_index(place.dn, place.attribute):
        return False
    added = bool(lost(place.attribute, after, before))
    if entries_at(place.dn) is DS389 and after is not None:  # one with fewer types is added anew
        return added or bool(lost(place.attribute, before, after))
    return added


def change_entry(dn: str, entry: Values, types: Sequence[str]) -> Values:
    """The lines of the entry of an index with these types; no types remove it.

    `entry` are the lines that are there, None where there is no such entry.
    """
    way = entries_at(dn)
    if way is None:
        raise ValueError(dn)
    if not types:
        return None
    if entry is None:
        return way.new(attribute_and_backend(dn)[0], types)
    merged = _merged(stored_types(entry), way, types)
    return in_order((*_others(entry), *(f"{way.types}: {value}" for value in merged)))


def types_to_replace(dn: str, before: Values, after: Values) -> Values:
    """The types to write where nothing else of an entry changes, as they are stored.

    None where the entry has to be deleted and added.
    """
    way = entries_at(dn)
    if way is None or not before or not after or _others(before) != _others(after):
        return None
    return stored_types(after) if way.in_place else None


def change_openldap(lines: Values, attribute: str, types: Sequence[str]) -> Values:
    """The values of olcDbIndex with these types for an attribute, and all others as they are."""
    there = _line_of(lines, attribute)
    if there is None:
        return (*(lines or ()), f"{attribute} {','.join(types)}") if types else lines
    names, words = names_and_types(there)
    if sorted(_split(words)) == sorted(types):
        return lines
    others = [name for name in names if name.lower() != attribute.lower()]
    new = [f"{','.join(others)} {words}".strip()] if others else []
    new += [f"{attribute} {','.join(types)}"] if types else []
    return (*(line for line in lines or () if line != there), *new) or None


def is_system(dn: str, entry: Values) -> bool:
    """Whether the server needs the index of this entry for itself."""
    way = entries_at(dn)
    if way is not None and attribute_and_backend(dn)[0].lower() in way.needed:
        return True
    return any(line.lower() == "nssystemindex: true" for line in entry or ())


def lines_of(entry: Entry) -> tuple[str, ...]:
    """An entry as it is stored, as lines in an order that does not depend on the server."""
    stored = (pair for pair in entry if pair[0].lower() not in (ENABLED.lower(), USES.lower()))
    return in_order(f"{name}: {value}" for name, values in stored for value in values)


def in_order(lines: Sequence[str] | Iterator[str]) -> tuple[str, ...]:
    """Lines by the names of their attributes; the values of one stay in their order.

    But for the classes, which OpenDJ gives back in another order than it was given.
    """

    def place(line: str) -> tuple[str, bool, str]:
        name, _, value = line.lower().partition(": ")
        classes = name == "objectclass"
        return name, classes and value != "top", value if classes else ""

    return tuple(sorted(lines, key=place))


def attributes_of(lines: Sequence[str]) -> dict[str, list[str]]:
    """The attributes of an entry that `lines_of` has written down."""
    attributes: dict[str, list[str]] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        attributes.setdefault(name, []).append(value)
    return attributes


def indexed_attributes(directory: Directory, dn: str) -> list[str]:
    """The attributes that have an index in a back end.

    `dn` is that of the entry of an index with {attribute}, or of a database of slapd.
    """
    if "{attribute}" in dn:
        above, way = dn.partition(",")[2], entries_at(dn)
        assert way is not None
        entries = directory.search(above, scope="one", attributes=(way.named_by, way.types))
        named = (entry.first(way.named_by) or "" for entry in entries if entry.values(way.types))
        return sorted(named)
    lines = [entry.values(LINES) or () for entry in directory.search(dn, attributes=(LINES,))]
    names = (name for of_one in lines for line in of_one for name in names_and_types(line)[0])
    return [name for name in names if name.lower() != "default"]


def _every(attribute: str, values: Values) -> set[str]:
    """Each index that the values of a place make: 'mail eq'."""
    if attribute.lower() != LINES.lower():
        return set(types_at(attribute, values, "") or ())
    pairs = (names_and_types(line) for line in values or ())
    return {
        f"{name} {kind}".lower()
        for names, types in pairs
        for name in names
        for kind in _split(types) or ("default",)
    }


def stored_types(entry: Sequence[str]) -> tuple[str, ...]:
    """The types in the lines of an entry, as they are stored."""
    return tuple(value for line in entry if (value := _type_of(line)))


def _types_of(entry: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(_usual, stored_types(entry)))


def _type_of(line: str) -> str:
    """equality of 'ds-cfg-index-type: equality'; '' of any other line."""
    name, _, value = line.partition(": ")
    return value if name.lower() in {way.types.lower() for way in _PRODUCTS} else ""


def _usual(word: str) -> str:
    """The usual name of a type, whichever product calls it so."""
    return OPENDJ.name(word)


def _others(entry: Sequence[str]) -> tuple[str, ...]:
    return tuple(line for line in entry if not _type_of(line))


def _line_of(lines: Values, attribute: str) -> str | None:
    for line in lines or ():
        if attribute.lower() in (name.lower() for name in names_and_types(line)[0]):
            return line
    return None


def _split(types: str) -> tuple[str, ...]:
    return tuple(filter(None, re.split(r"[,\s]+", types.strip())))


def _merged(before: Sequence[str], way: IndexEntries, types: Sequence[str]) -> list[str]:
    """Stored types in the order they have, new ones at the end; as it is where it has them all."""
    there = {way.name(word).lower() for word in _split(",".join(before))}
    if there == {name.lower() for name in types}:
        return list(before)
    stay = {way.name(value).lower(): value for value in before if way.name(value).lower() in types}
    return [*stay.values(), *(way.words.get(name, name) for name in types if name not in stay)]
