"""What operations have in common, and the program that is known by how it asks."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.advice.account.account import group_keys, group_name
from ldap_workbench.advice.evidence.requests import filter_of, sample
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import Int64, Operations
from ldap_workbench.resources import resource

Rows = NDArray[np.intp]

KEYS = ("kind", "client", "bind_dn", "base", "result", "connection")
_TITLES = {
    "kind": Message("of the kind {value}"),
    "client": Message("from {value}"),
    "bind_dn": Message("bound as {value}"),
    "base": Message("on {value}"),
    "result": Message("with result {value}"),
    "connection": Message("on one connection ({value})"),
}
_SHARED = 0.8
"""What this share of the time has in common describes it."""
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
    _, inverse = np.unique(group_keys(operations, key)[rows], return_inverse=True)
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
