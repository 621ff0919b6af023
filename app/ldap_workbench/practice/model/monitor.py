"""The cn=monitor family, computed when it is asked for, with the names and quirks of 389 DS 2.3."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ldap_workbench.model.operations import TYPES
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.practice.model.caches import ENTRY_BYTES
from ldap_workbench.practice.model.configuration import VERSION
from ldap_workbench.practice.model.tree import Entry

if TYPE_CHECKING:
    from ldap_workbench.practice.model.engine import Engine

MONITOR = "cn=monitor"
SNMP = "cn=snmp,cn=monitor"
DISK = "cn=disk space,cn=monitor"
COUNTERS = "cn=counters,cn=monitor"
LDBM_MONITOR = "cn=monitor,cn=ldbm database,cn=plugins,cn=config"
DATABASE_MONITOR = f"cn=database,{LDBM_MONITOR}"
BACKEND_MONITOR = "cn=monitor,cn=userroot,cn=ldbm database,cn=plugins,cn=config"

Values = list[tuple[str, str]]


def generalized_time(ns: int) -> str:
    """An instant (ns since 1970 UTC) as LDAP writes it: 20261121022000Z."""
    return time.strftime("%Y%m%d%H%M%SZ", time.gmtime(ns // NS_PER_S))


class Monitor:
    """Makes the monitoring entries from the engine's counters."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._makers: dict[str, tuple[str, Callable[[], Values]]] = {
            MONITOR: (MONITOR, self._server),
            SNMP: (SNMP, self._snmp),
            DISK: (DISK, self._disk),
            COUNTERS: (COUNTERS, list),
            LDBM_MONITOR: (LDBM_MONITOR, self._ldbm),
            DATABASE_MONITOR: (DATABASE_MONITOR, self._database),
            BACKEND_MONITOR: (BACKEND_MONITOR.replace("userroot", "userRoot"), self._backend),
        }

    def dns(self) -> list[str]:
        """Normal DNs of every monitoring entry."""
        return list(self._makers)

    def get(self, dn: str) -> Entry | None:
        """The entry with this normal DN as of now."""
        if dn not in self._makers:
            return None
        shown, values = self._makers[dn]
        name = shown.partition(",")[0].partition("=")[2]
        head = [("objectClass", "top"), ("objectClass", "extensibleObject"), ("cn", name)]
        return Entry(shown, head + values())

    def _operations(self, *kinds: str) -> int:
        return int(sum(self._engine.counters.operations[TYPES.index(kind)] for kind in kinds))

    def _server(self) -> Values:
        engine, count = self._engine, self._engine.counters
        clients, own = engine.connections.clients, engine.links
        values = [("version", VERSION), ("threads", str(engine.knobs.threads + 1))]
        values += [("connection", text) for text in self._connections()]
        numbers = {
            "currentconnections": clients + len(own),
            "totalconnections": engine.connections.opened,
            "currentconnectionsatmaxthreads": 0,
            "maxthreadsperconnhits": 0,
            "dtablesize": int(engine.configuration.in_force("nsslapd-maxdescriptors"))
            - int(engine.configuration.in_force("nsslapd-reservedescriptors")),
            "readwaiters": clients,
            "opsinitiated": count.initiated,
            "opscompleted": count.initiated - 1,
            "entriessent": count.entries_sent,
            "bytessent": count.bytes_sent,
        }
        values += [(name, str(number)) for name, number in numbers.items()]
        return [
            *values,
            ("currenttime", generalized_time(engine.clock.now_ns())),
            ("starttime", generalized_time(engine.started_ns)),
            ("nbackends", "1"),
            ("backendmonitordn", BACKEND_MONITOR.replace("userroot", "userRoot")),
        ]

    def _connections(self) -> list[str]:
        engine = self._engine
        asked = engine.counters.initiated // max(1, engine.connections.clients)
        opened = generalized_time(engine.started_ns)
        texts = [
            f"{conn}:{opened}:{asked}:{asked}:r:NULLDN:0:0:0:{conn}:ip=10.20.30.{conn + 9}"
            for conn in range(1, engine.connections.clients + 1)
        ]
        return texts + [
            f"{link.conn}:{generalized_time(link.opened_ns)}:{link.operations}:{link.operations}:-:"
            f"{link.bound.lower() or 'NULLDN'}:0:0:0:{link.conn}:ip=127.0.0.1"
            for link in engine.links
        ]

    def _snmp(self) -> Values:
        engine, count = self._engine, self._engine.counters
        binds, searches = self._operations("BIND"), self._operations("SRCH")
        numbers: dict[str, int] = {
            "anonymousbinds": 0, "unauthbinds": 0, "simpleauthbinds": binds, "strongauthbinds": 0,
            "bindsecurityerrors": 0, "inops": count.initiated, "readops": 0,
            "compareops": self._operations("CMP"), "addentryops": self._operations("ADD"),
            "removeentryops": self._operations("DEL"), "modifyentryops": self._operations("MOD"),
            "modifyrdnops": self._operations("MODRDN"), "listops": 0, "searchops": searches,
            "onelevelsearchops": 0, "wholesubtreesearchops": searches, "referrals": 0,
            "chainings": 0, "securityerrors": 0, "errors": 0,
            "connections": engine.connections.clients + len(engine.links),
            "connectionseq": engine.connections.opened, "connectionsinmaxthreads": 0,
            "connectionsmaxthreadscount": 0, "bytesrecv": 0, "bytessent": count.bytes_sent,
            "entriesreturned": count.entries_sent, "referralsreturned": 0, "supplierentries": 0,
            "copyentries": 0, "cacheentries": 0, "cachehits": 0, "consumerhits": 0,
        }  # fmt: skip
        return [(name, str(number)) for name, number in numbers.items()]

    def _disk(self) -> Values:
        size, used = 270_553_174_016, 60_000_000_000
        return [
            (
                "dsdisk",
                f'partition="/" size="{size}" used="{used}" available="{size - used}" use%="22"',
            )
        ]

    def _ldbm(self) -> Values:
        count = self._engine.counters
        hits = count.page_tries - count.page_misses
        tries = 7 * count.entry_tries
        users = min(self._engine.scenario.workload.users, 108_746)
        misses = min(users, tries)
        limit = int(self._engine.configuration.in_force("nsslapd-ndn-cache-max-size") or 0)
        numbers = {
            "dbcachehits": hits, "dbcachetries": count.page_tries,
            "dbcachehitratio": _percent(hits, count.page_tries),
            "dbcachepagein": count.page_misses, "dbcachepageout": count.pages_written,
            "dbcacheroevict": 0, "dbcacherwevict": 0, "normalizeddncachetries": tries,
            "normalizeddncachehits": tries - misses, "normalizeddncachemisses": misses,
            "normalizeddncachehitratio": _percent(tries - misses, tries),
            "normalizeddncacheevictions": 0, "currentnormalizeddncachesize": misses * 168,
            "maxnormalizeddncachesize": limit - 80, "normalizeddncachethreadsize": 0,
            "normalizeddncachethreadslots": misses, "currentnormalizeddncachecount": misses,
        }  # fmt: skip
        return [("database", "ldbm database"), *((k, str(v)) for k, v in numbers.items())]

    def _database(self) -> Values:
        count, knobs = self._engine.counters, self._engine.knobs
        pages = int(self._engine.caches.pages.resident)
        size = knobs.db_cache + (knobs.db_cache // 4 if knobs.db_cache < 500_000_000 else 2096)
        dirty = min(pages, count.log_bytes_since_checkpoint // 213)
        numbers = {
            "abort-rate": 0, "active-txns": 1, "cache-hit": count.page_tries - count.page_misses,
            "cache-try": count.page_tries, "cache-region-wait-rate": count.page_tries // 9_000,
            "cache-size-bytes": size, "clean-pages": max(0, pages - dirty),
            "commit-rate": count.commits, "deadlock-rate": 0, "dirty-pages": dirty,
            "hash-buckets": 262_147, "hash-elements-examine-rate": 0,
            "hash-search-rate": 2 * count.page_tries, "lock-conflicts": 0,
            "lock-region-wait-rate": count.commits // 3_000,
            "lock-request-rate": 40 * count.commits, "lockers": 40 + knobs.threads,
            "configured-locks": int(self._engine.configuration.in_force("nsslapd-db-locks")),
            "current-locks": 7, "max-locks": 71, "current-lock-objects": 7, "max-lock-objects": 65,
            "log-bytes-since-checkpoint": count.log_bytes_since_checkpoint,
            "log-region-wait-rate": count.commits // 3_000, "log-write-rate": count.log_bytes,
            "longest-chain-length": 1, "page-create-rate": 0, "page-read-rate": count.page_misses,
            "page-ro-evict-rate": 0, "page-rw-evict-rate": 0, "page-trickle-rate": 0,
            "page-write-rate": count.pages_written, "pages-in-use": pages,
            "txn-region-wait-rate": count.commits // 3_000,
        }  # fmt: skip
        return [(f"nsslapd-db-{name}", str(number)) for name, number in numbers.items()]

    def _backend(self) -> Values:
        count, engine = self._engine.counters, self._engine
        hits = count.entry_tries - count.entry_misses
        cached = int(engine.caches.entries.resident)
        numbers = {
            "readonly": 0, "entrycachehits": hits, "entrycachetries": count.entry_tries,
            "entrycachehitratio": _percent(hits, count.entry_tries),
            "currententrycachesize": cached * ENTRY_BYTES,
            "maxentrycachesize": engine.knobs.entry_cache, "currententrycachecount": cached,
            "maxentrycachecount": int(engine.configuration.in_force("nsslapd-cachesize") or -1),
            "dncachehits": count.entry_misses // 3,
            "dncachetries": count.entry_misses,
            "dncachehitratio": _percent(count.entry_misses // 3, count.entry_misses),
            "currentdncachesize": cached * 83,
            "maxdncachesize": int(engine.configuration.in_force("nsslapd-dncachememsize") or 0),
            "currentdncachecount": cached, "maxdncachecount": -1,
        }  # fmt: skip
        values = [("database", "ldbm database"), *((k, str(v)) for k, v in numbers.items())]
        files = (("objectclass", 0.25), ("id2entry", 0.15), ("uid", 0.5), ("entryrdn", 0.1))
        for n, (name, share) in enumerate(files):
            misses = count.page_misses if name == "id2entry" else 0
            values += [
                (f"dbfilename-{n}", f"userRoot/{name}.db"),
                (f"dbfilecachehit-{n}", str(int(count.page_tries * share) - misses)),
                (f"dbfilecachemiss-{n}", str(misses)),
                (f"dbfilepagein-{n}", str(misses)),
                (f"dbfilepageout-{n}", str(count.pages_written if name == "id2entry" else 0)),
            ]
        return values


def _percent(part: int, whole: int) -> str:
    return str(100 * part // whole if whole else 0)
