"""Conditions beyond findings that advice may name in `when`: what must hold on this server."""

from __future__ import annotations

from collections.abc import Callable

from ldap_workbench.advice.rules.values import Seen, unindexed_attributes

IDLIST_HIGH = 100_000
"""From this limit on long index lists are read anyhow; 389 DS 2.x has 4000."""
LOOKTHROUGH = 5_000
WRITES = 0.3
"""Share of a disk's requests from which on it is one that writes."""


def _referint_delayed(seen: Seen) -> bool:
    delay = seen.setting("referint-update-delay")
    return delay is None or delay > 0


def _idlist_low(seen: Seen) -> bool:
    limit = seen.setting("nsslapd-idlistscanlimit")
    return limit is not None and 0 <= limit < IDLIST_HIGH


def _lookthrough_high(seen: Seen) -> bool:
    limit = seen.setting("nsslapd-lookthroughlimit")
    return limit is not None and (limit < 0 or limit > LOOKTHROUGH)


def _autosize_on(seen: Seen) -> bool:
    share = seen.setting("nsslapd-cache-autosize")
    return share is None or 0 < share < 50


def _page_smaller(seen: Seen) -> bool:
    page, read = (
        seen.number("large_reads", "page_kb"),
        seen.number("large_reads", "kb_per_read"),
    )
    return "entry_sizes" in seen.findings or bool(page and read and page < min(read, 64))


def _scheduler_in_force(seen: Seen) -> bool:
    text = seen.settings.get("io-scheduler", "")
    active = text.partition("[")[2].partition("]")[0] or text
    return "scheduler" in seen.findings or active not in ("", "none", "noop")


def _writes_matter(seen: Seen) -> bool:
    """Advice on writing is for a disk that writes: one that reads all day has another trouble."""
    others = {"checkpoint", "slow_flush"} & seen.findings.keys()
    share = seen.number("slow_device", "write_share")
    return bool(others) or share is None or share >= WRITES


CONDITIONS: dict[str, Callable[[Seen], bool]] = {
    "": lambda _: True,
    "referint_unindexed": lambda seen: bool(unindexed_attributes(seen)),
    "referint_delayed": _referint_delayed,
    "applied_twice": lambda seen: (
        "applied_twice" in seen.findings
        or seen.findings["same_operation"].numbers.get("like_a_timeout") is True
    ),
    "idlistscanlimit_low": _idlist_low,
    "lookthrough_high": _lookthrough_high,
    "autosize_on": _autosize_on,
    "mdb_map_full": lambda seen: (
        (seen.number("lmdb_map", "map_share") or 0)
        >= (seen.number("lmdb_map", "reader_share") or 0)
    ),
    "mdb_readers_full": lambda seen: (
        (seen.number("lmdb_map", "reader_share") or 0) > (seen.number("lmdb_map", "map_share") or 0)
    ),
    "page_smaller_than_read": _page_smaller,
    "writes_matter": _writes_matter,
    "scheduler_in_force": _scheduler_in_force,
    "swapping": lambda seen: (
        max(
            seen.number("memory", "swapping_share") or 0,
            seen.number("memory", "scanning_share") or 0,
        )
        > 0
    ),
}
