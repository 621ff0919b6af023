"""Offered load of the arms: compare as they are, match seconds of equal load, or refuse.

Whether load is an outcome: all clients wait, and their waiting explains all of its change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.waits import Waits
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.model.message import NOTHING, Message

Float = NDArray[np.float64]

FINE, MATCHED = 1.05, 1.33
"""Load ratios up to these are compared as they are, and second by second of equal load."""
STRATA = 12
SMOOTH_S = 60.0
LEAST_KEPT = 0.5
_LEAST_OF_A_WINDOW = 0.1


@dataclass(frozen=True)
class Load:
    """The windows to compare: as they were, or weighted; `why` where they cannot be.

    `outcome`: all clients wait for their answers, so how much they asked is what came of it.
    `waiting`: their connections look as if they all did, whatever the load says.
    """

    windows: list[WindowCounts]
    ratio: float
    common: float = 1.0
    why: Message = NOTHING
    warning: Message = NOTHING
    outcome: bool = False
    waiting: bool = False

    @property
    def matched(self) -> bool:
        return any(window.weights is not None for window in self.windows)


def match_load(windows: Sequence[WindowCounts], *, of_sessions: bool = False) -> Load:
    """Let seconds count so that both arms have the same load, where it is 5 to 33 % apart.

    `of_sessions`: a session counts once, whatever its windows; `pair` is its number.
    """
    ratio = load_ratio(windows, of_sessions=of_sessions)
    apart = max(ratio, 1 / ratio)
    if apart <= FINE:
        return Load(list(windows), ratio)
    if apart > MATCHED:
        why = Message(
            "Arm B had {ratio:ratio} the load of arm A: that is a different workload.", ratio=ratio
        )
        return Load(list(windows), ratio, 0.0, why)
    matched, common = _matched(windows, of_sessions=of_sessions)
    if common < LEAST_KEPT:
        why = Message(
            "Arm B had {ratio:ratio} the load of arm A, and only {kept:percent} of the time had a "
            "load that both arms saw.",
            ratio=ratio,
            kept=common,
        )
        return Load(list(windows), ratio, common, why)
    warning = Message(
        "Arm B had {ratio:ratio} the load of arm A; only seconds of equal load were compared, "
        "{kept:percent} of them.",
        ratio=ratio,
        kept=common,
    )
    return Load(matched, ratio, common, warning=warning)


def load_ratio(windows: Sequence[WindowCounts], *, of_sessions: bool = False) -> float:
    """Geometric mean of operations that start per second, B over A."""
    means = arm_means(windows, lambda w: float(np.log(starts_per_s(w))), of_sessions=of_sessions)
    return float(np.exp(means["B"] - means["A"]))


def arm_means(
    windows: Sequence[WindowCounts],
    value: Callable[[WindowCounts], float],
    *,
    of_sessions: bool = False,
) -> dict[str, float]:
    """Arm -> the mean of a value over its windows, or over the means of its sessions."""
    means = {}
    for arm in "AB":
        groups = _groups([w for w in windows if w.arm == arm], of_sessions=of_sessions)
        means[arm] = float(np.mean([np.mean([value(w) for w in group]) for group in groups]))
    return means


def _groups(windows: Sequence[WindowCounts], *, of_sessions: bool) -> list[list[WindowCounts]]:
    """What counts once: the windows of a session together, or each by itself."""
    if not of_sessions:
        return [[window] for window in windows]
    return [
        [w for w in windows if w.pair == number] for number in sorted({w.pair for w in windows})
    ]


def starts_per_s(window: WindowCounts) -> float:
    """Operations that start per second, never 0."""
    started = window.n if window.arrivals is None else float(window.arrivals.sum())
    return max(started, 1) / window.seconds


def starved(window: WindowCounts) -> bool:
    """Whether load matching left nearly nothing of a window."""
    return window.weights is not None and float(window.weights.mean()) < _LEAST_OF_A_WINDOW


def _matched(
    windows: Sequence[WindowCounts], *, of_sessions: bool
) -> tuple[list[WindowCounts], float]:
    """Weight = the lesser share of the arms in a stratum of load over the arm's own share."""
    loads = [_smoothed(w) for w in windows]
    edges = np.quantile(np.concatenate(loads), np.linspace(0, 1, STRATA + 1)[1:-1])
    strata = [np.searchsorted(edges, load) for load in loads]
    share = {}
    for arm in "AB":
        mine = [(s, w.pair) for s, w in zip(strata, windows, strict=True) if w.arm == arm]
        numbers = sorted({pair for _, pair in mine}) if of_sessions else [None]
        shares = []
        for number in numbers:
            seconds = np.concatenate([s for s, pair in mine if number in (None, pair)])
            shares.append(np.bincount(seconds, minlength=STRATA) / max(len(seconds), 1))
        share[arm] = np.mean(shares, axis=0)
    common = np.minimum(share["A"], share["B"])
    weighted = []
    for window, stratum in zip(windows, strata, strict=True):
        mine = share[window.arm]
        weight = np.divide(common, mine, out=np.zeros_like(common), where=mine > 0)[stratum]
        weighted.append(replace(window, weights=weight))
    return weighted, float(common.sum())


