"""Databases that run full: the map, readers and free pages of LMDB, the locks of Berkeley DB."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.cost import served_ns, user_ns
from ldap_workbench.advice.evidence.inside import client_writes
from ldap_workbench.advice.evidence.series import Samples
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.advice.families.errors import matching
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, verbatim

PAGE = 4096
"""Bytes of a page of slapd's LMDB, which counts in pages: that of memory on nearly all hosts."""
_OF_389 = ("dbenvmapsize", "dbenvmapmaxsize", "dbenvnumreaders", "dbenvmaxreaders")
_OF_SLAPD = ("olmmdbpagesused", "olmmdbpagesmax", "olmmdbreadersused", "olmmdbreadersmax")
"""What is used of the map and the most there may be, then the same of readers."""
_LOCKS = "nsslapd-db-current-locks"


@dataclass(frozen=True)
class Map:
    """One LMDB environment as its server shows it; `backend` is '' where all share one."""

    entry: str
    backend: str
    names: tuple[str, ...]
    """Its attributes, for the charts."""
    used_bytes: float
    most_bytes: float
    readers: float
    slots: float

    @property
    def map_share(self) -> float:
        return self.used_bytes / self.most_bytes if self.most_bytes else 0.0

    @property
    def reader_share(self) -> float:
        return self.readers / self.slots if self.slots else 0.0

    @property
    def fullest(self) -> float:
        return max(self.map_share, self.reader_share)


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    return [*_map(view), *_free_list(view), *_locks(view)]


def _map(view: WindowView) -> Iterator[Finding]:
    """The map or its table of readers is nearly full: the next write or read may fail."""
    values = _values(view.samples, series.DATABASE, _OF_389)
    maps = [Map(series.DATABASE, "", _OF_389, *values), *_of_slapd(view)]
    worst = max(maps, key=lambda item: item.fullest)
    if worst.fullest < limits("lmdb_map")["full"]:
        return
    by_map = worst.map_share >= worst.reader_share
    yield finding(
        "lmdb_map",
        numbers={
            "map_share": worst.map_share,
            "map_max_bytes": int(worst.most_bytes),
            "reader_share": worst.reader_share,
            "readers_max": int(worst.slots),
            "backend": worst.backend,
        },
        series=f"{worst.entry}:{worst.names[0 if by_map else 2]}",
        by_map=by_map,
        used=round(worst.readers),
    )


def used_bytes(view: WindowView) -> float:
    """What the databases take within their maps; 0 where no reading says it."""
    [used] = _values(view.samples, series.DATABASE, _OF_389[:1])
    return used or sum(item.used_bytes for item in _of_slapd(view))


def _of_slapd(view: WindowView) -> Iterator[Map]:
    """One map for each database; pages that are free within it are used before it grows."""
    for entry in _databases(view.samples, "olmmdbpagesmax"):
        used, most, readers, slots = _values(view.samples, entry, _OF_SLAPD)
        [free] = _values(view.samples, entry, ("olmmdbpagesfree",))
        sizes = (used - free) * PAGE, most * PAGE, readers, slots
        yield Map(entry, _backend(view, entry), _OF_SLAPD, *sizes)


def _databases(samples: Samples, attribute: str) -> dict[str, str]:
    """Monitor entries of slapd that have an attribute -> the series of it."""
    names = (name for name in samples if name.lower().endswith(f":{attribute}"))
    return {name.rpartition(":")[0]: name for name in names}


def _backend(view: WindowView, entry: str) -> str:
    """{1}mdb of 'cn=database 1,cn=databases,cn=monitor'; '' where the facts do not say."""
    number = re.match(r"cn=database (\d+),", entry.lower())
    known = [backend.name for backend in view.facts.backends] if view.facts else []
    return next((n for n in known if number and n.startswith(f"{{{number[1]}}}")), "")


def _values(samples: Samples, entry: str, names: tuple[str, ...]) -> list[float]:
    return [value or 0.0 for value in series.gauges(samples, entry, *names)]


def _free_list(view: WindowView) -> Iterator[Finding]:
    """Writes of slapd that are slow while a large part of its pages is free."""
    limit, operations = limits("lmdb_free_list"), view.operations
    writes = client_writes(operations)
    if writes.sum() < limit["writes"]:
        return
    usual = float(np.median(served_ns(operations)[writes]))
    # A reading by itself says nothing of a window's counters, but pages do not go in minutes.
    samples = view.samples if _databases(view.samples, "olmmdbpagesfree") else view.monitor_apart
    for entry, name in _databases(samples, "olmmdbpagesfree").items():
        free, used = _values(samples, entry, ("olmmdbpagesfree", "olmmdbpagesused"))
        enough = free >= limit["pages"] and used and free >= limit["share"] * used
        if enough and usual >= limit["write_ms"] * 1e6:
            yield finding(
                "lmdb_free_list",
                numbers={"free": int(free), "used": int(used), "share": free / used},
                series=name if samples is view.samples else "",
                user_ns=user_ns(operations, writes),
                entry=entry,
                write=round(usual),
            )
            return


def _locks(view: WindowView) -> Iterator[Finding]:
    lines, numbers = matching(view.errors, "db_locks"), _locks_taken(view)
    if lines:
        evidence = Evidence(verbatim(lines[0].text), lines[0].time_ns, lines[-1].time_ns)
        how = phrase("db_locks", "logged", line=lines[0].text)
        numbers |= {"lines": len(lines)}
    elif numbers and numbers["share"] >= limits("db_locks")["share"]:
        how = phrase("db_locks", "taken", peak=numbers["locks"], most=numbers["most"])
        evidence = Evidence(Message("{how}.", how=how), series=f"{series.DATABASE}:{_LOCKS}")
    else:
        return
    yield finding("db_locks", numbers=numbers, evidence=[evidence], how=how)


def _locks_taken(view: WindowView) -> dict[str, float]:
    """The most `locks` that were taken, of how many (`most`), as a `share`; {} if not counted."""
    entry = series.DATABASE
    if series.get(view.samples, series.DB_STAT, _LOCKS) is not None:
        entry = series.DB_STAT
    taken = series.get(view.samples, entry, _LOCKS)
    names = ("nsslapd-db-configured-locks", "nsslapd-db-max-locks")
    most, highest = series.gauges(view.samples, entry, *names)
    now = float(taken[1].max()) if taken is not None and len(taken[1]) else 0.0
    peak = max(now, highest or 0.0)
    return {"locks": round(peak), "most": round(most), "share": peak / most} if most else {}
