"""Values of advised settings, computed from what was seen; pure functions.

Each rule returns what stands in the places of a template, or nothing where it does not apply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ldap_workbench.advice.evidence.autotune import Rival, published_threads, version_of
from ldap_workbench.advice.evidence.inside import attributes_in
from ldap_workbench.advice.evidence.waits import OWN_DOING
from ldap_workbench.model.configuration import normal_dn
from ldap_workbench.model.finding import Deployment, Finding
from ldap_workbench.model.message import NOTHING, Message, Value, count_of
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers.product import known_product, systems_of
from ldap_workbench.tuning.vlv import SortedList

MIB = 1024**2
DB_CACHE_MOST = 1536 * MIB
"""Beyond this no gain of a larger database cache was found (RHDS 11 tuning guide ch. 6)."""
RAM_SHARE = 0.5
"""No advice gives one cache more than this share of memory."""
CHECKPOINT, CHECKPOINT_DEFAULT_S = "nsslapd-db-checkpoint-interval", 60
CHECKPOINT_SHORT_S, CHECKPOINT_LONG_S = 15, (60, 120)
"""The intervals that are published: 60 is the default, 15 and 120 are its rivals."""
PAGED_LOOKTHROUGH, LOOKTHROUGH_DEFAULT = "nsslapd-pagedlookthroughlimit", 5000
UFS_BLOCK_KB = 8
SWAPPINESS = 10
"""For a host that is the directory's own (389 DS performance tuning page)."""
_SCHEDULER_IN_DEBUGFS, _EEVDF = (5, 13), (6, 6)
"""Kernels from which on the scheduler's settings are in debugfs, and it has one slice alone."""
_WAITING = ("work_queue", "threads_exhausted", "pool_full")
"""Findings that say that work waits for threads."""
SCHED_FEATURES = ("GENTLE_FAIR_SLEEPERS", "WAKEUP_PREEMPTION", "FAIR_SLEEPERS", "NEW_FAIR_SLEEPERS")
"""Features of the kernel's scheduler that decide who is preempted, by all their names."""
_KEY = re.compile(r"([A-Za-z][\w.;-]*) key\((\w+)\)")
"""An index key as STAT lines name it: objectclass key(eq)."""
OLC_THREADS, OLC_THREADS_DEFAULT = "olcThreads", 16
"""slapd does not show what is not set (slapd-config(5))."""
OPENDJ_THREADS, OPENDJ_LEAST_THREADS = "num-worker-threads", 16
"""Absent, OpenDJ has two for each processor and so many at least."""
_THREADS_KNOBS = {"openldap": OLC_THREADS, "opendj": OPENDJ_THREADS}
FILES_LEAST = 8192
"""The smallest limit on open files that is advised where it was too low."""
IDL_EXP, IDL_EXP_DEFAULT, IDL_EXP_MOST = "olcBkMdbIdlExp", 16, 30
"""Powers of two: how many IDs a list of an index may hold (slapd-mdb(5), idlexp)."""


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
    """What stands in a command for the instance, the back end and its suffix."""
    instance = basis.facts.instance if basis.facts else None
    backends = basis.facts.backends if basis.facts else ()
    only = backends[0] if len(backends) == 1 else None
    return {
        "instance": (instance or "INSTANCE").removeprefix("slapd-"),
        "database": only.name if only else "BACKEND",
        "suffix": only.suffix if only else "SUFFIX",
    }


def _place(basis: Basis) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for finding in ("entry_cache", "dn_cache", "lmdb_map", "je_cache", "je_cleaner"):
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
        twice = 2 * now if _within_ram(basis, 2 * now) > now else None
        return _size("entry_cache_twice", basis, twice)
    size = _within_ram(basis, wanted)
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


def _dn_cache(basis: Basis) -> dict[str, Value]:
    return _size("dn_cache", basis, basis.number("dn_cache", "wanted_bytes"))


def _ndn_cache(basis: Basis) -> dict[str, Value]:
    most = basis.number("ndn_cache", "max_bytes")
    # The monitor shows a little less than the setting; the setting is a multiple of MiB.
    return _size("ndn_cache", basis, 4 * _up(most, MIB) if most else None)


def _db_cache(basis: Basis) -> dict[str, Value]:
    size = basis.number("db_cache", "size_bytes") or basis.setting("nsslapd-dbcachesize")
    if not size or size >= DB_CACHE_MOST:
        return {}
    return _size("db_cache", basis, min(4 * _up(size, MIB), DB_CACHE_MOST))


def _lmdb(basis: Basis) -> dict[str, Value]:
    most = basis.number("lmdb_map", "map_max_bytes")
    slots = basis.number("lmdb_map", "readers_max")
    values: dict[str, Value] = {}
    if most:
        values |= {"mdb_bytes": str(int(2 * most)), "mdb_size": int(2 * most)}
    if slots:
        values["mdb_readers"] = str(int(2 * slots))
    return values


