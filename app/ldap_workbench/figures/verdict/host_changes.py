"""What iostat, vmstat, counters and probes show in some windows against others, log or no log.

Nobody tossed a coin for windows that were imported, and one interval is like the one before it: a
difference is told with the range of each side, and only ranges that lie apart are called a change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.companions import Histogram, histograms_of
from ldap_workbench.advice.evidence.series import Samples, every_kind
from ldap_workbench.advice.evidence.view import SessionSamples
from ldap_workbench.advice.families.log_cost import amount, shifts
from ldap_workbench.figures import formats
from ldap_workbench.figures.table import Numbers, Row
from ldap_workbench.model.message import Message, Value, verbatim
from ldap_workbench.model.units import format_device
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Session

Values = NDArray[np.float64]
_TAIL = 0.05
_FEW_READS = 1.0
"""Requests a second below which the size of one says nothing."""


@dataclass(frozen=True)
class Side:
    """One quantity on one side: its value over all, the range of its intervals, how many."""

    value: float
    low: float
    high: float
    intervals: int


@dataclass(frozen=True)
class HostChange:
    """One quantity of one device, cache or probe in A and in B."""

    quantity: Message
    place: str
    unit: Message
    a: Side
    b: Side

    @property
    def ratio(self) -> float | None:
        return self.b.value / self.a.value if self.a.value else None

    @property
    def is_apart(self) -> bool:
        """Whether no interval of one side is like any of the other."""
        return self.a.low > self.b.high or self.b.low > self.a.high

    @property
    def sentence(self) -> Message:
        known: dict[str, Value] = {
            "quantity": self.label,
            "a": self.amount(self.a),
            "b": self.amount(self.b),
        }
        if self.is_apart:
            return Message("{quantity}: {b} instead of {a}", **known)
        return Message("{quantity}: {b} instead of {a}, within what either side varies", **known)

    @property
    def label(self) -> Message:
        """The quantity, and of which device or probe."""
        if not self.place:
            return self.quantity
        device = format_device(self.place)
        return Message("{quantity} of {device}", quantity=self.quantity, device=device)

    def amount(self, side: Side) -> Message:
        """22.5 KB."""
        return Message("{value:.3g} {unit}", value=side.value, unit=self.unit)

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"ratio": self.ratio, "is_apart": self.is_apart}


def host_changes(
    session: Session, a: Sequence[Window], b: Sequence[Window], other: Session | None = None
) -> list[HostChange]:
    """Every quantity both sides have, the clearest changes of each kind of source first.

    `other` holds the windows of B where they are of another session.
    """
    sides = [_Sampled.of(session, a), _Sampled.of(other or session, b)]
    changes = [change for kind in _KINDS for change in kind(*sides)]
    return sorted(changes, key=lambda change: not change.is_apart)


@dataclass(frozen=True)
class _Sampled:
    samples: tuple[Samples, ...]
    histograms: tuple[Histogram, ...]

    @classmethod
    def of(cls, session: Session, windows: Sequence[Window]) -> _Sampled:
        sources = [source for window in windows for source in session.sources(window.id)]
        sampled = tuple(SessionSamples(session, window) for window in windows)
        return cls(sampled, tuple(histograms_of(sources)))

    def devices(self) -> set[str]:
        return {device for samples in self.samples for device in series.devices(samples)}

    def joined(self, read: Callable[[Samples], series.Series | None]) -> Values | None:
        """One series over all windows of the side; None where a window lacks it."""
        parts = [read(samples) for samples in self.samples]
        values = [part[1] for part in parts if part is not None]
        return np.concatenate(values) if values and len(values) == len(parts) else None


def _disks(a: _Sampled, b: _Sampled) -> Iterator[HostChange]:
    for device in sorted(a.devices() & b.devices()):
        for quantity, unit, read in _OF_DISK:
            sides = read(a, device), read(b, device)
            if sides[0] is not None and sides[1] is not None:
                yield HostChange(quantity, device, unit, sides[0], sides[1])


def _size(moved: tuple[str, ...], rate: str) -> Callable[[_Sampled, str], Side | None]:
    """KB a request: all that was moved by all requests, and that of each interval."""

    def read(side: _Sampled, device: str) -> Side | None:
        kilobytes = side.joined(lambda samples: series.iostat(samples, device, *moved))
        requests = side.joined(lambda samples: series.iostat(samples, device, rate))
        if kilobytes is None or requests is None or len(kilobytes) != len(requests):
            return None
        some = requests >= _FEW_READS
        if not some.any():
            return None
        sizes = kilobytes[some] / requests[some]
        total = float(kilobytes[some].sum() / requests[some].sum())
        return Side(total, float(sizes.min()), float(sizes.max()), int(some.sum()))

    return read


def _mean(*columns: str) -> Callable[[_Sampled, str], Side | None]:
    return lambda side, device: _side(
        side.joined(lambda samples: series.iostat(samples, device, *columns))
    )


def _wait(side: _Sampled, device: str) -> Side | None:
    """Milliseconds a request: of all requests, and the means of the intervals."""
    parts = [every_kind(samples, device) for samples in side.samples]
    kinds = [waits for part in parts for waits in part]
    if not kinds or not all(parts):
        return None
    rates = [waits.rates if waits.rates is not None else np.ones(len(waits.ms)) for waits in kinds]
    times = np.concatenate([waits.times for waits in kinds])
    ms = np.concatenate([waits.ms for waits in kinds])
    requests = np.concatenate(rates)
    _, interval = np.unique(times, return_inverse=True)
    waited, asked = np.bincount(interval, ms * requests), np.bincount(interval, requests)
    means = waited[asked > 0] / asked[asked > 0]
    return Side(
        float(waited.sum() / asked.sum()), float(means.min()), float(means.max()), len(means)
    )


def _side(values: Values | None) -> Side | None:
    if values is None or not len(values):
        return None
    return Side(float(values.mean()), float(values.min()), float(values.max()), len(values))


_KB, _PERCENT, _A_SECOND = verbatim("KB"), verbatim("%"), verbatim("/s")
_OF_DISK: tuple[tuple[Message, Message, Callable[[_Sampled, str], Side | None]], ...] = (
    (Message("Size of a read"), _KB, _size(("rkB/s", "kr/s"), "r/s")),
    (Message("Size of a write"), _KB, _size(("wkB/s", "kw/s"), "w/s")),
    (Message("Time of a request"), verbatim("ms"), _wait),
    (Message("Busy time"), _PERCENT, _mean("util", "%b")),
    (Message("Reads"), _A_SECOND, _mean("r/s")),
    (Message("Writes"), _A_SECOND, _mean("w/s")),
)  # fmt: skip


def _processors(a: _Sampled, b: _Sampled) -> Iterator[HostChange]:
    for quantity, unit, read in _OF_PROCESSORS:
        before, after = _side(a.joined(read)), _side(b.joined(read))
        if before is not None and after is not None:
            yield HostChange(quantity, "", unit, before, after)


_OF_PROCESSORS: tuple[tuple[Message, Message, Callable[[Samples], series.Series | None]], ...] = (
    (Message("Idle processors"), _PERCENT, series.cpu_idle),
    (Message("Page scanner"), Message("pages/s"), lambda samples: series.vmstat(samples, "sr")),
    (Message("Swapped out"), verbatim("KB/s"), lambda samples: series.vmstat(samples, "so")),
    (Message("Run queue"), Message("processes"), lambda samples: series.vmstat(samples, "r")),
    (Message("Rate of ldclt"), Message("operations/s"), lambda samples: samples.get("ldclt:rate")),
)


def _caches(a: _Sampled, b: _Sampled) -> Iterator[HostChange]:
    """Hit ratios; one window has one, so the ranges of single windows are points."""
    entries = [{**series.backends(samples)} for side in (a, b) for samples in side.samples]
    shared = set(entries[0]).intersection(*entries[1:]) if entries else set()
    caches = [
        (Message("Hits of the entry cache ({backend})", backend=name), entries[0][name], "entry")
        for name in sorted(shared)
    ]
    caches.append((Message("Hits of the database cache"), series.LDBM, "db"))
    for quantity, entry, kind in caches:
        sides = [_hits(side, entry, kind) for side in (a, b)]
        if sides[0] is not None and sides[1] is not None:
            yield HostChange(quantity, "", _PERCENT, sides[0], sides[1])


def _hits(side: _Sampled, entry: str, kind: str) -> Side | None:
    ratios = [
        series.hit_ratio(samples, entry, f"{kind}cachehits", f"{kind}cachetries")
        for samples in side.samples
    ]
    return _side(np.array([100 * ratio.share for ratio in ratios if ratio is not None]))


def _probes(a: _Sampled, b: _Sampled) -> Iterator[HostChange]:
    """The share of calls of a probe in its tail, on both sides with the same threads."""
    before = {
        (histogram.probe, histogram.threads, histogram.unit): histogram
        for histogram in a.histograms
    }
    after = {
        (histogram.probe, histogram.threads, histogram.unit): histogram
        for histogram in b.histograms
    }
    for key in before.keys() & after.keys():
        tail = [shift for shift in shifts(before[key], after[key]) if 0 < shift.before <= _TAIL]
        if not tail:
            continue
        # Half of the interval of the difference on each side: apart where it holds no 0.
        first, n = tail[0], (before[key].calls, after[key].calls)
        half = 50 * (first.high - first.low) / 2
        shares = [
            Side(100 * share, 100 * share - half, 100 * share + half, calls)
            for share, calls in zip((first.before, first.after), n, strict=True)
        ]
        bound = amount(first.bound, before[key].unit)
        beyond = Message("Calls beyond {bound}", bound=bound)
        yield HostChange(beyond, key[0], _PERCENT, shares[0], shares[1])


_KINDS: tuple[Callable[[_Sampled, _Sampled], Iterator[HostChange]], ...] = (
    _disks,
    _processors,
    _caches,
    _probes,
)


_HEADINGS = (
    Message("Quantity"),
    Message("Of"),
    verbatim("A"),
    verbatim("B"),
    verbatim("B / A"),
    Message("Ranges"),
)
_APART, _OVERLAP = Message("apart"), Message("overlap")


def host_cells(change: HostChange) -> Row:
    """A quantity: its name, of what, in A and in B, their ratio, whether their ranges overlap."""
    return (
        change.quantity,
        format_device(change.place),
        change.amount(change.a),
        change.amount(change.b),
        formats.ratio(change.ratio),
        _APART if change.is_apart else _OVERLAP,
    )


def host_numbers(changes: Sequence[HostChange]) -> Numbers:
    """A row a quantity, clear changes first."""
    return Numbers(_HEADINGS, tuple(map(host_cells, changes)))
