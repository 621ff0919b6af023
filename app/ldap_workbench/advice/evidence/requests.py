"""What requests asked for beyond their shape, read from some of their lines.

Operations keep the shape of a filter, not its values, nor which attributes were asked for: those
stand in the raw text alone, so a sample of lines is read.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from ldap_workbench.advice.evidence.clients import Rows

_FILTER = re.compile(r'filter"?[=:]\s*"((?:[^"\\]|\\.)*)"')
_ATTRIBUTES = re.compile(r'attrs"?[=:]\s*(\[[^\]]*\]|"[^"]*"|\S+)')
_ALL = {"", "*", "all"}

LineOf = Callable[[int], str]


def sample(rows: Rows, most: int) -> Rows:
    """At most so many of some rows, evenly, in their order."""
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).astype(np.intp)]


def filter_of(line: str) -> str | None:
    """The filter of a request line as it was sent; None where the line has none."""
    match = _FILTER.search(line)
    return match[1] if match else None


def asks_for_all(line: str) -> bool | None:
    """Whether a request line asks for all attributes; None where it does not say."""
    match = _ATTRIBUTES.search(line)
    if not match:
        return None
    names = re.split(r"[\s,]+", re.sub(r'["\[\]]', " ", match[1]).strip())
    return any(name.lower() in _ALL for name in names)


def share_of_equal(pairs: list[tuple[int, int]], line_of: LineOf) -> float | None:
    """The share of pairs of requests with the same filter; None where no filter is known."""
    compared = [
        one == other
        for first, second in pairs
        if (one := filter_of(line_of(first))) is not None
        and (other := filter_of(line_of(second))) is not None
    ]
    return sum(compared) / len(compared) if compared else None
