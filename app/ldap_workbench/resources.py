"""Where the files of resources/ are: inside an installed wheel, or beside app/ in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_CHECKOUT = _PACKAGE.parents[1]


def resource(path: str) -> Path:
    """The file or folder `path` of resources/, '/'-separated. Raises FileNotFoundError."""
    for root in (_PACKAGE / "resources", _CHECKOUT / "resources"):
        if (candidate := root / path).exists():
            return candidate
    raise FileNotFoundError(f"resources/{path} is not part of this installation")


def case_files(name: str) -> Path:
    """The folder of files of a case of docs/cases. Raises FileNotFoundError."""
    if (folder := docs_folder() / "cases" / "data" / name).is_dir():
        return folder
    raise FileNotFoundError(f"docs/cases/data/{name} is not part of this installation")


def docs_folder() -> Path:
    """The pages of docs/, as they come with the program. Raises FileNotFoundError."""
    for folder in (_PACKAGE / "resources" / "docs", _CHECKOUT / "docs"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError("docs/ is not part of this installation")
