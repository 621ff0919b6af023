"""Clients that read a long list again and again: enumeration, exports, address books."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ldap_workbench.advice.evidence.clients import PAGED, Asked, Habit, finding_of_habits
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

    Pages of one pass share a connection, so a connection is a pass where its pages are a list
    together; on one connection searches are that return more than a page has. Look-ups of a few
    entries are no pages, however many a pool sends.
    """
    limit, operations = limits("whole_reads"), asked.operations
    entries = np.maximum(operations.nentries[asked.rows], 0)
    paged = (operations.notes[asked.rows] & PAGED) > 0
    long = asked.searches & (entries > 0) & (paged | (entries >= limit["long"]))
    least = limit["of_a_worker"] * seconds * NS_PER_S
    for places in asked.groups(np.flatnonzero(long), "fingerprint"):
        number, work = int(entries[places].sum()), int(asked.worker_ns[places].sum())
        by_connection = np.bincount(asked.connections.number[places], entries[places])
        lists = int((by_connection >= limit["entries"]).sum())
        passes = max(lists, int((entries[places] > limit["page"]).sum()))
        if (
            passes >= limit["passes"]
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
