"""Settings of several places, or of one that a finding names: none where a rule does not apply."""

from __future__ import annotations

import re

from ldap_workbench.advice.evidence.autotune import version_of
from ldap_workbench.advice.rules.basis import OLC_THREADS, OLC_THREADS_DEFAULT, Basis, within_ram
from ldap_workbench.model.configuration import normal_dn
from ldap_workbench.model.message import Value
from ldap_workbench.tuning.vlv import SortedList

PAGED_LOOKTHROUGH, LOOKTHROUGH_DEFAULT = "nsslapd-pagedlookthroughlimit", 5000
SWAPPINESS = 10
"""For a host that is the directory's own (389 DS performance tuning page)."""
_SCHEDULER_IN_DEBUGFS, _EEVDF = (5, 13), (6, 6)
"""Kernels from which on the scheduler's settings are in debugfs, and it has one slice alone."""
_LIMITS = "size.soft=500 size.hard=5000 size.pr=500 size.prtotal=unlimited time=60"
"""Of one account (slapd-config(5), olcLimits); with pages it still gets everything."""
_KEY = re.compile(r"([A-Za-z][\w.;-]*) key\((\w+)\)")
"""An index key as STAT lines name it: objectclass key(eq)."""
FILES_LEAST = 8192
"""The smallest limit on open files that is advised where it was too low."""
IDL_EXP, IDL_EXP_DEFAULT, IDL_EXP_MOST = "olcBkMdbIdlExp", 16, 30
"""Powers of two: how many IDs a list of an index may hold (slapd-mdb(5), idlexp)."""


def listed_settings(basis: Basis) -> dict[str, Value]:
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
        "limits_settings": _limited_account(basis),
        "list_settings": _longer_lists(basis),
        "more_files_settings": _more_files(basis),
        "fewer_files_settings": ("LimitNOFILE=10000",) if "linux" in basis.systems else (),
        "vlv_settings": _sorted_list(basis),
        "paged_settings": _paged(basis),
        "entrydn_settings": _without_entrydn(basis),
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
    backend = _backend_of(basis, wanted.base) if wanted else ""
    if wanted is None or not backend:
        return ()
    name = "by-" + re.sub(r"[^A-Za-z0-9]+", "-", wanted.sort).strip("-")
    return (f"vlv.{name}@{backend}={wanted}",)


def _backend_of(basis: Basis, base: str) -> str:
    """The back end that has an entry; '' where none is known to."""
    backends = basis.facts.backends if basis.facts else ()
    above = [known for known in backends if normal_dn(base).endswith(normal_dn(known.suffix))]
    return max(above, key=lambda known: len(known.suffix)).name if above else ""


def _limited_account(basis: Basis) -> tuple[str, ...]:
    """Limits of the account whose answers are not read, in the database it searches."""
    unread = basis.findings.get("answers_unread")
    numbers = unread.numbers if unread else {}
    dn, backend = str(numbers.get("bind_dn", "")), _backend_of(basis, str(numbers.get("base", "")))
    if not dn or not backend or '"' in dn:
        return ()
    return (f'olcLimits@{backend}+=dn.exact="{dn}" {_LIMITS}',)


def _cache_of_database(basis: Basis) -> tuple[str, ...]:
    """Twice what the entries take on the disk, for one back end: several would share the memory."""
    below = basis.findings.get("cache_below_database")
    databases = below.numbers.get("databases", {}) if below else {}
    if len(databases) != 1:
        return ()
    [(name, (cache, database))] = databases.items()
    size = within_ram(basis, 2 * database)
    return (f"nsslapd-cachememsize@{name}={size}",) if size > cache else ()


def _twice_the_heap(basis: Basis) -> tuple[str, ...]:
    now = basis.setting("java-args.heap")
    size = within_ram(basis, 2 * now) if now else 0
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
