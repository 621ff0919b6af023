"""Operations that a log asks for without holding their results, kept with its source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ldap_workbench.model.operations import CHANGES
from ldap_workbench.model.window import Source


@dataclass(frozen=True)
class Unanswered:
    """A change whose result the log does not hold; `dn` is "" where the log does not say it."""

    type: str
    time_ns: int
    dn: str = ""


def unanswered_changes(sources: Iterable[Source]) -> Iterator[Unanswered]:
    """Those of some sources; a session may be a stranger's, and what has another shape is none."""
    for source in sources:
        kept = source.details.get("unanswered")
        for each in kept if isinstance(kept, list) else ():
            if isinstance(each, dict) and each.get("type") in CHANGES:
                time_ns, dn = each.get("time_ns"), each.get("dn")
                if isinstance(time_ns, int) and isinstance(dn, str):
                    yield Unanswered(str(each["type"]), time_ns, dn)


@dataclass(frozen=True)
class Waiting:
    """A search that ran on where the log ends; `at` is the place of its line in the log.

    `client` and `base` are "" where the log does not say them.
    """

    time_ns: int
    conn: int
    client: str
    base: str
    at: int


_SHAPE = {"time_ns": int, "conn": int, "client": str, "base": str, "at": int}


def waiting_searches(sources: Iterable[Source]) -> Iterator[Waiting]:
    """Those of some sources; what has another shape is none."""
    for source in sources:
        kept = source.details.get("waiting")
        for each in kept if isinstance(kept, list) else ():
            if isinstance(each, dict) and all(
                isinstance(each.get(name), kind) for name, kind in _SHAPE.items()
            ):
                yield Waiting(**{name: each[name] for name in _SHAPE})
