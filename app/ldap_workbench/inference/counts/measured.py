"""Everything measured of the windows of a verdict: of all operations and of each type."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.buckets import GAMMA, above, first_above, log_quantiles
from ldap_workbench.inference.counts.ledger import (
    LEAST_THRESHOLD_S,
    CountedStall,
    stalls_of,
    threshold_s,
)
from ldap_workbench.inference.counts.metrics import (
    QUANTILE,
    SLO,
    histogram_metrics,
    ledger_metrics,
    standardised,
    waiting_metrics,
)
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S

Float = NDArray[np.float64]

_STEPS = 3
"""From so many steps of the log's clock on an etime is known well enough to be compared."""
_CLEAR = 3
"""If one arm's quantile is too short to be known, it is compared only where the other arm's is at
least so many times the limit; the ratio is then a bound."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Of all operations, or of one type.

    histograms  [window, bucket], op mix and load made equal, etimes too short for the log's clock
                counted as `coarse_s`
    values      metric -> ln of it in each window; nan where it has none
    waiting     tail metric -> ln of the seconds waited per second in operations that slow [window]
    service     metric -> ln of the seconds waited per operation [window], in operations that slow
                for a metric of the tail
    """

    histograms: Float
    stalls: list[list[CountedStall]]
    values: dict[str, Float]
    waiting: dict[str, Float]
    service: dict[str, Float]
    threshold_s: float
    n: float
    over: float
    unresolved: dict[str, Message]

    @property
    def stall_count(self) -> int:
        return sum(len(of_window) for of_window in self.stalls)


def coarse_s(resolution_ns: int, slo_s: float) -> float:
    """What shorter etimes count as in both arms, s; 0 where each counts as it is.

    The order of etimes stays, so that arms that do not differ are taken for different as rarely as
    before; quantiles that do come closer to each other. Stalls and what is slow are found in etimes
    as they are. A log of whole seconds is left alone: its limit would be above that of a stall; so
    is one where the bucket above the limit, in which they count, may be above the latency target.
    """
    limit_s = _STEPS * resolution_ns / NS_PER_S
    is_below = limit_s * GAMMA**2 <= min(LEAST_THRESHOLD_S, slo_s)
    return limit_s if resolution_ns > 1 and is_below else 0.0


def slow_part(windows: Sequence[WindowCounts], slo_s: float) -> list[WindowCounts]:
    """Only what can belong to a stall, of whatever type: small, and quick to look through."""
    first = first_above(windows[0].edges_s, min(LEAST_THRESHOLD_S, slo_s))
    return [w.from_bucket(first) for w in windows]


def measure_all(
    windows: Sequence[WindowCounts],
    slow: Sequence[WindowCounts],
    slo_s: float,
    resolution_ns: int,
) -> Measured:
    """Of all operations, the op mix of each window put to the mean mix of both arms."""
    threshold = threshold_s(windows, slo_s)
    return _measured(standardised(windows), windows, slow, (threshold, slo_s), resolution_ns)


def measure_type(
    name: str,
    windows: Sequence[WindowCounts],
    slow: Sequence[WindowCounts],
    slo_s: float,
    resolution_ns: int,
) -> Measured:
    """Of one operation type, or of the kind asked for; what is slow follows from its own p95."""
    histograms = standardised(windows, name)
    p95 = np.exp(log_quantiles(histograms.sum(0), windows[0].edges_s, (0.95,))[0])
    threshold = float(np.clip(10 * p95, min(LEAST_THRESHOLD_S, slo_s), slo_s))
    mine = [w.of(name) for w in slow]
    return _measured(histograms, windows, mine, (threshold, slo_s), resolution_ns)


def _measured(
    histograms: Float,
    windows: Sequence[WindowCounts],
    slow: Sequence[WindowCounts],
    limits: tuple[float, float],
    resolution_ns: int,
) -> Measured:
    threshold, slo_s = limits
    edges = windows[0].edges_s
    stalls = stalls_of(slow, threshold)
    raised = _at_least(histograms, edges, coarse_s(resolution_ns, slo_s))
    values = histogram_metrics(raised, edges, slo_s) | ledger_metrics(stalls, windows)
    return Measured(
        raised,
        stalls,
        values,
        waiting_metrics(histograms, windows, slo_s),
        _service_metrics(histograms, edges, slo_s),
        threshold,
        float(histograms.sum(1).min()),
        float(above(histograms, edges, slo_s).sum()),
        _unresolved(histograms, windows, slo_s, resolution_ns),
    )


