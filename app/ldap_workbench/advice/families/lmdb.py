"""LMDB: a map or a table of readers that is nearly full, in 389 DS and in OpenLDAP."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.series import Samples
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message

PAGE = 4096
"""Bytes of a page of slapd's LMDB, which counts in pages: that of memory on nearly all hosts."""


@dataclass(frozen=True)
class Map:
    """One LMDB environment as its server shows it; `backend` is '' where all share one."""

    entry: str
    backend: str
    used_bytes: float
    most_bytes: float
    readers: float
    slots: float
    used_in: str
    """The attributes that show the two, for the charts."""
    readers_in: str

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
    """The map or its table of readers is nearly full: the next write or read may fail."""
    maps = [*_of_389(view.samples), *_of_slapd(view)]
    worst = max(maps, key=lambda item: item.fullest, default=None)
    if worst is None or worst.fullest < limits("lmdb_map")["full"]:
        return []
    numbers = {
        "map_share": worst.map_share,
        "map_max_bytes": int(worst.most_bytes),
        "reader_share": worst.reader_share,
        "readers_max": int(worst.slots),
        "backend": worst.backend,
    }
    by_map = worst.map_share >= worst.reader_share
    which = worst.used_in if by_map else worst.readers_in
    return [
        finding(
            "lmdb_map",
            numbers=numbers,
            evidence=[Evidence(Message("Nearly full."), series=f"{worst.entry}:{which}")],
            what=_full_map(worst) if by_map else _full_readers(worst),
        )
    ]


def _full_map(full: Map) -> Message:
    return Message(
        "the map of {size:size} is {share:percent} full",
        size=int(full.most_bytes),
        share=full.map_share,
    )


def _full_readers(full: Map) -> Message:
    return Message(
        "{used} of {slots} reader slots are taken",
        used=round(full.readers),
        slots=round(full.slots),
    )


def _of_389(samples: Samples) -> Iterator[Map]:
    entry = series.DATABASE
    used, most = "dbenvmapsize", "dbenvmapmaxsize"
    readers, slots = "dbenvnumreaders", "dbenvmaxreaders"
    last = {name: _last(samples, entry, name) for name in (used, most, readers, slots)}
    yield Map(entry, "", last[used], last[most], last[readers], last[slots], used, readers)


def _of_slapd(view: WindowView) -> Iterator[Map]:
    """One map for each database; pages that are free within it are used before it grows."""
    for name in view.samples:
        entry, _, attribute = name.rpartition(":")
        if attribute.lower() != "olmmdbpagesmax":
            continue
        most, used, free, readers, slots = (
            _last(view.samples, entry, attribute)
            for attribute in (
                "olmMDBPagesMax",
                "olmMDBPagesUsed",
                "olmMDBPagesFree",
                "olmMDBReadersUsed",
                "olmMDBReadersMax",
            )
        )
        yield Map(
            entry,
            _backend(view, entry),
            (used - free) * PAGE,
            most * PAGE,
            readers,
            slots,
            "olmmdbpagesused",
            "olmmdbreadersused",
        )


def _backend(view: WindowView, entry: str) -> str:
    """{1}mdb of 'cn=database 1,cn=databases,cn=monitor'; '' where the facts do not say."""
    number = re.match(r"cn=database (\d+),", entry.lower())
    known = [backend.name for backend in view.facts.backends] if view.facts else []
    return next((n for n in known if number and n.startswith(f"{{{number[1]}}}")), "")


def _last(samples: Samples, entry: str, attribute: str) -> float:
    return series.last(series.get(samples, entry, attribute)) or 0.0
