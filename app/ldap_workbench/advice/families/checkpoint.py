"""Stalls: operations that wait and are let go together, and what lets them recur."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.companions import FlushRun, flush_runs
from ldap_workbench.advice.evidence.cost import user_ns
from ldap_workbench.advice.evidence.period import (
    MAY_BE_CHANCE,
    Period,
    fit_period,
    fits_setting,
    in_phase,
    match_setting,
)
from ldap_workbench.advice.evidence.rows import EVIDENCE_ROWS, base_at, evidence_of_rows, filter_at
from ldap_workbench.advice.evidence.series import Samples, Series
from ldap_workbench.advice.evidence.stalls import Stall, stalled_seconds
from ldap_workbench.advice.evidence.tasks import asked_before
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, once_or_more, phrase
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message, count_of, sentences
from ldap_workbench.model.operations import TYPES, Operations, text_at
from ldap_workbench.model.units import NS_PER_S

KNOB = "nsslapd-db-checkpoint-interval"
DEFAULT_S = 60.0
_WITH_DEFAULT = ("389ds", "dsee", "")
"""Products with that interval; an unknown one may be one of them."""
LOG_BYTES = "nsslapd-db-log-bytes-since-checkpoint"

Times = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Clues:
    """What speaks for checkpoints. Times in ns; `stalls` are their starts."""

    stalls: Times
    longest_s: float
    bursts: Times
    bursts_hurt: bool
    resets: Times
    flushes: tuple[FlushRun, ...] = ()


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    limit = limits("checkpoint")
    long = [e for e in view.stalls if e.length_ns >= limit["stall_s"] * NS_PER_S]
    if view.server.db_library == "mdb":
        return list(_recurring(view, long))  # LMDB has no checkpoints
    bursts, hurt = write_bursts(view.samples)
    setting = view.number(KNOB)
    clues = Clues(
        stalls=np.array([e.start_ns for e in long], np.int64),
        longest_s=max((e.length_ns for e in long), default=0) / NS_PER_S,
        bursts=bursts,
        bursts_hurt=hurt,
        resets=resets(series.get(view.samples, series.DATABASE, LOG_BYTES)),
        flushes=tuple(flush_runs(view.stacks, setting or DEFAULT_S)),
    )
    span = view.window.end_ns - view.window.start_ns
    default_s = DEFAULT_S if view.product in _WITH_DEFAULT else None
    suspected = list(checkpoint_finding(clues, setting, span, default_s))
    return suspected or list(_recurring(view, long))


@dataclass(frozen=True)
class CheckpointEvidence:
    """How well some events, stalls or bursts of writing that hurt, fit checkpoints."""

    events: int
    period: Period | None
    """Recurrence fitted to the events, where that is sure."""
    matches_interval: bool
    """... and it is what the checkpoint interval gives."""
    with_log_reset: int
    """Events that begin when the transaction log is emptied."""
    with_burst: int
    """Stalls that begin with a burst of writing."""
    bursts_with_log_reset: int
    stack_dumps: int
    """Runs of stack dumps inside the flush."""

    @property
    def recurs(self) -> bool:
        return self.period is not None or self._is_caused

    def is_suspect(self, *, are_stalls: bool) -> bool:
        """Whether checkpoints may be it: a period of stalls alone may be anybody's schedule."""
        by_disk = not are_stalls or self.with_burst > 0
        return self.established or (self.recurs and by_disk)

    @property
    def established(self) -> bool:
        """Whether more than a period speaks for checkpoints."""
        in_stacks = self.stack_dumps > 0 and self.events > 0
        return self.matches_interval or self._is_caused or in_stacks

    @property
    def _is_caused(self) -> bool:
        # Bursts alone may be anybody's writing; those that begin when the log is emptied are not.
        by_bursts = self.with_burst > 0 and self.bursts_with_log_reset > 0
        return self.with_log_reset > 0 or by_bursts


