"""What the configuration alone shows: indexes that the server needs, and settings that cost."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ldap_workbench.advice.evidence.indexes import (
    Database,
    database_of,
    databases,
    partly_known,
)
from ldap_workbench.advice.evidence.missing import missing_in
from ldap_workbench.advice.evidence.view import ErrorLine, WindowView
from ldap_workbench.advice.evidence.wording import (
    definitions,
    finding,
    limits,
    phrase,
    search_words,
)
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.resources import resource

_LEVELS_389 = {
    1: Message("function calls"),
    2: Message("packets"),
    4: Message("function calls in detail"),
    8: Message("connections"),
    16: Message("packets sent and received"),
    32: Message("search filters"),
    128: Message("access control"),
    2048: Message("parsing of entries"),
    4096: Message("housekeeping"),
    8192: Message("replication"),
    32768: Message("the database cache"),
    65536: Message("plug-ins"),
    262144: Message("a summary of access control"),
}
"""Parts of nsslapd-errorlog-level that write lines in normal operation (389 DS slapi-plugin.h);
64 reads the configuration at the start only, and 16384 is the default."""
_OF_THE_SERVER = ("entryrdn", "ancestorid", "numsubordinates", "aci", "parentid", "nsuniqueid")
"""Indexes that every back end of 389 DS begins with."""
_LEVELS_OPENLDAP = {
    1: "trace",
    2: "packets",
    4: "args",
    8: "conns",
    16: "BER",
    32: "filter",
    128: "ACL",
    2048: "parse",
}
"""Parts of olcLogLevel (slapd-config(5)); 256 and 512 are statistics, 16384 is replication."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """A plug-in or overlay, and on what operations it acts; see resources/advice/plugins.toml."""

    name: str
    path: str = ""
    overlay: str = ""
    on: tuple[str, ...] = ()

    def entries(self, configuration: Configuration) -> Iterator[tuple[str, ConfigurationEntry]]:
        """Its entries where it is on, each with the database it is of ('' for all)."""
        if self.overlay:
            yield from configuration.overlays(self.overlay)
        else:
            yield from (("", entry) for entry in configuration.plugins(self.path))


@dataclass(frozen=True, kw_only=True)
class Searcher(Part):
    """A part that searches at writes."""

    attribute: str
    about: str
    subtrees: str = ""
    usual: tuple[str, ...] = ()

    def attributes(self, entry: ConfigurationEntry) -> tuple[str, ...]:
        """What it searches for, by its entry."""
        named = " ".join(entry.values(self.attribute)).split() if self.attribute else []
        return tuple(named) or self.usual


@dataclass(frozen=True)
class Unindexed:
    """A plug-in, the database it searches, and the attributes without an equality index there."""

    searcher: Searcher
    database: Database
    attributes: tuple[str, ...]


@cache
def searchers() -> tuple[Searcher, ...]:
    """Parts of the server that search by themselves, and for what."""
    text = resource("advice/plugins.toml").read_text("utf-8")
    rows = tomllib.loads(text)["searcher"]
    return tuple(Searcher(**row | {"usual": tuple(row.get("usual", ()))}) for row in rows)


def acting_on(configuration: Configuration, kind: str, dns: Iterable[str]) -> tuple[str, ...]:
    """The names of the parts that are on and may act on operations of a type on some entries.

    An overlay acts in its own database, and one of the frontend in all of them.
    """
    known = databases(configuration)
    asked = {database.name for dn in dns if (database := database_of(known, dn))}
    places = {place.lower() for place in ("", "{-1}frontend", *asked)}
    rows = tomllib.loads(resource("advice/plugins.toml").read_text("utf-8"))["acting"]
    parts = [Part(**row | {"on": tuple(row["on"])}) for row in rows if kind in row["on"]]
    return tuple(
        part.name
        for part in parts
        if any(not asked or place.lower() in places for place, _ in part.entries(configuration))
    )


def find(view: WindowView) -> list[Finding]:
    """Of a view without a configuration nothing."""
    configuration = view.configuration
    known = databases(configuration)
    of_389 = [database for database in known if database.product == "389ds"]
    return [
        *_plugins(list(_unindexed(configuration, known))),
        *_substring([*of_389, *partly_known(configuration)]),
        *_system(of_389),
        *_debugging(configuration, view.errors),
        *_entries(configuration),
    ]


def _unindexed(configuration: Configuration, known: Sequence[Database]) -> Iterator[Unindexed]:
    for searcher in searchers():
        for place, entry in searcher.entries(configuration):
            for database in known:
                if not _looks_into(searcher, entry, place, database):
                    continue
                if without := database.without_equality(searcher.attributes(entry)):
                    yield Unindexed(searcher, database, without)


def _looks_into(
    searcher: Searcher, entry: ConfigurationEntry, place: str, database: Database
) -> bool:
    if place:
        return database.name.lower() == place.lower()
    subtrees = entry.values(searcher.subtrees) if searcher.subtrees else ()
    return not subtrees or any(database.holds(subtree) for subtree in subtrees)


def _plugins(searches: Sequence[Unindexed]) -> Iterator[Finding]:
    if not searches:
        return
    names = tuple(dict.fromkeys(search.searcher.name for search in searches))
    places = (f"{search.database.name} ({', '.join(search.attributes)})" for search in searches)
    yield finding(
        "plugin_unindexed",
        numbers={
            "plugins": list(names),
            "attributes": sorted({a.lower() for search in searches for a in search.attributes}),
            "missing_indexes": [
                index
                for search in searches
                for index in missing_in(search.database, search.attributes)
            ],
        },
        evidence=[_searches(search) for search in searches],
        searching=phrase("plugin_unindexed", "searching", n=len(names), plugins=names),
        where=tuple(dict.fromkeys(places)),
    )


def _searches(search: Unindexed) -> Evidence:
    text = phrase(
        "plugin_unindexed",
        plugin=search.searcher.name,
        database=search.database.name,
        attributes=search.attributes,
        when=Message(search.searcher.about),
    )
    return Evidence(text)


def _substring(known: Sequence[Database]) -> Iterator[Finding]:
    """389 DS alone: OpenLDAP refuses such an index, as a DN has no substring matching rule."""
    indexed = list(_dn_substrings(known))
    where = tuple(
        phrase("dn_substring_index", "where", attribute=name, database=in_.name)
        for in_, name in indexed
    )
    # To be built again, without those types.
    missing = [index for in_, name in indexed for index in missing_in(in_, [name], types=())]
    if where:
        yield finding(
            "dn_substring_index",
            numbers={
                "attributes": sorted({name for _, name in indexed}),
                "missing_indexes": missing,
            },
            evidence=_stated(where),
            where=where,
        )


def _dn_substrings(known: Sequence[Database]) -> Iterator[tuple[Database, str]]:
    """Each database with an attribute of DNs that has a substring index in it."""
    for database in known:
        for name in search_words("dn_substring_index", "words"):
            if "sub" in database.types(name):
                yield database, name


def dn_substrings(configuration: Configuration) -> tuple[str, ...]:
    """Attributes of DNs that have a substring index in a database of 389 DS."""
    of_389 = [known for known in databases(configuration) if known.product == "389ds"]
    known = [*of_389, *partly_known(configuration)]
    return tuple(dict.fromkeys(name for _, name in _dn_substrings(known)))


def _system(known: Sequence[Database]) -> Iterator[Finding]:
    wanted = search_words("system_index_missing", "words")
    # A part of a configuration has indexes of the content, and few of the server's own.
    whole = [
        database
        for database in known
        if 2 * sum(map(bool, map(database.types, _OF_THE_SERVER))) >= len(_OF_THE_SERVER)
    ]
    missing = {database.name: database.without_equality(wanted) for database in whole}
    where = tuple(
        Message("{database} has no index of {attributes:list}", database=name, attributes=without)
        for name, without in missing.items()
        if without
    )
    if where:
        yield finding(
            "system_index_missing",
            numbers={"indexes": sorted({name for without in missing.values() for name in without})},
            evidence=_stated(where),
            where=where,
        )


def _stated(where: Sequence[Message]) -> list[Evidence]:
    return [Evidence(Message("{what}.", what=place)) for place in where]


def debug_lines(errors: Iterable[ErrorLine]) -> list[ErrorLine]:
    """Lines that 389 DS writes at a debug level only."""
    return [line for line in errors if line.text.startswith("DEBUG - ")]


def _debugging(configuration: Configuration, errors: Sequence[ErrorLine]) -> Iterator[Finding]:
    name = "olcLogLevel" if configuration.is_openldap else "nsslapd-errorlog-level"
    root = configuration.at("cn=config")
    values = root.values(name) if root else ()
    parts: tuple[Message | str, ...] = _parts_of_389(values)
    if configuration.is_openldap:
        parts = _parts_of_openldap(values)
    value = " ".join(values)
    lines = debug_lines(errors)
    by_lines = not parts and len(lines) >= limits("debug_logging")["lines"]
    if by_lines:
        # DEBUG - NSACLPlugin - print_access_control_summary - ...
        parts = tuple(sorted({line.text.split(" - ")[1] for line in lines}))[:5]
    if parts:
        yield finding(
            "debug_logging",
            numbers={"setting": name, "value": value, "parts": [str(part) for part in parts]},
            parts=parts,
            by_lines=by_lines,
            n=len(lines),
        )


def _parts_of_389(values: Iterable[str]) -> tuple[Message, ...]:
    level = 0
    for value in values:
        level |= int(value) if value.isdecimal() else 0
    return tuple(what for bit, what in _LEVELS_389.items() if level & bit)


def _parts_of_openldap(values: Iterable[str]) -> tuple[str, ...]:
    """Words or numbers; 'any' and -1 stand for all."""
    levels = " ".join(values).split()
    if any(word.lower() in ("any", "-1") for word in levels):
        return ("any",)
    level = 0
    for word in levels:
        level |= int(word, 0) if re.fullmatch(r"\d+|0x[0-9a-fA-F]+", word) else 0
    names = {word.lower() for word in levels}
    return tuple(
        what for bit, what in _LEVELS_OPENLDAP.items() if level & bit or what.lower() in names
    )


# --- entries that are a finding by themselves ----------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class EntryRule(Part):
    """Entries of a configuration by data; `entries` in evidence/wording.py says what each is."""

    dn: str = ""
    having: Mapping[str, str] = field(default_factory=dict)
    names: str
    shown: str = ""
    unless: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, Any] = field(default_factory=dict)

    def matches(self, configuration: Configuration) -> Iterator[tuple[str, ConfigurationEntry]]:
        """Those that have all values, each with its name: a group of the DN, a database, the DN."""
        every = self.entries(configuration)
        if self.dn:
            pairs = configuration.matching(self.dn)
            every = ((match[match.lastindex or 0], entry) for match, entry in pairs)
        for name, entry in every:
            if all(re.fullmatch(text, entry.first(key), re.I) for key, text in self.having.items()):
                yield name, entry

    def holds(self, configuration: Configuration) -> bool:
        """Whether the rest of the configuration allows the finding."""
        excluded = self.unless and any(
            EntryRule(name="", names="", **self.unless).matches(configuration)
        )
        needed = not self.beside or any(
            EntryRule(name="", names="", **self.beside).matches(configuration)
        )
        return needed and not excluded


def entries_of(which: str, configuration: Configuration) -> list[tuple[str, ConfigurationEntry]]:
    """The entries that the table of a finding names, each with its name."""
    return list(_rule_of(which).matches(configuration))


def _rule_of(which: str) -> EntryRule:
    return EntryRule(name=which, **definitions()[which]["entries"])


def _entries(configuration: Configuration) -> Iterator[Finding]:
    """The findings that need no code of their own."""
    for which in (which for which, table in definitions().items() if "entries" in table):
        rule, entries = _rule_of(which), entries_of(which, configuration)
        if not entries or not rule.holds(configuration):
            continue
        names = tuple(name for name, _ in entries)
        value, is_named = entries[0][1].first(rule.shown), "texts" in definitions()[which]
        yield finding(
            which,
            numbers={rule.names: list(names)},
            evidence=[Evidence(phrase(which, name=name, value=value)) for name in names],
            names=names,
            value=value,
            named=phrase(which, "named", n=len(names), names=names) if is_named else NOTHING,
        )
