"""Work that clients ask for more often than they need: again at once, in vain, at a fixed period.

All three are groups of the searches of one client, by what they ask for.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from ldap_workbench.advice.evidence.clients import SRCH, Asked, Rows
from ldap_workbench.advice.evidence.habits import Habit, finding_of_habits
from ldap_workbench.advice.evidence.numbering import in_groups
from ldap_workbench.advice.evidence.requests import sample, share_of_equal
from ldap_workbench.advice.evidence.rows import in_turn
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import limits
from ldap_workbench.advice.families.loops import usual_filter
from ldap_workbench.model.finding import HIGH, MEDIUM, Finding
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.model.units import NS_PER_S

_COMPARED = 24
"""Pairs of request lines that are compared for one client."""
_LOOKED_AT = 2_000
"""Kinds of searches whose times are looked at for a period, those with the most time first."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return repeated_search(view) + empty_answers(view) + polling(view)


def repeated_search(view: WindowView) -> list[Finding]:
    """Clients that ask for what they asked for less than a second before."""
    return finding_of_habits("repeated_search", view.asked, _repeats(view), counted="searches")


def _repeats(view: WindowView) -> Iterator[Habit]:
    limit, asked = limits("repeated_search"), view.asked
    again, before = _again(asked)
    searches = asked.count_by_client(asked.kind == SRCH)
    for places in asked.groups(again):
        of_client = searches[int(asked.client[places[0]])]
        least = max(limit["searches"], limit["share"] * of_client)
        if len(places) < least:
            continue
        share = _same(view, places, before[np.searchsorted(again, places)])
        count = round(share * len(places))
        if share * len(places) >= least:
            yield Habit(
                places,
                worker_ns=round(share * int(asked.worker_ns[places].sum())),
                count=count,
                filter=usual_filter(asked, places),
                says={"count": count_of("{n} search", "{n} searches", n=count)},
                confidence=HIGH if share == 1.0 else MEDIUM,
            )


def _again(asked: Asked) -> tuple[Rows, Rows]:
    """Places of those with client, base and shape of one within a second before, and of these."""
    operations, rows = asked.operations, asked.rows
    base, shape = operations.base[rows], operations.fingerprint[rows]
    order, begins = in_groups(shape, base, asked.client)
    within_ns = limits("repeated_search")["within_s"] * NS_PER_S
    soon = np.diff(operations.start_ns[rows[order]]) <= within_ns
    soon[begins[1:-1] - 1] = False
    at = np.flatnonzero(soon)
    one, other = order[at], order[at + 1]
    alike = (shape[one] >= 0) & (base[one] >= 0) & ~asked.of_kdc[other]
    alike &= (asked.kind[one] == SRCH) & (asked.kind[other] == SRCH)
    one, other = one[alike], other[alike]
    by_place = np.argsort(other)
    return other[by_place], one[by_place]


def _same(view: WindowView, places: Rows, before: Rows) -> float:
    """Share of these that ask for the same values as the one before; shapes without values do."""
    asked = view.asked
    shapes = asked.operations.fingerprint[asked.rows[places]]
    valued = np.array(["?" in text for text in asked.operations.fingerprints] or [False])[shapes]
    if not valued.any():
        return 1.0
    if view.request_of is None:
        return float((~valued).mean())
    chosen = sample(np.flatnonzero(valued), _COMPARED)
    pairs = [(int(asked.rows[places[i]]), int(asked.rows[before[i]])) for i in chosen]
    equal = share_of_equal(pairs, view.request_of) or 0.0
    return float((~valued).mean() + equal * valued.mean())


def empty_answers(view: WindowView) -> list[Finding]:
    """Kinds of searches of a client that return no entry, and take a good part of the work."""
    return finding_of_habits("empty_answers", view.asked, _empty(view.asked), counted="searches")


def _empty(asked: Asked) -> Iterator[Habit]:
    limit, operations = limits("empty_answers"), asked.operations
    known = np.flatnonzero(asked.searches & (operations.fingerprint[asked.rows] >= 0))
    for places in asked.groups(known, "fingerprint", least=limit["searches"]):
        work = int(asked.worker_ns[places].sum())
        if work < limit["share"] * asked.total_worker_ns:
            return
        rows = asked.rows[places]
        empty = float(((operations.nentries[rows] == 0) & (operations.err[rows] == 0)).mean())
        if empty >= limit["empty"]:
            one_at_a_time = in_turn(operations, rows)
            yield Habit(
                places,
                worker_ns=work,
                filter=usual_filter(asked, places),
                says={
                    "times": count_of("once", "{n} times", n=len(places)),
                    "empty": empty,
                    "one": Message(", one search at a time") if one_at_a_time else NOTHING,
                },
                numbers={"empty_share": empty},
            )


def polling(view: WindowView) -> list[Finding]:
    """Searches that come back at a fixed period and take time that matters."""
    limit, asked = limits("polling"), view.asked
    polls = list(_polls(view))
    cost = sum(poll.worker_ns or 0 for poll in polls)
    least = max(limit["share"] * asked.total_worker_ns, limit["busy"] * NS_PER_S * view.seconds)
    return finding_of_habits("polling", asked, polls if cost >= least else [], counted="polls")


def _polls(view: WindowView) -> Iterator[Habit]:
    asked, least = view.asked, limits("polling")["searches"]
    searches = np.flatnonzero(asked.searches)
    kinds = asked.groups(searches, "fingerprint", "base", least=least)
    for places in islice(kinds, _LOOKED_AT):
        if period := _period(view, places):
            yield Habit(
                places,
                worker_ns=int(asked.worker_ns[places].sum()),
                filter=usual_filter(asked, places),
                says={"period": period, "etime": int(np.median(asked.worker_ns[places]))},
                numbers={"period_s": round(period / NS_PER_S, 3)},
            )


def _period(view: WindowView, places: Rows) -> int:
    """The time between these, ns, where most are as far apart as the usual ones; 0 where not."""
    limit = limits("polling")
    starts = view.asked.operations.start_ns[view.asked.rows[places]]
    between = np.diff(starts)
    usual = float(np.median(between))
    if usual < max(limit["least_s"] * NS_PER_S, 4 * view.resolution_ns):
        return 0
    if starts[-1] - starts[0] < limit["covers"] * view.seconds * NS_PER_S:
        return 0
    regular = np.abs(between - usual) <= limit["off"] * usual
    return round(usual) if regular.mean() >= limit["regular"] else 0