def _smoothed(window: WindowCounts) -> Float:
    """Starts per second around each bin, over 60 s."""
    started = window.per_bin if window.arrivals is None else window.arrivals
    half = max(0, round(SMOOTH_S / window.dt) // 2)
    sums = np.concatenate([[0.0], np.cumsum(started)])
    bins = np.arange(len(started))
    first, last = np.maximum(bins - half, 0), np.minimum(bins + half + 1, len(started))
    return np.asarray((sums[last] - sums[first]) / ((last - first) * window.dt))


LEAST_BUSY = 0.1
"""A client that waits for less of its time hardly asks more often the faster it is served."""
NEARLY_ALL = 0.95
"""Share of the operations of each arm that comes from clients that wait."""
LEAST_KNOWN = 0.8
"""Share of the operations that come after another one on their connection."""
_UNEXPLAINED = 0.1
"""Share of a change of the load, on the log scale, that waiting may leave open."""


@dataclass(frozen=True)
class WaitingLoad:
    """Of clients that wait, B over A: operations per second, mean etime.

    `expected` is what the etimes should make of the operations per second.
    """

    throughput: float
    etime: float
    expected: float

    @property
    def explained(self) -> bool:
        """Whether no more is left open than what counts as the same load, or a tenth of it."""
        left_open = abs(math.log(self.throughput / self.expected))
        return left_open <= max(math.log(FINE), _UNEXPLAINED * abs(math.log(self.throughput)))


def waiting_load(
    windows: Sequence[WindowCounts], *, of_sessions: bool = False
) -> WaitingLoad | None:
    """Of windows in which (nearly) all load is that of clients which wait; None of others.

    What is expected rests on each connection thinking as long between an answer and its next
    request in both arms. Open clients that share a pool of connections look as if they waited, but
    their load does not follow the etimes; nor does that of a mixture.
    """
    waits = {arm: _of(windows, arm) for arm in "AB"}
    for arm in "AB":
        waiting = waits[arm].waiting_share(LEAST_BUSY)
        if waits[arm].known < LEAST_KNOWN or waiting < NEARLY_ALL:
            return None
    etimes = arm_means(windows, _log_mean_etime, of_sessions=of_sessions)
    etime = math.exp(etimes["B"] - etimes["A"])
    forward, back = waits["A"].throughput(etime), waits["B"].throughput(1 / etime)
    return WaitingLoad(
        load_ratio(windows, of_sessions=of_sessions), etime, math.sqrt(forward / back)
    )


def _of(windows: Sequence[WindowCounts], arm: str) -> Waits:
    return reduce(Waits.plus, (w.tally.waits for w in windows if w.arm == arm), Waits())


def _log_mean_etime(window: WindowCounts) -> float:
    """ln of the mean etime of a window, s."""
    middle = np.sqrt(window.edges_s[:-1] * window.edges_s[1:])
    seconds = float(np.sum(window.count * middle[window.bucket]))
    return math.log(max(seconds, 1e-12) / max(window.n, 1))
