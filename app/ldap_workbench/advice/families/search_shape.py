"""The shape of the load: unindexed searches, the few that take the time, what is new."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.cost import worker_ns
from ldap_workbench.advice.evidence.missing import IndexAdvisor, as_numbers
from ldap_workbench.advice.evidence.rows import evidence_of_rows, slowest
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.unindexed import (
    FULLY,
    KINDS,
    LackingTerm,
    UnindexedNotice,
    lacking_terms,
    notices_in_errors,
    terms_in_lines,
    without_index,
)
from ldap_workbench.advice.evidence.view import Baseline, WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, times
from ldap_workbench.advice.families.search_kinds import computed_attributes
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message, Value, count_of, sentences, verbatim
from ldap_workbench.model.operations import TYPES, Operations, client_operations, of_unknown_kind

UNKNOWN_FILTER = "(filter not known)"
_NAMED = 5
"""Terms without an index that a sentence names."""
_SRCH = TYPES.index("SRCH")


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    indexes = IndexAdvisor(view, computed_attributes(view))
    findings = unindexed_finding(view, indexes)
    findings += heavy_finding(view.operations, indexes) or tail_finding(view.operations, indexes)
    if view.baseline:
        findings += new_finding(view.operations, view.baseline, indexes)
        findings += doubled_finding(view, view.baseline)
    return findings


def unindexed_finding(view: WindowView, indexes: IndexAdvisor) -> list[Finding]:
    """Searches the indexes did not help, when they take time that matters."""
    limit, operations = limits("unindexed"), view.operations
    clients, rows = client_operations(operations), without_index(view)
    if not rows.any():
        return _unindexed_by_notices(view, indexes)
    share = _share(operations.etime_ns[rows].sum(), operations.etime_ns[clients].sum())
    longest = int(operations.etime_ns[rows].max())
    weighs = longest >= limit["some_ms"] * 1_000_000 or rows.sum() >= limit["many"]
    weighs = weighs and share >= limit["share_of_time"]
    if not weighs and longest < limit["longest_ms"] * 1_000_000:
        return []
    noted = (operations.notes & FULLY) != 0
    fully = int((rows & (noted | view.configuration.is_openldap)).sum())
    limited = int((rows & (operations.err == 11)).sum())
    known = rows & ~of_unknown_kind(operations)
    top = top_fingerprints(operations, known if known.any() else rows, 5)
    lacking = lacking_terms(view, rows)
    numbers = {
        "searches": int(rows.sum()),
        "fully": fully,
        "share_of_time": share,
        "longest_ns": longest,
        "over_limit": limited,
        "filters": [text for text, _, _, _ in top],
        "not_indexed": [asdict(term) for term in lacking],
        **indexes.numbers([(text, same) for text, _, _, same in top]),
    }
    return [
        finding(
            "unindexed",
            numbers=numbers,
            evidence=[_filter_evidence(operations, *item, indexes) for item in top],
            worker_ns=worker_ns(operations, rows),
            searches=count_of("{n} search", "{n} searches", n=int(rows.sum())),
            share=share,
            longest=longest,
            filter=_filter(top[0][0]),
            lacking=_named(lacking),
        )
    ]


def _named(lacking: list[LackingTerm]) -> Message:
    """Behind the sentence: the terms the server names; NOTHING where it names none."""
    if not lacking:
        return NOTHING
    return Message(
        " The server says that it has no index for: {terms:list}.", terms=_words(lacking)
    )


def _words(lacking: list[LackingTerm]) -> tuple[Message, ...]:
    return tuple(
        Message(
            "{attribute} ({kind})",
            attribute=term.attribute,
            kind=KINDS.get(term.kind, verbatim(term.kind)),
        )
        for term in lacking[:_NAMED]
    )


def _unindexed_by_notices(view: WindowView, indexes: IndexAdvisor) -> list[Finding]:
    """The same without operations that show it: what the server wrote of them elsewhere."""
    notices = notices_in_errors(view)
    lacking = [] if notices else terms_in_lines(view)
    if not notices and not lacking:
        return []
    shapes = Counter(notice.filter for notice in notices)
    shapes.update({term.filter: term.searches for term in lacking})
    most = shapes.most_common(5)
    count = shapes.total()
    bases = [base for base, _ in Counter(notice.base for notice in notices).most_common(5)]
    connections = {notice.conn for notice in notices if notice.conn is not None}
    if notices:
        sentence = Message(
            "The error log names {searches} that no index helped with, on {connections}. The most "
            "frequent: {filter} below {base}. It does not say how long they took.",
            searches=count_of("{n} search", "{n} searches", n=count),
            connections=count_of("{n} connection", "{n} connections", n=len(connections)),
            filter=most[0][0],
            base=bases[0] or Message("the root"),
        )
    else:
        sentence = Message(
            "The server says {times} that it has no index for: {terms:list}. Its log does not have "
            "the searches: their cost is not known.",
            times=times(count),
            terms=_words(lacking),
        )
    seen = finding(
        "unindexed",
        numbers={
            "searches": count,
            "fully": len(notices),
            "filters": [text for text, _ in most],
            "bases": bases,
            "connections": len(connections),
            **as_numbers(indexes.of_notices(notices) + indexes.of_lines(lacking)),
            "not_indexed": [asdict(term) for term in lacking],
        },
        evidence=[_notice_evidence(view, notices, *item) for item in most],
        severity=2 if count >= limits("unindexed")["notices"] else 1,
        share=0.0,
        longest=0,
        filter=most[0][0],
        lacking=NOTHING,
    )
    return [replace(seen, sentence=sentence)]


def _notice_evidence(
    view: WindowView, notices: list[UnindexedNotice], text: str, number: int
) -> Evidence:
    """When a shape of filter was named, how often, and on which connections."""
    same = [notice for notice in notices if notice.filter == text]
    if not same:
        summary = count_of("{filter}: {n} line.", "{filter}: {n} lines.", n=number, filter=text)
        return view.evidence(summary)
    summary = count_of(
        "{filter}: {n} search, base {bases:list}.",
        "{filter}: {n} searches, base {bases:list}.",
        n=number,
        filter=text,
        bases=tuple(dict.fromkeys(notice.base for notice in same))[:3],
    )
    return Evidence(summary, same[0].time_ns, same[-1].time_ns)


def top_fingerprints(
    operations: Operations, rows: NDArray[np.bool_], count: int
) -> list[tuple[str, int, int, Rows]]:
    """Filters with the most time among some rows: (text, operations, total ns, their rows)."""
    chosen = np.flatnonzero(rows)
    ids = operations.fingerprint[chosen] + 1
    time = np.bincount(ids, weights=operations.etime_ns[chosen].astype(np.float64))
    number = np.bincount(ids)
    order = [i for i in np.argsort(-time, kind="stable")[:count] if number[i]]
    return [
        (_text(operations, int(i) - 1), int(number[i]), int(time[i]), chosen[ids == i])
        for i in order
    ]


def heavy_finding(operations: Operations, indexes: IndexAdvisor) -> list[Finding]:
    """A filter that takes far more of the time, or of the tail, than of the searches."""
    limit = limits("heavy_filter")
    searches = _of_known_kinds(operations)
    if searches.sum() < limit["searches"]:
        return []
    total = int(operations.etime_ns[searches].sum())
    for text, number, time, rows in top_fingerprints(operations, searches, 3):
        of_count, of_time = number / int(searches.sum()), _share(time, total)
        of_tail = _share_of_tail(operations, searches, rows)
        if of_count > limit["share_of_searches"] or number < limit["few"]:
            continue
        worst = int(operations.etime_ns[rows].max())
        if of_time >= limit["share_of_time"] and worst >= limit["longest_ms"] * 1_000_000:
            numbers = {
                "filter": text,
                "searches": number,
                "share_of_searches": of_count,
                "share_of_time": of_time,
                "share_of_tail": of_tail,
                "longest_ns": worst,
                **_cost_of_each(operations, rows),
                **indexes.numbers([(text, rows)]),
            }
            return [
                finding(
                    "heavy_filter",
                    numbers=numbers,
                    evidence=[_filter_evidence(operations, text, number, time, rows, indexes)],
                    worker_ns=worker_ns(operations, rows),
                    filter=_filter(text),
                    of_searches=of_count,
                    of_time=of_time,
                    of_tail=of_tail,
                    worst=worst,
                )
            ]
    return []


def tail_finding(operations: Operations, indexes: IndexAdvisor) -> list[Finding]:
    """A filter with few searches and little of their time that owns the tail."""
    limit = limits("tail_filter")
    searches = _of_known_kinds(operations)
    if searches.sum() < limit["searches"]:
        return []
    slowest = _slowest(operations, searches)
    tail = np.zeros(len(operations), np.bool_)
    tail[slowest] = True
    for text, in_tail, _, rows in top_fingerprints(operations, tail, len(slowest)):
        same = searches & (operations.fingerprint == operations.fingerprint[rows[0]])
        of_count, of_tail = same.sum() / searches.sum(), in_tail / len(slowest)
        least = int(operations.etime_ns[rows].min())
        if of_count > limit["share_of_searches"] or same.sum() < limit["few"]:
            continue
        if of_tail < limit["share_of_tail"] or least < limit["least_ms"] * 1_000_000:
            continue
        every = np.flatnonzero(same)
        time = int(operations.etime_ns[every].sum())
        of_time = _share(time, operations.etime_ns[searches].sum())
        numbers = {
            "filter": text,
            "searches": int(same.sum()),
            "share_of_searches": float(of_count),
            "share_of_time": of_time,
            "share_of_tail": of_tail,
            "longest_ns": int(operations.etime_ns[rows].max()),
            **_cost_of_each(operations, every),
            **indexes.numbers([(text, every)]),
        }
        return [
            finding(
                "tail_filter",
                numbers=numbers,
                evidence=[_filter_evidence(operations, text, len(every), time, every, indexes)],
                worker_ns=worker_ns(operations, same),
                filter=_filter(text),
                of_searches=float(of_count),
                of_time=of_time,
                of_tail=of_tail,
                least=least,
                worst=int(operations.etime_ns[rows].max()),
            )
        ]
    return []


def _share_of_tail(operations: Operations, searches: NDArray[np.bool_], rows: Rows) -> float:
    """Share of the slowest thousandth (at least ten) that some searches make up."""
    return float(np.isin(_slowest(operations, searches), rows).mean())


def _slowest(operations: Operations, searches: NDArray[np.bool_]) -> Rows:
    """Rows of the slowest thousandth of some searches, at least ten of them."""
    chosen = np.flatnonzero(searches)
    count = min(max(10, len(chosen) // 1000), len(chosen))
    order = np.argpartition(-operations.etime_ns[chosen], count - 1)
    slowest: Rows = chosen[order[:count]]
    return slowest


def new_finding(operations: Operations, baseline: Baseline, indexes: IndexAdvisor) -> list[Finding]:
    """Filters that the baseline did not have and that weigh here."""
    limit = limits("new_filter")
    before = baseline.operations
    searches = _of_known_kinds(operations)
    if client_operations(before).sum() < limit["baseline"] or not searches.any():
        return []
    used = np.unique(before.fingerprint[before.fingerprint >= 0])
    known = {before.fingerprints[i] for i in used}
    total = int(operations.etime_ns[searches].sum())
    fresh = [
        item
        for item in top_fingerprints(operations, searches, 50)
        if item[0] and item[0] not in known
        and (
            _share(item[2], total) >= limit["share"]
            or item[1] >= limit["share"] * int(searches.sum())
        )
    ]  # fmt: skip
    if not fresh:
        return []
    text, number, time, rows = fresh[0]
    numbers = {
        "filters": [item[0] for item in fresh],
        "searches": number,
        "share_of_time": _share(time, total),
        **_cost_of_each(operations, rows),
        **indexes.numbers([(item[0], item[3]) for item in fresh[:5]]),
    }
    return [
        finding(
            "new_filter",
            numbers=numbers,
            evidence=[_filter_evidence(operations, *item, indexes) for item in fresh[:5]],
            worker_ns=sum(worker_ns(operations, same) for _, _, _, same in fresh),
            filter=_filter(text),
            baseline=baseline.window.name,
            asked=times(number),
            share=_share(time, total),
        )
    ]


def doubled_finding(view: WindowView, baseline: Baseline) -> list[Finding]:
    """Twice the operations a second of another window: any comparison is one of loads."""
    limit = limits("load_changed")
    here = int(client_operations(view.operations).sum()) / view.seconds
    there = int(client_operations(baseline.operations).sum()) / max(baseline.window.seconds, 1e-9)
    if there * baseline.window.seconds < limit["baseline"] or here < limit["times"] * there:
        return []
    numbers = {"rate": round(here, 2), "baseline_rate": round(there, 2), "times": here / there}
    text = Message(
        "{here} operations/s here, {there} in '{baseline}'.",
        here=round(here),
        there=round(there),
        baseline=baseline.window.name,
    )
    return [
        finding(
            "load_changed",
            numbers=numbers,
            evidence=[view.evidence(text)],
            here=round(here),
            there=round(there),
            baseline=baseline.window.name,
            factor=here / there,
        )
    ]


def _of_known_kinds(operations: Operations) -> NDArray[np.bool_]:
    """Searches of clients whose request is known."""
    known = client_operations(operations) & ~of_unknown_kind(operations)
    searches: NDArray[np.bool_] = known & (operations.kind == _SRCH)
    return searches


def _share(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole else 0.0


def _text(operations: Operations, fingerprint: int) -> str:
    if 0 <= fingerprint < len(operations.fingerprints):
        return operations.fingerprints[fingerprint]
    return UNKNOWN_FILTER


def _filter(text: str) -> Value:
    return Message("(filter not known)") if text == UNKNOWN_FILTER else text


def _cost_of_each(operations: Operations, rows: Rows) -> dict[str, int]:
    """What the usual search of some returns, and how long it takes for each entry it returns."""
    returned = int(np.median(operations.nentries[rows]))
    usual = float(np.median(operations.etime_ns[rows]))
    return {
        "returned": returned,
        "usual_ns": round(usual),
        "entry_ns": round(usual / max(returned, 1)),
    }


def _filter_evidence(
    operations: Operations, text: str, number: int, time: int, rows: Rows, indexes: IndexAdvisor
) -> Evidence:
    summary = count_of(
        "{filter}: {n} search, {time:duration} in all.",
        "{filter}: {n} searches, {time:duration} in all.",
        n=number,
        filter=_filter(text),
        time=time,
    )
    said = sentences(summary, indexes.describe(text, rows))
    return evidence_of_rows(operations, said, rows, slowest(operations, rows, 100))
