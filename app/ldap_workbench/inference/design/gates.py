"""What must hold before two arms may be compared at all.

Whether the kinds of request inside a type are the same in both arms, where that can be known. What
is told apart as strata is put to one mix. What is not, such as many rare filters or searches
without one in the log, must not differ more than chance allows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.ledger import CLOSED_BELOW
from ldap_workbench.inference.counts.requests import Kind
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.load import load_ratio
from ldap_workbench.inference.design.pairs import LEAST_PAIRS
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


LIMIT = 0.05
"""Share of the operations of a type that may be of other kinds in B than in A, unseen."""
LEVEL = 0.05
_LEAST_SHARE = 0.01
"""Of all operations, below which a type is too rare to matter."""
_FLIPS = 512


def moved_unseen(windows: Sequence[WindowCounts]) -> Message:
    """Why the arms cannot be compared, NOTHING where they can."""
    for name in _types(windows):
        absent = _in_one_arm_only(windows, name)
        if absent > LIMIT:
            return _other_kinds(name, absent)
        for group in _groups(windows, name):
            if why := _moved_inside(windows, name, group):
                return why
    return NOTHING


def _groups(windows: Sequence[WindowCounts], name: str) -> list[str]:
    """The type without the kind of operation that was asked for, and that kind by itself.

    How often it was asked for is no mixture of the others: clients that wait ask for it less often
    where it is slower.
    """
    known = {shape[0] for w in windows for shape in w.requests.shapes}
    return sorted(group for group in known if group.partition("[")[0] == name)


def _moved_inside(windows: Sequence[WindowCounts], name: str, group: str) -> Message:
    shares = _not_told_apart(windows, group)
    distance = 0.0 if shares is None else _moved(shares, windows)
    if distance <= LIMIT:
        return NOTHING
    if _without_filters(windows, group):
        return Message(
            "The log does not hold the filters of the searches, and {share:percent} of them "
            "returned another number of entries in one arm: these are other searches.",
            share=distance,
        )
    return _other_kinds(name, distance)


def _other_kinds(name: str, share: float) -> Message:
    return Message(
        "{share:percent} of the {type} operations are of other kinds in one arm than in the "
        "other, and too few of each to compare like with like.",
        share=share,
        type=name,
    )


def moved_in_sight(windows: Sequence[WindowCounts]) -> Message:
    """That a mixture inside a type differs and was put to the same; NOTHING where none does."""
    distances = {name: _moved(_told_apart(windows, name), windows) for name in _types(windows)}
    apart = {name: distance for name, distance in distances.items() if distance > LIMIT}
    if not apart:
        return NOTHING
    return Message(
        "The mix of filters, bases and clients inside {types:and} differs by {share:percent} "
        "between the arms; it is put to the same mix.",
        types=tuple(apart),
        share=max(apart.values()),
    )


def _types(windows: Sequence[WindowCounts]) -> list[str]:
    """Types that are frequent enough to matter, where requests were counted."""
    if windows[0].strata is None:
        return []
    totals = np.sum([w.histogram.sum(1) for w in windows], axis=0)
    least = _LEAST_SHARE * totals.sum()
    return [name for name, n in zip(windows[0].names, totals, strict=True) if n > least]


def _told_apart(windows: Sequence[WindowCounts], name: str) -> Float:
    """Share of each stratum in the operations of a type [window, stratum]."""
    rows = [row for row in windows[0].rows_of(name) if not windows[0].parted_by[row].given_up]
    totals = np.array([w.parts[rows].sum(1) for w in windows])
    return np.asarray(totals / np.maximum(totals.sum(1, keepdims=True), 1e-300))


def _in_one_arm_only(windows: Sequence[WindowCounts], name: str) -> float:
    """Share of a type that lies in strata which the other arm lacks, as after a long trim."""
    of_arm = np.array([w.arm for w in windows])
    shares = _told_apart(windows, name)
    a, b = (shares[of_arm == arm].mean(0) for arm in "AB")
    return float(np.maximum(a, b)[np.minimum(a, b) == 0].sum())


def _not_told_apart(windows: Sequence[WindowCounts], name: str) -> Float | None:
    """Share of each filter shape without a stratum in those of a type [window, shape].

    As if together they were as frequent in each window, for they are a stratum together. None where
    there are none.
    """
    shapes = _shapes(windows, name)
    counts = np.array([[w.requests.shapes.get(s, 0) for s in shapes] for w in windows], np.float64)
    if not counts.any():
        return None
    of_type = [_count(w, name) for w in windows]
    left = counts.sum(1)
    usual = float(left.sum()) / max(sum(of_type), 1)
    inside = counts / np.maximum(left[:, None], 1)
    # A window without any says nothing of their mix.
    inside[left == 0] = counts.sum(0) / left.sum()
    return np.asarray(inside * usual)


def _shapes(windows: Sequence[WindowCounts], name: str) -> list[Kind]:
    strata = windows[0].strata
    if strata is None:
        return []
    known = {shape for w in windows for shape in w.requests.shapes if shape[0] == name}
    return sorted(shape for shape in known if not strata.tells_apart(shape))


def _count(window: WindowCounts, name: str) -> int:
    return sum(n for shape, n in window.requests.shapes.items() if shape[0] == name)


def _without_filters(windows: Sequence[WindowCounts], name: str) -> bool:
    """Whether most of what is not told apart are searches without a filter in the log."""
    shapes = {shape: sum(w.requests.shapes.get(shape, 0) for w in windows)
              for shape in _shapes(windows, name)}  # fmt: skip
    without = sum(n for shape, n in shapes.items() if len(shape) > 2)
    return 2 * without > sum(shapes.values())


def _moved(shares: Float, windows: Sequence[WindowCounts]) -> float:
    """Total variation between the arms, 0 where chance explains it: shares [window, kind]."""
    arms = np.array([w.arm for w in windows])
    difference = shares[arms == "B"].mean(0) - shares[arms == "A"].mean(0)
    distance = float(np.abs(difference).sum() / 2)
    return distance if _is_more_than_chance(distance, shares, windows) else 0.0


def _is_more_than_chance(distance: float, shares: Float, windows: Sequence[WindowCounts]) -> bool:
    """By sign flips of the pairs; elsewhere by what counting as many operations lets them vary."""
    pairs = _pairs(windows)
    if len(pairs) < LEAST_PAIRS:
        return _is_more_than_counting(distance, shares, windows)
    differences = np.array([shares[b] - shares[a] for a, b in pairs])
    signs = np.random.default_rng(len(pairs)).choice((-1.0, 1.0), (_FLIPS, len(pairs)))
    by_chance = np.abs(signs @ differences).sum(1) / (2 * len(pairs))
    return float(1 + (by_chance >= distance - 1e-12).sum()) <= LEVEL * (1 + _FLIPS)


def _is_more_than_counting(distance: float, shares: Float, windows: Sequence[WindowCounts]) -> bool:
    """Whether as many operations, drawn one by one, would not differ as much.

    The mean of |x| is 0.8, and its standard deviation 0.6, of a normal x with variance 1.
    """
    n = {arm: max(sum(w.requests.n for w in windows if w.arm == arm), 1) for arm in "AB"}
    variance = shares.mean(0) * (1 / n["A"] + 1 / n["B"])
    expected = 0.8 * float(np.sqrt(variance).sum()) / 2
    spread = 0.6 * math.sqrt(float(variance.sum())) / 2
    return distance > expected + 2.5 * spread


def _pairs(windows: Sequence[WindowCounts]) -> list[tuple[int, int]]:
    """Indices of the windows A and B of each pair; [] where there are none."""
    by_pair: dict[int, dict[str, int]] = {}
    for index, window in enumerate(windows):
        of_pair = by_pair.setdefault(window.pair, {})
        if window.arm in of_pair:
            return []
        of_pair[window.arm] = index
    if any(len(of_pair) < 2 for of_pair in by_pair.values()):
        return []
    return [(of_pair["A"], of_pair["B"]) for of_pair in by_pair.values()]
