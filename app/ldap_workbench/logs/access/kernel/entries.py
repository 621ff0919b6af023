"""The functions of the kernel that Python calls, whichever way they became code.

They become code when one is asked for first: the first time on a machine that takes seconds, which
the start of a program must not. Ask for them as `entries.scan`, where a thread may wait.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numpy.typing import NDArray

from ldap_workbench.logs.access.kernel import checked, shipped
from ldap_workbench.logs.access.kernel.compiled import INTERPRETED, WAY
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message

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
    if WAY in ("", "llvm") and (found := shipped.load()) is not None:
        return {"SHIPPED": True, **found}
    with _needing_numba():
        return {"SHIPPED": False, **_compiled()}


@contextmanager
def _needing_numba() -> Iterator[None]:
    """Say how to get it where nothing shipped fits: it is not installed with the program."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "numba":
            raise
        raise LogError(
            Message("The log reader has no code for this kind of machine."),
            safe=Message("Nothing was read."),
            remedy=Message("Install what makes it: pip install llvmlite numba"),
        ) from error


def _compiled() -> dict[str, Any]:
    from ldap_workbench.logs.access.kernel import objects, tables
    from ldap_workbench.logs.access.kernel import scan as scanning

    return {
        "scan": scanning.scan,
        "flatten": objects.flatten,
        "rehash_strings": tables.rehash_strings,
        "rehash_open": tables.rehash_open,
        "rehash_conns": tables.rehash_conns,
    }


def address(array: NDArray[Any]) -> int:
    """Where an array begins; the caller keeps it alive and in place."""
    return checked.lend(array) if INTERPRETED else int(array.ctypes.data)
