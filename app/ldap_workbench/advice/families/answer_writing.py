"""Answers that wait to be taken: writetime, which 389 DS 3.2 logs where it is asked to.

optime is long because writing is: then the client or the network takes the answer slowly, or there
is much to take (docs/389ds/design/fine-grain-operation-timing.md of the vendor).
"""

from __future__ import annotations

import numpy as np

from ldap_workbench.advice.evidence.clients import Client, Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import ABSENT, Int64


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    limit, asked = limits("answer_writing"), view.asked
    if (view.operations.writetime_ns == ABSENT).all():
        return []
    writing = view.operations.writetime_ns[asked.rows]
    logged = writing != ABSENT
    slow = np.flatnonzero(logged & (writing >= limit["write_ms"] * 1e6))
    etime = int(view.operations.etime_ns[asked.rows][logged].sum())
    share = int(writing[slow].sum()) / max(etime, 1)
    if len(slow) < limit["operations"] or share < limit["share"]:
        return []
    client, part = _slowest(view, slow, writing)
    entries = int(np.median(np.maximum(view.operations.nentries[asked.rows][slow], 0)))
    numbers = {
        "write_share": share,
        "operations": len(slow),
        "entries_p50": entries,
        "client_share": part,
        **client.as_numbers(),
    }
    return [
        finding(
            "answer_writing",
            numbers=numbers,
            evidence=[asked.evidence(slow, Message("Answers that took long to write."))],
            worker_ns=int(writing[slow].sum()),
            user_ns=int(writing[slow].sum()),
            share=share,
            answers=count_of("{n} answer", "{n} answers", n=len(slow)),
            entries=count_of("{n} entry", "{n} entries", n=entries),
            client=client.name,
            part=part,
        )
    ]


def _slowest(view: WindowView, slow: Rows, writing: Int64) -> tuple[Client, float]:
    """Whose answers took longest to write in all, and their part of that time."""
    times = [(int(writing[rows].sum()), rows) for rows in view.asked.groups(slow)]
    most, rows = max(times, key=lambda item: item[0])
    return view.asked.describe(rows), most / max(int(writing[slow].sum()), 1)
