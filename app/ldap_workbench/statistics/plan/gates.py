"""What must hold before two arms may be compared at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.statistics.counts.loop import CLOSED_BELOW
from ldap_workbench.statistics.counts.windows import WindowCounts

Float = NDArray[np.float64]
Arms = dict[str, list[WindowCounts]]

MIX_LIMIT = 0.20
ABSENT_SHARE = 0.01
ERROR_LIMIT = 0.01
NEW_CODE_SHARE = 0.001
SHAPE_LIMIT = 1.20
CLIENTS_LIMIT = 1.33
_LEAST_ERRORS = 5
_LEAST_UNINDEXED = 0.001


@dataclass(frozen=True)
class Gate:
    """Why the arms cannot be compared ("" if they can), and what else was noticed."""

    why: str = ""
    warnings: tuple[str, ...] = ()


def gate(
    windows: Sequence[WindowCounts], loops: dict[str, float | None], *, closed: bool = False
) -> Gate:
    """Op mix, errors, clients, result shape. Load has a room of its own: `load`.

    `closed`: the clients are known to wait for their answers, so throughput is an outcome and
    the number of clients should be the same instead. Connections tell it only roughly: clients
    that connect anew now and then make more of them the faster they are served.
    """
    arms = {arm: [w for w in windows if w.arm == arm] for arm in "AB"}
    noticed = (_loops(loops), _clients(arms) if closed else "", _entries(arms), _unindexed(arms))
    return Gate(_mix(arms) or _errors(arms), tuple(warning for warning in noticed if warning))


def mix_distance(a: Float, b: Float) -> float:
    """Total variation distance of two op mixes."""
    return float(np.abs(a - b).sum() / 2)


def shares(windows: Sequence[WindowCounts]) -> Float:
    """Share of each type (of `names`) in the operations of some windows."""
    totals = np.sum([w.histogram.sum(1) for w in windows], axis=0)
    return np.asarray(totals / max(totals.sum(), 1e-300))


def _mix(arms: Arms) -> str:
    a, b = shares(arms["A"]), shares(arms["B"])
    names = arms["A"][0].names
    gone = [
        name
        for name, x, y in zip(names, a, b, strict=True)
        if min(x, y) == 0 and max(x, y) > ABSENT_SHARE
    ]
    if gone:
        return f"{', '.join(gone)} operations occur in one arm only."
    distance = mix_distance(a, b)
    if distance > MIX_LIMIT:
        return f"The mix of operations differs by {distance:.0%} between the arms."
    return ""


def _errors(arms: Arms) -> str:
    n = {arm: max(1, sum(w.n for w in found)) for arm, found in arms.items()}
    counts = {arm: _codes(found) for arm, found in arms.items()}
    failed = {arm: sum(counts[arm].values()) / n[arm] for arm in arms}
    if abs(failed["A"] - failed["B"]) > ERROR_LIMIT:
        return (
            f"{failed['A']:.1%} of the operations end with a result code other than 0 in arm A "
            f"and {failed['B']:.1%} in arm B: fast failures look like speed."
        )
    for arm, other in ("AB", "BA"):
        for code, count in sorted(counts[arm].items()):
            enough = count >= _LEAST_ERRORS and count / n[arm] > NEW_CODE_SHARE
            if enough and not counts[other].get(code):
                return f"Result code {code} occurs in arm {arm} only."
    return ""


def _codes(windows: Sequence[WindowCounts]) -> dict[int, int]:
    total: dict[int, int] = {}
    for window in windows:
        for code, count in window.tally.errors.items():
            if code != 0:
                total[code] = total.get(code, 0) + count
    return total


def _loops(loops: dict[str, float | None]) -> str:
    a, b = loops["A"], loops["B"]
    if a is None or b is None or min(a, b) >= CLOSED_BELOW:
        return ""
    if max(a, b) < CLOSED_BELOW:
        return (
            f"Clients seem to wait for their answers (loop index {a:.2f} and {b:.2f}): the "
            "quantiles hide most of a stall, so look at the stalls themselves."
        )
    return (
        f"Clients seem to wait for their answers in arm {'A' if a < b else 'B'} only (loop index "
        f"{a:.2f} and {b:.2f}): what one arm hides in a stall the other one shows."
    )


def _clients(arms: Arms) -> str:
    """Connections say something of the clients only where each asks many times."""
    usual = {arm: float(np.mean([w.tally.connections for w in arms[arm]])) for arm in arms}
    lasting = all(10 * w.tally.connections <= w.n for found in arms.values() for w in found)
    if not lasting or not min(usual.values()):
        return ""
    if max(usual.values()) <= CLIENTS_LIMIT * min(usual.values()):
        return ""
    return f"There were {usual['A']:.0f} connections in arm A and {usual['B']:.0f} in arm B."


def _entries(arms: Arms) -> str:
    a, b = (_per_search(arms[arm], "entries") for arm in "AB")
    if not a or not b or max(a / b, b / a) <= SHAPE_LIMIT:
        return ""
    return (
        f"A search returned {a:.3g} entries on average in arm A and {b:.3g} in arm B: look at the "
        "operation types one by one."
    )


def _unindexed(arms: Arms) -> str:
    a, b = (_per_search(arms[arm], "unindexed") for arm in "AB")
    if max(a, b) < _LEAST_UNINDEXED or max(a, b) <= SHAPE_LIMIT * min(a, b):
        return ""
    return f"{a:.2%} of the searches were unindexed in arm A and {b:.2%} in arm B."


def _per_search(windows: Sequence[WindowCounts], name: str) -> float:
    searches = sum(w.tally.searches for w in windows)
    return sum(getattr(w.tally, name) for w in windows) / searches if searches else 0.0
