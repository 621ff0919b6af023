"""What the wtime of 389 DS is: waiting for a worker thread, or for the client itself.

A worker in turbo mode stays with its connection and counts the next operation from its last
answer on, not from the arrival of the request (connection_threadmain makes the operation, then
reads). The pause of a client is then in wtime, and in etime: a client that rests 20 ms between
searches was logged with a median of 21.5 ms while it waited 2.0 ms (2.3.1, measured).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import ABSENT, Operations

_ENOUGH = 0.5
"""Workers are short where so many are at work; between two operations they are not seen."""


def busy_workers(operations: Operations) -> NDArray[np.int64]:
    """Operations at work in the middle of the wtime of each row; 0 where a row has none."""
    timed = operations.wtime_ns != ABSENT
    begun = (operations.start_ns + operations.wtime_ns)[timed]
    middle = (operations.start_ns + operations.wtime_ns // 2)[timed]
    ended = operations.end_ns[timed]
    busy = np.zeros(len(operations), np.int64)
    busy[timed] = np.searchsorted(np.sort(begun), middle, "right") - np.searchsorted(
        np.sort(ended), middle, "right"
    )
    return busy


def waited_for_worker(operations: Operations, threads: int | None) -> NDArray[np.bool_]:
    """Rows whose wtime was spent while workers were short.

    All with one where the number of workers is not known.
    """
    timed: NDArray[np.bool_] = operations.wtime_ns != ABSENT
    if threads is None:
        return timed
    return timed & (busy_workers(operations) >= max(1.0, _ENOUGH * threads))
