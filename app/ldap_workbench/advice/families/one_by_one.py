"""Many changes of one entry, one after the other, where one change with all values would do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ldap_workbench.advice.evidence.clients import Asked, Rows
from ldap_workbench.advice.evidence.habits import Habit, finding_of_habits
from ldap_workbench.advice.evidence.rows import grouped
from ldap_workbench.advice.evidence.steps import steps_of
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import limits, times
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import TYPES, Int64, text_at
from ldap_workbench.model.units import NS_PER_MS, NS_PER_S

_MOD = TYPES.index("MOD")


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    habits = _runs(view.asked)
    one_by_one = finding_of_habits("changes_one_by_one", view.asked, habits, counted="changes")
    return one_by_one + hot_entry(view)


def hot_entry(view: WindowView) -> list[Finding]:
    """Entries of slapd whose changes take long, each, and much of all time together."""
    habits = _hot(view.asked) if view.product == "openldap" else ()
    return finding_of_habits("hot_entry", view.asked, habits, counted="changes")


def _hot(asked: Asked) -> Iterator[Habit]:
    """Each entry that is changed so; other changes are the measure of what is long."""
    limit, operations = limits("hot_entry"), asked.operations
    changes = np.flatnonzero((asked.kind == _MOD) & (operations.err[asked.rows] == 0))
    work = asked.worker_ns
    for places in grouped(changes, operations.base[asked.rows[changes]]):
        others = np.setdiff1d(changes, places, assume_unique=True)
        usual = float(np.median(work[places]))
        quick = float(np.median(work[others])) if len(others) else 0.0
        if (
            len(places) >= limit["changes"]
            and usual >= max(limit["usual_ms"] * NS_PER_MS, limit["times"] * quick)
            and work[places].sum() >= limit["share"] * asked.total_worker_ns
        ):
            yield Habit(
                places,
                worker_ns=int(work[places].sum()),
                user_ns=int(operations.etime_ns[asked.rows[places]].sum()),
                says={
                    "n": len(places),
                    "entry": text_at(operations.bases, int(operations.base[asked.rows[places[0]]])),
                    "usual": round(usual),
                    "quick": round(quick) or None,
                },
            )


def _runs(asked: Asked) -> Iterator[Habit]:
    """Runs of changes that wait for each other, by client and entry.

    What else the client asks between them counts as its pause. A client that changes an entry at a
    pace of its own, as one does that says that it lives, is at rest for most of a run.
    """
    limit, operations = limits("changes_one_by_one"), asked.operations
    base, bases = operations.base[asked.rows], len(operations.bases)
    changes = (asked.kind == _MOD) & (operations.err[asked.rows] == 0) & (base >= 0)
    if changes.sum() < limit["changes"]:
        return
    steps = steps_of(asked, asked.client * bases + base, changes)
    firsts, lengths = steps.runs(steps.follow_within(limit["gap_s"]))
    life = steps.end[firsts + lengths - 1] - steps.start[firsts]
    served = np.add.reduceat(steps.end - steps.start, firsts)
    chosen = np.flatnonzero((lengths >= limit["run"]) & (served >= limit["served"] * life))
    stream = steps.stream[firsts[chosen]]
    for key in np.unique(stream):
        runs = chosen[stream == key]
        if life[runs].sum() >= limit["long_s"] * NS_PER_S and (
            lengths[runs].sum() >= limit["changes"]
        ):
            inside = [
                steps.places[at : at + n] for at, n in zip(firsts[runs], lengths[runs], strict=True)
            ]
            yield _habit(asked, np.concatenate(inside), life[runs])


def _habit(asked: Asked, places: Rows, life_ns: Int64) -> Habit:
    """The runs of one client on one entry; `life_ns` is how long each of them took."""
    operations, rows = asked.operations, asked.rows[places]
    return Habit(
        places,
        worker_ns=int(asked.worker_ns[places].sum()),
        user_ns=int(operations.etime_ns[rows].sum()),
        says={
            "times": times(len(life_ns)),
            "entry": text_at(operations.bases, int(operations.base[rows[0]])),
            "length": round(len(rows) / len(life_ns)),
            "wait": int(np.median(life_ns)),
            "repeated": Message(" each time") if len(life_ns) > 1 else NOTHING,
            "usual": int(np.median(operations.etime_ns[rows])),
        },
    )
