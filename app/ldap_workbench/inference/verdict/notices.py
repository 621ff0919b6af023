"""What a reader of a verdict should know besides: what weakens it or makes it hard to read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.buckets import log_quantiles
from ldap_workbench.inference.counts.measured import Measured
from ldap_workbench.inference.counts.metrics import QUANTILE
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.significance.rare import LONG_S
from ldap_workbench.inference.verdict.details import long_stalls
from ldap_workbench.inference.verdict.wording import length_of
from ldap_workbench.model.message import NOTHING, Message, sentences

Float = NDArray[np.float64]

STALLS_A_WINDOW = 5
"""A window should hold so many stalls, or its tail is a matter of luck."""
_RULE_OF_THREE = 3.0
_ROUNDED, _WHOLE = "{rate:.2g}", 10
"""A rate as it is shown; from this on as a whole number."""
_ORDER_TOLD_FROM = 6
_WIDTH, _REACH, _THIN = 0.2, 2.3, 0.1
"""Widths in ln etime: of the spot around a quantile, of the way to its neighbours; how thin."""


def notices(
    windows: Sequence[WindowCounts], measured: Measured, *, one_shot: bool, hung: Sequence[str] = ()
) -> tuple[Message, ...]:
    """Sentences, none where there is nothing to say. `hung`: arms of windows, see `Question`."""
    events = long_stalls(windows, measured, hung)
    lines = [
        unseen(windows, measured, hung),
        _few_stalls(windows, measured),
        _between_modes(windows, measured),
        events.sentence if events.n_a + events.n_b else NOTHING,
    ]
    if not one_shot:
        lines.append(_same_order(windows))
    return tuple(message for message in lines if message)


def unseen(
    windows: Sequence[WindowCounts], measured: Measured, hung: Sequence[str] = ()
) -> Message:
    """How long each arm was watched, and how often what was not seen in B may come all the same.

    Without an event in h hours up to 3.0 / h an hour are likely enough (95 %, Poisson).
    """
    observed = {arm: sum(w.seconds for w in windows if w.arm == arm) for arm in "AB"}
    of_b = [h for w, h in zip(windows, measured.histograms, strict=True) if w.arm == "B"]
    long = np.asarray(windows[0].edges_s[:-1]) >= LONG_S
    watched = Message(
        "Observed: {a} of A, {b} of B.",
        a=length_of(observed["A"]),
        b=length_of(observed["B"]),
    )
    possible = _RULE_OF_THREE * 3600 / observed["B"]
    if "B" in hung or np.sum(of_b, axis=0)[long].any():
        return watched
    return sentences(
        watched,
        Message(
            "No operation of B took {limit:g} s or longer; up to {rate} such stalls an hour "
            "remain possible.",
            limit=LONG_S,
            rate=round(possible) if possible >= _WHOLE else Message(_ROUNDED, rate=possible),
        ),
    )


def _few_stalls(windows: Sequence[WindowCounts], measured: Measured) -> Message:
    for arm in "AB":
        counts = [len(s) for w, s in zip(windows, measured.stalls, strict=True) if w.arm == arm]
        mean = float(np.mean(counts))
        if 0 < mean < STALLS_A_WINDOW:
            return Message(
                "Too few stalls to learn much about the tail: {mean:.2g} in a window of arm {arm} "
                "on average. Use longer windows, with {least} stalls or more.",
                arm=arm,
                mean=mean,
                least=STALLS_A_WINDOW,
            )
    return NOTHING


def _between_modes(windows: Sequence[WindowCounts], measured: Measured) -> Message:
    """A quantile in the gap between the usual and the stalled jumps from one to the other."""
    edges = np.log(windows[0].edges_s)
    middle = (edges[1:] + edges[:-1]) / 2
    pooled = measured.histograms.sum(0)
    logs = log_quantiles(pooled, windows[0].edges_s, tuple(QUANTILE.values()))
    names = [
        name
        for name, at in zip(QUANTILE, logs, strict=True)
        if np.isfinite(at) and _is_thin(pooled, middle, float(at))
    ]
    if not names:
        return NOTHING
    if len(names) == 1:
        return Message(
            "{metric} lies between the usual and the stalled operations: a small change in how "
            "many operations stall moves it a lot.",
            metric=names[0],
        )
    return Message(
        "{metrics:and} lie between the usual and the stalled operations: a small change in how "
        "many operations stall moves them a lot.",
        metrics=tuple(names),
    )


def _is_thin(histogram: Float, middle: Float, at: float) -> bool:
    def count_near(centre: float) -> float:
        return float(histogram[np.abs(middle - centre) <= _WIDTH / 2].sum())

    steps = np.arange(_WIDTH, _REACH, _WIDTH)
    below, above = (max(count_near(at + sign * step) for step in steps) for sign in (-1, 1))
    return count_near(at) < _THIN * min(below, above)


def _same_order(windows: Sequence[WindowCounts]) -> Message:
    """Windows come as A, B, A, B ..."""
    starts = [w.start_s for w in windows]
    if len(windows) < 2 * _ORDER_TOLD_FROM or any(s is None for s in starts):
        return NOTHING
    a_first = {(a or 0.0) < (b or 0.0) for a, b in zip(starts[::2], starts[1::2], strict=True)}
    if len(a_first) > 1:
        return NOTHING
    return Message("All pairs ran in the same order, so a steady trend would look like an effect.")
