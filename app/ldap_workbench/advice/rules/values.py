"""Values of advised settings, computed from what was seen; pure functions.

Each rule returns what stands in the places of a template, or nothing where it does not apply.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ldap_workbench.advice.evidence.autotune import Rival, published_threads
from ldap_workbench.advice.evidence.inside import attributes_in
from ldap_workbench.advice.evidence.waits import OWN_DOING
from ldap_workbench.advice.families.server_messages import MAX_BER
from ldap_workbench.advice.rules.basis import (
    MIB,
    OLC_THREADS,
    OLC_THREADS_DEFAULT,
    Basis,
    has_one_backend,
    rounded_up,
    size_of,
    within_ram,
)
from ldap_workbench.advice.rules.listed import listed_settings
from ldap_workbench.model.message import NOTHING, Message, Value, count_of
from ldap_workbench.model.target import names_in_commands
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.tuning.catalogue import load_catalogue

DB_CACHE_MOST = 1536 * MIB
"""Beyond this no gain of a larger database cache was found (RHDS 11 tuning guide ch. 6)."""
CHECKPOINT, CHECKPOINT_DEFAULT_S = "nsslapd-db-checkpoint-interval", 60
CHECKPOINT_SHORT_S, CHECKPOINT_LONG_S = 15, (60, 120)
"""The intervals that are published: 60 is the default, 15 and 120 are its rivals."""
UFS_BLOCK_KB = 8
_WAITING = ("work_queue", "threads_exhausted", "pool_full")
"""Findings that say that work waits for threads."""
SCHED_FEATURES = ("GENTLE_FAIR_SLEEPERS", "WAKEUP_PREEMPTION", "FAIR_SLEEPERS", "NEW_FAIR_SLEEPERS")
"""Features of the kernel's scheduler that decide who is preempted, by all their names."""
MAX_BER_DEFAULT = 2 * MIB
"""Bytes of a request that 389 DS takes as it is delivered (slap.h)."""
JE_INTERVAL, JE_FILES = 500 * MIB, 100
"""Bytes between two checkpoints, and files kept open, as OpenDJ is delivered."""
JE_HEAP_SHARE = 0.4
"""No database cache gets more of the heap: one of more than half could not be taken back."""
OPENDJ_THREADS, OPENDJ_LEAST_THREADS = "num-worker-threads", 16
"""Absent, OpenDJ has two for each processor and so many at least."""
_THREADS_KNOBS = {"openldap": OLC_THREADS, "opendj": OPENDJ_THREADS}


def values_of(basis: Basis) -> dict[str, Value]:
    """All values that can be computed, by name; advice with another name is dropped."""
    values: dict[str, Value] = {}
    for rule in _RULES:
        values |= rule(basis)
    return values


def _checkpoint(basis: Basis) -> dict[str, Value]:
    """A shorter interval and a longer one than now, each only where it is one."""
    known = basis.setting(CHECKPOINT)
    now = known if known and known > 0 else CHECKPOINT_DEFAULT_S
    whose = Message(" (the default, as yours is not known)")
    if now == known:
        whose = Message(" (as it is set)")
    values: dict[str, Value] = {"checkpoint_now": f"{now:g}", "checkpoint_whose": whose}
    if now > CHECKPOINT_SHORT_S:
        values["checkpoint_shorter"] = str(CHECKPOINT_SHORT_S)
        values["checkpoint_share"] = CHECKPOINT_SHORT_S / now
    longer = next((s for s in CHECKPOINT_LONG_S if s >= 2 * now), None)
    if longer:
        values["checkpoint_longer"] = str(longer)
    return values


def _names(basis: Basis) -> dict[str, Value]:
    return dict(names_in_commands(basis.facts))


def _place(basis: Basis) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for finding in (
        *("entry_cache", "dn_cache", "lmdb_map", "je_cache", "je_cleaner"),
        *("je_eviction", "je_checkpoints", "je_flush", "je_files"),
    ):
        if finding in basis.findings and (name := basis.findings[finding].numbers.get("backend")):
            values.setdefault("backend", str(name))
    if basis.facts and len(basis.facts.backends) == 1:
        values.setdefault("backend", basis.facts.backends[0].name)
    for finding in ("outgrown_memory", "large_reads", "slow_device", "scheduler"):
        if finding in basis.findings:
            values.setdefault("device", str(basis.findings[finding].numbers["device"]))
    if basis.facts and basis.facts.device:
        values["device"] = basis.facts.device
    if basis.facts and basis.facts.instance:
        name = basis.facts.instance.removeprefix("slapd-")
        values["tmpfs"] = f"{_tmpfs(basis)}/slapd-{name}"
    elif basis.facts is None:
        # A configuration that was imported names its instance in its paths.
        paths = " ".join(basis.settings.values())
        instance = re.search(r"slapd-[\w.-]+", paths)
        values["tmpfs"] = f"{_tmpfs(basis)}/{instance[0] if instance else 'slapd-INSTANCE'}"
    return values


