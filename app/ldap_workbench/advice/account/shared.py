"""What operations have in common, and the program that is known by how it asks."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.account.account import group_keys, group_name
from ldap_workbench.advice.evidence.inside import filter_of, sample
from ldap_workbench.advice.evidence.rows import in_turn, numbered
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.operations import TYPES, Int64, Operations, text_at
from ldap_workbench.resources import resource

Rows = NDArray[np.intp]

KEYS = ("kind", "client", "bind_dn", "base", "result", "connection")
_TITLES = {
    "kind": Message("of the kind {value}"),
    "client": Message("from {value}"),
    "bind_dn": Message("bound as {value}"),
    "base": Message("on {value}"),
    "below": Message("on entries below {value}"),
    "result": Message("with result {value}"),
    "connection": Message("on one connection ({value})"),
}
_SHARED = 0.8
"""What this share of the time has in common describes it."""
_LARGEST, _MOST = 0.2, 0.5
"""A client or an entry with less of the work is one of many; with more a few operations say so."""
_ASSERTION = re.compile(r"([\w;.:-]+)([~<>]?=)([^()]*)")
_CLASS = re.compile(r"objectclass=[^*)]", re.IGNORECASE)
_ENOUGH = 5
"""Searches of which something is said in common."""
_MANY_ENTRIES, _LONGEST_FILTER = 100, 200
_SHORT = 3
"""Indexes of substrings have keys of 2 to 6 characters: a substring of so many is at most one."""
_CLIENTS, _TIMES, _MINUTE = 3, 4, 60_000_000_000
_LINES = 20
"""Requests read for the program they come from, of which half have to be alike."""


def narrowed(
    operations: Operations, rows: Rows, time_ns: Int64, keys: Sequence[str] = KEYS
) -> tuple[Rows, dict[str, str]]:
    """The rows narrowed to what most of their time has in common, and that by key."""
    shared: dict[str, str] = {}
    for key in keys:
        same, share = largest(operations, rows, time_ns, key)
        if share >= _SHARED:
            rows = same
            shared[key] = group_name(operations, key, int(same[0]))
    return rows, shared


def largest(operations: Operations, rows: Rows, time_ns: Int64, key: str) -> tuple[Rows, float]:
    """Those of the group with the most time, and its share of the time of the rows."""
    _, inverse = numbered(group_keys(operations, key, rows))
    sums = np.bincount(inverse, time_ns[rows].astype(np.float64))
    top = int(np.argmax(sums))
    return rows[inverse == top], float(sums[top] / max(sums.sum(), 1.0))


def described(shared: dict[str, str]) -> tuple[Message, ...]:
    """What operations have in common, as a list in a sentence names it."""
    return tuple(
        Message(_TITLES[key].template, value=value)
        for key, value in shared.items()
        if value and (key, value) != ("result", "0")
    )


def profile(
    operations: Operations,
    rows: Rows,
    time_ns: Int64,
    said: str,
    request_of: Callable[[int], str] | None,
) -> Iterator[Message]:
    """Who asks for most of the work of some operations, on what and how, in sentences.

    What the words of a finding have `said` already is left out.
    """
    mine, shared = narrowed(operations, rows, time_ns, ("client", "bind_dn", "base"))
    new = described({key: value for key, value in shared.items() if value not in said})
    if new:
        yield Message("Most of this work is for operations {who:list}.", who=new)
    for key in sorted({"client", "base"} - shared.keys()):
        same, share = largest(operations, mine, time_ns, key)
        name = group_name(operations, key, int(same[0]))
        enough = share >= (_LARGEST if len(same) >= _ENOUGH else _MOST)
        if enough and name and name not in said:
            part = Message(_TITLES[key].template, value=name)
            yield Message(
                "{share:percent} of this work is for operations {part}.", share=share, part=part
            )
    if "client" not in shared:
        yield from _several(operations, rows)
    searches = mine[operations.kind[mine] == TYPES.index("SRCH")]
    if not len(searches):
        return
    if len(searches) >= _ENOUGH and in_turn(operations, mine):
        yield Message("They come one at a time.")
    entries = int(np.median(operations.nentries[searches]))
    if entries >= _MANY_ENTRIES:
        yield Message("They return {n} entries each in the median.", n=entries)
    if request_of:
        yield from _short_substrings([request_of(int(row)) for row in sample(searches, _LINES)])
    if len(searches) < _ENOUGH:
        return
    slowest = int(searches[np.argmax(time_ns[searches])])
    text = _with_classes(filter_of(request_of(slowest)) or "") if request_of else ""
    if _CLASS.search(text) and len(text) <= _LONGEST_FILTER:
        yield Message("With the object classes: {filter}.", filter=text)


def _short_substrings(lines: Sequence[str]) -> Iterator[Message]:
    """How long the longest part of a substring is, where half of some requests have short ones."""
    longest = []
    for line in lines:
        values = [match[3] for match in _ASSERTION.finditer(filter_of(line) or "")]
        parts = [value.split("*") for value in values if "*" in value and value.strip("*")]
        longest.append(max((len(part) for value in parts for part in value), default=_SHORT + 1))
    usual = int(np.median(longest))
    if usual <= _SHORT:
        yield count_of(
            "They search for substrings of {n} character: a substring index helps only where few "
            "entries have them.",
            "They search for substrings of {n} characters: a substring index helps only where few "
            "entries have them.",
            n=usual,
        )


def _with_classes(text: str) -> str:
    """A filter without its values, but with its object classes, which name nobody."""
    return _ASSERTION.sub(
        lambda match: (
            match[0]
            if match[1].lower() == "objectclass"
            else match[1] + match[2] + re.sub(r"[^*]+", "?", match[3])
        ),
        text,
    )


def _several(operations: Operations, rows: Rows) -> Iterator[Message]:
    """How many clients there are, and whether they come together."""
    clients = np.unique(operations.client[rows])
    if len(clients) < _CLIENTS or clients[0] < 0:
        return
    names = tuple(text_at(operations.clients, int(client)) for client in clients[:3])
    yield Message(
        "They come from {n} clients ({names:list}{more}).",
        n=len(clients),
        names=names,
        more=", ..." if len(clients) > len(names) else "",
    )
    minutes, in_minute = np.unique(operations.start_ns[rows] // _MINUTE, return_inverse=True)
    if len(minutes) < _TIMES:
        return
    pairs = np.unique(in_minute * len(operations.clients) + operations.client[rows])
    together = np.bincount(pairs // len(operations.clients), minlength=len(minutes))
    gaps = np.diff(minutes)
    every = int(np.median(gaps))
    regular = float(np.mean(gaps == every))
    if np.median(together) >= len(clients) / 2 and regular >= _SHARED and every > 1:
        yield Message("They ask at the same time, every {n} minutes.", n=every)


@dataclass(frozen=True)
class KnownClient:
    """A program by how it asks; `steps` are for whoever runs it."""

    title: str
    filter: re.Pattern[str] | None
    bind: re.Pattern[str] | None
    steps: tuple[str, ...]

    def asks(self, text: str, bind_dn: str) -> bool:
        """Whether it sends such a filter, bound like that."""
        asked = self.filter is None or bool(self.filter.search(text))
        return asked and (self.bind is None or bool(self.bind.search(bind_dn)))


def known_client(
    operations: Operations, rows: Rows, request_of: Callable[[int], str] | None
) -> KnownClient | None:
    """The program that most of some operations come from; None where it is not known."""
    some = sample(rows, _LINES)
    lines = [request_of(int(row)) if request_of else "" for row in some]
    asked = [
        (
            filter_of(line) or group_name(operations, "kind", int(row)),
            group_name(operations, "bind_dn", int(row)),
        )
        for row, line in zip(some, lines, strict=True)
    ]
    for client in _known():
        if 2 * sum(client.asks(*request) for request in asked) > len(asked):
            return client
    return None


@cache
def _known() -> tuple[KnownClient, ...]:
    document = tomllib.loads(resource("advice/known_clients.toml").read_text("utf-8"))
    return tuple(
        KnownClient(
            client["title"],
            re.compile(client["filter"], re.IGNORECASE) if "filter" in client else None,
            re.compile(client["bind"], re.IGNORECASE) if "bind" in client else None,
            tuple(client["steps"]),
        )
        for client in document["client"]
    )
