"""Changes of groups by plug-ins: trains of referential integrity, storms of MemberOf.

With a delay the server collects deletions in a file and works through it every `delay` seconds,
one internal search and MODs per deleted DN: a train of MODs up to `delay` seconds later. Without
one the same work happens inside the DEL. 389 DS logs the MODs only at access-log level +4 and
with nsslapd-plugin-logging on; on a consumer they arrive as replicated MODs.

The plug-in works inside the write and its transaction: a base search for each entry on the way
down, (|(objectclass=*)(objectclass=ldapsubentry)), and a subtree search for the groups of each on
the way up, (member=DN) (389 DS, memberof-scalability design).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.cost import served_ns, user_ns, worker_ns
from ldap_workbench.advice.evidence.indexes import Database
from ldap_workbench.advice.evidence.inside import (
    attributes_in,
    client_writes,
    count_inside,
    inside,
    with_filter,
)
from ldap_workbench.advice.evidence.missing import missing_in
from ldap_workbench.advice.evidence.rows import base_at, evidence_of_rows, slowest
from ldap_workbench.advice.evidence.stalls import Rows
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.configuration import ConfigurationEntry
from ldap_workbench.model.finding import HIGH, Evidence, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import NOTES, TYPES, Operations
from ldap_workbench.model.units import NS_PER_S, format_duration

DELAY = "referint-update-delay"

_MOD = TYPES.index("MOD")
_SRCH = TYPES.index("SRCH")
_REMOVALS = (TYPES.index("DEL"), TYPES.index("MODRDN"))
_UNINDEXED = np.uint8((1 << NOTES.index("A")) | (1 << NOTES.index("U")))
_ATTRIBUTE = re.compile(r"\(\s*([A-Za-z][\w;-]*)\s*=")


@dataclass(frozen=True, eq=False)
class Train:
    """MODs one after the other, and the deletions since the train before."""

    start_ns: int
    end_ns: int
    rows: Rows
    removals: Rows
    """Rows of the DEL and MODRDN operations it follows."""

    @property
    def per_removal(self) -> float:
        return len(self.rows) / max(len(self.removals), 1)


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    delay = view.number(DELAY)
    return [*train_finding(view.operations, delay), *inside_finding(view.operations)]


def trains(operations: Operations, delay_s: float | None = None) -> list[Train]:
    """Trains of MODs (internal ones where the log has any), each with the deletions before it.

    Trains that touch, the second beginning before the first has ended, are told apart by the
    configured delay: deletions that far apart have trains as far apart.
    """
    limit = limits("referint_trains")
    removed = np.flatnonzero(np.isin(operations.kind, _REMOVALS) & ~operations.internal)
    removed = removed[np.argsort(operations.end_ns[removed], kind="stable")]
    rows = background_mods(operations)
    rows = rows[np.argsort(operations.start_ns[rows], kind="stable")]
    if not len(rows) or not len(removed):
        return []
    starts, ends = operations.start_ns[rows], np.maximum.accumulate(operations.end_ns[rows])
    apart = starts[1:] - ends[:-1] > limit["gap_s"] * NS_PER_S
    result: list[Train] = []
    for group in np.split(rows, np.flatnonzero(apart) + 1):
        if len(group) >= limit["mods"]:
            used = sum(len(train.removals) for train in result)
            result += _touching(operations, group, removed[used:], delay_s)
    return result


def _touching(
    operations: Operations, group: Rows, removed: Rows, delay_s: float | None
) -> list[Train]:
    """The trains of MODs without a pause between them: one where the delay is not known."""
    limit = limits("referint_trains")
    times = operations.end_ns[removed]
    start, end = int(operations.start_ns[group[0]]), int(operations.end_ns[group].max())
    if not delay_s or delay_s <= 0:
        return [Train(start, end, group, removed[: np.searchsorted(times, start, side="right")])]
    due_ns = round(limit["early_share"] * delay_s * NS_PER_S)
    removed = removed[: np.searchsorted(times, max(start, end - due_ns), side="right")]
    times = operations.end_ns[removed]
    bursts = np.flatnonzero(np.diff(times) > limit["gap_s"] * NS_PER_S) + 1
    cuts: list[int] = []
    breaks: list[int] = []
    for burst in bursts:
        at = _pause(operations, group, int(times[burst]), delay_s)
        if at is not None and at - (cuts[-1] if cuts else 0) >= limit["mods"]:
            cuts.append(at)
            breaks.append(int(burst))
    pairs = zip(np.split(group, cuts), np.split(removed, breaks), strict=True)
    return [
        Train(int(operations.start_ns[mods[0]]), int(operations.end_ns[mods].max()), mods, removals)
        for mods, removals in pairs
    ]


def _pause(operations: Operations, group: Rows, removed_ns: int, delay_s: float) -> int | None:
    """Which MOD of a group begins the train of a deletion at `removed_ns`.

    Behind one of the longest pauses about when the delay is over: of those the nearest to it. None
    where the group begins later, or ends before.
    """
    limit = limits("referint_trains")
    due_ns = removed_ns + round(delay_s * NS_PER_S)
    first = removed_ns + round(limit["early_share"] * delay_s * NS_PER_S)
    last = due_ns + round(limit["late_s"] * NS_PER_S)
    starts, ends = operations.start_ns[group], np.maximum.accumulate(operations.end_ns[group])
    near = np.flatnonzero((starts[1:] >= first) & (starts[1:] <= last)) + 1
    if not len(near) or starts[0] >= due_ns:
        return None
    pauses = starts[near] - ends[near - 1]
    longest = near[pauses >= pauses.max() - abs(pauses.max()) // 4]
    return int(longest[np.argmin(np.abs(starts[longest] - due_ns))])


def background_mods(operations: Operations) -> Rows:
    """MODs that may be referential integrity's: internal ones where the log shows any."""
    mods = (operations.kind == _MOD) & ~operations.own
    removed = np.isin(operations.kind, _REMOVALS)
    internal = mods & operations.internal & ~inside(operations, removed)
    return np.flatnonzero(internal if internal.any() else mods & ~operations.internal)