def checkpoint_finding(
    clues: Clues, setting_s: float | None, span_ns: int, default_s: float | None = DEFAULT_S
) -> Iterator[Finding]:
    """A finding where the stalls (or bursts that hurt) recur as checkpoints do.

    `default_s` is the interval of a server whose setting is not known, None where it has none.
    """
    are_stalls = len(clues.stalls) >= 2 or not clues.bursts_hurt
    events = clues.stalls if are_stalls else clues.bursts
    evidence = evidence_of(clues, events, setting_s or default_s, span_ns, are_stalls=are_stalls)
    if not (evidence.is_suspect(are_stalls=are_stalls) or long_runs(clues.flushes)):
        return
    likely = evidence.established and are_stalls and evidence.events > 0
    period, flush = evidence.period, clues.flushes[0].text if clues.flushes else None
    yield finding(
        "checkpoint",
        numbers={
            "period_s": round(period.seconds, 2) if period else None,
            "matched": period.matched if period else 0,
            "intervals": period.intervals if period else 0,
            "chance": period.chance if period else None,
            "interval_s": setting_s,
            "events": evidence.events,
            "stack_dumps": evidence.stack_dumps,
            "flush_s": max((run.seconds or 0.0 for run in clues.flushes), default=None),
            "with_log_reset": evidence.with_log_reset,
            "with_burst": evidence.with_burst,
            "bursts_with_log_reset": evidence.bursts_with_log_reset,
        },
        evidence=[*_when(events, are_stalls), *_beside(clues, evidence)],
        severity=3 if likely else 2,
        recurs=evidence.recurs,
        seconds=period.seconds if period else None,
        odds=round(1 / max(period.chance, 1e-6)) if period else None,
        set_and_matched=bool(setting_s) and evidence.matches_interval,
        default_and_matched=not setting_s and evidence.matches_interval,
        set_alone=bool(setting_s) and not evidence.matches_interval,
        default_s=DEFAULT_S,
        emptied=evidence.with_log_reset > 0,
        burst=evidence.with_burst > 0,
        burst_emptied=evidence.with_burst > 0 and evidence.bursts_with_log_reset > 0,
        bursts=len(clues.bursts),
        flush=flush,
    )


def _recurring(view: WindowView, stalls: list[Stall]) -> Iterator[Finding]:
    """Stalls with a period that nothing says to be checkpoints, with their victims."""
    period = fit_period(np.array([stall.start_ns for stall in stalls], np.int64))
    if period is None or not period.sure:
        return
    rows = np.concatenate([stall.rows for stall in stalls])
    clients = Counter(view.operations.client[rows].tolist())
    most, of_most = clients.most_common(1)[0]
    name = text_at(view.operations.clients, most)
    yield finding(
        "recurring_stalls",
        numbers={
            "period_s": round(period.seconds, 2),
            "matched": period.matched,
            "intervals": period.intervals,
            "chance": period.chance,
            "stalls": len(stalls),
            "operations": len(rows),
            "addresses": len(clients),
        },
        evidence=[stall_evidence(view.operations, stall) for stall in stalls[:50]],
        user_ns=user_ns(view.operations, rows),
        seconds=period.seconds,
        odds=round(1 / max(period.chance, 1e-6)),
        kinds=types_of(by_type(view.operations, stalls)),
        of_clients=count_of("of {n} client", "of {n} clients", n=len(clients)),
        client=name if len(clients) > 1 else "",
        share=of_most / len(rows),
    )


def evidence_of(
    clues: Clues, events: Times, interval_s: float | None, span_ns: int, *, are_stalls: bool
) -> CheckpointEvidence:
    """Weigh everything seen against these events; `interval_s` as set, else the default if any."""
    period, matches = _period_of(events, interval_s, clues.longest_s)
    stalls = events if are_stalls else np.empty(0, np.int64)
    return CheckpointEvidence(
        events=len(events),
        period=period,
        matches_interval=matches,
        with_log_reset=together(events, clues.resets, span_ns),
        with_burst=together(stalls, clues.bursts, span_ns),
        bursts_with_log_reset=together(clues.bursts, clues.resets, span_ns),
        stack_dumps=len(clues.flushes),
    )


def _period_of(
    events: Times, interval_s: float | None, longest_s: float
) -> tuple[Period | None, bool]:
    """The period that is sure, if any, and whether it is what the interval gives."""
    configured = match_setting(events, interval_s, longest_s) if interval_s else None
    if configured and configured.sure:
        return configured, True
    fitted = fit_period(events)
    if fitted and fitted.sure:
        fits = bool(interval_s and fits_setting(fitted, interval_s, longest_s))
        return fitted, fits
    return None, False


def together(times: Times, others: Times, span_ns: int) -> int:
    """How many of `times` come with one of `others`; 0 where that may be chance."""
    count, chance = in_phase(times, others, span_ns)
    return count if count >= 2 and chance <= MAY_BE_CHANCE else 0


