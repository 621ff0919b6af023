"""The shift plot: B against A at every quantile, as far as the tail is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.buckets import log_quantiles
from ldap_workbench.inference.counts.distributions import t_limit
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.model.verdict import Shift

Float = NDArray[np.float64]

LEAST_EFFECTIVE = 5.0
_BIN_S = 60.0
_POINTS = 60
_LAST_NINES = 5.0


def shift_of(windows: Sequence[WindowCounts], histograms: Float, *, points: int = _POINTS) -> Shift:
    """From standardised histograms [window, bucket].

    The band leaves out one window of each arm after the other (a pair, where they come in pairs).

    Cut where Kish's n_eff of either arm is below 5.
    """
    edges = windows[0].edges_s
    p = 1 - 10 ** -np.linspace(0.05, _LAST_NINES, points)
    arms = np.array([w.arm for w in windows])
    a, b = histograms[arms == "A"], histograms[arms == "B"]
    log_a, log_b = (log_quantiles(h.sum(0), edges, p.tolist()) for h in (a, b))
    reach = _reach(a, b, edges, p)
    n_eff = _effective(windows, arms, edges, (log_a + log_b) / 2)
    known = np.isfinite(log_a) & np.isfinite(log_b) & (n_eff >= LEAST_EFFECTIVE)
    known &= ~np.isnan(reach)  # a window left out may take a quantile with it
    columns = {
        "p": p,
        "a_ns": np.exp(log_a) * 1e9,
        "b_ns": np.exp(log_b) * 1e9,
        "ratio": np.exp(log_b - log_a),
        "low": np.exp(np.maximum(log_b - log_a - reach, -50)),
        "high": np.exp(np.minimum(log_b - log_a + reach, 50)),
        "n_eff": n_eff,
    }
    cut_at = float(p[known][-1]) if known.any() else None
    shown = {name: tuple(values[known].tolist()) for name, values in columns.items()}
    return Shift(**shown, cut_at=cut_at)


def _reach(a: Float, b: Float, edges: Float, p: Float) -> Float:
    if len(a) != len(b) or len(a) < 2:
        return np.full(len(p), np.inf)
    k = len(a)
    without = [log_quantiles(np.maximum(h.sum(0) - h, 0), edges, p.tolist()) for h in (a, b)]
    left_out = without[1] - without[0]
    variance = (k - 1) / k * ((left_out - left_out.mean(0)) ** 2).sum(0)
    return np.asarray(t_limit(0.05, k - 1) * np.sqrt(variance))


def _effective(
    windows: Sequence[WindowCounts], arms: NDArray[np.str_], edges: Float, logs: Float
) -> Float:
    """Kish's n_eff of what lies beyond each quantile, over 60 s bins; the smaller arm's."""
    first = np.clip(np.searchsorted(np.log(edges), logs), 0, len(edges) - 1)
    by_arm = []
    for arm in "AB":
        mine = [w for w, of in zip(windows, arms, strict=True) if of == arm]
        beyond = np.concatenate([_beyond(w)[:, first] for w in mine])
        squares = (beyond**2).sum(0)
        n_eff = np.divide(beyond.sum(0) ** 2, squares, out=np.zeros(len(first)), where=squares > 0)
        by_arm.append(n_eff)
    return np.asarray(np.minimum(by_arm[0], by_arm[1]))


def _beyond(window: WindowCounts) -> Float:
    """Operations in a bucket or above it, [60 s bin, bucket]."""
    width = max(1, round(min(_BIN_S, window.seconds / 10) / window.dt))
    coarse, buckets = -(-window.bins // width), len(window.edges_s) - 1
    flat = (window.bin // width).astype(np.int64) * buckets + window.bucket
    counts = np.bincount(flat, window.count, coarse * buckets).reshape(coarse, buckets)
    above = np.cumsum(counts[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(np.concatenate([above, np.zeros((coarse, 1))], axis=1), np.float64)
