"""Reviews made: the worst hour of a server's day read as a session, and captures of servers."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TypeVar

from ldap_workbench.advice.evidence import series
from ldap_workbench.advice.evidence.view import SessionSamples
from ldap_workbench.advice.families.find import findings
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.fleet.excerpts import Hour
from ldap_workbench.fleet.hour import HourSource, read_hour
from ldap_workbench.fleet.reviews import DB_CACHE, ENTRY_CACHE, Hits, Review, merged
from ldap_workbench.fleet.store import Fleet, Missing
from ldap_workbench.fleet.tables import Row, first_ns, hours, worst_hour
from ldap_workbench.model.errors import CancelledError, SessionError, WorkbenchError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.reader import Session

HOUR_NS = 3600 * NS_PER_S
Asked = TypeVar("Asked")
_COUNTERS = {
    ENTRY_CACHE: ("entrycachehits", "entrycachetries"),
    DB_CACHE: ("dbcachehits", "dbcachetries"),
}


@dataclass(frozen=True)
class Reviewed:
    """The reviews that were made, what could not be read, and whether it was cancelled midway."""

    reviews: tuple[Review, ...]
    failures: tuple[Missing, ...] = ()
    cancelled: bool = False


def review_of(session: Session, server: str, capture: str = "") -> Review:
    """What a session shows. Raises SessionError for one without windows."""
    windows = session.windows()
    if not windows:
        raise SessionError(
            Message("It has no windows."), remedy=Message("Name sessions of captures.")
        )
    caches: dict[str, Hits] = {}
    for window in windows:
        for cache, hits in _caches(SessionSamples(session, window)).items():
            caches[cache] = caches[cache] + hits if cache in caches else hits
    costs = {finding.id: finding.cost_s_per_h for finding in findings(session)}
    return Review(server, windows[0].start_ns, capture, costs, caches)


def _caches(samples: series.Samples) -> dict[str, Hits]:
    """Growth within a window; a single reading would be all since the server's start."""
    entries = {ENTRY_CACHE: series.backends(samples).values(), DB_CACHE: (series.LDBM,)}
    caches = {}
    for cache, (hits, tries) in _COUNTERS.items():
        grown = [
            (_grown(samples, entry, hits), _grown(samples, entry, tries))
            for entry in entries[cache]
        ]
        asked = round(sum(tried for _, tried in grown))
        if asked > 0:
            answered = round(sum(hit for hit, _ in grown))
            caches[cache] = Hits(min(max(answered, 0), asked), asked)
    return caches


def _grown(samples: series.Samples, entry: str, counter: str) -> float:
    return series.growth(series.get(samples, entry, counter))


def days_to_review(rows: Iterable[Row], days: Sequence[date] = ()) -> list[tuple[str, date]]:
    """Servers with those days; without any, the day on which each stands out, or its last."""
    wanted = []
    for row in rows:
        usual = row.unlike_on or max(row.days, default=None)
        chosen = [day for day in days if day in row.days] if days else [usual]
        wanted += [(row.server, day) for day in chosen if day is not None]
    return wanted


def review_hours(
    fleet: Fleet,
    wanted: Iterable[tuple[str, date]],
    hosts: Path | None,
    secrets: Secrets,
    progress: OnProgress,
    cancel: Cancel,
) -> Reviewed:
    """Read the worst hour of each server and day; an hour that was reviewed before is not read."""
    known = {review.key for review in fleet.reviews}
    asked = []
    for server, day in wanted:
        hour = worst_hour(hours(fleet.servers[server].counts, day))
        if hour is not None:
            start_ns = first_ns(day, hour)
            if (server, start_ns, "") not in known:
                asked.append(Hour(server, start_ns, start_ns + HOUR_NS))

    def review(hour: Hour) -> Review:
        paths = fleet.files(hour.server, hour.start_ns, hour.end_ns) if hosts is None else []
        with tempfile.TemporaryDirectory(prefix="ldap-workbench-") as folder:
            path = Path(folder) / "hour.ldapwb"
            read_hour(HourSource(hour, paths, hosts), path, secrets, no_progress, cancel)
            with Session.open(path) as session:
                reviewed = review_of(session, hour.server)
        return Review(hour.server, hour.start_ns, "", reviewed.findings, reviewed.caches)

    return _review_all(asked, lambda hour: hour.server, review, progress, cancel)


def review_captures(
    captures: Mapping[str, Sequence[Path]], progress: OnProgress, cancel: Cancel
) -> Reviewed:
    """Sessions that `capture` wrote, by server."""
    asked = [(server, path) for server, paths in captures.items() for path in paths]

    def review(one: tuple[str, Path]) -> Review:
        server, path = one
        with Session.open(path) as session:
            return review_of(session, server, path.name)

    return _review_all(asked, lambda one: f"{one[0]}: {one[1].name}", review, progress, cancel)


def _review_all(
    asked: Sequence[Asked],
    name: Callable[[Asked], str],
    review: Callable[[Asked], Review],
    progress: OnProgress,
    cancel: Cancel,
) -> Reviewed:
    """One after the other; what fails is named, and what is known by then is kept."""
    made: list[Review] = []
    failures: list[Missing] = []
    for place, one in enumerate(asked):
        progress(
            Progress(Message("Looking for causes: {what}", what=name(one)), place / len(asked))
        )
        try:
            cancel.check()
            made.append(review(one))
        except CancelledError:
            return Reviewed(merged(made), tuple(failures), cancelled=True)
        except WorkbenchError as error:
            failures.append(Missing(name(one), error.what))
    return Reviewed(merged(made), tuple(failures))
