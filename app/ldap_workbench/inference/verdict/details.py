"""What a verdict rests on, for a session, a chart or a report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.buckets import above, log_quantiles
from ldap_workbench.inference.counts.ledger import clients_seen, corrected, expected_interval_s
from ldap_workbench.inference.counts.measured import Measured
from ldap_workbench.inference.counts.metrics import METRICS, QUANTILE, natural
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.pairs import LEAST_PAIRS, pairs_needed, pooled_s
from ldap_workbench.inference.significance.paired import Columns
from ldap_workbench.inference.significance.power import Tested, detectable_range, known_from_pairs
from ldap_workbench.inference.significance.rare import LONG_S, rare_events
from ldap_workbench.model.verdict import (
    Clients,
    LedgerArm,
    LedgerStall,
    MetricValues,
    RareEvents,
    Sensitivity,
    StallLedger,
    WaitingClients,
    WindowValues,
)

Float = NDArray[np.float64]

LONGEST_LISTED = 200
WANTED_RATIOS = (1.1, 1.25, 1.5, 2.0, 4.0)


def window_values(windows: Sequence[WindowCounts], measured: Measured) -> tuple[WindowValues, ...]:
    """Each window with its metrics in the units people read: what the pair dot plot shows."""
    return tuple(
        WindowValues(
            arm=window.arm,
            pair=window.pair,
            n=window.n,
            seconds=window.seconds,
            max_ns=window.max_ns,
            **_by_field({name: float(measured.values[name][i]) for name in METRICS}),
        )
        for i, window in enumerate(windows)
    )


def mean_values(
    windows: Sequence[WindowCounts], pair: int, log_values: Mapping[str, float]
) -> WindowValues:
    """Several windows of one arm as one row, with what they have on average."""
    known = [window.max_ns for window in windows if window.max_ns is not None]
    return WindowValues(
        arm=windows[0].arm,
        pair=pair,
        n=sum(window.n for window in windows),
        seconds=sum(window.seconds for window in windows),
        max_ns=max(known, default=None),
        **_by_field(log_values),
    )


def _by_field(log_values: Mapping[str, float]) -> dict[str, float | None]:
    """Metrics in their own unit, under the names of the fields of `MetricValues`."""
    return {name.replace(".", ""): _natural(name, value) for name, value in log_values.items()}


def _natural(name: str, log_value: float) -> float | None:
    return natural(name, log_value) if math.isfinite(log_value) else None


def ledger(windows: Sequence[WindowCounts], measured: Measured) -> StallLedger:
    """The stalls: per arm their number, time and longest, then the longest one by one."""
    rows = [
        LedgerStall(window.arm, window.pair, stall.start_s, stall.length_s * 1e9, stall.operations)
        for window, stalls in zip(windows, measured.stalls, strict=True)
        for stall in stalls
    ]
    longest = sorted(rows, key=lambda row: (-row.length_ns, row.pair, row.arm, row.start_s))
    return StallLedger(
        threshold_ns=measured.threshold_s * 1e9,
        arms={arm: _arm_ledger(windows, rows, arm) for arm in "AB"},
        stalls=tuple(longest[:LONGEST_LISTED]),
        listed=min(len(rows), LONGEST_LISTED),
        of=len(rows),
    )


def _arm_ledger(
    windows: Sequence[WindowCounts], rows: Sequence[LedgerStall], arm: str
) -> LedgerArm:
    hours = sum(w.seconds for w in windows if w.arm == arm) / 3600
    lengths = [row.length_ns for row in rows if row.arm == arm]
    return LedgerArm(
        hours=hours,
        count=len(lengths),
        per_hour=len(lengths) / hours,
        stalled_s_per_hour=sum(lengths) / 1e9 / hours,
        longest_ns=max(lengths, default=None),
    )


def long_stalls(
    windows: Sequence[WindowCounts], measured: Measured, hung: Sequence[str]
) -> RareEvents:
    """Stalls of 10 s and more as rare events: those in the log, or the `hung` windows of an arm.

    A window that hung may have a stall in its log as well, so the larger number of the two counts.
    """
    hours = dict.fromkeys("AB", 0.0)
    count = dict.fromkeys("AB", 0)
    for window, stalls in zip(windows, measured.stalls, strict=True):
        hours[window.arm] += window.seconds / 3600
        count[window.arm] += sum(stall.length_s >= LONG_S for stall in stalls)
    n_a, n_b = (max(count[arm], hung.count(arm)) for arm in "AB")
    return rare_events(n_a, hours["A"], n_b, hours["B"])


def clients(
    windows: Sequence[WindowCounts],
    measured: Measured,
    loops: Mapping[str, float | None],
    closed: bool,
    slo_s: float,
) -> Clients:
    """Whether clients wait; if so, the tail as logged beside the tail without that waiting."""
    if not closed:
        return Clients(dict(loops))
    a, b = (_waiting_clients(windows, measured, arm, slo_s) for arm in "AB")
    return Clients(dict(loops), closed=True, a=a, b=b)


def _waiting_clients(
    windows: Sequence[WindowCounts], measured: Measured, arm: str, slo_s: float
) -> WaitingClients:
    mine = [i for i, w in enumerate(windows) if w.arm == arm]
    stalls = [measured.stalls[i] for i in mine]
    # Distinct connections where the log knows them, else who was caught by the largest stall.
    known = max((windows[i].tally.connections for i in mine), default=0)
    count = min(known, clients_seen(stalls) * 2) if known else clients_seen(stalls)
    interval = expected_interval_s(count, [windows[i] for i in mine])
    logged = measured.histograms[mine].sum(0)
    edges = windows[0].edges_s
    return WaitingClients(
        clients=count,
        interval_ns=interval * 1e9,
        as_logged=_tail(logged, edges, slo_s),
        corrected=_tail(corrected(logged, edges, interval), edges, slo_s),
    )


def _tail(histogram: Float, edges: Float, slo_s: float) -> MetricValues:
    logs = log_quantiles(histogram, edges, tuple(QUANTILE.values()))
    total = max(float(histogram.sum()), 1e-300)
    quantiles = _by_field({n: float(x) for n, x in zip(QUANTILE, logs, strict=True)})
    return MetricValues(**quantiles, slo=float(above(histogram, edges, slo_s)) / total)


def planning(columns: Columns, hours_of_a_pair: float) -> dict[str, Sensitivity]:
    """Per metric what these windows' noise lets these pairs find, and pairs for other ratios."""
    sensitivities = {}
    for name in METRICS:
        d = columns.pairs(name)
        if len(d) < 2 or columns.lacks(name):
            continue
        s = pooled_s(d)
        needed = {f"{ratio:g}": pairs_needed(s, ratio) for ratio in WANTED_RATIOS}
        hours = {ratio: pairs * hours_of_a_pair for ratio, pairs in needed.items()}
        sensitivities[name] = Sensitivity(s, pairs=needed, hours=hours)
        if len(d) >= LEAST_PAIRS:
            reach = detectable_range(s, known_from_pairs(len(d)), Tested(len(d)))
            sensitivities[name] = replace(
                sensitivities[name], detectable=reach.high, detectable_at_best=reach.low
            )
    return sensitivities
