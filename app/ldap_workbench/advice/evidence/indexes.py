"""Databases and their indexes by the configuration, and what the terms of a filter need."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ldap_workbench.logs.access.slapd_notices import parts_of
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry, normal_dn

LDBM = "cn=ldbm database,cn=plugins,cn=config"
_BACKEND = r"cn=([^,]+),cn=ldbm database,cn=plugins,cn=config"
_INDEX_OF_389 = rf"cn=[^,]+,cn=index,{_BACKEND}"
_DATABASE = r"olcdatabase=(\{\d+\}(?:mdb|bdb|hdb|wt)),cn=config"
TERM = re.compile(r"\(([A-Za-z][\w.-]*)(?:;[\w-]+)?([~<>]?=)([^()]*)\)")
"""One comparison of a filter: attribute, operator, value."""
SPLIT_ORDERING = ("opendj", "unboundid")
"""Products with an index of its own for >= and <=; the others take the one for equality."""
_OPENDJ = r"ds-cfg-backend-id=([^,]+),cn=backends,cn=config"
_TYPES_OF_OPENDJ = {
    "equality": "eq",
    "presence": "pres",
    "substring": "sub",
    "approximate": "approx",
}
_OTHER_NAMES = {
    "commonname": "cn",
    "surname": "sn",
    "userid": "uid",
    "gn": "givenname",
    "rfc822mailbox": "mail",
    "domaincomponent": "dc",
    "organizationname": "o",
    "organizationalunitname": "ou",
    "localityname": "l",
    "stateorprovincename": "st",
    "countryname": "c",
}
"""Second names of attributes (RFC 4519): an index has one of them."""
_NO_CONTENT = ("cn=changelog", "o=netscaperoot", "cn=accesslog")
"""Databases of the server's own, which no plug-in of the content looks into."""


@dataclass(frozen=True)
class Term:
    """One comparison of a filter.

    The attribute is in lower case, the kind one of eq, pres, sub, approx and ordering (>=, <=).
    """

    attribute: str
    kind: str
    negated: bool = False


def terms_of(text: str, *, negated: bool = False) -> tuple[Term, ...]:
    """The terms of a filter, each once, but those that no index serves (term_of)."""
    sign = text[1:2]
    if sign and sign in "&|!":
        inner = (
            term
            for part in parts_of(text[2:-1])
            for term in terms_of(part, negated=negated != (sign == "!"))
        )
        return tuple(dict.fromkeys(inner))
    term = term_of(text)
    return () if term is None else (Term(term.attribute, term.kind, negated),)


def term_of(text: str) -> Term | None:
    """The term that a filter of one comparison is.

    None of what no index serves: (objectClass=*), which is every entry, and matching rules.
    """
    match = TERM.fullmatch(text)
    if match is None or (match[1].lower(), match[3]) == ("objectclass", "*"):
        return None
    return Term(real_name(match[1]), _kind(match[2], match[3]))


def real_name(attribute: str) -> str:
    """The name in lower case by which servers know an attribute that has several."""
    name = attribute.lower()
    return _OTHER_NAMES.get(name, name)


def _kind(operator: str, value: str) -> str:
    if operator != "=":
        return "approx" if operator == "~=" else "ordering"
    if value == "*":
        return "pres"
    return "sub" if "*" in value else "eq"


@dataclass(frozen=True)
class Database:
    """One back end: the types of index (eq, pres, sub, approx) of each attribute in lower case.

    `lines` are those of slapd's olcDbIndex, by attribute.
    """

    name: str
    suffix: str
    indexes: dict[str, frozenset[str]] = field(default_factory=dict)
    product: str = "389ds"
    lines: dict[str, str] = field(default_factory=dict)

    def serves(self, term: Term) -> bool:
        """Whether one of its indexes finds the entries of a term."""
        types = self.types(term.attribute)
        if term.kind == "sub":
            return any(name.startswith("sub") for name in types)
        if term.kind == "approx" and self.product == "openldap":
            return bool(types & {"approx", "eq"})
        return index_type(term.kind, self.product) in types

    def types(self, attribute: str) -> frozenset[str]:
        """How an attribute is indexed; nothing where it is not."""
        return self.indexes.get(real_name(attribute), frozenset())

    def line(self, attribute: str) -> str:
        """The value of olcDbIndex that has an attribute; '' where there is none."""
        return self.lines.get(real_name(attribute), "")

    def without_equality(self, attributes: Iterable[str]) -> tuple[str, ...]:
        """Those of some attributes that have no equality index here."""
        return tuple(name for name in attributes if "eq" not in self.types(name))

    def holds(self, dn: str) -> bool:
        """Whether an entry of this name is in it, or contains it."""
        name, suffix = normal_dn(dn), normal_dn(self.suffix)
        return _below(name, suffix) or _below(suffix, name)


