"""The sorted list that pages of a search are taken from, as the lines of the access log name it."""

from __future__ import annotations

import re

from ldap_workbench.advice.evidence.clients import Rows
from ldap_workbench.advice.evidence.rows import slowest
from ldap_workbench.advice.evidence.view import WindowView

_REQUEST = re.compile(
    r' (?P<whose>conn=\d+ op=\d+) SRCH base="(?P<base>[^"]*)" scope=(?P<scope>[012]) '
    r'filter="(?P<filter>(?:[^"\\]|\\.)*)"'
)
_SORT = re.compile(r" (?P<whose>conn=\d+ op=\d+) SORT (?P<keys>[^()]*?) ?(?:\(.*)?$")
_KEY = re.compile(r"-?[A-Za-z][\w-]*", re.ASCII)
_SCOPES = {"0": "base", "1": "one", "2": "sub"}
_LOOKED_AT, _BEHIND = 20, 40
"""Requests whose lines are read, and lines behind each: those of other operations lie between."""


def list_of(view: WindowView, rows: Rows) -> str:
    """'ou=people,dc=x sub (objectClass=person) cn' of the slowest page; '' where no line says it.

    Only classic lines of 389 DS are read, and only keys without a matching rule.
    """
    operations = view.operations
    pages = rows[operations.vlv[rows]]
    if view.request_of is None or view.line_at is None or not len(pages):
        return ""
    for row in slowest(operations, pages)[:_LOOKED_AT]:
        line = view.request_of(int(row))
        asked = _REQUEST.search(line)
        if asked is None or asked["filter"].count("(") != asked["filter"].count(")"):
            continue  # 389 DS cuts a long filter off
        keys = _keys(view, int(operations.request_at[row]) + len(line.encode()) + 1, asked["whose"])
        if keys and all(map(_KEY.fullmatch, keys)):
            scope = _SCOPES[asked["scope"]]
            return f"{asked['base']} {scope} {asked['filter']} {' '.join(keys)}"
    return ""


def _keys(view: WindowView, at: int, whose: str) -> list[str]:
    """What an operation sorts by, from the lines behind its request."""
    assert view.line_at is not None
    for _ in range(_BEHIND):
        line = view.line_at(at)
        if not line:
            break
        said = _SORT.search(line)
        if said and said["whose"] == whose:
            return said["keys"].split()
        at += len(line.encode()) + 1
    return []
