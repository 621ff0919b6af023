"""Data far away: what even the quickest searches take, while the server is quick about itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.rows import slowest
from ldap_workbench.advice.evidence.unindexed import without_index
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.configuration import Configuration
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.operations import NO_ERROR, TYPES, client_operations

_OWN = re.compile(r"|(?:.*,)?cn=(?:monitor|config|schema)", re.IGNORECASE)
"""The root DSE, and what a server has of itself."""
_CHAINED = r"cn=([^,]+),cn=chaining database,cn=plugins,cn=config"
_PASSED_ON = r"olcdatabase=\{\d+\}(ldap|meta|asyncmeta|sql),cn=config"
_ELSEWHERE = re.compile(r"jdbc|cassandra|proxy", re.IGNORECASE)


def find(view: WindowView) -> list[Finding]:
    """The finding of this family in one window: where every kind of search has the same floor.

    slapd does not note on a result that no index helped: of it the configuration must say that
    data are elsewhere.
    """
    limit, operations = limits("far_data"), view.operations
    stores = tuple(_stores(view.configuration))
    if view.product == "openldap" and not stores:
        return []
    searches = client_operations(operations) & (operations.kind == TYPES.index("SRCH"))
    searches &= np.isin(operations.err, NO_ERROR) & (operations.nentries <= 1)
    of_server = _on_own_bases(view)
    own, data = searches & of_server, searches & ~of_server & ~without_index(view)
    if own.sum() < limit["own"] or data.sum() < limit["searches"]:
        return []
    floors = _floors(view, data)
    least = max(limit["floor_ms"] * 1e6, limit["steps"] * view.resolution_ns)
    own_ns = int(np.median(operations.etime_ns[own]))
    if len(floors) < limit["kinds"] or min(floors) < max(least, limit["times"] * own_ns):
        return []
    rows, floor = np.flatnonzero(data), min(floors)
    return [
        finding(
            "far_data",
            numbers={
                "floor_ns": floor,
                "own_ns": own_ns,
                "searches": len(rows),
                "kinds": len(floors),
            },
            operations=operations,
            rows=slowest(operations, rows),
            user_ns=floor * len(rows),
            floor=floor,
            own=own_ns,
            n=len(rows),
            kinds=len(floors),
            far=stores,
        )
    ]


def _on_own_bases(view: WindowView) -> NDArray[np.bool_]:
    operations = view.operations
    own = [at for at, base in enumerate(operations.bases) if _OWN.fullmatch(base)]
    return np.isin(operations.base, own)


def _floors(view: WindowView, rows: NDArray[np.bool_]) -> list[int]:
    """What nearly all searches of each frequent kind of filter take at least, ns."""
    limit, operations = limits("far_data"), view.operations
    kinds, counts = np.unique(operations.fingerprint[rows], return_counts=True)
    return [
        int(np.quantile(operations.etime_ns[rows & (operations.fingerprint == kind)], limit["low"]))
        for kind in kinds[(counts >= limit["of_kind"]) & (kinds >= 0)]
    ]


def _stores(configuration: Configuration) -> Iterator[str]:
    """Back ends of the configuration whose data another server has."""
    for match, _ in configuration.matching(f"{_CHAINED}|{_PASSED_ON}"):
        yield match[1] or match[2]
    for entry in configuration.entries:
        if _ELSEWHERE.search(name := entry.first("ds-cfg-java-class")):
            backend = entry.dn.partition(",")[0].partition("=")[2]
            yield f"{backend} ({name})"