def index_type(kind: str, product: str) -> str:
    """The type of index that serves a kind of term."""
    return "eq" if kind == "ordering" and product not in SPLIT_ORDERING else kind


def database_of(known: Sequence[Database], base: str) -> Database | None:
    """The one database that the entries below a base are in; None where it is not known."""
    name = normal_dn(base)
    suffixes = [(normal_dn(database.suffix), database) for database in known if database.suffix]
    if not name:
        return None
    # A part of the tree may be a back end of its own, below that of the rest.
    holding = [pair for pair in suffixes if _below(name, pair[0])]
    nearest = max(holding, key=lambda pair: len(pair[0]), default=None)
    inside = [pair for pair in suffixes if pair[0] != name and _below(pair[0], name)]
    places = [*([nearest] if nearest else []), *inside]
    return places[0][1] if len(places) == 1 else None


def databases(configuration: Configuration) -> list[Database]:
    """Those with content and with an index at all: one without may not be read, or is no file."""
    known = [*_of_openldap(configuration), *_of_389(configuration), *_of_opendj(configuration)]
    return [
        database
        for database in known
        if database.indexes and normal_dn(database.suffix) not in _NO_CONTENT
    ]


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
        indexes[real_name(match[1])] = frozenset(filter(None, types))
    return indexes


def partly_known(configuration: Configuration) -> list[Database]:
    """Back ends of 389 DS of which a part of a configuration shows indexes alone.

    What such a part does not show may be there all the same.
    """
    names = dict.fromkeys(match[1] for match, _ in configuration.matching(_INDEX_OF_389))
    whole = {match[1] for match, _ in configuration.matching(_BACKEND)}
    return [
        Database(name, "", _indexes_of_389(configuration, name))
        for name in names
        if name not in whole
    ]


def _of_openldap(configuration: Configuration) -> list[Database]:
    result = []
    for match, entry in configuration.matching(_DATABASE):
        indexes, lines = _indexes_of_openldap(entry)
        suffix = entry.first("olcSuffix")
        result.append(Database(match[1], suffix, indexes, "openldap", lines))
    return result


def _indexes_of_openldap(
    entry: ConfigurationEntry,
) -> tuple[dict[str, frozenset[str]], dict[str, str]]:
    """olcDbIndex: names, then types; without types those of the line `default` hold."""
    default = frozenset({"pres", "eq"})
    indexes: dict[str, frozenset[str]] = {}
    lines: dict[str, str] = {}
    for value in entry.values("olcDbIndex"):
        names, _, types = re.sub(r"^\{\d+\}", "", value).strip().partition(" ")
        wanted = frozenset(filter(None, re.split(r"[,\s]+", types.lower())))
        if names.lower() == "default":
            default = wanted
            continue
        for name in names.lower().split(","):
            indexes[real_name(name)] = wanted or default
            lines[real_name(name)] = value
    return indexes, lines


def _of_opendj(configuration: Configuration) -> list[Database]:
    """Back ends of OpenDJ, and of PingDirectory, whose index entries have another class."""
    result = []
    for match, entry in configuration.matching(_OPENDJ):
        below = rf"ds-cfg-attribute=([^,]+),cn=index,{re.escape(entry.dn)}"
        indexes = {
            real_name(index[1]): frozenset(
                _TYPES_OF_OPENDJ.get(value.lower(), value.lower())
                for value in index_entry.values("ds-cfg-index-type")
            )
            for index, index_entry in configuration.matching(below)
        }
        suffix = entry.first("ds-cfg-base-dn")
        result.append(Database(match[1], suffix, indexes, "opendj"))
    return result


def _below(dn: str, ancestor: str) -> bool:
    return not ancestor or dn == ancestor or dn.endswith("," + ancestor)
