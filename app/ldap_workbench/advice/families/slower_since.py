"""What is so from one moment on: longer operations, empty answers, requests that are gone.

Medians of buckets of time are compared, each operation beside the usual one of its kind. The two
sides have to be much further apart than the buckets of a side are: a trend or a burst is no step.

Whoever may not see an entry gets an empty answer and no error: after a change of access rules a log
shows nothing but this. So does one from which the entries went away.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.account.account import group_keys, group_name
from ldap_workbench.advice.evidence.clients import ABANDON, Rows, is_steady, more_clients
from ldap_workbench.advice.evidence.rows import in_groups, numbered, slowest, stable_order
from ldap_workbench.advice.evidence.tasks import BEFORE_S, asked_before
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.advice.families.configuration import debug_lines
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences
from ldap_workbench.model.operations import NO_ERROR, Operations, text_at
from ldap_workbench.model.units import NS_PER_S

_MOST = 300_000
"""Operations by which the moment is looked for: of more, an even part."""
_REFUSED = 0.5
"""Where more than this share fails from a moment on, that is why it takes less time."""
Step = tuple[int, Rows, Rows]
"""A moment, ns, and the operations before it and from it on."""


def find(view: WindowView) -> list[Finding]:
    """One finding for the step of most operations, where there is one."""
    step = step_in(view)
    if step is None:
        return []
    operations, (at_ns, before, after) = view.operations, step
    before_ns, after_ns = _median(view, before), _median(view, after)
    if after_ns < before_ns and _failed(view, after) > _REFUSED >= _failed(view, before):
        return []
    slow = after if after_ns > before_ns else before
    excess = operations.etime_ns[slow] - min(before_ns, after_ns)
    text = phrase("slower_since", "medians", before=before_ns, after=after_ns)
    numbers = {"at_ns": at_ns, "times": after_ns / before_ns, "operations": len(slow)}
    numbers["share"] = len(after) / int((operations.start_ns[view.asked.rows] >= at_ns).sum())
    return [
        finding(
            "slower_since",
            numbers=numbers,
            operations=operations,
            rows=slowest(operations, slow),
            severity=None if after_ns > before_ns else 1,
            user_ns=max(int(excess.sum()), 0),
            text=text,
            said=sentences(*_before(view, at_ns)),
        )
    ]


def step_in(view: WindowView) -> Step | None:
    """The step of all kinds with much of the time together, else of one of them."""
    asked, operations, limit = view.asked, view.operations, limits("slower_since")
    rows = asked.rows[(asked.kind != ABANDON) & (operations.etime_ns[asked.rows] > 0)]
    _, kinds = numbered(group_keys(operations, "kind", rows))
    waited = np.bincount(kinds, operations.etime_ns[rows].astype(np.float64))
    large = np.flatnonzero(waited >= limit["share"] * waited.sum())
    together = np.flatnonzero(np.isin(kinds, large))
    order, begins = in_groups(kinds[together])
    for places in (together, *np.split(together[order], begins[1:-1])):
        every = len(places) // _MOST + 1
        at_ns = _moment(view, rows[places[::every]], kinds[places[::every]])
        if at_ns is not None and (step := _step(view, rows[places], kinds[places], at_ns)):
            return step
    return None


def _moment(view: WindowView, rows: Rows, kinds: Rows) -> int | None:
    """When the step is, if one stands out."""
    limit, starts = limits("slower_since"), view.operations.start_ns[rows]
    width = max(NS_PER_S, min(60 * NS_PER_S, round(view.seconds * NS_PER_S / limit["pieces"])))
    buckets = (starts - view.window.start_ns) // width
    values = np.log(view.operations.etime_ns[rows])
    values = values - _medians(values, kinds)[kinds]
    numbers, places, counts = np.unique(buckets, return_inverse=True, return_counts=True)
    enough = counts >= limit["operations"]
    medians, numbers = _medians(values, places)[enough], numbers[enough]
    least = int(max(limit["buckets"], limit["least"] * len(medians)))
    if len(medians) < 2 * least:
        return None
    # The split that leaves the least variance within its sides.
    size = np.arange(1, len(medians))
    gain = (np.cumsum(medians)[:-1] / size - medians.mean()) ** 2 * size / (len(medians) - size)
    at = least + int(np.argmax(gain[least - 1 : len(medians) - least]))
    low, middle, high = np.quantile(medians[:at], (0.1, 0.5, 0.9))
    later_low, later_middle, later_high = np.quantile(medians[at:], (0.1, 0.5, 0.9))
    step = later_middle - middle
    spread = limit["spreads"] * max(high - low, later_high - later_low)
    if abs(step) < max(np.log(limit["times"]), spread):
        return None
    near = (buckets == numbers[at]) | (buckets == numbers[at - 1])
    is_later = (values[near] > middle + step / 2) == (step > 0)
    first = int(np.argmin(np.cumsum(np.where(is_later, 1, -1)))) + 1
    return int(starts[near][min(first, len(is_later) - 1)])


def _medians(values: NDArray[np.float64], groups: Rows) -> NDArray[np.float64]:
    """The lower median of each group, by its number."""
    order = np.argsort(values)
    ordered = values[order[stable_order(groups[order])]]
    counts = np.bincount(groups)
    medians: NDArray[np.float64] = ordered[np.cumsum(counts) - (counts + 2) // 2]
    return medians


def _step(view: WindowView, rows: Rows, kinds: Rows, at_ns: int) -> Step | None:
    """The step of the kinds that change, of clients that asked for them before and after."""
    limit, client = limits("slower_since"), view.operations.client
    later = view.operations.start_ns[rows] >= at_ns
    quicker_and_slower: tuple[list[list[Rows]], list[list[Rows]]] = ([], [])
    for kind in np.unique(kinds):
        both = [rows[(kinds == kind) & side] for side in (~later, later)]
        clients = np.intersect1d(*(client[side] for side in both))
        both = [side[np.isin(client[side], clients)] for side in both]
        if min(map(len, both)) >= limit["of_kind"]:
            was, is_ = (_median(view, side) for side in both)
            if max(was, is_) >= limit["times"] * min(was, is_):
                quicker_and_slower[is_ > was].append(both)
    sides = max(quicker_and_slower, key=len)
    before_and_after = [np.concatenate(side) for side in zip(*sides, strict=True)]
    return (at_ns, before_and_after[0], before_and_after[1]) if sides else None


def _median(view: WindowView, rows: Rows) -> int:
    return int(np.median(view.operations.etime_ns[rows]))


def _failed(view: WindowView, rows: Rows) -> float:
    return float((~np.isin(view.operations.err[rows], NO_ERROR)).mean())


def _before(view: WindowView, at_ns: int) -> Iterator[Message]:
    """What happened shortly before, and what the error log writes since."""
    since_ns = at_ns - round(BEFORE_S * NS_PER_S)
    if (before := asked_before(view.operations, at_ns)) != NOTHING:
        yield before
    lines = [line for line in view.errors if line.time_ns >= since_ns]
    if len(debug := debug_lines(lines)) >= limits("debug_logging")["lines"]:
        yield phrase("slower_since", "debug", start=debug[0].time_ns, n=len(debug))
    elif lines and lines[0].time_ns <= at_ns:
        said = lines[0].text[:200]
        yield phrase("slower_since", "logged", line=said, at=lines[0].time_ns)


def find_empty_since(view: WindowView) -> list[Finding]:
    """The base with the most searches that return nothing any more."""
    operations, asked = view.operations, view.asked
    rows = asked.rows[asked.searches]
    rows = rows[(operations.err[rows] == 0) & (operations.base[rows] >= 0)]
    hidden = max(_hidden(operations, rows), key=lambda pair: len(pair[1]), default=None)
    if hidden is None:
        return []
    before, since = hidden
    at_ns, clients = int(operations.start_ns[since[0]]), np.unique(operations.client[since])
    base = text_at(operations.bases, int(operations.base[since[0]]))
    asked_for = asked_before(operations, at_ns, base)
    return [
        finding(
            "empty_since",
            numbers={"searches": len(since), "before": len(before), "at_ns": at_ns, "base": base},
            operations=operations,
            rows=since,
            share=float((operations.nentries[before] > 0).mean()),
            clients=count_of("{n} client", "{n} clients", n=len(clients)),
            named=tuple(text_at(operations.clients, int(client)) for client in clients[:3]),
            asked=None if asked_for == NOTHING else asked_for,
        )
    ]


def _hidden(operations: Operations, rows: Rows) -> Iterator[tuple[Rows, Rows]]:
    """The searches below each such base of who asked before and since, by when; `rows` by start."""
    limit = limits("empty_since")
    order, begins = in_groups(operations.base[rows])
    for begin, end in pairwise(begins):
        group = rows[order[begin:end]]
        returned = np.flatnonzero(operations.nentries[group] > 0)
        if not len(returned):
            continue
        before, since = np.split(group, [returned[-1] + 1])
        if min(len(before), len(since)) < limit["searches"]:
            continue
        same = np.intersect1d(_who(operations, before), _who(operations, since))
        before, since = (part[np.isin(_who(operations, part), same)] for part in (before, since))
        clients = len(np.unique(operations.client[since]))
        enough = min(len(before), len(since)) >= limit["searches"] and clients >= limit["clients"]
        if enough and (operations.nentries[before] > 0).mean() >= limit["share"]:
            yield before, since


def _who(operations: Operations, rows: Rows) -> Rows:
    """A number for the client and the shape of filter of each."""
    shapes = len(operations.fingerprints) + 1
    return operations.client[rows].astype(np.int64) * shapes + operations.fingerprint[rows]


# --- what nobody asks for any more ---------------------------------------------------------------


def find_gone_since(view: WindowView) -> list[Finding]:
    """What clients asked at a steady pace and do not ask any more, though they ask for the rest."""
    asked, operations = view.asked, view.operations
    gone = list(_gone(view))
    if not gone:
        return []
    places, restarted = max(gone, key=lambda pair: len(pair[0]))
    rows = asked.rows[places]
    clients = [asked.describe(same) for same, _ in gone]
    return [
        finding(
            "gone_since",
            numbers={
                "times": len(rows),
                "last_ns": int(operations.start_ns[rows[-1]]),
                "every_ns": int(np.median(np.diff(operations.start_ns[rows]))),
                "clients": [client.as_numbers() for client in clients],
            },
            operations=operations,
            rows=np.concatenate([asked.rows[same] for same, _ in gone]),
            severity=None if restarted else 1,
            client=asked.describe(places).name,
            kind=group_name(operations, "kind", int(rows[0])),
            restarted=restarted,
            more=more_clients(len(clients) - 1),
        )
    ]


def _gone(view: WindowView) -> Iterator[tuple[Rows, int | None]]:
    """By client and kind, places of such requests in `Asked.rows`, and the restart behind them, ns.

    A restart long after the last of them is none that ended them: None.
    """
    limit, asked = limits("gone_since"), view.asked
    boot = view.operations.boot[asked.rows]
    start, end_ns = view.operations.start_ns[asked.rows], view.window.end_ns
    every = np.flatnonzero(asked.kind != ABANDON)
    for places in asked.groups(every, "kind", "fingerprint", least=limit["times"]):
        gaps, last_ns = np.diff(start[places]), int(start[places[-1]])
        if last_ns - start[places[0]] < limit["history"] * (end_ns - start[0]):
            continue
        if np.median(gaps) < limit["least_s"] * NS_PER_S or not is_steady(gaps):
            continue
        if end_ns - last_ns < max(limit["gaps"] * gaps.max(), limit["share"] * (end_ns - start[0])):
            continue
        later = start[boot > boot[places[-1]]]
        near = len(later) and later[0] - last_ns <= limit["restart_gaps"] * gaps.max()
        restarted = int(later[0]) if near else None
        since_ns = max(restarted or 0, last_ns + gaps.max())
        others = (asked.client == asked.client[places[0]]) & (start > since_ns)
        if others.sum() >= limit["others"]:
            yield places, restarted
