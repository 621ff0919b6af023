"""Changes that a log asks for without holding their results, kept with its source."""

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
