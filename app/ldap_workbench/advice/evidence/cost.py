"""What operations cost: time of worker threads, and time of those who waited."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import ABSENT, Int64, Operations, client_operations

Chosen = NDArray[np.bool_] | NDArray[np.intp]
"""Rows as a mask or as indices."""


def worker_ns(operations: Operations, rows: Chosen) -> int:
    """Time of worker threads that some operations took, ns: etime without the wait for one."""
    return int(served_ns(operations)[rows].sum())


def share_of_work(operations: Operations, rows: Chosen) -> float:
    """The part that some operations have of the worker time of all client operations, 0 to 1."""
    every = worker_ns(operations, client_operations(operations))
    return worker_ns(operations, rows) / max(every, 1)


def served_ns(operations: Operations) -> Int64:
    """Time of a worker thread that each operation took, ns."""
    waited = operations.wtime_ns
    served: Int64 = np.maximum(operations.etime_ns - np.where(waited == ABSENT, 0, waited), 0)
    return served


def user_ns(operations: Operations, rows: Chosen) -> int:
    """Time that clients waited for some operations, ns."""
    return int(operations.etime_ns[rows].sum())


def p95_of(times: Int64) -> int | None:
    """The 95th percentile by nearest rank; None of nothing."""
    if not len(times):
        return None
    at = (len(times) * 19 + 19) // 20 - 1
    return int(np.partition(times, at)[at])
