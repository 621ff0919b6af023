"""A search as its request line in an access log tells it, classic or JSON."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_SEARCH = re.compile(
    r'SRCH.*?base="((?:[^"\\]|\\.)*)" scope=(\d).*? filter="((?:[^"\\]|\\.)*)"'
    r'(?:.*? attrs=(ALL|"[^"]*"))?'
)
_SCOPES = {"base": 0, "baseobject": 0, "one": 1, "singlelevel": 1, "sub": 2, "wholesubtree": 2}
_UNPRINTABLE = re.compile(r"\\([0-9A-Fa-f]{2})")


@dataclass(frozen=True)
class LoggedSearch:
    """What is known of a search from its line."""

    base: str
    scope: int
    filter: str
    attributes: tuple[str, ...]


def search_of(line: str) -> LoggedSearch | None:
    """The search of a request line; None where the line does not tell all of it."""
    found = _of_json(line) if line.lstrip().startswith("{") else _of_text(line)
    return found if found and "..." not in found.filter[-4:] else None


def _of_text(line: str) -> LoggedSearch | None:
    found = _SEARCH.search(line)
    if not found:
        return None
    base, scope, text, attributes = found.groups()
    names = () if attributes in (None, "ALL") else tuple(attributes.strip('"').split())
    return LoggedSearch(_unquoted(base), int(scope), _unquoted(text), names)


def _unquoted(text: str) -> str:
    """389 DS escapes quotes and backslashes of what it prints between quotes."""
    return text.replace('\\"', '"').replace("\\\\", "\\")


def _of_json(line: str) -> LoggedSearch | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    base, scope, text = (event.get(key) for key in ("base_dn", "scope", "filter"))
    named = event.get("attrs", [])
    number = scope if isinstance(scope, int) else _SCOPES.get(str(scope).lower().replace("_", ""))
    if not isinstance(base, str) or not isinstance(text, str) or number is None:
        return None
    names = [each for each in named if isinstance(each, str)] if isinstance(named, list) else []
    return LoggedSearch(base, number, text, () if names == ["ALL"] else tuple(names))
