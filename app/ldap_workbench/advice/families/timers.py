"""Latencies that are constants: peaks of etimes and periods of stalls that have a name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.account.account import group_keys
from ldap_workbench.advice.evidence.period import fit_period
from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.evidence.timers import (
    Peak,
    Timer,
    band_of,
    is_sure,
    load_timers,
    more_constants,
    peak,
)
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.advice.families.constants import constants_of
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import ABSENT, CHANGES, TYPES
from ldap_workbench.servers.product import fits_product

_WRITES = tuple(map(TYPES.index, CHANGES))
_STEPS = (1, 2, 3)


@dataclass(frozen=True, eq=False)
class _TimerWaits:
    """A timer with the rows of Operations that wait for it; `times` as many as one would expect."""

    timer: Timer
    rows: NDArray[np.intp]
    times: float
    period: bool = False


def find(view: WindowView) -> list[Finding]:
    """One finding for all timers, the one with the most time in front, and one for the unknown."""
    peaks = [*_peaks(view)]
    waits = [*peaks, *_periods(view)]
    unknown = constants_of(view, _places(peaks), _timers(view))
    return [*_known(view, waits), *unknown]


def _places(peaks: list[_TimerWaits]) -> list[int]:
    """Where the peaks of the timers lie, ns."""
    return [
        step * seen.timer.at_ns for seen in peaks for step in (_STEPS if seen.timer.steps else (1,))
    ]


def _known(view: WindowView, waits: list[_TimerWaits]) -> list[Finding]:
    if not waits:
        return []
    waits.sort(key=lambda seen: -len(seen.rows) * seen.timer.at_ms)
    worst = waits[0]
    every = np.unique(np.concatenate([seen.rows for seen in waits]))
    return [
        finding(
            "timer",
            numbers={
                "timers": [
                    {"timer": s.timer.id, "at_ns": s.timer.at_ns, "operations": len(s.rows)}
                    for s in waits
                ]
            },
            evidence=[_evidence(view, seen) for seen in waits],
            user_ns=int(view.operations.etime_ns[every].sum()),
            what=_what(worst),
            meaning=Message(worst.timer.meaning),
            more=more_constants(len(waits) - 1),
        )
    ]


def _what(seen: _TimerWaits) -> Message:
    count = count_of("{n} operation", "{n} operations", n=len(seen.rows))
    which = "period" if seen.period else "peak"
    return phrase("timer", which, count=count, at=seen.timer.at_ns, times=seen.times)


def _evidence(view: WindowView, seen: _TimerWaits) -> Evidence:
    timer = seen.timer
    meaning = Message(timer.meaning)
    text = phrase("timer", at=timer.at_ns, meaning=meaning, source=timer.source)
    return evidence_of_rows(view.operations, text, seen.rows)


def _timers(view: WindowView) -> list[Timer]:
    """Those that this server, or the network before it, may have."""
    systems = set(view.server.systems)
    return [
        timer
        for timer in load_timers()
        if fits_product(timer.products, view.product)
        and (not timer.systems or systems == set(timer.systems))
    ]


# --- peaks ----------------------------------------------------------------------------------------


def _peaks(view: WindowView) -> Iterator[_TimerWaits]:
    timers = [timer for timer in _timers(view) if timer.of not in ("stalls", "pause")]
    fine = [timer for timer in timers if view.resolution_ns <= timer.at_ns // 50]
    least_ns = band_of("timer").below * min((timer.at_ns for timer in fine), default=0)
    latencies = {of: _Latencies(view, of, least_ns) for of in {timer.of for timer in fine}}
    for timer in fine:
        tests = len(timers) * (len(_STEPS) if timer.steps else 1)
        sure = [
            candidate
            for step in (_STEPS if timer.steps else (1,))
            if (candidate := latencies[timer.of].peak_at(step * timer.at_ns, tests))
        ]
        # One that is waited for several times over: two of its multiples at least are peaks.
        if len(sure) > (1 if timer.steps else 0):
            inside = np.logical_or.reduce([candidate.inside for candidate in sure])
            rows = latencies[timer.of].rows[inside]
            yield _TimerWaits(timer, rows, min(candidate.times for candidate in sure))


class _Latencies:
    """Latencies in which a timer is looked for, ns; those below `least_ns` are counted alone."""

    def __init__(self, view: WindowView, of: str, least_ns: float) -> None:
        operations, rows = view.operations, view.asked.rows
        if of == "writes":
            rows = rows[np.isin(operations.kind[rows], _WRITES)]
        elif of == "connect":
            rows = rows[operations.opened_ns[rows] != ABSENT]
        self._count = np.bincount(group_keys(operations, "kind", rows))
        if of == "connect":
            values = operations.end_ns[rows] - operations.opened_ns[rows]
        else:
            values = operations.etime_ns[rows]
        long = values >= least_ns
        self.rows, self._values = rows[long], values[long]
        self._kinds = group_keys(operations, "kind", self.rows)
        self._ends = operations.end_ns[self.rows]

    def peak_at(self, at_ns: int, tests: int) -> Peak | None:
        """The peak of those that are usually quicker, if it is one by the limits.

        What always takes so long has another reason.
        """
        band = band_of("timer")
        candidate = peak(self._values, at_ns, band)
        if candidate.count:
            inside = np.bincount(self._kinds[candidate.inside], minlength=len(self._count))
            usual = inside > limits("timer")["usual"] * self._count
            candidate = peak(np.where(usual[self._kinds], -1, self._values), at_ns, band)
        sure = is_sure("timer", candidate, self._ends[candidate.inside], at_ns, tests)
        return candidate if sure else None


# --- periods --------------------------------------------------------------------------------------


def _periods(view: WindowView) -> Iterator[_TimerWaits]:
    """Stalls that come back at a known constant."""
    timers = [timer for timer in _timers(view) if timer.of == "stalls"]
    stalls = [stall for stall in view.stalls if stall.length_ns >= 100_000_000]
    period = fit_period(np.array([stall.start_ns for stall in stalls], np.int64))
    if period is None or not period.sure:
        return
    for timer in timers:
        if abs(period.seconds * 1000 - timer.at_ms) <= limits("timer")["off"] * timer.at_ms:
            rows = np.concatenate([stall.rows for stall in stalls])
            yield _TimerWaits(timer, rows, float(period.matched), period=True)
