"""Compile with numba once per user and machine; without a place to keep it, compile every time."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import platformdirs

F = TypeVar("F", bound=Callable[..., Any])

INTERPRETED = bool(os.environ.get("LDAP_WORKBENCH_INTERPRETED"))
"""Run the kernel as plain Python with every memory access checked: for fuzzing, and slow."""


def _cache_folder() -> str:
    """A folder named after the sources: numba itself does not see a change in a called function."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    root = Path(platformdirs.user_cache_dir("ldap-workbench"))
    return str(root / "compiled" / digest.hexdigest()[:16])


_FOLDER = _cache_folder()


def entry(function: F) -> F:
    """A function that Python calls: machine code without the GIL, kept for the next start."""
    return _compile(function)


def inner(function: F) -> F:
    """A function that only compiled functions call."""
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def _compile(function: F, **options: Any) -> F:
    if INTERPRETED:
        return function
    # Nothing here allocates, so nothing needs counted references.
    options |= {"nogil": True, "_nrt": False, "error_model": "numpy"}
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = before or _FOLDER
    try:
        return cast(F, numba.njit(cache=True, **options)(function))
    except RuntimeError:  # numba: no folder it may write to; slower to start, else the same
        return cast(F, numba.njit(**options)(function))
    finally:
        config.CACHE_DIR = before
