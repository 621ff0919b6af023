"""What operations cost: time of worker threads, and time of those who waited."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import ABSENT, Operations

Chosen = NDArray[np.bool_] | NDArray[np.intp]
"""Rows as a mask or as indices."""


def worker_ns(operations: Operations, rows: Chosen) -> int:
    """Time of worker threads that some operations took, ns: etime without the wait for one."""
    waited = operations.wtime_ns[rows]
    served = operations.etime_ns[rows] - np.where(waited == ABSENT, 0, waited)
    return _total(np.maximum(served, 0))


def user_ns(operations: Operations, rows: Chosen) -> int:
    """Time that clients waited for some operations, ns."""
    return _total(operations.etime_ns[rows])


def _total(times: NDArray[Any]) -> int:
    return int(times.sum())
