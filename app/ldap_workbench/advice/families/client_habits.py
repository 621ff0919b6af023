"""Habits of clients: more asked for than is needed, again and again, in vain or given up.

All three are groups of the searches of one client, by what they ask for.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from ldap_workbench.advice.evidence.clients import (
    ABANDON,
    BIND,
    SRCH,
    Asked,
    Habit,
    Rows,
    finding_of_habits,
    is_steady,
)
from ldap_workbench.advice.evidence.inside import asks_for_all, sample, share_of_equal
from ldap_workbench.advice.evidence.pages import goes_on
from ldap_workbench.advice.evidence.rows import base_at, grouped, in_groups, in_turn
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import limits, phrase
from ldap_workbench.advice.families.paces import usual_filter
from ldap_workbench.model.finding import HIGH, LOW, MEDIUM, Finding
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.model.operations import Int64, text_at
from ldap_workbench.model.units import NS_PER_S

_LINES = 12
"""Request lines read of a client for one kind of search."""
_KINDS, _COMPARED = 3, 8
"""Kinds of searches, and clients of each, whose lines are read."""
_GIVEN_UP = 60
"""Requests given up of which the next one is read."""
_INVALID = 49
"""invalidCredentials."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return greedy_attributes(view) + abandon(view) + failed_binds(view)


def greedy_attributes(view: WindowView) -> list[Finding]:
    """Searches of many entries that ask for all attributes of each."""
    return finding_of_habits("greedy_attributes", view.asked, _greedy(view), counted="searches")


def _greedy(view: WindowView) -> Iterator[Habit]:
    """The most expensive kinds of searches that ask for all attributes.

    Those that either return much or are seen to be quicker with a list.
    """
    limit, asked = limits("greedy_attributes"), view.asked
    if view.request_of is None:
        return
    entries = asked.operations.nentries[asked.rows]
    known = asked.searches & (asked.operations.fingerprint[asked.rows] >= 0) & (entries > 0)
    kinds = grouped(np.flatnonzero(known), asked.operations.fingerprint[asked.rows[known]])
    kinds.sort(key=lambda places: -int(asked.worker_ns[places].sum()))
    for places in kinds[:_KINDS]:
        if asked.worker_ns[places].sum() < limit["share"] * max(asked.total_worker_ns, 1):
            return
        if len(places) >= limit["searches"] and entries[places].mean() >= limit["least"]:
            yield from _greedy_of(view, places)


def _greedy_of(view: WindowView, places: Rows) -> Iterator[Habit]:
    """Of one kind of search, what the clients that ask for all attributes of its entries cost."""
    limit, asked, request_of = limits("greedy_attributes"), view.asked, view.request_of
    assert request_of is not None
    every: list[Rows] = []
    listed: list[Rows] = []
    for client in np.unique(asked.client[places])[:_COMPARED]:
        mine = places[asked.client[places] == client]
        said = [asks_for_all(request_of(int(row))) for row in asked.rows[sample(mine, _LINES)]]
        if len(said) and all(answer is True for answer in said):
            every.append(mine)
        elif len(said) and all(answer is False for answer in said):
            listed.append(mine)
    if not every:
        return
    greedy = np.concatenate(every)
    entries = asked.operations.nentries[asked.rows[greedy]]
    times = _times(view, greedy, np.concatenate(listed)) if listed else None
    worker = int(asked.worker_ns[greedy].sum())
    costly = worker >= limit["share"] * asked.total_worker_ns
    if times is not None and times < limit["times"]:
        return
    if not costly or (times is None and float(entries.mean()) < limit["entries"]):
        return
    mean = float(entries.mean())
    yield Habit(
        greedy,
        worker_ns=worker if times is None else round(worker * (1 - 1 / times)),
        filter=usual_filter(asked, greedy),
        says={"entries": mean},
        numbers={"entries": mean, "times": times},
        confidence=LOW if times is None else MEDIUM,
    )


def _times(view: WindowView, greedy: Rows, listed: Rows) -> float | None:
    """Time of an entry in the first by that in the second; None with too few to compare."""
    if min(len(greedy), len(listed)) < limits("greedy_attributes")["compared"]:
        return None
    asked = view.asked
    one, other = (
        float(np.median(asked.worker_ns[rows] / asked.operations.nentries[asked.rows[rows]]))
        for rows in (greedy, listed)
    )
    return one / other if other else None


def abandon(view: WindowView) -> list[Finding]:
    """Clients that give up on what they asked for."""
    return finding_of_habits("abandon", view.asked, _abandoned(view), counted="operations")


