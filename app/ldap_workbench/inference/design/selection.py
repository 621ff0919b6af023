"""Which windows a verdict may rest on, and which are left out, always by whole pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.model.message import NOTHING, Message

ONE_SHOT = "ab"


def is_one_shot(design: str | None) -> bool:
    """Whether the windows of a design are no pairs: 'ab', 'ab:4'."""
    return design is not None and design.partition(":")[0] == ONE_SHOT


@dataclass(frozen=True)
class Selection:
    """The windows of a verdict; in pairs they come as A, B, A, B ... by number of pair.

    `why` is not empty where they allow no verdict at all.
    """

    windows: list[WindowCounts]
    one_shot: bool
    pairs: tuple[int, ...] = ()
    dropped: tuple[Message, ...] = ()
    why: Message = NOTHING


def select(windows: Sequence[WindowCounts], design: str | None) -> Selection:
    """Sort windows into pairs, or into one group per arm where there are none."""
    ordered = sorted(windows, key=lambda w: (w.pair, w.arm, w.start_s or 0.0))
    if any(w.arm not in ("A", "B") for w in ordered):
        raise ValueError("a window of a verdict belongs to arm A or B")
    by_pair: dict[int, list[WindowCounts]] = {}
    for window in ordered:
        by_pair.setdefault(window.pair, []).append(window)
    whole = [n for n, pair in by_pair.items() if n >= 0 and _arms(pair) == "AB"]
    if is_one_shot(design) or (design is None and len(whole) <= 1):
        return _unpaired(ordered)
    return _pairs(by_pair)


def _arms(windows: Sequence[WindowCounts]) -> str:
    return "".join(w.arm for w in windows)


def _unpaired(windows: Sequence[WindowCounts]) -> Selection:
    whole = [w for w in windows if not w.flaws]
    dropped = tuple(
        Message("A window of arm {arm} was skipped: {flaws}.", arm=w.arm, flaws=w.flaws)
        for w in windows
        if w.flaws
    )
    return Selection(whole, True, dropped=dropped, why=_lacks_an_arm(whole))


def _pairs(by_pair: dict[int, list[WindowCounts]]) -> Selection:
    windows: list[WindowCounts] = []
    numbers, dropped = [], []
    for number, pair in by_pair.items():
        reason = _flaw(pair)
        if reason:
            dropped.append(_skipped(number, reason))
        else:
            windows += pair
            numbers.append(number)
    why = _lacks_an_arm(windows)
    for window in windows:
        if window.n == 0 and not why:
            why = Message(
                "Window {arm} of pair {pair} holds no operations: either nothing was answered or "
                "nothing was logged.",
                arm=window.arm,
                pair=window.pair + 1,
            )
    return Selection(windows, False, tuple(numbers), tuple(dropped), why)


def _skipped(pair: int, reason: Message) -> Message:
    return Message("Pair {pair} was skipped: {reason}.", pair=pair + 1, reason=reason)


def _flaw(windows: Sequence[WindowCounts]) -> Message:
    if _arms(windows) != "AB":
        return Message("it is not one window of each arm")
    flaws = tuple(
        Message("in window {arm}: {flaws}", arm=w.arm, flaws=w.flaws) for w in windows if w.flaws
    )
    return Message("{flaws:and}", flaws=flaws) if flaws else NOTHING


def _lacks_an_arm(windows: Sequence[WindowCounts]) -> Message:
    for arm in "AB":
        if not sum(w.n for w in windows if w.arm == arm):
            return Message("There are no operations in arm {arm}.", arm=arm)
    return NOTHING


def trimmed(windows: Sequence[WindowCounts], seconds: float) -> list[WindowCounts]:
    """The windows without their first seconds, all alike."""
    return [w.without_first(seconds) for w in windows] if seconds > 0 else list(windows)


def first_pairs(selection: Selection, count: int) -> Selection:
    """Only the first pairs, for a planned look."""
    return replace(selection, windows=selection.windows[: 2 * count], pairs=selection.pairs[:count])


def without_pairs(selection: Selection, gone: Sequence[int], reason: Message) -> Selection:
    """The selection without some pairs, whole."""
    lines = tuple(_skipped(number, reason) for number in gone)
    return replace(
        selection,
        windows=[w for w in selection.windows if w.pair not in gone],
        pairs=tuple(n for n in selection.pairs if n not in gone),
        dropped=selection.dropped + lines,
    )
