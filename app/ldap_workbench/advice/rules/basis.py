"""What advice is computed from, and the conditions that it may name in `when`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ldap_workbench.advice.evidence.autotune import version_of
from ldap_workbench.advice.families.binds import SASL
from ldap_workbench.model.finding import Deployment, Finding
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers.product import known_product, systems_of

MIB = 1024**2
RAM_SHARE = 0.5
"""No advice gives one cache more than this share of memory."""
OLC_THREADS, OLC_THREADS_DEFAULT = "olcThreads", 16
"""slapd does not show what is not set (slapd-config(5))."""


@dataclass(frozen=True)
class Basis:
    """What advice is computed from: findings by id, facts and settings of the server."""

    findings: Mapping[str, Finding]
    facts: TargetFacts | None
    settings: Mapping[str, str]

    def server_of(self, finding: str) -> Deployment:
        """What is known of the server a finding was made of: by its window, else by the facts."""
        server, facts = self.findings[finding].server, self.facts
        product = server.product or known_product(facts)
        library = server.db_library or (facts.db_library if facts else None) or ""
        return Deployment(product, library, server.systems or systems_of(facts, product))

    @property
    def product(self) -> str:
        """The product of the session; '' where nothing tells."""
        known = (self.server_of(finding).product for finding in self.findings)
        return next(filter(None, known), known_product(self.facts))

    @property
    def systems(self) -> frozenset[str]:
        """Systems the hosts may run: linux, solaris; none where nothing tells."""
        return frozenset(
            name for finding in self.findings for name in self.server_of(finding).systems
        )

    @property
    def version(self) -> str:
        """The version of the server: by its facts, else as findings in imported files have it."""
        if self.facts is not None:
            return self.facts.version
        versions = (str(finding.numbers.get("version", "")) for finding in self.findings.values())
        return next(filter(None, versions), "")

    def number(self, finding: str, name: str) -> float | None:
        """A number of a finding; None where the finding was not made or does not have it."""
        value = self.findings[finding].numbers.get(name) if finding in self.findings else None
        return float(value) if isinstance(value, int | float) else None

    def setting(self, knob: str) -> float | None:
        try:
            return float(self.settings[knob])
        except (KeyError, ValueError):
            return None


_UNITS = {
    "": 1,
    "b": 1,
    "kb": 1e3,
    "mb": 1e6,
    "gb": 1e9,
    "kib": 1024,
    "mib": MIB,
    "gib": 1024**3,
}


def size_of(basis: Basis, knob: str) -> float | None:
    """A size of OpenDJ in bytes: dsconfig stores it as it was typed, '128 mb' or '2gb'."""
    text = basis.settings.get(knob, "").strip().lower()
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text)
    return float(match[1]) * _UNITS[match[2]] if match and match[2] in _UNITS else None


def has_one_backend(basis: Basis) -> bool:
    """Whether one back end has the whole heap: of several the settings of one alone are known."""
    return basis.facts is not None and len(basis.facts.backends) == 1


def within_ram(basis: Basis, wanted: float) -> int:
    """Bytes for one cache, in whole MiB: at most its share of the memory, where that is known."""
    ram = basis.facts.ram_bytes if basis.facts else None
    most = RAM_SHARE * ram if ram else wanted
    return rounded_up(wanted, MIB) if wanted <= most else int(most) // MIB * MIB


def rounded_up(size: float, step: int) -> int:
    """The next multiple of a step."""
    return -(-int(size) // step) * step


IDLIST_HIGH = 100_000
"""From this limit on long index lists are read anyhow; some branches of 389 DS have 4000."""
LOOKTHROUGH = 5_000
HEAP_FULL = 0.7
"""Part of a heap that old objects fill from which on the collector hardly frees any."""
JE_MOST_PERCENT = 50
"""With more of the heap for one database OpenDJ 4.6.5 refuses further changes of it."""
_REGIONS_IN_MEMORY = (1, 4, 3)
_RECORDS = ("yes", "on", "true", "1")
"""Values of alwaysRecordLogin that write each login (389 DS acct_config.c)."""
WRITES = 0.3
"""Share of a disk's requests from which on it is one that writes."""


def _referint_delayed(basis: Basis) -> bool:
    delay = basis.setting("referint-update-delay")
    return delay is None or delay > 0


def _idlist_low(basis: Basis) -> bool:
    numbers = basis.findings["unindexed"].numbers
    if numbers.get("missing_indexes") and not numbers.get("all_indexed"):
        return False  # no list is too long where there is none
    limit = basis.setting("nsslapd-idlistscanlimit")
    return limit is not None and 0 <= limit < IDLIST_HIGH


def _lookthrough_high(basis: Basis) -> bool:
    if basis.product == "opendj":
        limit, unlimited = basis.setting("lookthrough-limit"), 0
    else:
        limit, unlimited = basis.setting("nsslapd-lookthroughlimit"), -1
    return limit is not None and (limit == unlimited or limit > LOOKTHROUGH)


