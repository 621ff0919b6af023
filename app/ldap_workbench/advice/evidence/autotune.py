"""What servers take by themselves, by version: threads and caches; data in autotune.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.resources import resource

MIB = 1024**2
STEP = 64 * MIB
"""Entry and DN caches are at least this, and rounded up to multiples of it."""
ENTRY_SHARE = 0.9


@dataclass(frozen=True)
class Rival:
    """A published number of worker threads; `own` is what this version takes by itself."""

    id: str
    source: str
    threads: int
    own: bool


@dataclass(frozen=True)
class Autosize:
    """What autosizing gives: bytes for the DB cache and for one back end's caches, and how."""

    total: int
    db_cache: int
    entry_cache: int
    dn_cache: int
    arithmetic: Message


def published_threads(cores: int, version: str = "") -> tuple[Rival, ...]:
    """Worker threads for so many hardware threads, by each authority, this version's own first."""
    rows = _document()["threads"]
    own = row_of("threads", version)["id"]
    rivals = [
        Rival(row["id"], row["source"], _threads(row, cores), row["id"] == own) for row in rows
    ]
    return tuple(sorted(rivals, key=lambda rival: not rival.own))


def autosize(
    ram_bytes: int, percent: float, split: float | None = None, backends: int = 1, version: str = ""
) -> Autosize:
    """The sizes for back ends of equal weight (newer servers weigh them by pages).

    `percent` of total memory, `split` of that (this version's default where None) to the DB cache
    up to the limit of the version, the rest in equal parts to the back ends: 90 % entry cache,
    10 % DN cache, each rounded up to 64 MiB.
    """
    rule = row_of("autosize", version)
    limit, split = rule["limit_mib"] * MIB, rule["split"] if split is None else split
    total = int(ram_bytes * percent / 100)
    db_cache = min(int(total * split / 100), limit)
    if db_cache < limit:
        db_cache = int(db_cache / rule["small_host"])
    share = (total - db_cache) // max(backends, 1)
    entry, dn = (_up(share * ENTRY_SHARE), _up(share * (1 - ENTRY_SHARE)))
    arithmetic = Message(
        "{percent:g} % of {ram:size} = {total:size}; {split:g} % of that, at most {limit:size}, = "
        "{db_cache:size} DB cache; the rest{shared} 90:10 = {entry:size} entry cache + {dn:size} "
        "DN cache ({source})",
        percent=percent,
        ram=ram_bytes,
        total=total,
        split=split,
        limit=limit,
        db_cache=db_cache,
        shared=Message(" over {n} back ends", n=backends) if backends > 1 else NOTHING,
        entry=entry,
        dn=dn,
        source=rule["source"],
    )
    return Autosize(total, db_cache, entry, dn, arithmetic)


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


def _up(size: float) -> int:
    return max(STEP, -(-int(size) // STEP) * STEP)
