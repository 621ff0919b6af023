"""What a server tells in its error log of its own doings: starts, autotuning, checkpoints."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from ldap_workbench.logs.server.errors389 import ErrorRecord
from ldap_workbench.model.message import Message
from ldap_workbench.resources import resource


@dataclass(frozen=True)
class Notice:
    """One kind of notice, how its lines are known and how many of them are called."""

    kind: str
    pattern: re.Pattern[str]
    one: str
    several: str


@cache
def notices() -> tuple[Notice, ...]:
    """Every kind, in the order in which they are looked for."""
    notices = tomllib.loads(resource("logs/notices389.toml").read_text("utf-8"))["notice"]
    return tuple(
        Notice(n["kind"], re.compile(n["pattern"], re.IGNORECASE), n["one"], n["several"])
        for n in notices
    )


def kind_of(record: ErrorRecord) -> str:
    """What kind of notice a record is, "" where it is none."""
    text = f"{record.severity} - {record.subsystem} - {record.text}"
    return next((notice.kind for notice in notices() if notice.pattern.search(text)), "")


def counted(records: Iterable[ErrorRecord]) -> Counter[str]:
    """How many records there are of each kind."""
    return Counter(kind for kind in map(kind_of, records) if kind)


_VERSION = re.compile(r"389-Directory/(\d[\w.]*)")


def started_as(records: Iterable[ErrorRecord]) -> str:
    """The version of 389 DS that the last start of some records names; "" where none does."""
    versions = [match[1] for record in records if (match := _VERSION.search(record.text))]
    return versions[-1] if versions else ""


def describe_notices(counts: Counter[str], kinds: Sequence[Notice] | None = None) -> list[Message]:
    """One sentence that says how many of each kind there are; none where there are none."""
    kinds = notices() if kinds is None else kinds
    parts = tuple(_number_of(notice, n) for notice in kinds if (n := counts[notice.kind]))
    return [Message("It reports {notices}.", notices=parts)] if parts else []


def _number_of(notice: Notice, n: int) -> Message:
    what = Message(notice.one) if n == 1 else Message(notice.several)
    return Message("{n} {notices}", n=n, notices=what)
