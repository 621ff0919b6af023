"""The shape of the load: unindexed searches, the few that take the time, what is new."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.cost import client_searches, finding_of_rows, worker_ns
from ldap_workbench.advice.evidence.missing import IndexAdvisor, as_numbers
from ldap_workbench.advice.evidence.rows import Rows, evidence_of_rows, filter_at, grouped, slowest
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
from ldap_workbench.advice.evidence.wording import finding, limits, phrase, times
from ldap_workbench.advice.families.search_kinds import computed_attributes
from ldap_workbench.model.finding import MEDIUM, Evidence, Finding
from ldap_workbench.model.message import Message, Value, count_of, sentences, verbatim
from ldap_workbench.model.operations import Int64, Operations, client_operations, of_unknown_kind
from ldap_workbench.model.units import NS_PER_S

UNKNOWN_FILTER = "(filter not known)"
_NAMED = 5
"""Terms without an index that a sentence names."""
_KINDS = 5
"""Filters that a finding names."""


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    indexes = IndexAdvisor(view, computed_attributes(view))
    findings = unindexed_finding(view, indexes)
    findings += out_of_proportion(view, indexes)
    if view.baseline:
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
    kinds = kinds_of(operations, known if known.any() else rows)
    top = kinds[:_KINDS]
    lacking = lacking_terms(view, rows)
    comes_back = [kind for kind in kinds if len(kind.rows) >= limit["again"]][:_KINDS]
    return [
        finding(
            "unindexed",
            severity=None if comes_back else 1,
            numbers={
                "searches": int(rows.sum()),
                "fully": fully,
                "share_of_time": share,
                "longest_ns": longest,
                "over_limit": limited,
                "filters": [kind.filter for kind in top],
                "not_indexed": [asdict(term) for term in lacking],
                **indexes.numbers([(kind.filter, kind.rows) for kind in comes_back]),
            },
            evidence=[_filter_evidence(operations, kind, indexes) for kind in top],
            worker_ns=worker_ns(operations, rows),
            searches=count_of("{n} search", "{n} searches", n=int(rows.sum())),
            share=share,
            longest=longest,
            filter=_filter(top[0].filter),
            terms=_words(lacking) or None,
        )
    ]


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
        sentence = phrase(
            "unindexed",
            "by_notices",
            searches=count_of("{n} search", "{n} searches", n=count),
            connections=count_of("{n} connection", "{n} connections", n=len(connections)),
            filter=most[0][0],
            base=bases[0] or Message("the root"),
        )
    else:
        sentence = phrase("unindexed", "by_lines", times=times(count), terms=_words(lacking))
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
        terms=None,
    )
    return [replace(seen, sentence=sentence)]


def _notice_evidence(
    view: WindowView, notices: list[UnindexedNotice], text: str, number: int
) -> Evidence:
    """When a shape of filter was named, how often, and on which connections."""
    same = [notice for notice in notices if notice.filter == text]
    if not same:
        return view.evidence(phrase("unindexed", "line", n=number, filter=text))
    bases = tuple(dict.fromkeys(notice.base for notice in same))[:3]
    summary = phrase("unindexed", "notice", n=number, filter=text, bases=bases)
    return Evidence(summary, same[0].time_ns, same[-1].time_ns)


@dataclass(frozen=True, eq=False)
class Kind:
    """The searches of one filter among some others; `time_ns` is their etime."""

    filter: str
    rows: Rows
    time_ns: int


def kinds_of(operations: Operations, mask: NDArray[np.bool_]) -> list[Kind]:
    """Filters among some operations, those with the most time first."""
    rows = np.flatnonzero(mask)
    kinds = [
        Kind(
            filter_at(operations, same[0]) or UNKNOWN_FILTER,
            same,
            int(operations.etime_ns[same].sum()),
        )
        for same in grouped(rows, operations.fingerprint[rows])
    ]
    return sorted(kinds, key=lambda kind: -kind.time_ns)


def out_of_proportion(view: WindowView, indexes: IndexAdvisor) -> list[Finding]:
    """Filters with far more of the time, or of the tail, than of the searches; and new ones.

    One is named that takes the time; else one that owns the tail.
    """
    operations = view.operations
    searches = client_searches(operations) & ~of_unknown_kind(operations)
    kinds = kinds_of(operations, searches)
    findings = []
    if searches.sum() >= limits("heavy_filter")["searches"]:
        findings = [_weighed(view, seen) for seen in _heavy(view, kinds, indexes)]
    if view.baseline:
        findings += _new(operations, kinds, view.baseline, indexes)
    return findings


def _weighed(view: WindowView, seen: Finding) -> Finding:
    """No more than worth knowing where nobody waits long for any, nor a worker for all of them."""
    limit = limits("heavy_filter")
    waited_s = (seen.user_ns or 0) / NS_PER_S
    numbers = seen.numbers
    felt = numbers["longest_ns"] >= limit["felt_ms"] * 1e6
    if (numbers.get("returned") or 0) >= limit["many"]:
        # A list takes its time for what is in it.
        felt &= numbers["entry_ns"] >= limit["felt_entry_ms"] * 1e6
    minor = waited_s < limit["share_of_window"] * view.seconds and not felt
    return replace(seen, severity=1) if minor else seen


def _heavy(view: WindowView, kinds: list[Kind], indexes: IndexAdvisor) -> list[Finding]:
    # One step of the log may be a clock that went on in between, and no time.
    limit, operations, step_ns = limits("heavy_filter"), view.operations, view.resolution_ns
    slow = np.zeros(len(operations), np.bool_)
    number, total = sum(len(kind.rows) for kind in kinds), sum(kind.time_ns for kind in kinds)
    slowest_rows = _slowest(operations, np.concatenate([kind.rows for kind in kinds]))
    slow[slowest_rows] = True
    for kind in kinds:
        of_time, count = _share(kind.time_ns, total), len(kind.rows)
        costs = of_time >= max(limit["share_of_time"], limit["times"] * count / number)
        if not costs or count < limit["few"]:
            continue
        etimes = operations.etime_ns[kind.rows]
        # Of many searches the usual one has to be slow: a load has one kind that takes the time.
        rare = count <= limit["share_of_searches"] * number
        slow_ns = etimes.max() if rare else np.median(etimes)
        if slow_ns - step_ns >= limit["longest_ms"] * 1e6:
            return [_one_finding(operations, kind, total, number, slow, indexes)]
    most = limit["share_of_searches"] * number
    tails = [kind for kind in kinds if limit["few_in_tail"] <= len(kind.rows) <= most]
    in_tail_of = np.bincount(operations.fingerprint[slowest_rows] + 1)

    def count_in_tail(kind: Kind) -> int:
        place = int(operations.fingerprint[kind.rows[0]]) + 1
        return int(in_tail_of[place]) if place < len(in_tail_of) else 0

    for kind in sorted(tails, key=lambda kind: -count_in_tail(kind)):
        if count_in_tail(kind) < limit["share_of_tail"] * len(slowest_rows):
            break
        in_tail = operations.etime_ns[kind.rows[slow[kind.rows]]]
        if in_tail.min() - step_ns >= limit["least_ms"] * 1e6:
            return [_one_finding(operations, kind, total, number, slow, indexes, in_tail)]
    return []


def _one_finding(
    operations: Operations,
    kind: Kind,
    total_ns: int,
    searches: int,
    slow: NDArray[np.bool_],
    indexes: IndexAdvisor,
    in_tail: Int64 | None = None,
) -> Finding:
    """Of a kind that takes the time, or with `in_tail`, etimes of its slowest, owns the tail."""
    return finding_of_rows(
        "heavy_filter",
        operations,
        kind.rows,
        [_filter_evidence(operations, kind, indexes)],
        numbers={
            "filter": kind.filter,
            "share_of_searches": len(kind.rows) / searches,
            "share_of_time": _share(kind.time_ns, total_ns),
            "share_of_tail": float(slow[kind.rows].sum() / slow.sum()),
            **_cost_of_each(operations, kind.rows),
            **indexes.numbers([(kind.filter, kind.rows)]),
        },
        confidence="" if in_tail is None else MEDIUM,
        filter=_filter(kind.filter),
        least=None if in_tail is None else int(in_tail.min()),
    )


def _slowest(operations: Operations, rows: Rows) -> Rows:
    """Rows of the slowest thousandth of some searches, at least ten of them."""
    count = min(max(10, len(rows) // 1000), len(rows))
    slow: Rows = rows[np.argpartition(-operations.etime_ns[rows], count - 1)[:count]]
    return slow


def _new(
    operations: Operations, kinds: list[Kind], baseline: Baseline, indexes: IndexAdvisor
) -> list[Finding]:
    """Filters that the baseline did not have and that weigh here."""
    limit, before = limits("new_filter"), baseline.operations
    if client_operations(before).sum() < limit["baseline"]:
        return []
    known = {before.fingerprints[i] for i in np.unique(before.fingerprint[before.fingerprint >= 0])}
    number, total = sum(len(kind.rows) for kind in kinds), sum(kind.time_ns for kind in kinds)
    fresh = [
        kind
        for kind in kinds
        if kind.filter not in known | {UNKNOWN_FILTER}
        and max(_share(kind.time_ns, total), len(kind.rows) / number) >= limit["share"]
    ][:_KINDS]
    if not fresh:
        return []
    first = fresh[0]
    return [
        finding_of_rows(
            "new_filter",
            operations,
            np.concatenate([kind.rows for kind in fresh]),
            [_filter_evidence(operations, kind, indexes) for kind in fresh],
            numbers={
                "filters": [kind.filter for kind in fresh],
                "share_of_time": _share(first.time_ns, total),
                **_cost_of_each(operations, first.rows),
                **indexes.numbers([(kind.filter, kind.rows) for kind in fresh]),
            },
            filter=_filter(first.filter),
            baseline=baseline.window.name,
            asked=times(len(first.rows)),
            share=_share(first.time_ns, total),
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
    return [
        finding(
            "load_changed",
            numbers=numbers,
            window=view.window,
            here=round(here),
            there=round(there),
            baseline=baseline.window.name,
        )
    ]


def _share(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole else 0.0


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


def _filter_evidence(operations: Operations, kind: Kind, indexes: IndexAdvisor) -> Evidence:
    n, text = len(kind.rows), _filter(kind.filter)
    summary = phrase("unindexed", "kind", n=n, filter=text, time=kind.time_ns)
    said = sentences(summary, indexes.describe(kind.filter, kind.rows))
    return evidence_of_rows(operations, said, kind.rows, slowest(operations, kind.rows, 100))
