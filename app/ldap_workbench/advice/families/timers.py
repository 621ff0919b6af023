"""Latencies that are constants: those that have a name, and those that no table knows.

Load spreads times; a timeout, a sleep or a timer does not. A peak is a constant here only where it
is narrow and belongs to somebody: to a type, a client, a bind DN, a result or a filter out of
proportion. With etimes shuffled among operations it belongs to nobody, and nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.account.account import group_keys
from ldap_workbench.advice.evidence.clients import ABANDON, BIND, SRCH
from ldap_workbench.advice.evidence.period import (
    Peak,
    Timer,
    band_of,
    chance_of,
    fit_period,
    is_sure,
    load_timers,
    more_constants,
    peak,
)
from ldap_workbench.advice.evidence.rows import evidence_of_rows, stable_order
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import (
    ABSENT,
    CHANGES,
    NOTES,
    SASL_GOES_ON,
    TYPES,
    Int64,
    Operations,
    text_at,
)
from ldap_workbench.model.units import NS_PER_S
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
    places = [
        step * seen.timer.at_ns for seen in peaks for step in (_STEPS if seen.timer.steps else (1,))
    ]
    unknown = constants_of(view, places, _timers(view))
    return [*_known(view, waits), *unknown]


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


Rows = NDArray[np.intp]

_WORDS = {
    "kind": Message("{names:list}"),
    "fingerprint": Message("filter {names:list}"),
    "client": Message("client {names:list}"),
    "bind_dn": Message("bound as {names:list}"),
    "err": Message("result {names:list}"),
}
"""What a constant may belong to, and how that is said."""
_FEW = 3
"""So many values of a key at most are named."""
_STEP = 0.01
"""Width of a bin in which a peak is looked for, on a logarithmic scale."""
_CANDIDATES = 8
_NEAR_KNOWN = 0.15
"""Etimes this near a constant that the table names are none of another."""
_TIME_LIMIT = 3
"""The result of a search that took as long as it may: a finding of errors says so."""
_SCANNED = sum(1 << NOTES.index(letter) for letter in "UA")
_MOST = 2_000_000
"""Operations of which the gaps are looked at: of a longer log, those of some connections."""


@dataclass(frozen=True, eq=False)
class _Constant:
    """A narrow peak: the rows of it, their values in ns, and the few values of keys it is of."""

    rows: Rows
    at_ns: int
    times: float
    whose: dict[str, list[int]]
    is_gap: bool
    is_sasl: bool = False
    """Whether the gap is between two steps of a SASL bind."""


def constants_of(
    view: WindowView, known_ns: Sequence[int], timers: Sequence[Timer]
) -> list[Finding]:
    """One finding for all constants beside those known, the one with the most time in front.

    `timers` are those the server may have: where always the same requests take the time of one, no
    peak stands out of their kind, and it may be the cause all the same.
    """
    constants = [*_of_etimes(view, known_ns), *_of_gaps(view)]
    constants.sort(key=lambda constant: -len(constant.rows) * constant.at_ns)
    return [_finding(view, constants, timers)] if constants else []


def _finding(view: WindowView, constants: list[_Constant], timers: Sequence[Timer]) -> Finding:
    worst, operations = constants[0], view.operations
    taken = [constant.rows for constant in constants if not constant.is_gap]
    every = np.unique(np.concatenate(taken)) if taken else np.empty(0, np.intp)
    return finding(
        "constant_time",
        numbers={
            "constants": [
                {"at_ns": c.at_ns, "operations": len(c.rows), "between_operations": c.is_gap}
                for c in constants
            ]
        },
        evidence=[_constants_evidence(view, constant) for constant in constants],
        user_ns=int(operations.etime_ns[every].sum()) if len(every) else None,
        what=_constants_what(worst),
        whose=_whose(operations, worst),
        look=_look(worst, timers),
        more=more_constants(len(constants) - 1),
    )


def _look(constant: _Constant, timers: Sequence[Timer]) -> Message:
    if constant.is_gap and not constant.is_sasl:
        return phrase("constant_time", "look_at_client")
    of = "pause" if constant.is_sasl else "etime"
    for timer in timers:
        if timer.of == of and 0.985 <= constant.at_ns / timer.at_ns <= 1.05:
            return phrase("constant_time", "look_at_known", meaning=Message(timer.meaning))
    return phrase("constant_time", "look_between" if constant.is_sasl else "look_behind")


def _constants_what(constant: _Constant) -> Message:
    count = count_of("{n} operation", "{n} operations", n=len(constant.rows))
    which = "gap" if constant.is_gap else "etime"
    if constant.is_sasl:
        which = "step"
    return phrase("constant_time", which, count=count, at=constant.at_ns)


def _whose(operations: Operations, constant: _Constant) -> Message:
    """'only CMP of 192.0.2.7'."""
    parts = [
        Message(text.template, names=names)
        for key, text in _WORDS.items()
        if (names := _names(operations, key, constant.whose.get(key, [])))
    ]
    return Message("{parts:list}", parts=tuple(parts))


def _names(operations: Operations, key: str, values: list[int]) -> tuple[str, ...]:
    if key == "err":
        return tuple(str(value) for value in values)
    texts = TYPES if key == "kind" else getattr(operations, f"{key}s")
    return tuple(filter(None, (text_at(texts, value) for value in values)))


def _constants_evidence(view: WindowView, constant: _Constant) -> Evidence:
    whose = _whose(view.operations, constant)
    text = phrase("constant_time", what=_constants_what(constant), whose=whose)
    if constant.is_gap:
        # Not as operations: what the client paused is no time of theirs.
        starts = view.operations.end_ns[constant.rows] - view.operations.etime_ns[constant.rows]
        return Evidence(text, int(starts.min()) - constant.at_ns, int(starts.max()))
    return evidence_of_rows(view.operations, text, constant.rows)


# --- where a constant may be ----------------------------------------------------------------------


def _of_etimes(view: WindowView, known_ns: Sequence[int]) -> Iterator[_Constant]:
    operations, rows = view.operations, view.asked.rows
    least_ns = limits("constant_time")["etime_s"] * NS_PER_S
    rows = rows[operations.etime_ns[rows] >= least_ns]
    waits = (operations.err[rows] != _TIME_LIMIT) & (operations.kind[rows] != ABANDON)
    rows = rows[waits & ((operations.notes[rows] & _SCANNED) == 0)]
    if view.stalls:
        rows = rows[~np.isin(rows, np.concatenate([stall.rows for stall in view.stalls]))]
    # Hashing a password takes as long every time.
    long = operations.etime_ns[rows] >= limits("constant_time")["bind_s"] * NS_PER_S
    rows = rows[(operations.kind[rows] != BIND) | long]
    for at_ns in known_ns:
        rows = rows[np.abs(operations.etime_ns[rows] / at_ns - 1.0) > _NEAR_KNOWN]
    values = operations.etime_ns[rows]
    yield from _constants(view, rows, values, view.asked.rows, is_gap=False)


def _of_gaps(view: WindowView) -> Iterator[_Constant]:
    """Pauses between the steps of one piece of work, on many connections: polling is none."""
    operations, rows = view.operations, view.asked.rows
    conns = (operations.boot[rows].astype(np.int64) << 42) + operations.conn[rows]
    parts = len(rows) // _MOST + 1
    if parts > 1:
        rows, conns = rows[conns % parts == 0], conns[conns % parts == 0]
    order = stable_order(conns)
    rows, conns = rows[order], conns[order]
    gaps = operations.start_ns[rows[1:]] - operations.end_ns[rows[:-1]]
    limit = limits("constant_time")
    joined, kind = conns[1:] == conns[:-1], operations.kind[rows]
    steps = joined & (operations.err[rows[:-1]] == SASL_GOES_ON)
    steps &= (kind[:-1] == BIND) & (kind[1:] == BIND)
    late = steps & (gaps >= limit["step_s"] * NS_PER_S)
    yield from _constants(view, rows[1:][late], gaps[late], rows, is_gap=True, is_sasl=True)
    pauses = joined & ~steps & (gaps >= limit["gap_s"] * NS_PER_S)
    conns, pauses_of = conns[1:][pauses], rows[1:][pauses]
    _, place, count = np.unique(conns, return_inverse=True, return_counts=True)
    few = count[place] <= limit["on_one"]
    yield from _constants(view, pauses_of[few], gaps[pauses][few], rows, is_gap=True)


def _constants(
    view: WindowView,
    rows: Rows,
    values: Int64,
    every: Rows,
    *,
    is_gap: bool,
    is_sasl: bool = False,
) -> Iterator[_Constant]:
    """Narrow peaks of the values, each with those it belongs to; `every` is what they are among."""
    limit = limits("constant_time")
    if len(rows) < limit["operations"] or view.resolution_ns > limit["etime_s"] * NS_PER_S / 50:
        return
    bins = np.floor(np.log(values) / _STEP).astype(np.int64)
    numbers, counts = np.unique(bins, return_counts=True)
    taken = np.zeros(len(rows), bool)
    for at in np.argsort(-counts, kind="stable")[:_CANDIDATES]:
        near = ~taken & (np.abs(bins - numbers[at]) <= 1)
        if near.sum() < limit["operations"]:
            continue
        at_ns = int(np.median(values[near]))
        candidate = peak(values, at_ns, band_of("constant_time"))
        inside = candidate.inside & ~taken
        if not is_gap:
            inside[inside] = ~_always_so(view.operations, rows[inside], every, at_ns)
        ends = view.operations.end_ns[rows[inside]]
        if not is_sure("constant_time", candidate, ends, at_ns, len(numbers)):
            continue
        whose = _belongs_to(view.operations, rows[inside], every, is_theirs=is_sasl)
        if whose:
            taken |= inside
            yield _Constant(rows[inside], at_ns, candidate.times, whose, is_gap, is_sasl)


def _always_so(operations: Operations, rows: Rows, every: Rows, at_ns: int) -> NDArray[np.bool_]:
    """Searches whose filter mostly takes about as long: it may read the same entries each time."""
    always: NDArray[np.bool_] = operations.kind[rows] == SRCH
    if not always.any():
        return always
    asked = every[operations.kind[every] == SRCH]
    of_filter = np.bincount(operations.fingerprint[asked] + 1)
    long = asked[2 * operations.etime_ns[asked] >= at_ns]
    of_long = np.bincount(operations.fingerprint[long] + 1, minlength=len(of_filter))
    always[always] = (2 * of_long > of_filter)[operations.fingerprint[rows[always]] + 1]
    return always


def _belongs_to(
    operations: Operations, rows: Rows, every: Rows, *, is_theirs: bool
) -> dict[str, list[int]]:
    """By key, the few values that nearly all rows have; {} where none is theirs more than others'.

    Among the same operations shuffled, rows would have a value as often as all have it. What
    `is_theirs` by its nature, as a pause within a bind, need not stand out of the rest.
    """
    limit = limits("constant_time")
    whose: dict[str, list[int]] = {}
    for key in _WORDS:
        column = getattr(operations, key)
        values, counts = np.unique(column[rows], return_counts=True)
        most = np.argsort(-counts, kind="stable")[:_FEW]
        places = np.searchsorted(np.cumsum(counts[most]), limit["nearly"] * len(rows)) + 1
        chosen = values[most[:places]]
        inside = int(counts[most[:places]].sum())
        if inside < limit["nearly"] * len(rows):
            continue
        usual = float(np.isin(column[every], chosen).mean())
        if key != "kind" and usual > 1 / limit["lift"]:
            continue
        whose[key] = [int(value) for value in chosen]
        expected = usual * len(rows)
        is_theirs |= (
            inside >= limit["lift"] * expected and chance_of(inside, expected) <= limit["chance"]
        )
    return whose if is_theirs else {}