def _at_least(histograms: Float, edges: Float, limit_s: float) -> Float:
    """As `WindowCounts.at_least`, of histograms [window, bucket]."""
    if not limit_s:
        return histograms
    first, raised = first_above(edges, limit_s), histograms.copy()
    raised[:, first] += raised[:, :first].sum(1)
    raised[:, :first] = 0
    return raised


def understated(
    windows: Sequence[WindowCounts], kind: str, slo_s: float, resolution_ns: int
) -> tuple[str, ...]:
    """The quantiles whose ratio is a bound, as the log cannot tell how short one arm's is."""
    limit_s = coarse_s(resolution_ns, slo_s)
    if not limit_s:
        return ()
    both = np.logical_and(*_short_and_clear(standardised(windows, kind), windows, limit_s))
    return tuple(itertools.compress(QUANTILE, both))


def _unresolved(
    histograms: Float, windows: Sequence[WindowCounts], slo_s: float, resolution_ns: int
) -> dict[str, Message]:
    if resolution_ns <= 1:
        return {}
    if limit_s := coarse_s(resolution_ns, slo_s):
        short, clear = _short_and_clear(histograms, windows, limit_s)
        near = [*(short & ~clear), False]
    else:
        limit_s = _STEPS * resolution_ns / NS_PER_S
        pooled = log_quantiles(histograms.sum(0), windows[0].edges_s, tuple(QUANTILE.values()))
        near = [*(np.exp(pooled) < limit_s), slo_s < limit_s]
    return {
        name: Message(
            "a log with finer times: this one has steps of {step:duration}, and {metric} is near "
            "that",
            step=resolution_ns,
            metric=name,
        )
        for name in itertools.compress((*QUANTILE, SLO), near)
    }


def _short_and_clear(
    histograms: Float, windows: Sequence[WindowCounts], limit_s: float
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Of each quantile, whether that of an arm is within the limit, and of one far beyond it."""
    edges, arms = windows[0].edges_s, np.array([window.arm for window in windows])
    of_arms = np.array([histograms[arms == arm].sum(0) for arm in np.unique(arms)])
    values = np.exp(log_quantiles(of_arms, edges, tuple(QUANTILE.values())))
    within_s = edges[first_above(edges, limit_s) + 1]
    short, clear = values <= within_s * (1 + 1e-9), values >= _CLEAR * limit_s
    return np.asarray(short.any(0)), np.asarray(clear.any(0))


def busy_types(windows: Sequence[WindowCounts]) -> list[str]:
    """Types that occur in every window, and the kind of operation asked for, if it does."""
    totals = np.array([w.histogram.sum(1) for w in windows])
    busy = [name for i, name in enumerate(windows[0].names) if totals[:, i].min() > 0]
    strata = windows[0].strata
    if strata is None or strata.wanted is None:
        return busy
    kind = str(strata.wanted)
    rows = windows[0].rows_of(kind)
    asked = [float(w.parts[rows].sum()) for w in windows]
    return [*busy, kind] if min(asked) > 0 else busy


def _service_metrics(histograms: Float, edges_s: Float, slo_s: float) -> dict[str, Float]:
    """ln of the seconds waited per operation [window], beside each share and percentile.

    Beside p50 and p95 it is the mean etime: of clients that all wait, it falls exactly where they
    get more done. Beside a metric of the tail it is the part of the mean in operations that take
    longer than the target, or than the percentile over all windows: clients that are served more
    slowly have a smaller share of the operations, and of the time per operation none the smaller.
    `histograms` are [window, bucket], op mix made equal. Half an operation more than there were, so
    that none has a logarithm, too.
    """
    middle = np.sqrt(edges_s[:-1] * edges_s[1:])
    p99, p999 = log_quantiles(histograms.sum(0), edges_s, (QUANTILE["p99"], QUANTILE["p99.9"]))
    limits = {"p50": 0.0, "p95": 0.0, "p99": float(np.exp(p99)), "p99.9": float(np.exp(p999))}
    operations = np.maximum(histograms.sum(1), 1.0)
    service = {}
    for name, limit in (limits | {SLO: slo_s}).items():
        if not np.isfinite(limit):
            continue
        first = first_above(edges_s, limit) if limit else 0
        waited = histograms[:, first:] @ middle[first:] + 0.5 * (limit or edges_s[0])
        service[name] = np.log(waited / operations)
    return service
