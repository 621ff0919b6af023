"""Compile with numba once per user and machine; without a place to keep it, compile every time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import platformdirs

F = TypeVar("F", bound=Callable[..., Any])


def _cache_folder() -> str:
    """A folder named after the sources: numba itself does not see a change in a called function."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    root = Path(platformdirs.user_cache_dir("ldap-workbench"))
    return str(root / "compiled" / digest.hexdigest()[:16])


_FOLDER = _cache_folder()


def compiled(function: F) -> F:
    """`function` as machine code that runs without the GIL and is kept for the next start."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = before or _FOLDER
    try:
        return cast(F, numba.njit(nogil=True, cache=True)(function))
    except RuntimeError:  # numba: no folder it may write to; slower to start, else the same
        return cast(F, numba.njit(nogil=True)(function))
    finally:
        numba.config.CACHE_DIR = before
