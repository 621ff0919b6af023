"""Whether load is an outcome: all clients wait, and their waiting explains all of its change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from ldap_workbench.inference.counts.waits import Waits
from ldap_workbench.inference.counts.windows import WindowCounts
from ldap_workbench.inference.design.load import FINE, arm_means, load_ratio

LEAST_BUSY = 0.1
"""A client that waits for less of its time hardly asks more often the faster it is served."""
NEARLY_ALL = 0.95
"""Share of the operations of each arm that comes from clients that wait."""
LEAST_KNOWN = 0.8
"""Share of the operations that come after another one on their connection."""
_UNEXPLAINED = 0.1
"""Share of a change of the load, on the log scale, that waiting may leave open."""


@dataclass(frozen=True)
class WaitingLoad:
    """Of clients that wait, B over A: operations per second, mean etime.

    `expected` is what the etimes should make of the operations per second.
    """

    throughput: float
    etime: float
    expected: float

    @property
    def explained(self) -> bool:
        """Whether no more is left open than what counts as the same load, or a tenth of it."""
        left_open = abs(math.log(self.throughput / self.expected))
        return left_open <= max(math.log(FINE), _UNEXPLAINED * abs(math.log(self.throughput)))


def waiting_load(
    windows: Sequence[WindowCounts], *, of_sessions: bool = False
) -> WaitingLoad | None:
    """Of windows in which (nearly) all load is that of clients which wait; None of others.

    What is expected rests on each connection thinking as long between an answer and its next
    request in both arms. Open clients that share a pool of connections look as if they waited, but
    their load does not follow the etimes; nor does that of a mixture.
    """
    waits = {arm: _of(windows, arm) for arm in "AB"}
    for arm in "AB":
        waiting = waits[arm].waiting_share(LEAST_BUSY)
        if waits[arm].known < LEAST_KNOWN or waiting < NEARLY_ALL:
            return None
    etimes = arm_means(windows, _log_mean_etime, of_sessions=of_sessions)
    etime = math.exp(etimes["B"] - etimes["A"])
    forward, back = waits["A"].throughput(etime), waits["B"].throughput(1 / etime)
    return WaitingLoad(
        load_ratio(windows, of_sessions=of_sessions), etime, math.sqrt(forward / back)
    )


def _of(windows: Sequence[WindowCounts], arm: str) -> Waits:
    return reduce(Waits.plus, (w.tally.waits for w in windows if w.arm == arm), Waits())


def _log_mean_etime(window: WindowCounts) -> float:
    """ln of the mean etime of a window, s."""
    middle = np.sqrt(window.edges_s[:-1] * window.edges_s[1:])
    seconds = float(np.sum(window.count * middle[window.bucket]))
    return math.log(max(seconds, 1e-12) / max(window.n, 1))