def write_bursts(samples: Samples) -> tuple[Times, bool]:
    """Starts of bursts of writing on the busiest device, and whether they hurt.

    A burst writes at least four times the median; it hurts when the device is saturated or its
    writes wait in it far longer than otherwise.
    """
    limit = limits("checkpoint")
    devices = [
        (float(written[1].sum()), device, written)
        for device in series.devices(samples)
        if (written := series.iostat(samples, device, "wkB/s", "kw/s"))
    ]
    if not devices:
        return np.empty(0, np.int64), False
    _, device, (times, values) = max(devices, key=lambda item: item[0])
    usual = float(np.median(values))
    burst = values >= max(limit["burst_times"] * usual, limit["burst_kb_s"])
    starts = burst & ~np.concatenate(([False], burst[:-1]))
    return times[starts], _hurt(samples, device, times[burst], limit)


def _hurt(samples: Samples, device: str, during: Times, limit: Mapping[str, float]) -> bool:
    busy = series.iostat(samples, device, "util", "%b")
    wait = series.iostat(samples, device, "w_await", "await", "asvc_t")
    if not len(during):
        return False
    if busy and _median_at(busy, during) >= limit["burst_util"]:
        return True
    if wait is None:
        return False
    quiet = _median_at(wait, during, invert=True)
    return _median_at(wait, during) >= max(limit["burst_await_ms"], 5 * quiet)


def _median_at(values: Series, times: Times, *, invert: bool = False) -> float:
    """Of the values at these times, or at all others; 0 where none was sampled then."""
    chosen = values[1][np.isin(values[0], times, invert=invert)]
    return float(np.median(chosen)) if len(chosen) else 0.0


def resets(log_bytes: Series | None) -> Times:
    """When the transaction log since the last checkpoint fell to less than half: checkpoints."""
    if log_bytes is None or len(log_bytes[1]) < 2:
        return np.empty(0, np.int64)
    times, values = log_bytes
    fell = (values[1:] < 0.5 * values[:-1]) & (values[:-1] > 0)
    falls: Times = times[1:][fell]
    return falls


def long_runs(runs: Sequence[FlushRun]) -> list[FlushRun]:
    """Runs long enough to be evidence without a stall: checkpoints of seconds are usual.

    Where dumps have no time, so many of them.
    """
    limit = limits("checkpoint")
    return [
        run
        for run in runs
        if (run.seconds is not None and run.seconds >= limit["flush_s"])
        or (run.seconds is None and len(run.times) >= limit["flush_dumps"])
    ]


def _when(events: Times, stalls: bool) -> list[Evidence]:
    what = Message("A stall begins.") if stalls else Message("A burst of writing begins.")
    return [Evidence(what, int(t), int(t)) for t in events[:50]]


def _beside(clues: Clues, evidence: CheckpointEvidence) -> list[Evidence]:
    bursts = _when(clues.bursts, False) if evidence.with_burst else []
    return [*bursts, *_sawtooth(clues), *(run.evidence() for run in clues.flushes)]


def _sawtooth(clues: Clues) -> list[Evidence]:
    if not len(clues.resets):
        return []
    text = count_of(
        "The transaction log since the last checkpoint was emptied {n} time.",
        "The transaction log since the last checkpoint was emptied {n} times.",
        n=len(clues.resets),
    )
    name = f"{series.DATABASE}:{LOG_BYTES}"
    return [Evidence(text, int(clues.resets[0]), int(clues.resets[-1]), series=name)]


_SHOWN = 20
"""Episodes given as evidence, the longest first."""


def find_stalls(view: WindowView) -> list[Finding]:
    """One finding for all stalls of the window, if they matter."""
    return list(stall_finding(view.operations, view.stalls, view.seconds, view.blockers))


