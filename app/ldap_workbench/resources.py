"""Where the files of resources/ are: inside an installed wheel, or beside app/ in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_CHECKOUT = _PACKAGE.parents[1]


def resource(path: str) -> Path:
    """The file or folder `path` of resources/, '/'-separated. Raises FileNotFoundError."""
    for root in (_PACKAGE / "resources", _CHECKOUT / "resources"):
        if (found := root / path).exists():
            return found
    raise FileNotFoundError(f"resources/{path} is not part of this installation")


def case_files(name: str) -> Path:
    """The folder of files of a case of docs/cases. Raises FileNotFoundError."""
    if (found := docs_folder() / "cases" / "data" / name).is_dir():
        return found
    raise FileNotFoundError(f"docs/cases/data/{name} is not part of this installation")


def docs_folder() -> Path:
    """The pages of docs/, as they come with the program. Raises FileNotFoundError."""
    for found in (_PACKAGE / "resources" / "docs", _CHECKOUT / "docs"):
        if found.is_dir():
            return found
    raise FileNotFoundError("docs/ is not part of this installation")