def _abandoned(view: WindowView) -> Iterator[Habit]:
    """What a client abandons, and what runs on long after it closed the connection."""
    limit, asked = limits("abandon"), view.asked
    operations, rows = asked.operations, asked.rows
    closed_ns = operations.closed_ns[rows]
    left = closed_ns > operations.start_ns[rows]
    left &= operations.end_ns[rows] - limit["runs_on_s"] * NS_PER_S >= closed_ns
    for places in asked.groups(np.flatnonzero((asked.kind == ABANDON) | left)):
        searches = int((asked.kind[asked.client == asked.client[places[0]]] == SRCH).sum())
        if len(places) < max(limit["operations"], limit["share"] * searches):
            continue
        etimes, ran_on = operations.etime_ns[rows[places]], places[left[places]]
        waited = np.where(left[places], (closed_ns - operations.start_ns[rows])[places], etimes)
        took = int(np.median(operations.etime_ns[rows[ran_on]])) if len(ran_on) else None
        yield Habit(
            places,
            worker_ns=int(etimes.sum()),
            filter=usual_filter(asked, ran_on) if took else "",
            says={
                "count": count_of("{n} operation", "{n} operations", n=len(places)),
                "after": _after(waited),
                "took": took,
            },
            numbers={
                "etime_p50_ns": int(np.median(waited)),
                "took_p50_ns": took,
                "sent_again": _sent_again(view, ran_on) if took else None,
            },
        )


def _sent_again(view: WindowView, given_up: Rows) -> float | None:
    """The share given up whose next one of the client and kind has the same filter, if any has."""
    asked, operations = view.asked, view.operations
    if view.request_of is None:
        return None
    mine = asked.rows[asked.client == asked.client[given_up[0]]]
    pairs = []
    for row in asked.rows[sample(given_up, _GIVEN_UP)]:
        same = mine[operations.fingerprint[mine] == operations.fingerprint[row]]
        later = same[operations.start_ns[same] >= operations.closed_ns[row]]
        pairs += [(int(row), int(next_)) for next_ in later[:1]]
    return share_of_equal(pairs, view.request_of) or None


def _after(etimes: Int64) -> Message:
    """After which time, where it is about the same for most: a time limit of the client."""
    usual = int(np.median(etimes))
    if usual <= 0:
        return NOTHING
    near = np.abs(etimes - usual) <= limits("abandon")["off"] * usual
    if near.mean() >= limits("abandon")["alike"]:
        return phrase("abandon", "after", usual=usual)
    return phrase("abandon", "within", usual=usual)


def failed_binds(view: WindowView) -> list[Finding]:
    """Clients that go on binding with credentials that are refused."""
    return finding_of_habits("failed_binds", view.asked, _refused(view), counted="binds")


def _refused(view: WindowView) -> Iterator[Habit]:
    limit, asked = limits("failed_binds"), view.asked
    err, base = asked.operations.err[asked.rows], asked.operations.base[asked.rows]
    binds = asked.kind == BIND
    gets_in = np.unique(base[binds & (err == 0)])
    for places in asked.groups(np.flatnonzero(binds & (err == _INVALID)), "base"):
        many = len(places) >= max(limit["binds"], limit["rate_per_s"] * view.seconds)
        if not many:
            # A program that tries again and again, as a consumer of replication does.
            shut_out = base[places[0]] not in gets_in and len(places) >= limit["few"]
            if not shut_out or not is_steady(
                np.diff(asked.operations.start_ns[asked.rows[places]])
            ):
                continue
        row = asked.rows[places[0]]
        dn = base_at(asked.operations, int(row))
        address = text_at(asked.operations.clients, int(asked.operations.client[row]))
        yield Habit(
            places,
            worker_ns=int(asked.worker_ns[places].sum()),
            says={
                "client": address or Message("A client"),
                "dn": dn,
                "count": count_of("{n} bind", "{n} binds", n=len(places)),
            },
            numbers={"dns": [dn]},
        )


_REPEATED_WORK_COMPARED = 24
"""Pairs of request lines that are compared for one client."""
_LOOKED_AT = 2_000
"""Kinds of searches whose times are looked at for a period, those with the most time first."""


def find_repeated_work(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return repeated_search(view) + empty_answers(view) + polling(view)


def repeated_search(view: WindowView) -> list[Finding]:
    """Clients that ask for what they asked for less than a second before."""
    return finding_of_habits("repeated_search", view.asked, _repeats(view), counted="searches")


def _repeats(view: WindowView) -> Iterator[Habit]:
    limit, asked = limits("repeated_search"), view.asked
    again, before = _again(view)
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


def _again(view: WindowView) -> tuple[Rows, Rows]:
    """Places of those with client, base and shape of one within a second before, and of these."""
    asked = view.asked
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
    # The next page of a paged search is no question that was asked before.
    alike = ~goes_on(view, rows[one], rows[other])
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
    chosen = sample(np.flatnonzero(valued), _REPEATED_WORK_COMPARED)
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
