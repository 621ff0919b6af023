"""How far each replica is behind the others, from the CSNs that were sampled side by side.

A change counts as known from the moment it was first seen on any of them; a replica lags for as
long as it has not got the oldest such change. That asks no replica's clock about another's, and an
idle directory does not look late. The distance of the CSNs is beside it: by how much the newest
change of a supplier that a replica has is older than the newest that anyone has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Sample, Source, SourceKind, SourceState, Window
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

LAG = "replication:lag_s"
DISTANCE = "replication:csn_distance_s"
CSN = "replication:csn["

Series = tuple[NDArray[np.int64], NDArray[np.float64]]
"""Times in ns on one clock, and the CSN (s since 1970) that was newest then."""


@dataclass(frozen=True, eq=False)
class Lag:
    """Of one replica, at each time its CSNs were read: seconds."""

    times_ns: NDArray[np.int64]
    lag_s: NDArray[np.float64]
    distance_s: NDArray[np.float64]

    @property
    def largest_s(self) -> float:
        return float(self.lag_s.max()) if len(self.lag_s) else 0.0


def lags(replicas: Sequence[Mapping[str, Series]]) -> list[Lag]:
    """For each replica, of its series by supplier, all on one clock.

    Only suppliers that all of them show count, as for `LagWatch`: one that was retired, or that
    replicates to some of them only, makes the others late for as long as it is remembered. A
    replica of which nothing could be read has no say.
    """
    shown = [frozenset(series) for series in replicas if series]
    suppliers = sorted(frozenset.intersection(*shown)) if shown else []
    return [_lag(replicas, own, suppliers) for own in range(len(replicas))]


def _lag(replicas: Sequence[Mapping[str, Series]], own: int, suppliers: Sequence[str]) -> Lag:
    """Empty without a supplier that all show: then nobody knows who is late."""
    shown = replicas[own] if suppliers else {}
    times = np.unique(np.concatenate([_NONE, *(t for t, _ in shown.values())]))
    lag, distance = np.zeros(len(times)), np.zeros(len(times))
    for name in suppliers:
        known_ns, known = _known([series[name] for series in replicas if name in series])
        has = _at(replicas[own].get(name), times)
        newest = _at((known_ns, known), times)
        missing = np.searchsorted(known, has, side="right")
        late = (missing < len(known)) & (newest > has)
        since = known_ns[np.minimum(missing, len(known) - 1)]
        lag = np.maximum(lag, np.where(late, (times - since) / NS_PER_S, 0.0))
        apart = np.where(late & np.isfinite(has), newest - has, 0.0)
        distance = np.maximum(distance, apart)
    return Lag(times, lag, distance)


_NONE = np.empty(0, np.int64)


def _known(every: Sequence[Series]) -> Series:
    """When each change of a supplier was first seen on any replica; both columns rise."""
    times = np.concatenate([times for times, _ in every])
    values = np.concatenate([values for _, values in every])
    order = np.argsort(times, kind="stable")
    times, values = times[order], values[order]
    highest = np.maximum.accumulate(values)
    new = np.diff(highest, prepend=-np.inf) > 0
    return times[new], values[new]


def _at(series: Series | None, times: NDArray[np.int64]) -> NDArray[np.float64]:
    """The value last read at each time; -inf before the first."""
    if series is None or not len(series[0]):
        return np.full(len(times), -np.inf)
    last = np.searchsorted(series[0], times, side="right") - 1
    return np.where(last < 0, -np.inf, series[1][np.maximum(last, 0)])


def read_csns(session: Session, window: Window, target: Target) -> dict[str, Series]:
    """The CSNs of a window by supplier, on the clock of this machine."""
    names = [name for name in session.series_names(window) if name.startswith(CSN)]
    offset = target.clock.offset_ns
    return {
        name: (times - offset, values)
        for name, (times, values) in session.every_sample(window, names).items()
    }


def store_lag(writer: SessionWriter, window: Window, target: Target, lag: Lag) -> None:
    """Both series into the window they belong to, on the server's clock again."""
    source = Source(
        writer.next_id("source"),
        window.id,
        SourceKind.REPLICATION,
        "CSN",
        SourceState.COMPLETE if len(lag.times_ns) else SourceState.MISSING,
        why=NOTHING
        if len(lag.times_ns)
        else Message("No CSN of a supplier that all replicas show can be read."),
        samples=len(lag.times_ns),
    )
    writer.put_source(source)
    offset = target.clock.offset_ns
    for name, values in ((LAG, lag.lag_s), (DISTANCE, lag.distance_s)):
        pairs = zip(lag.times_ns.tolist(), values.tolist(), strict=True)
        writer.add_samples(source.id, [Sample(t + offset, name, v) for t, v in pairs])