def stall_finding(
    operations: Operations, stalls: list[Stall], seconds: float, blockers: Sequence[int | None] = ()
) -> Iterator[Finding]:
    """A finding where one stall is long enough, or all together are.

    `blockers` are the rows of the operations that held them up, by stall.
    """
    limit = limits("stall")
    longest = max((e.length_ns for e in stalls), default=0) / NS_PER_S
    share = stalled_seconds(stalls) / seconds
    if longest < limit["longest_s"] and (
        longest < limit["shortest_s"] or share < limit["share_of_window"]
    ):
        return
    longest_first = sorted(stalls, key=lambda stall: -stall.length_ns)
    worst = longest_first[0]
    victims = by_type(operations, stalls)
    writes = sum(victims.get(kind, 0) for kind in ("MOD", "ADD", "DEL", "MODRDN"))
    blocked = [
        (stall, row)
        for stall, row in zip(stalls, blockers, strict=bool(blockers))
        if row is not None
    ]
    blocked.sort(key=lambda pair: -pair[0].length_ns)
    without_request = int((operations.request_at[worst.rows] < 0).sum())
    numbers = {
        "episodes": len(stalls),
        "longest_ns": worst.length_ns,
        "longest_victims": len(worst.rows),
        "longest_concurrency": worst.concurrency,
        "ends_within_ns": ends_within(operations, worst),
        "stalled_share": share,
        "victims": victims,
        "mod_victims": victims.get("MOD", 0),
        "usual_known": worst.usual_known,
        "without_request": without_request,
        "blocked": len(blocked),
    }
    yield finding(
        "stall",
        numbers=numbers,
        evidence=[
            *(_blocker(operations, stall, row) for stall, row in blocked[:_SHOWN]),
            *(stall_evidence(operations, stall) for stall in longest_first[:_SHOWN]),
        ],
        user_ns=user_ns(operations, np.concatenate([e.rows for e in stalls])),
        times=once_or_more(len(stalls)),
        missing=_missing(worst, without_request),
        longest=worst.length_ns,
        at=worst.start_ns,
        count=count_of("{n} operation", "{n} operations", n=len(worst.rows)),
        within=ends_within(operations, worst),
        types=types_of(victims),
        share=share,
        writes=phrase("stall", "writes", n=writes) if writes else phrase("stall", "no_write"),
        blocker=_blocked_by(operations, blocked, len(stalls)),
        asked=asked_before(operations, worst.first_ns),
    )


def _missing(worst: Stall, without_request: int) -> Message:
    """What is missing to judge whether the longest stall is one."""
    if worst.usual_known:
        return NOTHING
    lacking = phrase("stall", "lacking", n=without_request) if without_request else NOTHING
    return sentences(phrase("stall", "too_few"), lacking)


def _blocked_by(operations: Operations, blocked: list[tuple[Stall, int]], stalls: int) -> Message:
    """Which operation held up the longest stall of those of which one is seen."""
    if not blocked:
        return NOTHING
    _, row = blocked[0]
    return phrase(
        "stall",
        "blocked_by",
        n=len(blocked),
        stalls=stalls,
        type=TYPES[operations.kind[row]],
        what=filter_at(operations, row) or base_at(operations, row),
        client=text_at(operations.clients, int(operations.client[row]))
        or Message("a client that the log does not name"),
        conn=int(operations.conn[row]),
        op=int(operations.op[row]),
        took=int(operations.etime_ns[row]),
    )


def _blocker(operations: Operations, stall: Stall, row: int) -> Evidence:
    before = max(0, stall.end_ns - stall.ends_within_ns - int(operations.end_ns[row]))
    text = phrase("stall", "blocker", n=len(stall.rows), before=before)
    return evidence_of_rows(operations, text, np.array([row], np.intp))


def types_of(victims: Mapping[str, int]) -> tuple[Message, ...]:
    """'3 MOD, 1 SRCH'."""
    return tuple(Message("{n} {type}", n=n, type=kind) for kind, n in victims.items())


def by_type(operations: Operations, stalls: list[Stall]) -> dict[str, int]:
    """Victims of all stalls by operation type, most first."""
    if not stalls:
        return {}
    kinds = operations.kind[np.concatenate([e.rows for e in stalls])]
    counts = np.bincount(kinds, minlength=len(TYPES))
    return {TYPES[k]: int(counts[k]) for k in np.argsort(-counts, kind="stable") if counts[k]}


def ends_within(operations: Operations, stall: Stall) -> int:
    """Time between the first and the last end of an stall's victims, ns."""
    ends = operations.end_ns[stall.rows]
    return int(ends.max() - ends.min())


def stall_evidence(operations: Operations, stall: Stall) -> Evidence:
    """Victims of a stall by type, when they ended, and its operations."""
    text = phrase(
        "stall",
        types=types_of(by_type(operations, [stall])),
        within=ends_within(operations, stall),
        longest=stall.length_ns,
        n=stall.concurrency,
    )
    return evidence_of_rows(operations, text, stall.rows, stall.rows[-EVIDENCE_ROWS:])
