"""A name for a new session file."""

from __future__ import annotations

from pathlib import Path


def free_path(folder: Path, name: str) -> Path:
    """A path in a folder that is not taken yet."""
    path = folder / f"{name}.ldapwb"
    number = 1
    while path.exists():
        number += 1
        path = folder / f"{name}-{number}.ldapwb"
    return path
