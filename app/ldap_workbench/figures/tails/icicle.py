"""Stacks of threads as an icicle: callers above, what they call below, as wide as their samples.

With a second arm each frame is as wide as its mean share in both, so that what vanished is still
there, and says whether its share differs by more than chance.

The stacks of threads that a session holds, or a file beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ldap_workbench.advice.evidence.companions import stacks_of as dumps_of
from ldap_workbench.figures import formats
from ldap_workbench.figures.table import Numbers, Row
from ldap_workbench.inference.significance.exceedance import LEAST, Float, compare_shares
from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.files import LogFile
from ldap_workbench.logs.server.stacks import (
    Dump,
    Folded,
    Thread,
    fold,
    profiles_in,
    read_folded,
    read_stacks,
)
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.window import SourceKind, Window
from ldap_workbench.session.reader import Session

MOST_FRAMES = 4_000
"""Frames of an icicle, the widest: no screen shows more."""
MOST_FUNCTIONS = 500
MOST_ROWS = 1_000
"""Frames in a table: a person reads no more."""
_PARTS = 64
"""Profiles of an arm told apart."""

Profiles = Sequence[Folded]


@dataclass(frozen=True)
class Share:
    """Samples of a frame or a function in A and B, their shares, and an interval of B - A.

    `low` and `high` are shares, 0..1; None where there is no B or there are too few samples.
    """

    a: int
    b: int
    of_a: int
    of_b: int
    low: float | None = None
    high: float | None = None

    @property
    def share_a(self) -> float:
        return self.a / self.of_a if self.of_a else 0.0

    @property
    def share_b(self) -> float:
        return self.b / self.of_b if self.of_b else 0.0

    @property
    def width(self) -> float:
        """The mean share of the arms there are."""
        return (self.share_a + self.share_b) / (bool(self.of_a) + bool(self.of_b) or 1)

    @property
    def difference(self) -> float:
        return self.share_b - self.share_a

    @property
    def sign(self) -> int:
        """1 where B has more than chance gives, -1 where it has less, else 0."""
        return int(self.low is not None and self.low > 0) - int(
            self.high is not None and self.high < 0
        )

    def cells(self, *, compared: bool) -> tuple[Message, ...]:
        """Samples and shares; with B their difference and its interval, in percentage points."""
        if not compared:
            return formats.amount(self.a), formats.share(self.share_a)
        interval = formats.NOT_KNOWN
        if self.low is not None and self.high is not None:
            low, high = 100 * self.low, 100 * self.high
            interval = Message("{low:+.2f} to {high:+.2f}", low=low, high=high)
        return (
            formats.share(self.share_a),
            formats.share(self.share_b),
            Message("{points:+.2f}", points=100 * self.difference),
            interval,
            SIGNS[self.sign],
            formats.amount(self.a),
            formats.amount(self.b),
        )


SIGNS = {1: Message("more in B"), -1: Message("less in B"), 0: formats.NOT_KNOWN}
HEADINGS = (Message("Samples"), Message("Share"))
COMPARED = (
    Message("Share in A"),
    Message("Share in B"),
    Message("B − A, points"),
    Message("Interval"),
    Message("Difference"),
    Message("Samples of A"),
    Message("Samples of B"),
)


@dataclass(frozen=True)
class Frame:
    """A function in a place of the stacks; it begins at `left`, a share of the whole width.

    `parent` is the place of its caller among the frames, -1 at the top.
    """

    name: str
    depth: int
    parent: int
    left: float
    share: Share


@dataclass(frozen=True)
class Function:
    """A function wherever it is in a stack (`total`), and where it is innermost (`own`)."""

    name: str
    total: Share
    own: Share


@dataclass(frozen=True, eq=False)
class Stacks:
    """The stacks of one arm, or of two; `frames` from the left, callers before what they call."""

    of_a: int
    of_b: int | None
    frames: tuple[Frame, ...] = ()
    functions: tuple[Function, ...] = ()
    parts_known: bool = False
    merged: tuple[tuple[tuple[str, ...], int, int], ...] = field(default=(), repr=False)
    """Each stack with its samples of A and of B."""

    @property
    def compared(self) -> bool:
        return self.of_b is not None

    def matching(self, words: str) -> Share | None:
        """Samples with a frame whose name holds these words; None without words."""
        wanted = words.strip().lower()
        if not wanted:
            return None
        hits = [(a, b) for stack, a, b in self.merged if any(wanted in f.lower() for f in stack)]
        return Share(sum(a for a, _ in hits), sum(b for _, b in hits), self.of_a, self.of_b or 0)

    def caveat(self) -> Message:
        """How a difference was told from chance."""
        if self.parts_known:
            return Message(
                "Only rows of at least {least} samples whose interval excludes 0 count as "
                "different. The intervals hold with 95 % for all rows together, and are widened by "
                "how much the profiles of one arm differ.",
                least=LEAST,
            )
        return Message(
            "Only rows of at least {least} samples whose interval excludes 0 count as different. "
            "The intervals hold with 95 % for all rows together if samples are independent; record "
            "several profiles of each arm to measure how far they are not.",
            least=LEAST,
        )

    def frame_numbers(self, most: int = MOST_ROWS) -> Numbers:
        """The widest frames, each below its caller and indented by its depth."""
        widths = sorted((frame.share.width for frame in self.frames), reverse=True)
        least = widths[most - 1] if len(widths) > most else 0.0
        headings = (Message("Frame"), *(COMPARED if self.compared else HEADINGS))
        rows: list[Row] = [
            (f"{'  ' * frame.depth}{frame.name}", *frame.share.cells(compared=self.compared))
            for frame in self.frames
            if frame.share.width >= least
        ]
        return Numbers(headings, tuple(rows[:most]))

    def function_numbers(self, most: int = MOST_FUNCTIONS) -> Numbers:
        """Functions: with B those that differ first, the widest difference on top."""
        headings = (
            Message("Function"), *(COMPARED if self.compared else HEADINGS), Message("Innermost"),
        )  # fmt: skip
        rows: list[Row] = [
            (
                verbatim(function.name),
                *function.total.cells(compared=self.compared),
                formats.share(function.own.width),
            )
            for function in self.functions[:most]
        ]
        return Numbers(headings, tuple(rows))


def stacks_of(a: Profiles, b: Profiles | None = None) -> Stacks | None:
    """The stacks of an arm, or of two side by side; None where one has no sample.

    Several profiles of an arm tell how far samples hang together.
    """
    arms = [_parts(profiles) for profiles in (a, b) if profiles is not None]
    merged = [_merged(parts) for parts in arms]
    if not all(sum(profiles.values()) for profiles in merged):
        return None
    of_a, of_b = sum(merged[0].values()), sum(merged[1].values()) if b is not None else None
    tree = _Tree(merged)
    frames, known = tree.shares(arms)
    functions = _functions(arms, merged)
    every = sorted({*merged[0], *(merged[1] if b is not None else ())})
    table = tuple((s, merged[0][s], merged[1][s] if b is not None else 0) for s in every)
    return Stacks(of_a, of_b, tuple(tree.laid_out(frames)), functions, known, table)


def _parts(profiles: Profiles) -> list[Folded]:
    """The profiles that hold something; of very many, those that follow each other as one."""
    filled = [profile for profile in profiles if profile]
    size = max(1, -(-len(filled) // _PARTS))
    return [_merged(filled[at : at + size]) for at in range(0, len(filled), size)]


def _merged(parts: Iterable[Folded]) -> Counter[tuple[str, ...]]:
    stacks: Counter[tuple[str, ...]] = Counter()
    for part in parts:
        stacks.update(part)
    return stacks


class _Tree:
    """The frames of all stacks; those that are kept are numbered, callers before what they call."""

    def __init__(self, merged: Sequence[Counter[tuple[str, ...]]]) -> None:
        every: dict[tuple[int, str], int] = {}
        widths: list[float] = []
        for stacks in merged:
            whole = stacks.total()
            for stack, count in stacks.items():
                for node in _walk(stack, every, grow=True):
                    if node == len(widths):
                        widths.append(0.0)
                    widths[node] += count / whole
        widest = sorted(range(len(widths)), key=lambda node: (-widths[node], node))[:MOST_FRAMES]
        self._every = every
        self._place = {node: place for place, node in enumerate(sorted(widest))}
        self._named = {node: key for key, node in every.items() if node in self._place}

    def shares(self, arms: Sequence[Sequence[Folded]]) -> tuple[list[Share], bool]:
        """Of each kept frame, and whether parts of an arm told how samples hang together."""
        return _shares([[self._counts(part) for part in parts] for parts in arms], arms)

    def _counts(self, part: Folded) -> Float:
        counts = np.zeros(len(self._place))
        for stack, count in part.items():
            for node in _walk(stack, self._every):
                if node in self._place:
                    counts[self._place[node]] += count
        return counts

    def laid_out(self, shares: Sequence[Share]) -> Iterator[Frame]:
        """Depth first, the widest on the left."""
        below: dict[int, list[int]] = {}
        for node, (parent, _) in self._named.items():
            below.setdefault(parent, []).append(node)
        waiting: list[tuple[int, int, int, float]] = [(_ROOT, -1, -1, 0.0)]
        number = 0
        while waiting:
            node, depth, parent, left = waiting.pop()
            here = parent
            if node != _ROOT:
                share = shares[self._place[node]]
                yield Frame(self._named[node][1], depth, parent, left, share)
                here, number = number, number + 1
            called = sorted(below.get(node, ()), key=lambda n: self._order(n, shares))
            next_ones = []
            for node_below in called:
                next_ones.append((node_below, depth + 1, here, left))
                left += shares[self._place[node_below]].width
            waiting += reversed(next_ones)

    def _order(self, node: int, shares: Sequence[Share]) -> tuple[float, str]:
        return -shares[self._place[node]].width, self._named[node][1]


_ROOT = -1


def _walk(
    stack: Sequence[str], every: dict[tuple[int, str], int], *, grow: bool = False
) -> Iterator[int]:
    """The nodes of a stack from the outermost inwards; new ones with `grow`."""
    node = _ROOT
    for name in stack:
        key = (node, name)
        if grow:
            every.setdefault(key, len(every))
        node = every[key]
        yield node


def _functions(
    arms: Sequence[Sequence[Folded]], merged: Sequence[Counter[tuple[str, ...]]]
) -> tuple[Function, ...]:
    seen: Counter[str] = Counter()
    for stacks in merged:
        for stack, count in stacks.items():
            seen.update(dict.fromkeys(stack, count))
    place = {name: at for at, (name, _) in enumerate(seen.most_common(MOST_FUNCTIONS))}
    totals, _ = _shares([[_by_name(p, place, own=False) for p in parts] for parts in arms], arms)
    owns, _ = _shares([[_by_name(p, place, own=True) for p in parts] for parts in arms], arms)
    functions = [Function(name, totals[at], owns[at]) for name, at in place.items()]
    functions.sort(
        key=lambda f: (not f.total.sign, -abs(f.total.difference), -f.total.width, f.name)
    )
    return tuple(functions)


def _by_name(part: Folded, place: dict[str, int], *, own: bool) -> Float:
    counts = np.zeros(len(place))
    for stack, count in part.items():
        for name in stack[-1:] if own else set(stack):
            if name in place:
                counts[place[name]] += count
    return counts


def _shares(
    counts: Sequence[Sequence[Float]], arms: Sequence[Sequence[Folded]]
) -> tuple[list[Share], bool]:
    totals = [[sum(part.values()) for part in parts] for parts in arms]
    of = [sum(of_parts) for of_parts in totals]
    sums = [np.sum(of_parts, axis=0) for of_parts in counts]
    if len(arms) == 1:
        return [Share(int(a), 0, of[0], 0) for a in sums[0]], False
    rows = np.array(counts[0]), np.array(counts[1])
    difference = compare_shares(rows, (totals[0], totals[1]))
    shares = [
        Share(int(a), int(b), of[0], of[1], _known(low), _known(high))
        for a, b, low, high in zip(*sums, difference.low, difference.high, strict=True)
    ]
    return shares, difference.parts_known


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


FOLDED = "stacks-folded"
_LARGEST = 64 << 20
"""Bytes of a file."""


def profiles_of(session: Session, windows: Iterable[Window]) -> Iterator[Folded]:
    """Profiles of these windows: a folded file is one, a dump of threads is one."""
    for window in windows:
        sources = session.sources(window.id)
        for source in sources:
            if source.kind is SourceKind.STACKS and source.dialect == FOLDED:
                yield from profiles_in(session.raw(source.id, 0, _LARGEST))
        dumps = [
            Dump(tuple(Thread(id_, "", calls) for id_, calls in dump.threads.items()))
            for dump in dumps_of(window, sources)
        ]
        yield from fold(dumps)


def session_stacks(
    session: Session, a: Sequence[Window], b: Sequence[Window], other: Session | None = None
) -> Stacks | None:
    """Stacks of windows A, against those of B where both have some; None where none has.

    With `other`, the windows of B are of that session.
    """
    of_a = list(profiles_of(session, a))
    of_b = list(profiles_of(other or session, b))
    if of_a and of_b:
        return stacks_of(of_a, of_b)
    return stacks_of(of_a or of_b)


def file_profiles(path: Path) -> Profiles:
    """Profiles of a file: folded stacks, or dumps of threads. Raises LogError for another."""
    log, text = LogFile(path), bytearray()
    for piece in log.pieces():
        text += piece[: _LARGEST - len(text)]
        if len(text) >= _LARGEST:
            break
    detection = detect(bytes(text[: 1 << 20]))
    if detection.kind is not SourceKind.STACKS:
        raise LogError(
            Message("{path} holds no stacks of threads.", path=str(path)),
            remedy=Message("Name folded stacks, or what gdb, pstack or eu-stack printed."),
        )
    if detection.dialect == FOLDED:
        return [read_folded(bytes(text))]
    return fold(read_stacks(bytes(text)))