def train_finding(operations: Operations, delay_s: float | None) -> Iterator[Finding]:
    """Trains that follow deletions, with a like number of MODs for each."""
    limit = limits("referint_trains")
    every = trains(operations, delay_s)
    led = [t for t in every if len(t.removals)]
    if len(led) < limit["trains"] or len(led) < limit["led_share"] * len(every):
        return
    per_removal = np.array([t.per_removal for t in led])
    if per_removal.mean() < limit["mods_per_removal"] or per_removal.std() > (
        limit["ratio_spread"] * per_removal.mean()
    ):
        return
    busy = sum(t.end_ns - t.start_ns for t in led)
    span = max(t.end_ns for t in led) - int(operations.start_ns.min())
    mods, removals = sum(len(t.rows) for t in led), sum(len(t.removals) for t in led)
    in_trains = mods / max(len(background_mods(operations)), 1)
    if busy > limit["busy_share"] * span or in_trains < limit["mods_in_trains"]:
        return
    lags = lag_ns(operations, led)
    scans = unindexed_attributes(operations)
    yield finding(
        "referint_trains",
        numbers={
            "trains": len(led),
            "removals": removals,
            "mods": mods,
            "mods_per_removal": round(float(per_removal.mean()), 2),
            "lag_min_ns": int(lags.min()),
            "lag_max_ns": int(lags.max()),
            "cost_per_removal_ns": sum(user_ns(operations, t.rows) for t in led) // removals,
            "longest_train_ns": max(t.end_ns - t.start_ns for t in led),
            "delay_s": delay_s,
            "unindexed": list(scans),
            "missing_indexes": missing_in(Database("", ""), scans),
        },
        evidence=[_train_evidence(t, operations) for t in led[:20]],
        worker_ns=worker_ns(operations, np.concatenate([t.rows for t in led])),
        deletions=_deletions(removals),
        lag=describe_range(int(lags.min()), int(lags.max())),
        delay=delay_s or None,
        scanned=scans,
    )


def lag_ns(operations: Operations, led: list[Train]) -> NDArray[np.int64]:
    """Time from each deletion to the first MOD of its train."""
    return np.concatenate([t.start_ns - operations.end_ns[t.removals] for t in led])


