"""The values in force: what the model computes with, read from the server's own attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MIB = 1024 * 1024
FORCED_CACHE = 512_000
"""389 DS makes any smaller entry cache this large."""
FORCED_DB_CACHE = 500_000
STORED_SCHEME = "SSHA512"
"""What the passwords of the practice directory are hashed with when it starts."""

MEMBEROF, ACCOUNT_POLICY = "MemberOf Plugin", "Account Policy Plugin"


@dataclass(frozen=True)
class Knobs:
    """Sizes in bytes, times in seconds; names follow the attributes they come from."""

    threads: int = 16
    entry_cache: int = 1024 * MIB
    db_cache: int = 256 * MIB
    checkpoint_interval: float = 60.0
    durable: bool = True
    read_ahead_kb: int = 128
    referint: bool = False
    referint_delay: float = 0.0
    upgrade_hash: bool = False
    log_buffering: bool = True
    memberof: bool = False
    memberof_nested: bool = True
    login_writes: bool = False
    number_index: bool = False
    """Whether employeeNumber has an equality index."""


def effective_knobs(values: Mapping[str, str], *, ram_bytes: int) -> Knobs:
    """The values in force after a start with these attributes (lower-case names).

    Beside attributes: `read_ahead_kb` of the host, `plugins`, which lists those that are on beyond
    what every server has, and `index.NAME`, the types of index that NAME has.
    Cache sizes follow the autotuning of 389 DS 2.3 where nsslapd-cache-autosize is above 0.
    """
    caches = autosized(values, ram_bytes)
    plugins = listed(values.get("plugins", ""))
    return Knobs(
        threads=_threads(values),
        entry_cache=caches[0],
        db_cache=caches[1],
        checkpoint_interval=float(values.get("nsslapd-db-checkpoint-interval", "60")),
        durable=values.get("nsslapd-db-durable-transaction", "on") == "on",
        read_ahead_kb=int(values.get("read_ahead_kb", "128")),
        referint=values.get("nsslapd-pluginenabled", "off") == "on",
        referint_delay=_seconds(values.get("referint-update-delay", "0")),
        upgrade_hash=values.get("nsslapd-enable-upgrade-hash", "on") == "on"
        and values.get("passwordstoragescheme", STORED_SCHEME) != STORED_SCHEME,
        log_buffering=values.get("nsslapd-accesslog-logbuffering", "on") == "on",
        memberof=MEMBEROF in plugins,
        memberof_nested=values.get("memberofskipnested", "off") != "on",
        login_writes=ACCOUNT_POLICY in plugins and values.get("alwaysrecordlogin") == "yes",
        number_index="eq" in listed(values.get("index.employeenumber", "")),
    )


def listed(names: str) -> list[str]:
    """The names of a list with commas."""
    return [name.strip() for name in names.split(",") if name.strip()]


def autosized(values: Mapping[str, str], ram_bytes: int) -> tuple[int, int, int]:
    """Entry, database and DN cache in bytes after a start."""
    share = int(values.get("nsslapd-cache-autosize", "25"))
    if share == 0:
        return (
            max(FORCED_CACHE, int(values.get("nsslapd-cachememsize", "0"))),
            max(FORCED_DB_CACHE, int(values.get("nsslapd-dbcachesize", "0"))),
            max(FORCED_CACHE, int(values.get("nsslapd-dncachememsize", str(16 * MIB)))),
        )
    total = ram_bytes * share // 100
    split = int(values.get("nsslapd-cache-autosize-split", "25"))
    database = min(total * split // 100, 1536 * MIB)
    rest = total - database
    return _round_up(rest * 9 // 10), database, _round_up(rest // 10)


def _round_up(size: int, step: int = 64 * MIB) -> int:
    return max(step, -(-size // step) * step)


def _threads(values: Mapping[str, str]) -> int:
    threads = int(values.get("nsslapd-threadnumber", "16"))
    return 16 if threads < 1 else threads


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:  # the server accepts any word while the plug-in is off, and so do we
        return 0.0
