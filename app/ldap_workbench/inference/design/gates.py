"""What must hold before two arms may be compared at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.ledger import CLOSED_BELOW
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.kinds import moved_in_sight, moved_unseen
from ldap_workbench.inference.design.load import load_ratio
from ldap_workbench.model.message import NOTHING, Message

Float = NDArray[np.float64]
Arms = dict[str, list[WindowCounts]]

MIX_LIMIT = 0.20
ABSENT_SHARE = 0.01
ERROR_LIMIT = 0.01
NEW_CODE_SHARE = 0.001
SHAPE_LIMIT = 1.20
CLIENTS_LIMIT = 1.33
THROUGHPUT_LIMIT = 0.5
_LEAST_ERRORS = 5
_LEAST_UNINDEXED = 0.001


@dataclass(frozen=True)
class Gate:
    """Why the arms cannot be compared (NOTHING if they can), and what else was noticed."""

    why: Message = NOTHING
    warnings: tuple[Message, ...] = ()


def gate(
    windows: Sequence[WindowCounts],
    loops: dict[str, float | None],
    *,
    closed: bool = False,
    of_sessions: bool = False,
    failures: bool = False,
) -> Gate:
    """Op mix, errors, unanswered, clients, result shape. Load has a room of its own: `load`.

    `closed`: the clients are known to wait for their answers, so throughput is an outcome and
    the number of clients should be the same instead. Connections tell it only roughly: clients
    that connect anew now and then make more of them the faster they are served. `of_sessions`: a
    session counts once where load is compared. `failures`: what fails is what is judged.
    """
    arms = {arm: [w for w in windows if w.arm == arm] for arm in "AB"}
    noticed = (
        _loops(loops),
        _clients(arms) if closed else NOTHING,
        _throughput(windows, of_sessions=of_sessions) if closed else NOTHING,
        moved_in_sight(windows),
        _entries(arms),
        _unindexed(arms),
    )
    errors = NOTHING if failures else _errors(arms)
    why = _mix(arms) or moved_unseen(windows) or errors or _unanswered(arms)
    return Gate(why, tuple(warning for warning in noticed if warning))


def mix_distance(a: Float, b: Float) -> float:
    """Total variation distance of two op mixes."""
    return float(np.abs(a - b).sum() / 2)


def shares(windows: Sequence[WindowCounts]) -> Float:
    """Share of each type (of `names`) in the operations of some windows."""
    totals = np.sum([w.histogram.sum(1) for w in windows], axis=0)
    return np.asarray(totals / max(totals.sum(), 1e-300))


def _mix(arms: Arms) -> Message:
    a, b = shares(arms["A"]), shares(arms["B"])
    names = arms["A"][0].names
    gone = [
        name
        for name, x, y in zip(names, a, b, strict=True)
        if min(x, y) == 0 and max(x, y) > ABSENT_SHARE
    ]
    if gone:
        return Message("{types} operations occur in one arm only.", types=tuple(gone))
    distance = mix_distance(a, b)
    if distance > MIX_LIMIT:
        return Message(
            "The mix of operations differs by {share:percent} between the arms.", share=distance
        )
    return NOTHING


def _operations(windows: Sequence[WindowCounts]) -> int:
    """At least 1, so that a share of them is defined."""
    return max(1, sum(window.n for window in windows))


def _errors(arms: Arms) -> Message:
    n = {arm: _operations(windows) for arm, windows in arms.items()}
    counts = {arm: _codes(windows) for arm, windows in arms.items()}
    failed = {arm: sum(counts[arm].values()) / n[arm] for arm in arms}
    if abs(failed["A"] - failed["B"]) > ERROR_LIMIT:
        return Message(
            "{a:percent} of the operations end with a result code other than 0 in arm A and "
            "{b:percent} in arm B: fast failures look like speed.",
            a=failed["A"],
            b=failed["B"],
        )
    for arm, other in (("A", "B"), ("B", "A")):
        for code, count in sorted(counts[arm].items()):
            enough = count >= _LEAST_ERRORS and count / n[arm] > NEW_CODE_SHARE
            if enough and not counts[other].get(code):
                return Message(
                    "Result code {code:plain} occurs in arm {arm} only.", code=code, arm=arm
                )
    return NOTHING


def _unanswered(arms: Arms) -> Message:
    """What nobody waited for to the end has no etime, so many of them look like speed."""
    given_up = {arm: sum(w.tally.unanswered for w in windows) for arm, windows in arms.items()}
    asked = {arm: _operations(windows) for arm, windows in arms.items()}
    share = {arm: given_up[arm] / asked[arm] for arm in arms}
    apart = abs(share["A"] - share["B"]) > ERROR_LIMIT
    for arm, other in (("A", "B"), ("B", "A")):
        enough = given_up[arm] >= _LEAST_ERRORS and share[arm] > NEW_CODE_SHARE
        apart = apart or (enough and not given_up[other])
    if not apart:
        return NOTHING
    return Message(
        "{a:percent} of the operations were never answered in arm A and {b:percent} in arm B: "
        "clients that give up on the slowest ones look like speed.",
        a=share["A"],
        b=share["B"],
    )


def _codes(windows: Sequence[WindowCounts]) -> dict[int, int]:
    total: dict[int, int] = {}
    for window in windows:
        for code, count in window.tally.errors.items():
            if code != 0:
                total[code] = total.get(code, 0) + count
    return total


def _loops(loops: dict[str, float | None]) -> Message:
    a, b = loops["A"], loops["B"]
    if a is None or b is None or min(a, b) >= CLOSED_BELOW:
        return NOTHING
    if max(a, b) < CLOSED_BELOW:
        return Message(
            "Clients seem to wait for their answers (loop index {a:.2f} and {b:.2f}): percentiles "
            "hide most of a stall, so look at the stalls themselves.",
            a=a,
            b=b,
        )
    return Message(
        "Clients seem to wait for their answers in arm {arm} only (loop index {a:.2f} and "
        "{b:.2f}): one arm hides in a stall what the other one shows.",
        arm="A" if a < b else "B",
        a=a,
        b=b,
    )


def _throughput(windows: Sequence[WindowCounts], *, of_sessions: bool) -> Message:
    """A collapse: too few operations are left for percentiles, which would then say nothing."""
    ratio = load_ratio(windows, of_sessions=of_sessions)
    if THROUGHPUT_LIMIT <= ratio <= 1 / THROUGHPUT_LIMIT:
        return NOTHING
    return Message(
        "Under the same load, arm {arm} completed only {share:percent} of the operations that arm "
        "{other} did.",
        arm="B" if ratio < 1 else "A",
        share=min(ratio, 1 / ratio),
        other="A" if ratio < 1 else "B",
    )


def _clients(arms: Arms) -> Message:
    """Connections say something of the clients only where each asks many times."""
    usual = {arm: float(np.mean([w.tally.connections for w in arms[arm]])) for arm in arms}
    lasting = all(10 * w.tally.connections <= w.n for windows in arms.values() for w in windows)
    if not lasting or not min(usual.values()):
        return NOTHING
    if max(usual.values()) <= CLIENTS_LIMIT * min(usual.values()):
        return NOTHING
    return Message(
        "There were {a} connections in arm A and {b} in arm B.",
        a=round(usual["A"]),
        b=round(usual["B"]),
    )


def _entries(arms: Arms) -> Message:
    a, b = (_per_search(arms[arm], "entries") for arm in "AB")
    if not a or not b or max(a / b, b / a) <= SHAPE_LIMIT:
        return NOTHING
    return Message(
        "A search returned {a:.3g} entries on average in arm A and {b:.3g} in arm B: compare the "
        "operation types one by one.",
        a=a,
        b=b,
    )


def _unindexed(arms: Arms) -> Message:
    a, b = (_per_search(arms[arm], "unindexed") for arm in "AB")
    if max(a, b) < _LEAST_UNINDEXED or max(a, b) <= SHAPE_LIMIT * min(a, b):
        return NOTHING
    return Message(
        "{a:percent} of the searches were unindexed in arm A and {b:percent} in arm B.", a=a, b=b
    )


def _per_search(windows: Sequence[WindowCounts], name: str) -> float:
    searches = sum(w.tally.searches for w in windows)
    return sum(getattr(w.tally, name) for w in windows) / searches if searches else 0.0
