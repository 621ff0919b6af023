"""What sessions of a server showed: findings and cache hits, kept beside the counts of a fleet.

A review is of one session: an hour of the log, or a capture. Ids of findings and numbers are all
that is kept, so a folder from a stranger brings no words of its own.

reviews.json            see `write_reviews`
"""

from __future__ import annotations

import json
import math
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from ldap_workbench.connect.folders import write_atomically, writing
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S

ENTRY_CACHE, DB_CACHE = CACHES = ("entry_cache", "db_cache")
"""Caches whose hits are counted: of all back ends together, and of the database."""
_FILE, _SCHEMA, _LARGEST = "reviews.json", 1, 64 << 20


@dataclass(frozen=True)
class Hits:
    """How many look-ups a cache answered while it was measured, of how many."""

    hits: int
    tries: int

    @property
    def share(self) -> float:
        return self.hits / self.tries

    def __add__(self, other: Hits) -> Hits:
        return Hits(self.hits + other.hits, self.tries + other.tries)


@dataclass(frozen=True)
class Review:
    """Of one session of a server.

    start_ns   of its first window, which says the day that it counts for
    capture    the name of its file; '' for an hour of the log
    findings   id -> cost in s of worker threads or clients an hour, None where it is not known
    caches     a name of CACHES -> hits within the windows; not there where nothing was asked
    """

    server: str
    start_ns: int
    capture: str = ""
    findings: Mapping[str, float | None] = field(default_factory=dict)
    caches: Mapping[str, Hits] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, int, str]:
        """What makes it the same review again."""
        return self.server, self.start_ns, self.capture

    @property
    def day(self) -> date:
        """In UTC, as all days of a fleet."""
        return datetime.fromtimestamp(self.start_ns // NS_PER_S, UTC).date()


@dataclass(frozen=True)
class DayReview:
    """All that was reviewed of a server on one day."""

    findings: Mapping[str, float | None]
    caches: Mapping[str, Hits]

    @classmethod
    def of(cls, reviews: Iterable[Review]) -> DayReview:
        """Findings of any of them with their highest cost, hits of all captures added."""
        from ldap_workbench.advice.evidence.wording import current_id  # advice is loaded by few

        costs: dict[str, float | None] = {}
        caches: dict[str, Hits] = {}
        for review in reviews:
            for stored, cost in review.findings.items():
                which = current_id(stored)
                known = [value for value in (costs.get(which), cost) if value is not None]
                costs[which] = max(known, default=None)
            for cache, hits in review.caches.items():
                caches[cache] = caches[cache] + hits if cache in caches else hits
        order = sorted(costs, key=lambda which: (-(costs[which] or 0.0), which))
        return cls({which: costs[which] for which in order}, caches)

    def titles(self) -> tuple[Message, ...]:
        """Of its findings, the most expensive first."""
        return tuple(title_of(which) for which in self.findings)


def title_of(finding: str) -> Message:
    """The title of a finding; of one that another version made, its id."""
    from ldap_workbench.advice.evidence.wording import definitions

    known = definitions().get(finding)
    if known is None:
        return Message("Finding {id}", id=finding)
    title = known["title"]
    return Message(title)


def merged(*groups: Iterable[Review]) -> tuple[Review, ...]:
    """Each once, in order of server and time; of two of the same session the later one."""
    by_key = {review.key: review for group in groups for review in group}
    return tuple(by_key[key] for key in sorted(by_key))


def by_day(reviews: Iterable[Review]) -> dict[str, dict[date, DayReview]]:
    """Server -> day -> what was reviewed on it."""
    of: dict[str, dict[date, list[Review]]] = {}
    for review in reviews:
        of.setdefault(review.server, {}).setdefault(review.day, []).append(review)
    return {
        server: {day: DayReview.of(those) for day, those in days.items()}
        for server, days in of.items()
    }


def write_reviews(folder: Path, reviews: Iterable[Review]) -> None:
    """Into a fleet's folder. Raises SessionError."""
    tree = {"schema": _SCHEMA, "reviews": [_tree(review) for review in reviews]}
    with writing(folder):
        write_atomically(folder / _FILE, json.dumps(tree, indent=1))


def read_reviews(folder: Path) -> tuple[Review, ...]:
    """Those of a fleet's folder. Raises OSError, or ValueError and the like for another file."""
    path = folder / _FILE
    if not path.exists():
        return ()
    about = path.stat()
    if not stat.S_ISREG(about.st_mode) or about.st_size > _LARGEST:
        raise ValueError(f"{path.name} is no file of a fleet")
    tree = json.loads(path.read_text("utf-8"))
    if tree["schema"] != _SCHEMA:
        raise ValueError(f"schema {tree['schema']}")
    return merged([_review(review) for review in tree["reviews"]])


def _tree(review: Review) -> dict[str, Any]:
    return {
        "server": review.server,
        "start_ns": review.start_ns,
        "capture": review.capture,
        "findings": dict(review.findings),
        "caches": {name: [hits.hits, hits.tries] for name, hits in review.caches.items()},
    }


def _review(tree: Any) -> Review:
    costs = {str(which): _cost(cost) for which, cost in tree["findings"].items()}
    counted = tree["caches"]
    caches = {name: Hits(*map(int, counted[name])) for name in CACHES if name in counted}
    if any(not 0 <= hits.hits <= hits.tries or not hits.tries for hits in caches.values()):
        raise ValueError("hits without a look-up")
    review = Review(str(tree["server"]), int(tree["start_ns"]), str(tree["capture"]), costs, caches)
    _ = review.day  # a time that no calendar has is no time
    return review


def _cost(cost: Any) -> float | None:
    if cost is None:
        return None
    number = float(cost)
    if not math.isfinite(number) or number < 0:
        raise ValueError(f"a cost of {cost}")
    return number
