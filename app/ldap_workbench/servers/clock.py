"""The server's clock, measured against ours."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import CommandError
from ldap_workbench.model.message import Message

ROUNDS = 5
_SLOW_NS = 2_000_000_000
"""A round trip on a line so slow that three more would only keep the operator waiting."""
_DATE = ("date", "+%s%N")


@dataclass(frozen=True)
class ServerClock:
    """server time = `server_ns` + (our time - `our_ns`) * rate.

    `error_ns` is half the shortest round trip: the offset is no more than that from the truth.
    None means that it was not measured and the two clocks are taken to agree.
    """

    our_ns: int
    server_ns: int
    error_ns: int | None
    rate: float = 1.0

    @property
    def offset_ns(self) -> int:
        """Server minus ours, at the time of measuring."""
        return self.server_ns - self.our_ns

    @property
    def age_ns(self) -> int:
        """How long ago it was measured, by our clock."""
        return time.time_ns() - self.our_ns

    def now_ns(self) -> int:
        """The server's time now."""
        return self.at(time.time_ns())

    def at(self, our_ns: int) -> int:
        """The server's time when ours was, or will be, `our_ns`."""
        passed = our_ns - self.our_ns
        if self.rate != 1.0:
            passed = round(passed * self.rate)
        return self.server_ns + passed

    def agrees_with(self, other: ServerClock) -> bool:
        """Whether both may be right: they differ by no more than their errors."""
        error_ns = ((self.error_ns or 0) + (other.error_ns or 0)) * self.rate
        return abs(self.at(other.our_ns) - other.server_ns) <= error_ns


def same_clock(rate: float = 1.0) -> ServerClock:
    """The clock of a server whose own cannot be read."""
    now = time.time_ns()
    return ServerClock(now, now, None, rate)


def measure_clock(
    run: Callable[[Sequence[str]], CommandResult], *, rate: float = 1.0, rounds: int = ROUNDS
) -> ServerClock:
    """Ask the host for its time, several times, and believe the quickest answer.

    `run` runs a command there. Raises CommandError where the host does not tell nanoseconds.
    """
    best: ServerClock | None = None
    for done in range(rounds):
        if done > 1 and best is not None and (best.error_ns or 0) * 2 > _SLOW_NS:
            break
        before = time.time_ns()
        result = run(_DATE)
        after = time.time_ns()
        if result.status != 0 or not result.stdout.strip().isdigit():
            raise CommandError(
                Message("The host does not report its time in nanoseconds (date +%s%N)."),
                status=result.status,
                remedy=Message(
                    "Both clocks are assumed to agree: times may be off by their difference."
                ),
            )
        clock = ServerClock((before + after) // 2, int(result.stdout), (after - before) // 2, rate)
        if best is None or (clock.error_ns or 0) < (best.error_ns or 0):
            best = clock
    assert best is not None
    return best
