"""Data far away: what even the quickest searches take, while the server is quick about itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.clients import SRCH, Rows
from ldap_workbench.advice.evidence.rows import on_own_entries, slowest
from ldap_workbench.advice.evidence.unindexed import without_index
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.configuration import Configuration, normal_dn
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.operations import NO_ERROR, Operations, client_operations

_CHAINED = r"cn=([^,]+),cn=chaining database,cn=plugins,cn=config"
_PASSED_ON = r"olcdatabase=\{\d+\}(ldap|meta|asyncmeta|sql),cn=config"
_BACKEND = r"ds-cfg-backend-id=([^,]+),cn=backends,cn=config"
_ELSEWHERE = re.compile(r"jdbc|cassandra|proxy", re.IGNORECASE)


def find(view: WindowView) -> list[Finding]:
    """The finding of this family in one window: where every kind of search has the same floor.

    slapd does not note on a result that no index helped: of it the configuration must say that
    the data of a suffix are elsewhere, and searches below it count.
    """
    limit, operations = limits("far_data"), view.operations
    stores = {store.name: store.suffixes for store in stores_elsewhere(view.configuration)}
    searches = client_operations(operations) & (operations.kind == SRCH)
    searches &= np.isin(operations.err, NO_ERROR) & (operations.nentries <= 1)
    of_server = on_own_entries(operations)
    own, data = searches & of_server, searches & ~of_server
    if view.product == "openldap":
        data &= below(operations, [suffix for suffixes in stores.values() for suffix in suffixes])
    if own.sum() < limit["own"] or data.sum() < limit["searches"]:
        return []
    own_ns = int(np.median(operations.etime_ns[own]))
    least_ns = max(
        limit["floor_ms"] * 1e6, limit["steps"] * view.resolution_ns, limit["times"] * own_ns
    )
    kinds = _frequent(operations, np.flatnonzero(data & ~without_index(view)))
    floors = [int(np.quantile(operations.etime_ns[rows], limit["low"])) for rows in kinds]
    if len(floors) < limit["kinds"] or min(floors) < least_ns:
        return []
    rows, floor = np.concatenate(kinds), min(floors)
    return [
        finding(
            "far_data",
            numbers={
                "floor_ns": floor,
                "own_ns": own_ns,
                "searches": len(rows),
                "kinds": len(kinds),
            },
            operations=operations,
            rows=slowest(operations, rows),
            user_ns=floor * len(rows),
            floor=floor,
            own=own_ns,
            n=len(rows),
            kinds=len(kinds),
            far=tuple(stores),
        )
    ]


def below(operations: Operations, suffixes: list[str]) -> NDArray[np.bool_]:
    """Which operations are on entries below one of some suffixes."""
    ends = tuple(normal_dn(suffix) for suffix in suffixes)
    inside = [
        at for at, base in enumerate(operations.bases) if ends and normal_dn(base).endswith(ends)
    ]
    return np.isin(operations.base, inside)


def _frequent(operations: Operations, rows: Rows) -> list[Rows]:
    """The rows of each kind of filter that has enough of them."""
    rows = rows[np.argsort(operations.fingerprint[rows], kind="stable")]
    kinds = operations.fingerprint[rows]
    pieces = np.split(rows, np.flatnonzero(np.diff(kinds)) + 1)
    least = limits("far_data")["of_kind"]
    return [
        piece for piece in pieces if len(piece) >= least and operations.fingerprint[piece[0]] >= 0
    ]


@dataclass(frozen=True)
class Store:
    """A back end whose data another server has; `address` is '' where the entry names none."""

    name: str
    suffixes: tuple[str, ...]
    address: str = ""


def stores_elsewhere(configuration: Configuration) -> Iterator[Store]:
    """Back ends of the configuration whose data are elsewhere."""
    for pattern, suffix, address in (
        (_CHAINED, "nsslapd-suffix", "nsFarmServerURL"),
        (_PASSED_ON, "olcSuffix", "olcDbURI"),
    ):
        for match, entry in configuration.matching(pattern):
            if suffixes := entry.values(suffix):
                yield Store(match[1], suffixes, entry.first(address))
    for match, entry in configuration.matching(_BACKEND):
        if _ELSEWHERE.search(name := entry.first("ds-cfg-java-class")):
            yield Store(f"{match[1]} ({name})", entry.values("ds-cfg-base-dn"))