def _heap_too_small(basis: Basis) -> bool:
    """Whether old objects fill it, or the part of it that caches the database is too small.

    Pauses alone may be those of a slow collector.
    """
    share = basis.number("java_collector", "heap_share") or 0.0
    full = {"heap_full", "je_cache", "java_heap_full"} & basis.findings.keys()
    return bool(full) or share >= HEAP_FULL


def _autosize_on(basis: Basis) -> bool:
    share = basis.setting("nsslapd-cache-autosize")
    return share is None or 0 < share < 50


def _account_policy_writes(basis: Basis) -> bool:
    return basis.settings.get("alwaysrecordlogin", "").lower() in _RECORDS


def _is_read(basis: Basis) -> bool:
    """Whether settings of 389 DS are known: what is not among them has its default then."""
    return any(knob.lower().startswith(("nsslapd-", "nsds5")) for knob in basis.settings)


def _login_writer_known(basis: Basis) -> bool:
    return "alwaysrecordlogin" in basis.settings or _is_read(basis)


def _no_release_timeout(basis: Basis) -> bool:
    """Whether it is known to be 0: dsconf gives new replicas 60."""
    known = "nsds5ReplicaReleaseTimeout" in basis.settings or _is_read(basis)
    return known and not basis.setting("nsds5ReplicaReleaseTimeout")


def _page_smaller(basis: Basis) -> bool:
    page, read = (
        basis.number("large_reads", "page_kb"),
        basis.number("large_reads", "kb_per_read"),
    )
    return "entry_sizes" in basis.findings or bool(page and read and page < min(read, 64))


def _scheduler_in_force(basis: Basis) -> bool:
    text = basis.settings.get("io-scheduler", "")
    active = text.partition("[")[2].partition("]")[0] or text
    return "scheduler" in basis.findings or active not in ("", "none", "noop")


def _writes_matter(basis: Basis) -> bool:
    """Advice on writing is for a disk that writes: one that reads all day has another trouble."""
    others = {"checkpoint", "slow_flush"} & basis.findings.keys()
    share = basis.number("slow_device", "write_share")
    return bool(others) or share is None or share >= WRITES


def _regions_on_disk(basis: Basis) -> bool:
    """Whether the region files may lie on a disk: since 1.4.3, 389 DS has put them in /dev/shm."""
    place = basis.settings.get("nsslapd-db-home-directory", "")
    if place or basis.product != "389ds":
        return not place.startswith(("/dev/shm", "/tmp", "/run"))  # noqa: S108 - compared
    version = version_of(basis.version)
    return bool(version) and version < _REGIONS_IN_MEMORY


CONDITIONS: dict[str, Callable[[Basis], bool]] = {
    "": lambda _: True,
    "referint_delayed": _referint_delayed,
    "applied_twice": lambda basis: (
        "applied_twice" in basis.findings
        or basis.findings["same_operation"].numbers.get("like_a_timeout") is True
    ),
    "idlistscanlimit_low": _idlist_low,
    "lookthrough_high": _lookthrough_high,
    "heap_too_small": _heap_too_small,
    "serial_lock_off": lambda basis: basis.settings.get("nsslapd-serial-lock") == "off",
    "account_policy_writes": _account_policy_writes,
    "others_write_logins": lambda basis: (
        _login_writer_known(basis) and not _account_policy_writes(basis)
    ),
    "login_writer_unknown": lambda basis: not _login_writer_known(basis),
    "limits_apply": lambda basis: (
        basis.findings["answers_unread"].numbers.get("is_root_dn") is not True
    ),
    "root_dn_reads": lambda basis: (
        basis.findings["answers_unread"].numbers.get("is_root_dn") is True
    ),
    "no_release_timeout": _no_release_timeout,
    "refused_unindexed": lambda basis: (
        basis.findings["failing_kind"].numbers.get("refused_unindexed") is True
    ),
    "je_share_small": lambda basis: (
        has_one_backend(basis)
        and not size_of(basis, "db-cache-size")
        and 0 < (basis.setting("db-cache-percent") or 0) < JE_MOST_PERCENT
    ),
    "autosize_on": _autosize_on,
    "mdb_map_full": lambda basis: (
        (basis.number("lmdb_map", "map_share") or 0)
        >= (basis.number("lmdb_map", "reader_share") or 0)
    ),
    "mdb_readers_full": lambda basis: (
        (basis.number("lmdb_map", "reader_share") or 0)
        > (basis.number("lmdb_map", "map_share") or 0)
    ),
    "page_smaller_than_read": _page_smaller,
    "writes_matter": _writes_matter,
    "reads_matter": lambda basis: (
        (basis.number("slow_device", "write_share") or 0.0) < WRITES
        and basis.number("slow_device", "write_share") is not None
    ),
    "passwords_hashed": lambda basis: (basis.number("slow_binds", "sasl_share") or 0.0) < SASL,
    "region_files_on_disk": lambda basis: _writes_matter(basis) and _regions_on_disk(basis),
    "scheduler_in_force": _scheduler_in_force,
    "swapping": lambda basis: (
        max(
            basis.number("memory", "swapping_share") or 0,
            basis.number("memory", "scanning_share") or 0,
        )
        > 0
    ),
}