def _tmpfs(basis: Basis) -> str:
    """Where the host keeps files in memory: Solaris has /tmp there, Linux /dev/shm."""
    solaris = basis.systems == {"solaris"} or (basis.product == "dsee" and not basis.systems)
    return "/tmp" if solaris else "/dev/shm"  # noqa: S108 - where the servers themselves put it


def _entry_cache(basis: Basis) -> dict[str, Value]:
    wanted = basis.number("entry_cache", "wanted_bytes")
    if wanted is None:
        now = basis.number("entry_cache", "max_bytes") or 0
        twice = 2 * now if within_ram(basis, 2 * now) > now else None
        return _size("entry_cache_twice", basis, twice)
    size = within_ram(basis, wanted)
    if size <= (basis.number("entry_cache", "max_bytes") or 0):
        return {}  # all the memory it may have, it has
    numbers = basis.findings["entry_cache"].numbers
    return {
        "entry_cache_bytes": str(size),
        "entry_cache_size": size,
        "entries": numbers["entries"],
        "mean_entry": numbers["mean_entry_bytes"],
    }


def _locks(basis: Basis) -> dict[str, Value]:
    """Twice as many as there are."""
    most = basis.number("db_locks", "most") or basis.setting("nsslapd-db-locks")
    return {"db_locks_wanted": str(2 * int(most))} if most else {}


def _requests(basis: Basis) -> dict[str, Value]:
    """What the largest request needs, in whole MiB; twice the limit where no size is known."""
    now = basis.setting("nsslapd-maxbersize") or MAX_BER_DEFAULT
    largest = basis.number("request_too_big", "largest_bytes")
    wanted = rounded_up(largest, MIB) if largest and largest > now else int(2 * now)
    return {"request_bytes": str(min(wanted, MAX_BER))} if now < MAX_BER else {}


def _dn_cache(basis: Basis) -> dict[str, Value]:
    return _size("dn_cache", basis, basis.number("dn_cache", "wanted_bytes"))


def _ndn_cache(basis: Basis) -> dict[str, Value]:
    most = basis.number("ndn_cache", "max_bytes")
    # The monitor shows a little less than the setting; the setting is a multiple of MiB.
    return _size("ndn_cache", basis, 4 * rounded_up(most, MIB) if most else None)


def _db_cache(basis: Basis) -> dict[str, Value]:
    size = basis.number("db_cache", "size_bytes") or basis.setting("nsslapd-dbcachesize")
    if not size or size >= DB_CACHE_MOST:
        return {}
    return _size("db_cache", basis, min(4 * rounded_up(size, MIB), DB_CACHE_MOST))


def _lmdb(basis: Basis) -> dict[str, Value]:
    most = basis.number("lmdb_map", "map_max_bytes")
    slots = basis.number("lmdb_map", "readers_max")
    values: dict[str, Value] = {}
    if most:
        values |= {"mdb_bytes": str(int(2 * most)), "mdb_size": int(2 * most)}
    if slots:
        values["mdb_readers"] = str(int(2 * slots))
    return values


def _opendj(basis: Basis) -> dict[str, Value]:
    """Twice the threads, four times the interval; absent, Java Edition has one of each thread."""
    bytes_now = size_of(basis, "db-checkpointer-bytes-interval")
    values: dict[str, Value] = {
        "je_cleaners": str(int(2 * (basis.setting("db-num-cleaner-threads") or 1))),
        "je_evictors": str(int(2 * (basis.setting("db-evictor-core-threads") or 1))),
        "je_interval": str(int(4 * bytes_now) if bytes_now else JE_INTERVAL),
    }
    if searches := basis.number("persistent_searches", "searches"):
        values["psearches_most"] = str(int(searches))
    if now := basis.setting("db-log-filecache-size"):
        values["je_open_files"] = str(int(max(10 * now, JE_FILES)))
    heap, size = basis.setting("java-args.heap"), size_of(basis, "db-cache-size")
    wanted = basis.number("je_cache", "log_bytes")
    if heap and size and wanted and has_one_backend(basis):
        larger = int(min(1.2 * wanted, JE_HEAP_SHARE * heap)) // MIB * MIB
        if larger > size:
            values["je_cache_bytes"] = str(larger)
    return values


