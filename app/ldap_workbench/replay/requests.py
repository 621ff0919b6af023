"""A request as its line in an access log tells it, classic or JSON."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from ldap_workbench.model.configuration import normal_dn

_SEARCH = re.compile(
    r'SRCH.*?base="((?:[^"\\]|\\.)*)" scope=(\d).*? filter="((?:[^"\\]|\\.)*)"'
    r'(?:.*? attrs=(ALL|"[^"]*"))?'
)
_WRITE = re.compile(
    r'\b(MOD|ADD|DEL|MODRDN) dn="((?:[^"\\]|\\.)*)"'
    r'(?: newrdn="((?:[^"\\]|\\.)*)" newsuperior="((?:[^"\\]|\\.)*)")?'
)
_SLAPD = re.compile(r"\b(conn=\d+ op=\d+) SRCH base=.* deref=\d filter=")
_JSON_WRITES = {"MODIFY": "MOD", "ADD": "ADD", "DELETE": "DEL", "MODRDN": "MODRDN"}
_NO_DN = ("", "(null)")
_SCOPES = {"base": 0, "baseobject": 0, "one": 1, "singlelevel": 1, "sub": 2, "wholesubtree": 2}
_COMMA = re.compile(r"(?<!\\),")


@dataclass(frozen=True)
class LoggedSearch:
    """What is known of a search from its line."""

    base: str
    scope: int
    filter: str
    attributes: tuple[str, ...]


@dataclass(frozen=True)
class LoggedWrite:
    """What is known of a change from its line: not what it wrote. DNs are in normal form."""

    kind: str
    """MOD, ADD, DEL or MODRDN."""
    dn: str
    new_dn: str = ""
    """Of an entry that is renamed; "" where the line does not tell it."""


def write_of(line: str) -> LoggedWrite | None:
    """The change of a request line; None where the line does not tell which entry."""
    if line.lstrip().startswith("{"):
        event = _event(line)
        kind = _JSON_WRITES.get(str(event.get("operation")), "")
        names = [event.get(key) for key in ("target_dn", "newrdn", "newsup")]
        dn, rdn, superior = (name if isinstance(name, str) else "" for name in names)
    else:
        match = _WRITE.search(line)
        kind, dn, rdn, superior = match.groups(default="") if match else ("", "", "", "")
    if not kind or dn in _NO_DN:
        return None
    if rdn in _NO_DN:
        return LoggedWrite(kind, normal_dn(dn))
    _, _, parent = _COMMA.sub("\n", dn, count=1).partition("\n")
    new = f"{rdn},{parent if superior in _NO_DN else superior}"
    return LoggedWrite(kind, normal_dn(dn), normal_dn(new))


def search_of(line: str, after: str = "") -> LoggedSearch | None:
    """The search of a request line; None where the line does not tell all of it.

    slapd of OpenLDAP has its attributes in a line of their own, which is looked for in `after`.
    """
    search = _of_json(line) if line.lstrip().startswith("{") else _of_text(line, after)
    return search if search and "..." not in search.filter[-4:] else None


def _of_text(line: str, after: str) -> LoggedSearch | None:
    match = _SEARCH.search(line)
    if not match:
        return None
    base, scope, text, attributes = match.groups()
    if attributes is None and (operation := _SLAPD.search(line)):
        own_line = re.search(rf"\b{operation[1]} SRCH attr=([^\n]*)", after)
        attributes = own_line[1] if own_line else None
    names = () if attributes in (None, "ALL") else tuple(attributes.strip('"').split())
    return LoggedSearch(_unquoted(base), int(scope), _unquoted(text), names)


def _unquoted(text: str) -> str:
    """389 DS escapes quotes and backslashes of what it prints between quotes."""
    return text.replace('\\"', '"').replace("\\\\", "\\")


def _event(line: str) -> dict[str, Any]:
    """The object of a line; empty where it is none."""
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return event if isinstance(event, dict) else {}


def _of_json(line: str) -> LoggedSearch | None:
    event = _event(line)
    base, scope, text = (event.get(key) for key in ("base_dn", "scope", "filter"))
    named = event.get("attrs", [])
    number = scope if isinstance(scope, int) else _SCOPES.get(str(scope).lower().replace("_", ""))
    if not isinstance(base, str) or not isinstance(text, str) or number is None:
        return None
    names = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
    return LoggedSearch(base, number, text, () if names == ["ALL"] else tuple(names))