def _cleaners(basis: Basis) -> dict[str, Value]:
    """Twice the cleaner threads; absent, Java Edition has one."""
    return {"je_cleaners": str(int(2 * (basis.setting("db-num-cleaner-threads") or 1)))}


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
    """The page that fits the entries, where their sizes are known; else how it is reckoned."""
    size = basis.number("entry_sizes", "page_bytes")
    if not size:
        return {"page": Message("the result")}
    page = Message(
        "{bytes:plain} ({size:size}, by the sizes of your entries)",
        bytes=round(size),
        size=round(size),
    )
    return {"page": page}


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


def _listed(basis: Basis) -> dict[str, Value]:
    """Settings of several places, or of one that a finding names."""
    return {
        "changelog_settings": _trimmed(basis),
        "memberof_settings": _one_back_end(basis),
        "key_settings": _skipped_key(basis),
        "cache_settings": _cache_of_database(basis),
        "heap_settings": _twice_the_heap(basis),
        "scheduler_settings": _longer_slices(basis),
        "swap_settings": _swap_less(basis),
        "allocator_settings": _give_back(basis),
        "thread_settings": _lighter(basis),
        "map_settings": _larger_map(basis),
        "sort_settings": _fewer_sorts(basis),
        "list_settings": _longer_lists(basis),
        "more_files_settings": _more_files(basis),
        "fewer_files_settings": ("LimitNOFILE=10000",) if "linux" in basis.systems else (),
        "vlv_settings": _sorted_list(basis),
        "paged_settings": _paged(basis),
        "entrydn_settings": _without_entrydn(basis),
        # Where a file or folder on another disk is, the operator says.
        "log_folder_settings": (),
        "audit_file_settings": (),
    }


def _trimmed(basis: Basis) -> tuple[str, ...]:
    """An age for the changelog of each back end; older servers have one for all (changelog5)."""
    endless = basis.findings.get("changelog_unlimited")
    names = endless.numbers.get("changelogs", ()) if endless else ()
    known = {backend.name for backend in basis.facts.backends} if basis.facts else set()
    return tuple(f"nsslapd-changelogmaxage@{name}=7d" for name in names if name in known)


def _one_back_end(basis: Basis) -> tuple[str, ...]:
    now = basis.settings.get("memberOfAllBackends", "").lower()
    return ("memberOfAllBackends=off",) if now == "on" else ()


def _skipped_key(basis: Basis) -> tuple[str, ...]:
    """Lists as long as those that were seen are not read where the filter has another term."""
    long = basis.findings.get("long_id_lists")
    key = _KEY.fullmatch(str(long.numbers.get("key", ""))) if long else None
    if long is None or key is None or key[2] not in ("eq", "pres", "sub"):
        return ()
    value = f"limit={long.numbers['limit']} type={key[2]} flags=AND"
    return (f"nsIndexIDListScanLimit.{key[1]}+={value}",)


def _without_entrydn(basis: Basis) -> tuple[str, ...]:
    obsolete = basis.findings.get("obsolete_entrydn_index")
    names = obsolete.numbers.get("backends", ()) if obsolete else ()
    known = {backend.name for backend in basis.facts.backends} if basis.facts else set()
    return tuple(f"index.entrydn@{name}=absent" for name in names if name in known)


def _paged(basis: Basis) -> tuple[str, ...]:
    """Half of what a paged search may look through now; where nothing bounds it, the default."""
    own, limit = (basis.setting(name) for name in (PAGED_LOOKTHROUGH, "nsslapd-lookthroughlimit"))
    now = own or limit  # 0 takes the limit of all searches
    if now is None:
        return ()
    wanted = LOOKTHROUGH_DEFAULT if now < 0 else int(now) // 2
    return (f"{PAGED_LOOKTHROUGH}={wanted}",) if wanted else ()


def _sorted_list(basis: Basis) -> tuple[str, ...]:
    """The list of the slowest page, in the back end that has its base."""
    numbers = basis.findings["server_sort"].numbers if "server_sort" in basis.findings else {}
    wanted = SortedList.parse(str(numbers.get("list", "")))
    backends = basis.facts.backends if basis.facts else ()
    if wanted is None:
        return ()
    base = normal_dn(wanted.base)
    above = [known for known in backends if base.endswith(normal_dn(known.suffix))]
    if not above:
        return ()
    backend = max(above, key=lambda known: len(known.suffix))
    name = "by-" + re.sub(r"[^A-Za-z0-9]+", "-", wanted.sort).strip("-")
    return (f"vlv.{name}@{backend.name}={wanted}",)


