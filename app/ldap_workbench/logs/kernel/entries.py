"""The functions of the kernel that Python calls, whichever way they became code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from ldap_workbench.logs.kernel import checked, shipped
from ldap_workbench.logs.kernel.compiled import INTERPRETED, WAY

_shipped = shipped.load() if not WAY else None
SHIPPED = _shipped is not None
"""Whether the shipped code is in use."""

scan: Callable[..., int]
flatten: Callable[..., Any]
rehash_strings: Callable[..., Any]
rehash_open: Callable[..., Any]
rehash_conns: Callable[..., int]

if _shipped is not None:
    scan, flatten = _shipped["scan"], _shipped["flatten"]
    rehash_strings, rehash_open = _shipped["rehash_strings"], _shipped["rehash_open"]
    rehash_conns = _shipped["rehash_conns"]
else:
    from ldap_workbench.logs.kernel import objects, tables
    from ldap_workbench.logs.kernel import scan as _scan

    scan, flatten = _scan.scan, objects.flatten
    rehash_strings, rehash_open = tables.rehash_strings, tables.rehash_open
    rehash_conns = tables.rehash_conns


def address(array: NDArray[Any]) -> int:
    """Where an array begins; the caller keeps it alive and in place."""
    return checked.lend(array) if INTERPRETED else int(array.ctypes.data)
