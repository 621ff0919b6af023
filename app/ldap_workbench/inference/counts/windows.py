"""Windows as the verdict sees them: an arm, a pair and counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.buckets import edges_ns, first_above
from ldap_workbench.inference.counts.counting import Tally
from ldap_workbench.inference.counts.cube import Cube
from ldap_workbench.inference.counts.requests import Requests
from ldap_workbench.inference.counts.strata import Strata, Stratum
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import TYPES
from ldap_workbench.model.units import NS_PER_S

Float = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WindowCounts:
    """Counts of one window: one row per cell that is not empty, bins of `dt` seconds.

    bin, kind, bucket, count   bin of completion, index into `types`, bucket between two of
                `edges_s`; sorted by bin within each kind and bucket
    arrivals    [bin] operations that start in it; None where only completions are known
    start_s     when the window began, to order windows in time; None where unknown
    flaws       reasons to leave the window out, and its pair with it: a gap in the log, a clock
                step, another job on the host
    weights     [bin] share of the bin that counts, set by load matching
    length_s    true length where the last bin is not full; 0 where it is
    stratum     of each cell, an index into `strata`; None where only types are known
    requests    what was asked for, of every kind that was counted
    hung        whether the server did not answer its monitor for 10 s or longer: what waited
                meanwhile is hardly in the log
    """

    arm: str
    pair: int
    dt: float
    bins: int
    bin: NDArray[Any]
    kind: NDArray[Any]
    bucket: NDArray[Any]
    count: NDArray[Any]
    edges_s: Float
    types: tuple[str, ...]
    tally: Tally = field(default_factory=Tally)
    arrivals: Float | None = None
    start_s: float | None = None
    flaws: tuple[Message, ...] = ()
    max_ns: int | None = None
    weights: Float | None = None
    length_s: float = 0.0
    stratum: NDArray[Any] | None = None
    strata: Strata | None = None
    requests: Requests = field(default_factory=Requests)
    hung: bool = False

    @property
    def seconds(self) -> float:
        return self.length_s or float(self.dt * self.bins)

    @cached_property
    def n(self) -> int:
        """Operations in the window, unweighted."""
        return int(self.count.sum())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Operation types sorted by name: the order of types never matters."""
        return tuple(sorted(self.types))

    @cached_property
    def histogram(self) -> Float:
        """Weighted counts [type of `names`, bucket]."""
        if self.stratum is not None:
            counts_of = np.zeros((len(self.names), len(self.edges_s) - 1))
            for place, name in enumerate(self.names):
                # Most types are one stratum, or none.
                own = self.rows_of(name)
                if own:
                    counts_of[place] = (
                        self.parts[own].sum(0) if len(own) > 1 else self.parts[own[0]]
                    )
            return counts_of
        buckets = len(self.edges_s) - 1
        flat = self.kind.astype(np.int64) * buckets + self.bucket
        counts = self.count if self.weights is None else self.count * self.weights[self.bin]
        rows = np.bincount(flat, counts, len(self.types) * buckets).reshape(-1, buckets)
        return np.asarray(rows[[self.types.index(name) for name in self.names]])

    @cached_property
    def parted_by(self) -> tuple[Stratum, ...]:
        """What `parts` tells apart: the strata, or the types of `names` without them."""
        if self.strata is None:
            return tuple(Stratum((name,), name) for name in self.names)
        return self.strata.strata

    @cached_property
    def part(self) -> NDArray[np.int64]:
        """Of each cell, its place in `parted_by`."""
        if self.stratum is not None:
            return self.stratum.astype(np.int64)
        rank = np.array([self.names.index(name) for name in self.types], np.int64)
        return np.asarray(rank[self.kind])

    @cached_property
    def parts(self) -> Float:
        """Weighted counts [stratum of `parted_by`, bucket]."""
        if self.stratum is None:
            return self.histogram
        buckets, rows = len(self.edges_s) - 1, len(self.parted_by)
        counts = self.count if self.weights is None else self.count * self.weights[self.bin]
        flat = np.bincount(self.part * buckets + self.bucket, counts, rows * buckets)
        return np.asarray(flat.reshape(rows, buckets), np.float64)

    def rows_of(self, name: str) -> list[int]:
        """Places in `parted_by` of a type, of the kind of operation asked for, or of all for ""."""
        if not name:
            return list(range(len(self.parted_by)))
        if name in self.types:
            return [i for i, stratum in enumerate(self.parted_by) if stratum.type == name]
        return [i for i, stratum in enumerate(self.parted_by) if stratum.asked]

    def of(self, name: str) -> WindowCounts:
        """Only the counts of a type, or of the kind of operation asked for."""
        return self._only(np.isin(self.part, self.rows_of(name)))

    @cached_property
    def per_bin(self) -> Float:
        """Completions in each bin, unweighted."""
        return np.asarray(np.bincount(self.bin, self.count, self.bins), np.float64)

    @cached_property
    def mean_log(self) -> Float:
        """Mean ln etime (s) of each bin; a bin without completions repeats the one before."""
        middle = np.log(self.edges_s[:-1]) + np.diff(np.log(self.edges_s)) / 2
        total = np.bincount(self.bin, self.count * middle[self.bucket], self.bins)
        filled = np.flatnonzero(self.per_bin > 0)
        if not len(filled):
            return np.zeros(self.bins)
        nearest = filled[np.maximum(np.searchsorted(filled, np.arange(self.bins), "right") - 1, 0)]
        return np.asarray(total[nearest] / self.per_bin[nearest])

    def from_bucket(self, first: int) -> WindowCounts:
        """Only the counts from bucket `first` on."""
        return self._only(self.bucket >= first)

    def at_least(self, limit_s: float) -> WindowCounts:
        """What took less than a limit counted as just above it; with 0 all is as it was."""
        if not limit_s:
            return self
        bucket = np.maximum(self.bucket, first_above(self.edges_s, limit_s))
        order = np.lexsort((self.bin, bucket, self.kind))
        return replace(self._only(order), bucket=bucket[order])

    def without_first(self, seconds: float) -> WindowCounts:
        """The window without its first seconds, in whole bins."""
        cut = min(self.bins, max(0, int(np.ceil(seconds / self.dt - 1e-9))))
        if cut == 0:
            return self
        rest = self._only(self.bin >= cut)
        return replace(
            rest,
            bin=rest.bin - cut,
            bins=self.bins - cut,
            length_s=max(self.length_s - cut * self.dt, 0.0),
            arrivals=None if self.arrivals is None else self.arrivals[cut:],
        )

    def between(self, first: int, end: int) -> WindowCounts:
        """Bins from `first` up to `end`, as a window of its own."""
        part = self._only((self.bin >= first) & (self.bin < end))
        return replace(
            part,
            bin=part.bin - first,
            bins=end - first,
            arrivals=None if self.arrivals is None else self.arrivals[first:end],
            start_s=None if self.start_s is None else self.start_s + first * self.dt,
            weights=None if self.weights is None else self.weights[first:end],
            length_s=0.0,
        )

    def _only(self, keep: NDArray[Any]) -> WindowCounts:
        return replace(
            self,
            bin=self.bin[keep],
            kind=self.kind[keep],
            bucket=self.bucket[keep],
            count=self.count[keep],
            stratum=None if self.stratum is None else self.stratum[keep],
        )


