"""How the kernel becomes machine code: shipped, by numba, or not at all.

Shipped: resources/kernel has machine code for Linux on x86-64, and LLVM code that llvmlite
translates on other machines in a second or two, once (there also LDAP_WORKBENCH_KERNEL=llvm). Both
are made by `python -m ldap_workbench.logs.access.kernel.ship` from these sources. Where those have
changed since, or LDAP_WORKBENCH_KERNEL=numba says so, numba compiles them, which takes longer.
LDAP_WORKBENCH_KERNEL=python runs them as they are, with every memory access checked: for fuzzing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import platformdirs

from ldap_workbench.model.operations import ABSENT, NOTES

F = TypeVar("F", bound=Callable[..., Any])

WAY = os.environ.get("LDAP_WORKBENCH_KERNEL", "")
INTERPRETED = WAY == "python"

_SOURCES = (
    "layout", "memory", "numbers", "tables", "filters", "fields", "lines", "rows", "etimes",
    "brackets", "slapd", "objects", "attributes", "audit", "scan", "ship",
)  # fmt: skip


@cache
def digest() -> str:
    """Of everything the machine code depends on."""
    text = hashlib.sha256(f"{ABSENT} {NOTES}".encode())
    for name in _SOURCES:
        text.update((Path(__file__).parent / f"{name}.py").read_text().encode())
    return text.hexdigest()[:16]


def cache_folder() -> Path:
    """Where this user's machine code is kept; it may not exist, or not be writable."""
    return Path(platformdirs.user_cache_dir("ldap-workbench")) / "kernel" / digest()


def entry(function: F) -> F:
    """A function that Python calls."""
    return _compile(function)


def inner(function: F) -> F:
    """A function that only compiled functions call."""
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def _compile(function: F, **options: Any) -> F:
    if INTERPRETED:
        return function
    import numba

    # Nothing here allocates, so nothing needs counted references.
    options |= {"nogil": True, "_nrt": False, "error_model": "numpy"}
    config: Any = numba.config
    before = config.CACHE_DIR
    # numba itself does not see a change in a called function: a folder for each digest does.
    config.CACHE_DIR = before or str(cache_folder())
    try:
        return cast(F, numba.njit(cache=True, **options)(function))
    except RuntimeError:  # numba: no folder it may write to; slower to start, else the same
        return cast(F, numba.njit(**options)(function))
    finally:
        config.CACHE_DIR = before