def _threads(basis: Basis) -> dict[str, Value]:
    values: dict[str, Value] = {
        "threads_rivals": _describe_rivals(basis),
        "idle_processors": _describe_idle(basis),
    }
    now = _threads_now(basis)
    if now and _is_short(basis):
        values["threads_more"] = str(int(min(2 * now, 512)))
    if cores := basis.number("too_many_threads", "cores"):
        values["threads_fewer"] = str(int(max(cores, 4)))
    for rival in _rivals(basis) if now else ():
        wanted = _is_short(basis) if rival.threads > (now or 0) else "threads_fewer" in values
        if rival.threads != now and wanted and str(rival.threads) not in values.values():
            values[f"threads_{rival.id}"] = str(rival.threads)
    allowed = basis.number("connection_threads", "allowed") or 5
    persistent = basis.number("persistent_searches", "on_one_connection") or 0
    values["maxthreads"] = str(int(max(2 * allowed, persistent + allowed)))
    return values


def _resend(basis: Basis) -> dict[str, Value]:
    """Seconds after which a change is sent again: four times the slowest, and ten minutes least."""
    seen = (basis.number(which, "etime_ns") for which in ("applied_twice", "same_operation"))
    slowest_ns = max((etime for etime in seen if etime), default=0)
    return {"resend_after": str(max(round(4 * slowest_ns / NS_PER_S), 600))}


def _purge(basis: Basis) -> dict[str, Value]:
    """The age that the accesslog has now: only how often it is purged is advised."""
    purge = basis.findings.get("accesslog_purge")
    age = purge.numbers.get("age") if purge else None
    return {"purge_age": str(age)} if age else {}


def _threads_now(basis: Basis) -> float | None:
    """Worker threads at work as a finding saw them, else as they are set."""
    for finding in (*_WAITING, "too_many_threads"):
        if seen_at_work := basis.number(finding, "threads"):
            return seen_at_work
    knob = _threads_knob(basis)
    setting = basis.setting(knob)
    if setting is None and knob == OLC_THREADS:
        return OLC_THREADS_DEFAULT
    if setting is None and knob == OPENDJ_THREADS and basis.facts and basis.facts.cores:
        return max(2 * basis.facts.cores, OPENDJ_LEAST_THREADS)
    if setting is not None and setting <= 0:
        return next((float(rival.threads) for rival in _rivals(basis) if rival.own), None)
    return setting


def _is_short(basis: Basis) -> bool:
    """Whether work waits for threads while processors are idle, as far as is known.

    Not that of clients that wait behind their own requests, nor of what waits behind writes.
    """
    shares = (basis.number("work_queue", name) or 0 for name in ("own_share", "writes_share"))
    if max(shares) >= OWN_DOING:
        return False
    waiting = [finding for finding in _WAITING if finding in basis.findings]
    idle = [basis.number(finding, "cpu_idle_percent") for finding in waiting]
    return bool(waiting) and all(share is None or share >= 20 for share in idle)


def _describe_idle(basis: Basis) -> Message:
    """How idle the processors were meanwhile, which alone says that more threads find one."""
    seen = [basis.number(which, "cpu_idle_percent") for which in _WAITING]
    known = [share for share in seen if share is not None]
    if not known:
        return Message(" Whether processors are idle meanwhile is not known: look at vmstat first.")
    return Message(" Processors are {idle} % idle meanwhile.", idle=round(min(known)))


def _rivals(basis: Basis) -> tuple[Rival, ...]:
    """What 389 DS and its manuals take for the processors of this host."""
    facts = basis.facts
    if facts is None or not facts.cores or basis.product != "389ds":
        return ()
    return published_threads(facts.cores, facts.version)


def _describe_rivals(basis: Basis) -> Message:
    rivals = _rivals(basis)
    if not rivals or not basis.facts:
        return Message(
            "389 DS 2 takes one per hardware thread, at least 16; RHDS 10's table 24 for 4"
        )
    return Message(
        "For {cores} hardware threads {rivals:list}",
        cores=basis.facts.cores,
        rivals=tuple(f"{rival.source}: {rival.threads}" for rival in rivals),
    )


def _threads_knob(basis: Basis) -> str:
    return _THREADS_KNOBS.get(basis.product, "nsslapd-threadnumber")


