"""Databases and their indexes, as the configuration of 389 DS or OpenLDAP has them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ldap_workbench.model.configuration import Configuration, ConfigurationEntry, normal_dn

LDBM = "cn=ldbm database,cn=plugins,cn=config"
_BACKEND = r"cn=([^,]+),cn=ldbm database,cn=plugins,cn=config"
_DATABASE = r"olcdatabase=(\{\d+\}(?:mdb|bdb|hdb|wt)),cn=config"
TERM = re.compile(r"\(([A-Za-z][\w.-]*)(?:;[\w-]+)?([~<>]?=)([^()]*)\)")
"""One comparison of a filter: attribute, operator, value."""
_NO_CONTENT = ("cn=changelog", "o=netscaperoot", "cn=accesslog")
"""Databases of the server's own, which no plug-in of the content looks into."""


@dataclass(frozen=True)
class Database:
    """One back end: the types of index (eq, pres, sub, approx) of each attribute in lower case."""

    name: str
    suffix: str
    indexes: dict[str, frozenset[str]] = field(default_factory=dict)

    def types(self, attribute: str) -> frozenset[str]:
        """How an attribute is indexed; nothing where it is not."""
        return self.indexes.get(attribute.lower(), frozenset())

    def without_equality(self, attributes: Iterable[str]) -> tuple[str, ...]:
        """Those of some attributes that have no equality index here."""
        return tuple(name for name in attributes if "eq" not in self.types(name))

    def holds(self, dn: str) -> bool:
        """Whether an entry of this name is in it, or contains it."""
        name, suffix = normal_dn(dn), normal_dn(self.suffix)
        return _below(name, suffix) or _below(suffix, name)


def databases(configuration: Configuration) -> list[Database]:
    """Those with content and with an index at all: one without may not be read, or is no file."""
    known = _of_openldap(configuration) if configuration.is_openldap else _of_389(configuration)
    return [database for database in known if database.indexes and not _is_own(database.suffix)]


def _is_own(suffix: str) -> bool:
    return normal_dn(suffix) in _NO_CONTENT


def _of_389(configuration: Configuration) -> list[Database]:
    result = []
    for match, entry in configuration.matching(_BACKEND):
        if suffix := entry.first("nsslapd-suffix"):
            result.append(Database(match[1], suffix, _indexes_of_389(configuration, match[1])))
    return result


def _indexes_of_389(configuration: Configuration, backend: str) -> dict[str, frozenset[str]]:
    below = rf"cn=([^,]+),cn=index,cn={re.escape(backend)},{re.escape(LDBM)}"
    indexes = {}
    for match, entry in configuration.matching(below):
        # nsIndexType may hold several types in one value: "eq,sub".
        types = ",".join(entry.values("nsIndexType")).lower().replace(" ", "").split(",")
        indexes[match[1].lower()] = frozenset(filter(None, types))
    return indexes


def _of_openldap(configuration: Configuration) -> list[Database]:
    result = []
    for match, entry in configuration.matching(_DATABASE):
        result.append(Database(match[1], entry.first("olcSuffix"), _indexes_of_openldap(entry)))
    return result


def _indexes_of_openldap(entry: ConfigurationEntry) -> dict[str, frozenset[str]]:
    """olcDbIndex: names, then types; without types those of the line `default` hold."""
    default = frozenset({"pres", "eq"})
    indexes: dict[str, frozenset[str]] = {}
    for value in entry.values("olcDbIndex"):
        names, _, types = re.sub(r"^\{\d+\}", "", value).strip().partition(" ")
        wanted = frozenset(filter(None, re.split(r"[,\s]+", types.lower())))
        if names.lower() == "default":
            default = wanted
            continue
        for name in names.lower().split(","):
            indexes[name] = wanted or default
    return indexes


def _below(dn: str, ancestor: str) -> bool:
    return not ancestor or dn == ancestor or dn.endswith("," + ancestor)
