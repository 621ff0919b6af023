"""Changes of groups that the MemberOf plug-in multiplies: every member, up and down the nesting.

The plug-in works inside the write and its transaction: a base search for each entry on the way
down, (|(objectclass=*)(objectclass=ldapsubentry)), and a subtree search for the groups of each on
the way up, (member=DN) (389 DS, memberof-scalability design).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.cost import served_ns
from ldap_workbench.advice.evidence.inside import (
    attributes_in,
    client_writes,
    count_inside,
    with_filter,
)
from ldap_workbench.advice.evidence.rows import base_at
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.configuration import ConfigurationEntry
from ldap_workbench.model.finding import HIGH, Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import TYPES, Operations

GROUP_ATTRIBUTES = ("member", "uniquemember")
_DOWN = "(|(objectclass=*)(objectclass=?))"
_SRCH = TYPES.index("SRCH")
_OF_GROUPS = re.compile(r"^[^,]+,(?:[^,]+,)*?(?:ou|cn)=[^,]*(?:group|gruppe|role|team)[^,]*,")


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    storms = list(by_internal_searches(view.operations)) or list(by_their_cost(view))
    # Deferred memberOf is not in every version, and imported logs have no facts of a server.
    return [replace(storm, numbers=storm.numbers | {"version": view.version}) for storm in storms]


def by_internal_searches(operations: Operations) -> Iterator[Finding]:
    """Where the log shows internal operations they are counted."""
    limit = limits("memberof_storm")
    writes = np.flatnonzero(client_writes(operations))
    searches = operations.internal & (operations.kind == _SRCH)
    if not len(writes) or not searches.any():
        return
    down = searches & with_filter(operations, lambda text: text == _DOWN)
    up = searches & with_filter(operations, _asks_for_groups)
    counts_up = count_inside(operations, writes, up)
    counts = count_inside(operations, writes, down) + counts_up
    # Beside changes of one member, which cost nothing: of each by itself, and not of all together.
    stormy = (counts_up > 0) & (counts >= limit["searches"])
    changed = writes[stormy]
    if not len(changed):
        return
    mean = float(counts[stormy].mean())
    how = Message("each had {n} internal searches for members and groups inside it", n=round(mean))
    yield _storm(operations, changed, how, HIGH, {"searches_each": mean})


def _asks_for_groups(fingerprint: str) -> bool:
    """(member=?), or several such in one: not those of the names below a renamed entry."""
    return "*" not in fingerprint and set(attributes_in(fingerprint)) <= set(GROUP_ATTRIBUTES)


def by_their_cost(view: WindowView) -> Iterator[Finding]:
    """Where the plug-in is known to be on: changes of groups against all other changes."""
    plugin = next(view.configuration.plugins("libmemberof-plugin"), None)
    if plugin is None:
        return
    limit = limits("memberof_storm")
    operations = view.operations
    writes = client_writes(operations) & (operations.err == 0)
    groups = writes & _on_groups(view, plugin)
    others = writes & ~groups
    if groups.sum() < limit["groups"] or others.sum() < limit["others"]:
        return
    work = served_ns(operations)
    usual, median = float(np.median(work[others])), float(np.median(work[groups]))
    share = float(work[groups].sum()) / float(work[writes].sum())
    if median < limit["times"] * usual or share < limit["share"]:
        return
    how = Message(
        "half of them took {median:duration} or longer, other changes {usual:duration}",
        median=round(median),
        usual=round(usual),
    )
    yield _storm(operations, np.flatnonzero(groups), how, "", {"times": median / usual})


def _on_groups(view: WindowView, plugin: ConfigurationEntry) -> NDArray[np.bool_]:
    """Writes on groups: entries whose members the audit log says were changed.

    Without such a log those in a container named for groups.
    """
    attributes = {name.lower() for name in plugin.values("memberOfGroupAttr")}
    changed = {
        record.dn.lower()
        for record in view.audit
        if attributes & {name.lower() for name in record.attributes}
    }
    bases = view.operations.bases
    if view.audit:
        wanted = [i for i, dn in enumerate(bases) if dn.lower() in changed]
    else:
        wanted = [i for i, dn in enumerate(bases) if _OF_GROUPS.match(dn.lower())]
    return np.isin(view.operations.base, wanted)


def _storm(
    operations: Operations, rows: Rows, how: Message, confidence: str, numbers: dict[str, float]
) -> Finding:
    work = served_ns(operations)[rows]
    slowest = rows[np.argsort(-work, kind="stable")]
    row = int(slowest[0])
    return finding(
        "memberof_storm",
        numbers=numbers | {"changes": len(rows), "longest_ns": int(operations.etime_ns[row])},
        operations=operations,
        rows=slowest,
        confidence=confidence,
        worker_ns=int(work.sum()),
        how=how,
        type=TYPES[operations.kind[row]],
        dn=base_at(operations, row) or Message("an entry"),
        time=int(work.sum()),
    )
