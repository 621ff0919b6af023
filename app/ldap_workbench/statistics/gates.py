"""What must hold before two arms may be compared at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.statistics.counts import WindowCounts

Float = NDArray[np.float64]

MIX_LIMIT = 0.20
ABSENT_SHARE = 0.01
LOAD_FINE, LOAD_MATCHED = 1.05, 1.33
ERROR_LIMIT = 0.01
CLOSED_LOOP = 0.5
STRATA = 12
SMOOTH_S = 60.0


@dataclass(frozen=True)
class Gated:
    """The windows to compare, whether they may be, and what was noticed."""

    windows: list[WindowCounts]
    comparable: bool
    why: str = ""
    warnings: tuple[str, ...] = ()


def gate(windows: Sequence[WindowCounts], loop: str) -> Gated:
    """Op mix, errors and offered load of the arms; load between 5 and 33 % apart is matched.

    With loop = 'closed' throughput is an outcome, not an input, and is not gated.
    """
    arms = {arm: [w for w in windows if w.arm == arm] for arm in "AB"}
    for check in (_mix, _errors):
        if why := check(arms):
            return Gated(list(windows), False, why)
    return Gated(list(windows), True) if loop == "closed" else _load(list(windows), arms)


def loop_index(
    windows: Sequence[WindowCounts], stalled: Sequence[NDArray[np.bool_]]
) -> float | None:
    """Completions per second inside stalls over those outside; None without stalls.

    Clients that wait for their answer send nothing during a stall.
    """
    rates = [w.counts.sum((0, 2)) for w in windows]
    inside = np.concatenate([r[s] for r, s in zip(rates, stalled, strict=True)])
    outside = np.concatenate([r[~s] for r, s in zip(rates, stalled, strict=True)])
    if not len(inside) or not len(outside) or outside.mean() == 0:
        return None
    return float(inside.mean() / outside.mean())


def _shares(windows: Sequence[WindowCounts]) -> Float:
    totals = np.sum([w.counts.sum((1, 2)) for w in windows], axis=0)
    return np.asarray(totals / max(totals.sum(), 1))


def _mix(arms: dict[str, list[WindowCounts]]) -> str:
    a, b = _shares(arms["A"]), _shares(arms["B"])
    names = arms["A"][0].types
    gone = [
        name
        for name, x, y in zip(names, a, b, strict=True)
        if min(x, y) == 0 and max(x, y) > ABSENT_SHARE
    ]
    if gone:
        return f"{', '.join(gone)} operations occur in one arm only."
    distance = float(np.abs(a - b).sum() / 2)
    if distance > MIX_LIMIT:
        return f"The mix of operations differs by {distance:.0%} between the arms."
    return ""


def _errors(arms: dict[str, list[WindowCounts]]) -> str:
    shares = {
        arm: sum(w.errors for w in found) / max(1.0, sum(w.n for w in found))
        for arm, found in arms.items()
    }
    if abs(shares["A"] - shares["B"]) > ERROR_LIMIT:
        return (
            f"{shares['A']:.1%} of the operations fail in arm A and {shares['B']:.1%} in arm B: "
            "fast failures look like speed."
        )
    return ""


def _load(windows: list[WindowCounts], arms: dict[str, list[WindowCounts]]) -> Gated:
    rates = {
        arm: np.exp(np.mean([np.log(max(w.n, 1) / w.seconds) for w in found]))
        for arm, found in arms.items()
    }
    ratio = float(rates["B"] / rates["A"])
    apart = max(ratio, 1 / ratio)
    if apart <= LOAD_FINE:
        return Gated(windows, True)
    text = f"Arm B had ×{ratio:.2f} the load of arm A"
    if apart > LOAD_MATCHED:
        return Gated(windows, False, f"{text}: that is another workload.")
    matched, kept = _matched(windows)
    if kept < 0.5:
        return Gated(windows, False, f"{text}, and they share too few hours of equal load.")
    warning = f"{text}; seconds of equal load were compared ({kept:.0%} of them)."
    return Gated(matched, True, warnings=(warning,))


def _matched(windows: list[WindowCounts]) -> tuple[list[WindowCounts], float]:
    """Weight seconds so that both arms have the same distribution of smoothed load."""
    loads = [_smoothed(w) for w in windows]
    edges = np.quantile(np.concatenate(loads), np.linspace(0, 1, STRATA + 1)[1:-1])
    strata = [np.searchsorted(edges, load) for load in loads]
    share = {}
    for arm in "AB":
        mine = np.concatenate([s for s, w in zip(strata, windows, strict=True) if w.arm == arm])
        share[arm] = np.bincount(mine, minlength=STRATA) / max(len(mine), 1)
    common = np.minimum(share["A"], share["B"])
    found = []
    for window, stratum in zip(windows, strata, strict=True):
        mine = share[window.arm]
        weight = np.divide(common, mine, out=np.zeros_like(common), where=mine > 0)[stratum]
        found.append(replace(window, counts=window.counts * weight[None, :, None]))
    return found, float(common.sum())


def _smoothed(window: WindowCounts) -> Float:
    per_second = window.counts.sum((0, 2)) / window.dt
    width = max(1, min(len(per_second), round(SMOOTH_S / window.dt)))
    kernel = np.ones(width)
    weight = np.convolve(np.ones(len(per_second)), kernel, "same")
    return np.asarray(
        np.convolve(per_second, kernel, "same")[: len(per_second)] / weight[: len(per_second)]
    )
