"""Where the files of resources/ are: inside an installed wheel, or beside app/ in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def resource(path: str) -> Path:
    """The file or folder `path` of resources/, '/'-separated. Raises FileNotFoundError."""
    for root in (_PACKAGE / "resources", _PACKAGE.parents[1] / "resources"):
        if (found := root / path).exists():
            return found
    raise FileNotFoundError(f"resources/{path} is not part of this installation")
