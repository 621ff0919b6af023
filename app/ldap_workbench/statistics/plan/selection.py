"""Which windows a verdict may rest on, and which are left out, always by whole pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ldap_workbench.statistics.counts.windows import WindowCounts

ONE_SHOT = "ab"


@dataclass(frozen=True)
class Selection:
    """The windows of a verdict; in pairs they come as A, B, A, B ... by number of pair.

    `why` is not empty where they allow no verdict at all.
    """

    windows: list[WindowCounts]
    one_shot: bool
    pairs: tuple[int, ...] = ()
    dropped: tuple[str, ...] = ()
    why: str = ""


def select(windows: Sequence[WindowCounts], design: str | None) -> Selection:
    """Sort windows into pairs, or into one stretch per arm where there are none."""
    ordered = sorted(windows, key=lambda w: (w.pair, w.arm, w.start_s or 0.0))
    if any(w.arm not in ("A", "B") for w in ordered):
        raise ValueError("a window of a verdict belongs to arm A or B")
    by_pair: dict[int, list[WindowCounts]] = {}
    for window in ordered:
        by_pair.setdefault(window.pair, []).append(window)
    whole = [n for n, found in by_pair.items() if n >= 0 and _arms(found) == "AB"]
    if design == ONE_SHOT or (design is None and len(whole) <= 1):
        return _one_stretch(ordered)
    return _pairs(by_pair)


def _arms(windows: Sequence[WindowCounts]) -> str:
    return "".join(w.arm for w in windows)


def _one_stretch(windows: Sequence[WindowCounts]) -> Selection:
    kept = [w for w in windows if not w.flaws]
    dropped = tuple(
        f"A window of arm {w.arm} was left out: {', '.join(w.flaws)}." for w in windows if w.flaws
    )
    return Selection(kept, True, dropped=dropped, why=_lacks_an_arm(kept))


def _pairs(by_pair: dict[int, list[WindowCounts]]) -> Selection:
    kept: list[WindowCounts] = []
    numbers, dropped = [], []
    for number, found in by_pair.items():
        reason = _flaw(found)
        if reason:
            dropped.append(f"Pair {number + 1} was left out: {reason}.")
        else:
            kept += found
            numbers.append(number)
    why = _lacks_an_arm(kept)
    for window in kept:
        if window.n == 0 and not why:
            why = (
                f"Window {window.arm} of pair {window.pair + 1} holds no operations: either "
                "nothing was answered or nothing was logged."
            )
    return Selection(kept, False, tuple(numbers), tuple(dropped), why)


def _flaw(windows: Sequence[WindowCounts]) -> str:
    if _arms(windows) != "AB":
        return "it is not one window of each arm"
    return "; ".join(f"in window {w.arm}: {', '.join(w.flaws)}" for w in windows if w.flaws)


def _lacks_an_arm(windows: Sequence[WindowCounts]) -> str:
    for arm in "AB":
        if not sum(w.n for w in windows if w.arm == arm):
            return f"There are no operations in arm {arm}."
    return ""


def trimmed(windows: Sequence[WindowCounts], seconds: float) -> list[WindowCounts]:
    """The windows without their first seconds, all alike."""
    return [w.without_first(seconds) for w in windows] if seconds > 0 else list(windows)


def first_pairs(selection: Selection, count: int) -> Selection:
    """Only the first pairs, for a planned look."""
    return replace(selection, windows=selection.windows[: 2 * count], pairs=selection.pairs[:count])


def without_pairs(selection: Selection, gone: Sequence[int], reason: str) -> Selection:
    """The selection without some pairs, whole."""
    lines = tuple(f"Pair {number + 1} was left out: {reason}." for number in gone)
    return replace(
        selection,
        windows=[w for w in selection.windows if w.pair not in gone],
        pairs=tuple(n for n in selection.pairs if n not in gone),
        dropped=selection.dropped + lines,
    )
