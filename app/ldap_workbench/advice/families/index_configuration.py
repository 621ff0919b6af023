"""Indexes that plug-ins and the server itself need, judged by the configuration alone."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from ldap_workbench.advice.evidence.indexes import Database, databases
from ldap_workbench.advice.evidence.missing import missing_in
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, search_words
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.resources import resource


@dataclass(frozen=True)
class Searcher:
    """A plug-in or overlay that searches at writes; see resources/advice/plugins.toml."""

    name: str
    attribute: str
    about: str
    path: str = ""
    overlay: str = ""
    subtrees: str = ""
    usual: tuple[str, ...] = ()

    def entries(self, configuration: Configuration) -> Iterator[tuple[str, ConfigurationEntry]]:
        """Its entries where it is on, each with the database it is of ('' for all)."""
        overlay = rf"olcoverlay=(?:\{{\d+\}})?{self.overlay},olcdatabase=(\{{\d+\}}\w+),cn=config"
        if self.overlay:
            for match, entry in configuration.matching(overlay):
                yield match[1], entry
            return
        for entry in configuration.entries:
            if entry.first("nsslapd-pluginPath") == self.path and entry.is_on(
                "nsslapd-pluginEnabled"
            ):
                yield "", entry

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


def find(view: WindowView) -> list[Finding]:
    """Of a view without a configuration nothing."""
    configuration = view.configuration
    if not configuration:
        return []
    known = databases(configuration)
    of_389 = [database for database in known if database.product == "389ds"]
    return [
        *_plugins(list(_unindexed(configuration, known))),
        *_substring(of_389),
        *_system(of_389),
        *_obsolete(configuration, known),
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


def _plugins(searches: Sequence[Unindexed]) -> list[Finding]:
    if not searches:
        return []
    names = tuple(dict.fromkeys(search.searcher.name for search in searches))
    places = (f"{search.database.name} ({', '.join(search.attributes)})" for search in searches)
    where = tuple(dict.fromkeys(places))
    evidence = [
        Evidence(
            Message(
                "{plugin} searches {database} for {attributes:list} {when}.",
                plugin=search.searcher.name,
                database=search.database.name,
                attributes=search.attributes,
                when=Message(search.searcher.about),
            )
        )
        for search in searches
    ]
    return [
        finding(
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
            evidence=evidence,
            plugins=names,
            searching=count_of(
                "{plugins:list} searches", "{plugins:list} search", n=len(names), plugins=names
            ),
            where=where,
        )
    ]


def _substring(known: Sequence[Database]) -> list[Finding]:
    """389 DS alone: OpenLDAP refuses such an index, as a DN has no substring matching rule."""
    names = search_words("dn_substring_index", "words")
    indexed = [
        (database, name) for database in known for name in names if "sub" in database.types(name)
    ]
    where = tuple(
        Message(
            "{attribute} has a substring index in {database}",
            attribute=name,
            database=database.name,
        )
        for database, name in indexed
    )
    if not where:
        return []
    return [
        finding(
            "dn_substring_index",
            numbers={
                "attributes": sorted({name for _, name in indexed}),
                # To be built again, without those types.
                "missing_indexes": [
                    index
                    for database, name in indexed
                    for index in missing_in(database, [name], types=())
                ],
            },
            evidence=[Evidence(Message("{what}.", what=place)) for place in where],
            where=where,
        )
    ]


def _system(known: Sequence[Database]) -> list[Finding]:
    wanted = search_words("system_index_missing", "words")
    missing = [(database.name, database.without_equality(wanted)) for database in known]
    where = tuple(
        Message("{database} has no index of {attributes:list}", database=name, attributes=without)
        for name, without in missing
        if without
    )
    if not where:
        return []
    return [
        finding(
            "system_index_missing",
            numbers={"indexes": sorted({name for _, without in missing for name in without})},
            evidence=[Evidence(Message("{what}.", what=place)) for place in where],
            where=where,
        )
    ]


def _obsolete(configuration: Configuration, known: Sequence[Database]) -> list[Finding]:
    """cn=entrydn of an upgraded server beside the entryrdn that replaced it (389 DS issue 7519)."""
    switched_off = any(
        entry.first("nsslapd-subtree-rename-switch").lower() == "off"
        for entry in configuration.entries
    )
    names = [
        database.name
        for database in known
        if database.product == "389ds" and database.types("entrydn") and not switched_off
    ]
    if not names:
        return []
    evidence = [Evidence(Message("{database} has cn=entrydn.", database=name)) for name in names]
    return [
        finding(
            "obsolete_entrydn_index",
            numbers={"backends": names},
            evidence=evidence,
            databases=tuple(names),
        )
    ]
