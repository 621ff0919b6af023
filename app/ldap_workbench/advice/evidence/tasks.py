"""Long work of the server itself, by the lines of its error log that begin and end it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ldap_workbench.model.message import Message
from ldap_workbench.resources import resource


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