def inside_finding(operations: Operations) -> Iterator[Finding]:
    """Deletions that carry internal MODs inside them (no delay), when those are what they cost."""
    limit = limits("referint_inside")
    removed = np.isin(operations.kind, _REMOVALS) & ~operations.internal
    mods = inside(operations, removed) & (operations.kind == _MOD)
    if removed.sum() < limit["removals"] or not mods.any():
        return
    carried = int(mods.sum()) / int(removed.sum())
    cost = int(operations.etime_ns[removed].mean())
    if carried < limit["mods_per_removal"] or cost < limit["removal_ms"] * 1_000_000:
        return
    scans = unindexed_attributes(operations)
    rows = slowest(operations, np.flatnonzero(removed))
    text = phrase("referint_inside", etime=int(operations.etime_ns[rows[0]]))
    span = (int(operations.start_ns[rows[0]]), int(operations.end_ns[rows[0]]))
    yield finding(
        "referint_inside",
        numbers={
            "removals": int(removed.sum()),
            "mods_per_removal": round(carried, 2),
            "removal_mean_ns": cost,
            "unindexed": list(scans),
            "missing_indexes": missing_in(Database("", ""), scans),
        },
        evidence=[evidence_of_rows(operations, text, rows, span=span)],
        worker_ns=worker_ns(operations, removed),
        deletions=_deletions(int(removed.sum())),
        scanned=scans,
    )


def unindexed_attributes(operations: Operations) -> tuple[str, ...]:
    """Attributes the server itself searched without an index."""
    rows = operations.internal & (operations.kind == _SRCH)
    rows &= (operations.notes & _UNINDEXED) != 0
    used = np.unique(operations.fingerprint[rows])
    texts = [operations.fingerprints[i] for i in used if 0 <= i < len(operations.fingerprints)]
    return tuple(sorted({a.lower() for text in texts for a in _ATTRIBUTE.findall(text)}))


def mods_per_removal(operations: Operations) -> tuple[float, int]:
    """MODs for each deletion or rename in a log, and how many of the latter there are."""
    removals = int((np.isin(operations.kind, _REMOVALS) & ~operations.internal).sum())
    mods = int(((operations.kind == _MOD) & ~operations.own).sum())
    return mods / max(removals, 1), removals


def consumer_finding(one: Operations, other: Operations, names: tuple[str, str]) -> list[Finding]:
    """Two servers that replicate the same deletions, one with far more MODs for each."""
    limit = limits("consumer_ratio")
    (ratio, removals), (ratio_other, removals_other) = map(mods_per_removal, (one, other))
    alike = 0.5 <= removals / max(removals_other, 1) <= 2
    if min(removals, removals_other) < limit["removals"] or not alike:
        return []
    sides = sorted(zip((ratio, ratio_other), names, (one, other), strict=True), key=itemgetter(0))
    (fewer, supplier, log), (more, consumer, _) = sides
    if more < 1 or more < limit["times"] * fewer:
        return []
    ratios = dict(zip(names, (ratio, ratio_other), strict=True))
    return [
        finding(
            "consumer_ratio",
            numbers={
                "mods_per_removal": ratios,
                "consumer": consumer,
                "supplier": supplier,
                "supplier_shows_internal": bool((log.internal & ~log.own).any()),
            },
            evidence=[
                Evidence(phrase("consumer_ratio", name=name, mods=mods))
                for name, mods in ratios.items()
            ],
            more=more,
            fewer=fewer,
        )
    ]


def _deletions(n: int) -> Message:
    return count_of("{n} deletion or rename", "{n} deletions and renames", n=n)


def describe_range(low_ns: int, high_ns: int) -> Message:
    """'168 s to 209 s'; one of them where both read the same."""
    if format_duration(low_ns) == format_duration(high_ns):
        return Message("{time:duration}", time=low_ns)
    return Message("{low:duration} to {high:duration}", low=low_ns, high=high_ns)


def _train_evidence(train: Train, operations: Operations) -> Evidence:
    lags = train.start_ns - operations.end_ns[train.removals]
    rows = np.concatenate((train.removals, train.rows))
    text = phrase(
        "referint_trains",
        mods=count_of("{n} MOD", "{n} MODs", n=len(train.rows)),
        length=train.end_ns - train.start_ns,
        lag=describe_range(int(lags.min()), int(lags.max())),
        deletions=count_of("{n} deletion", "{n} deletions", n=len(train.removals)),
    )
    span = (int(operations.start_ns[train.removals].min()), train.end_ns)
    return evidence_of_rows(operations, text, rows, span=span)


GROUP_ATTRIBUTES = ("member", "uniquemember")
_DOWN = "(|(objectclass=*)(objectclass=?))"
_OF_GROUPS = re.compile(r"^[^,]+,(?:[^,]+,)*?(?:ou|cn)=[^,]*(?:group|gruppe|role|team)[^,]*,")


def find_group_writes(view: WindowView) -> list[Finding]:
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
