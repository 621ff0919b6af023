"""Long work of the server itself: by its error log, and what was asked of it before a stall."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ldap_workbench.advice.evidence.inside import client_writes
from ldap_workbench.advice.evidence.rows import base_at
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import TYPES, Operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.resources import resource

BEFORE_S = 60.0
"""So long before a stall or a hang began, what was asked of the server is named with it."""
_NAMED = 3


@dataclass(frozen=True)
class Kind:
    """One kind of such work."""

    kind: str
    title: str
    begins: re.Pattern[str]
    ends: re.Pattern[str]


@dataclass(frozen=True)
class Task:
    """One piece of work, from its first line to its last; to the window's end where that lacks."""

    kind: str
    title: Message
    start_ns: int
    end_ns: int
    ended: bool


@cache
def kinds() -> tuple[Kind, ...]:
    """The kinds of tasks known, as resources/logs describes them."""
    rows = tomllib.loads(resource("logs/tasks389.toml").read_text("utf-8"))["task"]
    return tuple(
        Kind(
            row["kind"],
            row["title"],
            re.compile(row["begins"], re.IGNORECASE),
            re.compile(row["ends"], re.IGNORECASE),
        )
        for row in rows
    )


def tasks_in(lines: Sequence[tuple[int, str]], until_ns: int) -> list[Task]:
    """Every task that lines (time, text) report, in the order in which they begin.

    What begins again before it has ended is one piece: an index task names each attribute.
    """
    tasks: list[Task] = []
    for kind in kinds():
        since: int | None = None
        for time_ns, text in lines:
            if since is None and kind.begins.search(text):
                since = time_ns
            elif since is not None and kind.ends.search(text):
                tasks.append(Task(kind.kind, Message(kind.title), since, time_ns, ended=True))
                since = None
        if since is not None:
            tasks.append(Task(kind.kind, Message(kind.title), since, until_ns, ended=False))
    return sorted(tasks, key=lambda task: task.start_ns)


def asked_before(operations: Operations, first_ns: int, base: str = "") -> Message:
    """In a sentence: tasks and changes of cn=config that began shortly before a moment.

    With those of a `base` and of entries above it, whose rules hold below.
    """
    ahead = first_ns - operations.start_ns
    chosen = client_writes(operations) & (ahead >= 0) & (ahead <= BEFORE_S * NS_PER_S)
    of_server = [
        place
        for place, dn in enumerate(operations.bases)
        if dn.lower().endswith("cn=config") or f",{base}".endswith(f",{dn}")
    ]
    rows = np.flatnonzero(chosen & np.isin(operations.base, of_server))
    if not len(rows):
        return NOTHING
    named = tuple(
        Message(
            "{type} of {dn} at {start:time}",
            type=TYPES[int(operations.kind[row])],
            dn=base_at(operations, int(row)),
            start=int(operations.start_ns[row]),
        )
        for row in rows[-_NAMED:]
    )
    return Message("Shortly before, the server was asked for: {named:list}.", named=named)
