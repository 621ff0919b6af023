"""Clients that read a long list again and again: enumeration, exports, address books."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ldap_workbench.advice.evidence.clients import Asked, Habit, finding_of_habits
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import limits
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.operations import text_at
from ldap_workbench.model.units import NS_PER_S


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    habits = _passes(view.asked, view.seconds)
    return finding_of_habits("whole_reads", view.asked, habits, counted="searches")


def _passes(asked: Asked, seconds: float) -> Iterator[Habit]:
    """Each client and filter with several long lists, in pages or whole.

    Pages of one pass share a connection, so connections are passes; on one connection searches are
    that return more than a page has.
    """
    limit, operations = limits("whole_reads"), asked.operations
    entries = np.maximum(operations.nentries[asked.rows], 0)
    least = limit["of_a_worker"] * seconds * NS_PER_S
    for places in asked.groups(np.flatnonzero(asked.searches & (entries > 0)), "fingerprint"):
        number, work = int(entries[places].sum()), int(asked.worker_ns[places].sum())
        connections = len(np.unique(operations.conn[asked.rows[places]]))
        passes = max(connections, int((entries[places] > limit["page"]).sum()))
        if (
            passes >= limit["passes"]
            and number >= limit["entries"] * passes
            and number >= limit["of_entries"] * entries.sum()
            and work >= max(limit["share"] * asked.total_worker_ns, least)
        ):
            yield Habit(
                places,
                worker_ns=work,
                filter=text_at(
                    operations.fingerprints, int(operations.fingerprint[asked.rows[places[0]]])
                ),
                says={
                    "entries": number,
                    "passes": passes,
                    "each": round(number / passes),
                    "of_entries": number / int(entries.sum()),
                },
            )
