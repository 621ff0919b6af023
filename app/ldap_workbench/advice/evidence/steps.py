"""Requests one after the other: each with the pause since the answer before it.

A client that waits for each answer never has two requests under way. Those who share a pooled
connection may not either; but their requests come at random, and their pauses are spread as widely
as such arrivals are. Work of a program between two steps takes about as long each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.evidence.clients import ABANDON, SHORT, Asked, Rows
from ldap_workbench.advice.evidence.numbering import stable_order
from ldap_workbench.model.operations import Int64

_CLOCKS = (1_000_000_000, 1_000_000, 1_000)
_EARLY_NS = 100_000
"""A server may log its answer so long after sending it: the next request seems to come before."""
_STEADY = 0.8
"""Nine in ten of random pauses lie within three times their median; of 15, so few in 1 of 8,000."""


@dataclass(frozen=True, eq=False)
class Steps:
    """Operations of clients, stream by stream in their order; arrays are [n].

    places      in `Asked.rows`
    stream      of each, as it was asked for
    start, end  ns
    clock_ns    the step of the log's clock: so much a pause may be off
    """

    places: Rows
    stream: Int64
    start: Int64
    end: Int64
    clock_ns: int

    @cached_property
    def pause_ns(self) -> Int64:
        """From the answer before to each request but the first, [n - 1]."""
        pauses: Int64 = self.start[1:] - self.end[:-1]
        return pauses

    def follow_within(self, longest_s: float) -> NDArray[np.bool_]:
        """Which follow the one before of their stream, not before its answer nor long after."""
        follow: NDArray[np.bool_] = self.stream[1:] == self.stream[:-1]
        longest_ns = longest_s * 1e9 + self.clock_ns
        early_ns = max(1.5 * self.clock_ns, _EARLY_NS)
        return follow & (self.pause_ns >= -early_ns) & (self.pause_ns < longest_ns)

    def runs(self, follow: NDArray[np.bool_]) -> tuple[Rows, Rows]:
        """Where runs of operations begin that follow one another, and how long they are."""
        firsts = np.flatnonzero(np.concatenate(([True], ~follow)))
        return firsts, np.diff(np.append(firsts, len(self.places)))

    def is_steady(self, pauses: Int64) -> bool:
        """Whether pauses are of one length, as far as the clock of the log shows."""
        return is_steady(pauses, self.clock_ns)


def is_steady(pauses: Int64, clock_ns: int = 0) -> bool:
    """Whether pauses are of one length, as random arrivals (three times as wide) have not."""
    low, middle, high = np.quantile(pauses, (0.1, 0.5, 0.9))
    return bool(high - low <= _STEADY * middle + clock_ns)


def streams_of(asked: Asked) -> Int64:
    """Of each of `Asked.rows` its stream: a connection, or the client where those are short."""
    connections = asked.connections
    short = connections.operations[connections.number] <= SHORT
    streams: Int64 = np.where(short, -1 - asked.client, connections.number + len(connections.first))
    return streams


def steps_of(asked: Asked, stream: Int64, among: NDArray[np.bool_] | None = None) -> Steps:
    """The steps of streams, of which `stream` has a number for each of `Asked.rows`.

    `among` are those that count, where others between them do not matter.
    """
    places = np.flatnonzero(asked.kind != ABANDON if among is None else among)
    rows, operations = asked.rows[places], asked.operations
    # The order of results, as a clock of whole seconds does not say which of them came first.
    place_of = np.full(len(operations), -1, np.int32)
    place_of[rows] = places
    places = place_of[place_of >= 0].astype(np.intp)
    end = operations.end_ns[asked.rows[places]]
    if (end[1:] < end[:-1]).any():
        places = places[np.argsort(end, kind="stable")]
    places = places[stable_order(stream[places])]
    rows = asked.rows[places]
    end = operations.end_ns[rows]
    clock = next((step for step in _CLOCKS if len(end) and not (end % step).any()), 1)
    return Steps(places, stream[places], operations.start_ns[rows], end, clock)