def _cache_of_database(basis: Basis) -> tuple[str, ...]:
    """Twice what the entries take on the disk, for one back end: several would share the memory."""
    below = basis.findings.get("cache_below_database")
    databases = below.numbers.get("databases", {}) if below else {}
    if len(databases) != 1:
        return ()
    [(name, (cache, database))] = databases.items()
    size = _within_ram(basis, 2 * database)
    return (f"nsslapd-cachememsize@{name}={size}",) if size > cache else ()


def _twice_the_heap(basis: Basis) -> tuple[str, ...]:
    now = basis.setting("java-args.heap")
    size = _within_ram(basis, 2 * now) if now else 0
    return (f"java-args.heap={size}",) if now and size > now else ()


def _longer_slices(basis: Basis) -> tuple[str, ...]:
    """What this kernel has for it: its settings have moved twice."""
    kernel = version_of(basis.facts.kernel or "") if basis.facts else ()
    if not kernel:
        return ()
    if kernel < _SCHEDULER_IN_DEBUGFS:  # as tuned's profile throughput-performance has them
        return (
            "kernel.sched_min_granularity_ns=10000000",
            "kernel.sched_wakeup_granularity_ns=15000000",
        )
    if kernel < _EEVDF:
        return ("sched-features=NO_WAKEUP_PREEMPTION",)
    return ("sched-base-slice=10000000",)


def _swap_less(basis: Basis) -> tuple[str, ...]:
    now = basis.setting("vm.swappiness")
    less = "linux" in basis.systems and (now is None or now > SWAPPINESS)
    return (f"vm.swappiness={SWAPPINESS}",) if less else ()


def _give_back(basis: Basis) -> tuple[str, ...]:
    """glibc's own default: set, it no longer grows by itself (mallopt(3))."""
    return ("nsslapd-malloc-trim-threshold=131072",) if basis.product == "389ds" else ()


def _lighter(basis: Basis) -> tuple[str, ...]:
    """By the name that 389 DS gives the thread."""
    busiest = basis.findings.get("single_thread")
    name = str(busiest.numbers.get("thread", "")) if busiest else ""
    if basis.product != "389ds":
        return ()
    if name.startswith(("listener", "ct-list")):
        return ("nsslapd-numlisteners=2",)
    return ("nsslapd-accesslog-compress=off",) if name.startswith("log_maint") else ()


def _larger_map(basis: Basis) -> tuple[str, ...]:
    """Twice the map of the database that is full; nothing where it may be any of several."""
    full = basis.findings.get("map_full")
    maps = full.numbers.get("maps", {}) if full else {}
    if len(maps) != 1:
        return ()
    [(name, size)] = maps.items()
    return (f"olcDbMaxSize@{name}={2 * size}",)


def _more_files(basis: Basis) -> tuple[str, ...]:
    """Twice the connections that were open when no descriptor was left, and never few."""
    refused = basis.findings.get("refused")
    if refused is None or "linux" not in basis.systems:
        return ()
    connections = refused.numbers.get("open_connections", {})
    return (f"LimitNOFILE={max(2 * sum(connections.values()), FILES_LEAST)}",)


def _fewer_sorts(basis: Basis) -> tuple[str, ...]:
    """Half as many sorts at once as slapd allows by itself, which is half its threads."""
    sort = basis.findings.get("server_sort")
    names = sort.numbers.get("sorters", ()) if sort else ()
    most = basis.setting("olcSssVlvMax") or (basis.setting(OLC_THREADS) or OLC_THREADS_DEFAULT) / 2
    return tuple(f"olcSssVlvMax@{name}={max(int(most) // 2, 1)}" for name in names)


def _longer_lists(basis: Basis) -> tuple[str, ...]:
    """Index lists four times as long as now: each power of two doubles what a search may need."""
    if "index_range" not in basis.findings:
        return ()
    now = int(basis.setting(IDL_EXP) or IDL_EXP_DEFAULT)
    return (f"{IDL_EXP}={now + 2}",) if now + 2 <= IDL_EXP_MOST else ()


def _size(name: str, basis: Basis, wanted: float | None) -> dict[str, Value]:
    if not wanted:
        return {}
    size = _within_ram(basis, wanted)
    return {f"{name}_bytes": str(size), f"{name}_size": size}


def _within_ram(basis: Basis, wanted: float) -> int:
    ram = basis.facts.ram_bytes if basis.facts else None
    most = RAM_SHARE * ram if ram else wanted
    return _up(wanted, MIB) if wanted <= most else int(most) // MIB * MIB


def _up(size: float, step: int) -> int:
    return -(-int(size) // step) * step


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
    _cleaners,
    _threads,
    _page,
    _disk,
    _schedulers,
    _searched,
    _listed,
)
