"""389 DS's cache autosizing as arithmetic, by the rule of its version (autotune.toml)."""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.advice.evidence.autotune import row_of
from ldap_workbench.model.message import NOTHING, Message

MIB = 1024**2
STEP = 64 * MIB
"""Entry and DN caches are at least this, and rounded up to multiples of it."""
ENTRY_SHARE = 0.9


@dataclass(frozen=True)
class Autosize:
    """What autosizing gives: bytes for the DB cache and for one back end's caches, and how."""

    total: int
    db_cache: int
    entry_cache: int
    dn_cache: int
    arithmetic: Message


def autosize(
    ram_bytes: int,
    percent: float,
    split: float | None = None,
    backends: int = 1,
    version: str = "",
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


def _up(size: float) -> int:
    return max(STEP, -(-int(size) // STEP) * STEP)
