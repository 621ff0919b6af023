"""What folders tell of imported files: which belong to one server, and what its window is called.

Logs of several servers are collected in a folder for each, all named alike: primary/access and
c1/access, or primary/logs/access beside primary/config/dse.ldif.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ldap_workbench.logs.reading.files import LogSet
from ldap_workbench.model.window import Window


def folder_of(logs: LogSet) -> Path:
    """The folder in which a log lies."""
    return logs.files[0].path.parent


def window_names(sets: Sequence[LogSet]) -> dict[LogSet, str]:
    """Each log's own name; that of its folder where the same name is in several."""
    same = Counter(logs.name for logs in sets)
    alike = [logs for logs in sets if same[logs.name] > 1]
    folders = distinct([folder_of(logs) for logs in alike])
    return {logs: folders.get(folder_of(logs), "") or logs.name for logs in alike}


def distinct(folders: Iterable[Path]) -> dict[Path, str]:
    """The shortest names that tell folders apart: the first part in which they differ, or more.

    '' for the folder that all others are in, and for one folder alone.
    """
    parts = {folder: folder.resolve().parts for folder in folders}
    common = _shared(list(parts.values()))
    own = {folder: path[common:] for folder, path in parts.items()}
    first = Counter(path[:1] for path in own.values())
    return {
        folder: path[0] if path and first[path[:1]] == 1 else "/".join(path)
        for folder, path in own.items()
    }


def nearest(windows: Sequence[Window], folders: Mapping[int, Path], place: Path) -> list[Window]:
    """Windows of the folder that shares most of its path with `place`; [] where two share as much.

    What lies beside the logs of a single server is that server's wherever it lies.
    """
    of_folder: dict[Path, list[Window]] = {}
    for window in windows:
        of_folder.setdefault(folders[window.id], []).append(window)
    there = place.resolve().parts
    shares = {folder: _shared([folder.resolve().parts, there]) for folder in of_folder}
    most = max(shares.values(), default=0)
    best = [folder for folder, share in shares.items() if share == most]
    return of_folder[best[0]] if len(best) == 1 else []


def _shared(paths: Sequence[Sequence[str]]) -> int:
    """How many leading parts all paths have in common."""
    columns = zip(*paths, strict=False)
    for number, column in enumerate(columns):
        if len(set(column)) > 1:
            return number
    return min(map(len, paths), default=0)
