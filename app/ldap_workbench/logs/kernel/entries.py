"""The functions of the kernel that Python calls, whichever way they became code.

They become code when one is asked for first: the first time on a machine that takes seconds, which
the start of a program must not. Ask for them as `entries.scan`, where a thread may wait.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from ldap_workbench.logs.kernel import checked, shipped
from ldap_workbench.logs.kernel.compiled import INTERPRETED, WAY

SHIPPED: bool
"""Whether the shipped code is in use."""

scan: Callable[..., int]
flatten: Callable[..., Any]
rehash_strings: Callable[..., Any]
rehash_open: Callable[..., Any]
rehash_conns: Callable[..., int]

_loading = threading.Lock()


def __getattr__(name: str) -> Any:
    """One of the functions, all of which are here from now on."""
    if name != "SHIPPED" and name not in shipped.ARGUMENTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with _loading:
        if name not in globals():
            globals().update(_loaded())
    return globals()[name]


def _loaded() -> dict[str, Any]:
    if not WAY and (found := shipped.load()) is not None:
        return {"SHIPPED": True, **found}
    from ldap_workbench.logs.kernel import objects, tables
    from ldap_workbench.logs.kernel import scan as scanning

    return {
        "SHIPPED": False,
        "scan": scanning.scan,
        "flatten": objects.flatten,
        "rehash_strings": tables.rehash_strings,
        "rehash_open": tables.rehash_open,
        "rehash_conns": tables.rehash_conns,
    }


def address(array: NDArray[Any]) -> int:
    """Where an array begins; the caller keeps it alive and in place."""
    return checked.lend(array) if INTERPRETED else int(array.ctypes.data)
