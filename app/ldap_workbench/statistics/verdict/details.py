"""What a verdict rests on, as plain values for a session, a chart or a report."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.statistics.counts.ledger import Episode
from ldap_workbench.statistics.counts.loop import clients_seen, corrected, expected_interval_s
from ldap_workbench.statistics.counts.measured import Measured
from ldap_workbench.statistics.counts.metrics import METRICS, QUANTILE, SLO, natural
from ldap_workbench.statistics.counts.quantiles import above, log_quantiles
from ldap_workbench.statistics.counts.windows import WindowCounts
from ldap_workbench.statistics.plan.pairs import detectable, pairs_needed, pooled_s
from ldap_workbench.statistics.tests.paired import Columns
from ldap_workbench.statistics.tests.rare import LONG_S, RareEvents, rare_events
from ldap_workbench.statistics.tests.sequential import evidence
from ldap_workbench.statistics.tests.shift import shift_of

Float = NDArray[np.float64]

LONGEST_LISTED = 200
WANTED_RATIOS = (1.1, 1.25, 1.5, 2.0, 4.0)


def window_values(windows: Sequence[WindowCounts], measured: Measured) -> list[dict[str, Any]]:
    """Each window with its metrics in the units people read: what the pair dot plot shows."""
    return [
        {
            "arm": window.arm,
            "pair": window.pair,
            "n": window.n,
            "seconds": window.seconds,
            "max_ns": window.max_ns,
        }
        | {name: _natural(name, float(measured.values[name][i])) for name in METRICS}
        for i, window in enumerate(windows)
    ]


def _natural(name: str, log_value: float) -> float | None:
    return natural(name, log_value) if math.isfinite(log_value) else None


def ledger(windows: Sequence[WindowCounts], measured: Measured) -> dict[str, Any]:
    """The stalls: per arm their number, time and longest, then the longest one by one."""
    rows = [
        _stall(window, stall)
        for window, found in zip(windows, measured.stalls, strict=True)
        for stall in found
    ]
    longest = sorted(rows, key=lambda r: (-r["length_ns"], r["pair"], r["arm"], r["start_s"]))
    return {
        "threshold_ns": measured.threshold_s * 1e9,
        "arms": {arm: _arm_ledger(windows, rows, arm) for arm in "AB"},
        "stalls": longest[:LONGEST_LISTED],
        "listed": min(len(rows), LONGEST_LISTED),
        "of": len(rows),
    }


def _stall(window: WindowCounts, stall: Episode) -> dict[str, Any]:
    return {
        "arm": window.arm,
        "pair": window.pair,
        "start_s": stall.start_s,
        "length_ns": stall.length_s * 1e9,
        "operations": stall.operations,
    }


def _arm_ledger(
    windows: Sequence[WindowCounts], rows: Sequence[Mapping[str, Any]], arm: str
) -> dict[str, Any]:
    hours = sum(w.seconds for w in windows if w.arm == arm) / 3600
    lengths = [row["length_ns"] for row in rows if row["arm"] == arm]
    return {
        "hours": hours,
        "count": len(lengths),
        "per_hour": len(lengths) / hours,
        "stalled_s_per_hour": sum(lengths) / 1e9 / hours,
        "longest_ns": max(lengths, default=None),
    }


def long_stalls(windows: Sequence[WindowCounts], measured: Measured) -> RareEvents:
    """Stalls of 10 s and more as rare events."""
    hours = dict.fromkeys("AB", 0.0)
    count = dict.fromkeys("AB", 0)
    for window, found in zip(windows, measured.stalls, strict=True):
        hours[window.arm] += window.seconds / 3600
        count[window.arm] += sum(stall.length_s >= LONG_S for stall in found)
    return rare_events(count["A"], hours["A"], count["B"], hours["B"])


def clients(
    windows: Sequence[WindowCounts],
    measured: Measured,
    loops: Mapping[str, float | None],
    closed: bool,
    slo_s: float,
) -> dict[str, Any]:
    """Whether clients wait; if so, the tail as logged beside the tail without that waiting."""
    found: dict[str, Any] = {"index": dict(loops), "closed": closed}
    if not closed:
        return found
    for arm in "AB":
        mine = [i for i, w in enumerate(windows) if w.arm == arm]
        stalls = [measured.stalls[i] for i in mine]
        # Distinct connections where the log knows them, else who was caught by the largest stall.
        known = max((windows[i].tally.connections for i in mine), default=0)
        count = min(known, clients_seen(stalls) * 2) if known else clients_seen(stalls)
        interval = expected_interval_s(count, [windows[i] for i in mine])
        logged = measured.histograms[mine].sum(0)
        edges = windows[0].edges_s
        found[arm] = {
            "clients": count,
            "interval_ns": interval * 1e9,
            "as_logged": _tail(logged, edges, slo_s),
            "corrected": _tail(corrected(logged, edges, interval), edges, slo_s),
        }
    return found


def _tail(histogram: Float, edges: Float, slo_s: float) -> dict[str, float | None]:
    logs = log_quantiles(histogram, edges, tuple(QUANTILE.values()))
    total = max(float(histogram.sum()), 1e-300)
    shares = {SLO: float(above(histogram, edges, slo_s)) / total}
    return {name: _natural(name, float(x)) for name, x in zip(QUANTILE, logs, strict=True)} | shares


def planning(columns: Columns, hours_of_a_pair: float) -> dict[str, Any]:
    """Per metric what these windows' noise lets these pairs find, and pairs for other ratios."""
    found: dict[str, Any] = {}
    for name in METRICS:
        d = columns.pairs(name)
        if len(d) < 2 or columns.lacks(name):
            continue
        s = pooled_s(d)
        needed = {f"{ratio:g}": pairs_needed(s, ratio) for ratio in WANTED_RATIOS}
        found[name] = {
            "s": s,
            "detectable": detectable(s, len(d)),
            "pairs": needed,
            "hours": {ratio: pairs * hours_of_a_pair for ratio, pairs in needed.items()},
        }
    return found


def shift(windows: Sequence[WindowCounts], measured: Measured) -> dict[str, Any]:
    """The shift plot; values beyond what is known are left out."""
    found = shift_of(windows, measured.histograms)
    known = found.known & np.isfinite(found.high)
    columns = {n: v[known] for n, v in vars(found).items() if n != "known"}
    return {name: [float(x) for x in values] for name, values in columns.items()} | {
        "cut_at": float(found.p[known][-1]) if known.any() else None
    }


def anytime(d: Float) -> dict[str, Any]:
    """The e-process of the primary metric, which may be looked at after every pair."""
    return asdict(evidence([float(x) for x in d]))