def windows_from_cubes(
    cubes: Sequence[Cube],
    arms: Sequence[tuple[str, int]],
    flaws: Mapping[int, Sequence[Message]] | None = None,
    strata: Strata | None = None,
    requests: Sequence[Requests] = (),
) -> list[WindowCounts]:
    """Windows of cubes with their (arm, pair); all cubes have the same SLO and strata.

    `flaws`: index of a window -> why it, and with it its pair, must be left out. `requests`: what
    was asked for in each window.
    """
    known = flaws or {}
    asked = requests or [Requests()] * len(cubes)
    windows = [
        _from_cube(cube, arm, pair, tuple(known.get(index, ())))
        for index, (cube, (arm, pair)) in enumerate(zip(cubes, arms, strict=True))
    ]
    return [
        replace(window, strata=strata, requests=of_window)
        for window, of_window in zip(windows, asked, strict=True)
    ]


def _from_cube(cube: Cube, arm: str, pair: int, flaws: tuple[Message, ...]) -> WindowCounts:
    return WindowCounts(
        arm,
        pair,
        1.0,
        cube.arrivals.shape[1],
        cube.second,
        cube.kind,
        cube.bucket,
        cube.count,
        edges_ns(cube.slo_ns) / NS_PER_S,
        TYPES,
        cube.tally,
        cube.arrivals.sum(0, dtype=np.float64),
        cube.start_ns / NS_PER_S,
        flaws,
        cube.max_ns,
        length_s=cube.seconds,
        stratum=cube.stratum,
    )