def _page(basis: Basis) -> dict[str, Value]:
    """The page that fits the entries, where their sizes are known, and how it is set."""
    size = basis.number("entry_sizes", "page_bytes")
    names = names_in_commands(basis.facts) | {"value": f"{round(size)}" if size else "PAGE"}
    steps = load_catalogue().knob("nsslapd-db-page-size").steps
    page_steps = tuple(Message(step.template, **names) for step in steps)
    if not size:
        return {"page": Message("not computed yet"), "page_steps": page_steps}
    page = Message(
        "{bytes:plain} ({size:size}, by the sizes of your entries)",
        bytes=round(size),
        size=round(size),
    )
    return {"page": page, "page_steps": page_steps}


def _disk(basis: Basis) -> dict[str, Value]:
    page = basis.number("large_reads", "page_kb")
    size = basis.number("large_reads", "kb_per_read")
    if not page or not size:
        return {}
    return {
        "read_ahead_kb": str(max(int(page), 4)),
        "maxcontig": str(max(int(page) // UFS_BLOCK_KB, 1)),
        "recordsize": f"{min(max(int(page), 4), 128)}K",
        "kb_per_read": f"{size:.0f}",
        "page_kb": f"{page:g}",
    }


def _schedulers(basis: Basis) -> dict[str, Value]:
    """What the kernel calls no scheduler (noop before 5.0), and which features it has on."""
    known = " ".join(
        text for knob, text in basis.settings.items() if knob.startswith("io-scheduler")
    )
    features = basis.settings.get("sched-features", "").split()
    on = [name for name in features if name in SCHED_FEATURES]
    return {
        "no_scheduler": "noop" if re.search(r"\bnoop\b", known) else "none",
        "sched_features": Message(" On now: {features}.", features=tuple(on)) if on else NOTHING,
    }


def _searched(basis: Basis) -> dict[str, Value]:
    filters: list[str] = []
    for finding in ("unindexed", "heavy_filter", "new_filter"):
        if finding in basis.findings:
            numbers = basis.findings[finding].numbers
            filters += numbers.get("filters") or [numbers["filter"]]
    values: dict[str, Value] = {}
    virtual = basis.findings.get("virtual_attributes")
    computed = set(virtual.numbers["virtual"]) if virtual else set()
    indexable = [text for text in filters if not computed & set(attributes_in(text))]
    if indexable and indexable[0].startswith("("):
        values["filter"] = indexable[0]
    values |= _indexed(basis)
    failing = basis.findings.get("failing_kind")
    if failing and (shape := failing.numbers.get("filter")):
        values["refused"] = shape
    listed = basis.findings.get("server_sort")
    if listed and (shape := listed.numbers.get("shape")):
        values["listed"] = shape
    # Attributes that referential integrity searched, or would, without an index.
    trains = ("referint_trains", "referint_inside", "referint_unindexed")
    numbers_of = [basis.findings[which].numbers for which in trains if which in basis.findings]
    if unindexed := {name for numbers in numbers_of for name in numbers.get("unindexed", [])}:
        values["unindexed"] = ", ".join(sorted(unindexed))
    descriptors = basis.setting("nsslapd-maxdescriptors") or basis.number("descriptors", "most")
    if descriptors:
        values["descriptors"] = str(int(2 * descriptors))
    return values


def _indexed(basis: Basis) -> dict[str, Value]:
    """What the answers to a costly filter cost that lacks no index."""
    for which in ("heavy_filter", "new_filter"):
        seen = basis.findings.get(which)
        # What is no more than worth knowing needs no change.
        numbers = seen.numbers if seen and seen.severity > 1 else {}
        if numbers.get("missing_indexes") == []:
            return {
                "narrow_filter": numbers.get("filter") or numbers["filters"][0],
                "narrow_returned": count_of("{n} entry", "{n} entries", n=numbers["returned"]),
                "narrow_entry": numbers["entry_ns"],
            }
    return {}


def _size(name: str, basis: Basis, wanted: float | None) -> dict[str, Value]:
    if not wanted:
        return {}
    size = within_ram(basis, wanted)
    return {f"{name}_bytes": str(size), f"{name}_size": size}


_RULES: tuple[Callable[[Basis], dict[str, Value]], ...] = (
    _checkpoint,
    _names,
    _place,
    _entry_cache,
    _dn_cache,
    _ndn_cache,
    _db_cache,
    _locks,
    _lmdb,
    _purge,
    _resend,
    _requests,
    _opendj,
    _threads,
    _page,
    _disk,
    _schedulers,
    _searched,
    listed_settings,
)
