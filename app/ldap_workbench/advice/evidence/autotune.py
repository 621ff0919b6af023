"""What servers take by themselves, by version; data in resources/advice/autotune.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ldap_workbench.resources import resource


@dataclass(frozen=True)
class Rival:
    """A published number of worker threads; `own` is what this version takes by itself."""

    id: str
    source: str
    threads: int
    own: bool


def published_threads(cores: int, version: str = "") -> tuple[Rival, ...]:
    """Worker threads for so many hardware threads, by each authority, this version's own first."""
    rows = _document()["threads"]
    own = row_of("threads", version)["id"]
    rivals = [
        Rival(row["id"], row["source"], _threads(row, cores), row["id"] == own) for row in rows
    ]
    return tuple(sorted(rivals, key=lambda rival: not rival.own))


def row_of(kind: str, version: str = "") -> Mapping[str, Any]:
    """The row for a version of 389 DS; the newest where it is not known."""
    rows: list[Mapping[str, Any]] = _document()[kind]
    here = version_of(version)
    if not here:
        return max(rows, key=lambda row: version_of(row.get("since", "0")))
    return next(row for row in rows if _covers(row, here))


def version_of(text: str) -> tuple[int, ...]:
    """Up to three numbers of a version, to be compared; () where there are none."""
    return tuple(int(n) for n in re.findall(r"\d+", text)[:3])


def _covers(row: Mapping[str, Any], version: tuple[int, ...]) -> bool:
    since, before = row.get("since", "0"), row.get("before")
    return version_of(since) <= version and (before is None or version < version_of(before))


def _threads(row: Mapping[str, Any], cores: int) -> int:
    if "table" in row:
        return int(max(threads for least, threads in row["table"] if least <= max(cores, 1)))
    return int(min(max(row["least"], cores), row["most"]))


@cache
def _document() -> dict[str, Any]:
    return tomllib.loads(resource("advice/autotune.toml").read_text("utf-8"))
