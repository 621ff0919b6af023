"""What the load of two arms means for a verdict: the same, an outcome, chance or too different."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.load import (
    MATCHED,
    Load,
    load_ratio,
    match_load,
    starts_per_s,
    starved,
)
from ldap_workbench.inference.design.outcome import WaitingLoad, waiting_load
from ldap_workbench.inference.design.pairs import LEAST_PAIRS
from ldap_workbench.inference.significance.signflip import flips, p_value
from ldap_workbench.inference.verdict.question import AUTO, CLOSED
from ldap_workbench.model.message import NOTHING, Message

CHANCE = 0.05
"""From which p on, by sign flips of the pairs, a difference of the load may be chance."""


def load_of(windows: Sequence[WindowCounts], loop: str, *, paired: bool) -> Load:
    """Whether and how the arms can be compared; `paired` windows come as A, B, A, B ...

    Where the load is apart because all clients wait, it is an outcome. Where it is apart too far to
    be matched, but not in one direction, it is noise: the random order puts it into either arm.
    """
    if loop == CLOSED:
        return Load(list(windows), load_ratio(windows), outcome=True, waiting=True)
    load, seen = match_load(windows), waiting_load(windows) if loop == AUTO else None
    load = replace(load, waiting=seen is not None)
    if not load.why and not load.warning:
        return load
    if seen is not None and seen.explained:
        return replace(
            load,
            windows=list(windows),
            common=1.0,
            why=NOTHING,
            outcome=True,
            warning=_outcome(seen),
        )
    too_little = paired and (load.why or _pairs_left(load.windows) < LEAST_PAIRS)
    if too_little and (p := _chance(windows, load.ratio)) is not None:
        by_chance = _by_chance(load.ratio, p)
        return replace(load, windows=list(windows), common=1.0, why=NOTHING, warning=by_chance)
    return load


def _pairs_left(windows: Sequence[WindowCounts]) -> int:
    """Pairs of which load matching leaves enough in both windows."""
    return len({w.pair for w in windows} - {w.pair for w in windows if starved(w)})


def _outcome(seen: WaitingLoad) -> Message:
    return Message(
        "All clients wait for their answers, so the load is an outcome (loop=closed, chosen "
        "automatically): arm B had {throughput:ratio} the throughput of arm A and {etime:ratio} "
        "its mean etime, which agree.",
        throughput=seen.throughput,
        etime=seen.etime,
    )


def _chance(windows: Sequence[WindowCounts], ratio: float) -> float | None:
    """p of the difference of the load by the random order; None where it is more than chance."""
    logs = np.log([starts_per_s(window) for window in windows])
    d = logs[1::2] - logs[::2]
    if len(d) < LEAST_PAIRS or max(ratio, 1 / ratio) > MATCHED:
        return None
    p = p_value(d, flips(len(d), 0))
    return p if p > CHANCE else None


def _by_chance(ratio: float, p: float) -> Message:
    return Message(
        "Arm B had {ratio:ratio} the load of arm A. Load varies from window to window, so this may "
        "be chance (p = {p:.2g}): the windows were compared as they are.",
        ratio=ratio,
        p=p,
    )
