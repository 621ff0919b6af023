"""Sorted lists that 389 DS keeps ready (virtual list views): a treatment of two entries.

`vlvSearch` says which entries are in the list, and `vlvIndex` below it how they are sorted. The
server builds the second in a task, as it does an index.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ldap_workbench.connect.directory import Directory
from ldap_workbench.tuning.indexes import VLV, attributes_of, in_order, lines_of

SEARCH = "objectClass: vlvSearch"
_SCOPES = {"base": "0", "one": "1", "sub": "2"}
_NAMES = {number: name for name, number in _SCOPES.items()}
_TEXT = re.compile(
    r"(?P<base>\S.*?)\s+(?P<scope>base|one|sub)\s+(?P<filter>\(.*\))\s+(?P<sort>[^()]+)"
)
_KEY = re.compile(r"-?[A-Za-z][\w;-]*(:[\w.-]+)?", re.ASCII)


@dataclass(frozen=True)
class SortedList:
    """Which searches it serves: those of exactly this base, scope, filter and order."""

    base: str
    scope: str
    filter: str
    sort: str

    @classmethod
    def parse(cls, text: str) -> SortedList | None:
        """Of 'ou=people,dc=example,dc=com sub (objectClass=person) cn'; None where it is not one.

        The order is attributes, each with - before it where it is reversed.
        """
        match = _TEXT.fullmatch(text.strip())
        keys = match["sort"].split() if match else []
        if match is None or "=" not in match["base"] or not all(map(_KEY.fullmatch, keys)):
            return None
        return cls(match["base"], match["scope"], match["filter"], " ".join(keys))

    def __str__(self) -> str:
        return f"{self.base} {self.scope} {self.filter} {self.sort}"

    def search_lines(self, name: str) -> tuple[str, ...]:
        """The entry that says which entries are in the list."""
        return in_order(
            (
                *("objectClass: top", SEARCH, f"cn: {name}", f"vlvBase: {self.base}"),
                *(f"vlvScope: {_SCOPES[self.scope]}", f"vlvFilter: {self.filter}"),
            )
        )

    def index_lines(self, name: str) -> tuple[str, ...]:
        """The entry that says how they are sorted."""
        return VLV.new(name, (self.sort,))


def index_below(search_dn: str) -> str:
    """The entry of the order below that of the search.

    It has the search's name, by which a task and the file of the database are then known.
    """
    return f"{search_dn.partition(',')[0]},{search_dn}"


def describe_search(lines: Sequence[str]) -> str:
    """'ou=people,dc=example,dc=com sub (objectClass=person)' of the entry of a search."""
    entry = {name.lower(): values[0] for name, values in attributes_of(lines).items()}
    scope = entry.get("vlvscope", "")
    return f"{entry.get('vlvbase', '')} {_NAMES.get(scope, scope)} {entry.get('vlvfilter', '')}"


def names_in_use(directory: Directory, backend_dn: str) -> list[str]:
    """The names of all orders that the lists of a back end have."""
    below = directory.search(
        backend_dn, scope="sub", filter="(objectClass=vlvIndex)", attributes=("cn",)
    )
    return [entry.first("cn") or "" for entry in below]


def file_name(name: str) -> str:
    """The database file of a list: 389 DS drops all but letters and digits of its name."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def lists_of(directory: Directory, backend_dn: str) -> list[str]:
    """The lists of a back end that have the form a setting gives them."""
    below = directory.search(
        backend_dn, scope="sub", filter="(objectClass=vlvIndex)", attributes=("cn",)
    )
    matches = [(entry.first("cn") or "", VLV.place.fullmatch(entry.dn)) for entry in below]
    return sorted(name for name, match in matches if match)


def read_list(directory: Directory, search_dn: str) -> str | None:
    """A list as a setting says it; None where it is not there."""
    search = directory.search(search_dn)
    order = directory.search(index_below(search_dn), attributes=(VLV.types,))
    if not search or not order:
        return None
    return f"{describe_search(lines_of(search[0]))} {order[0].first(VLV.types) or ''}"
