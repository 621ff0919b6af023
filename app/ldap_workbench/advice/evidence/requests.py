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
_NEARLY_ALL, _FEW = 0.9, 0.1

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


def attributes_of(line: str) -> frozenset[str] | None:
    """The attributes that a request line asks for, in small letters; None where it does not say."""
    match = _ATTRIBUTES.search(line)
    if not match:
        return None
    names = re.split(r"[\s,]+", re.sub(r'["\[\]]', " ", match[1]).strip())
    return frozenset(name.lower() for name in names)


def asks_for_all(line: str) -> bool | None:
    """Whether a request line asks for all attributes; None where it does not say."""
    names = attributes_of(line)
    return None if names is None else bool(names & _ALL)


def asked_alone(rows: Rows, others: Rows, line_of: LineOf, most: int) -> tuple[str, ...]:
    """Attributes that nearly all of some requests ask for, and hardly one of the others.

    At most so many lines of each are read.
    """
    here, there = (
        [names for row in sample(some, most) if (names := attributes_of(line_of(int(row))))]
        for some in (rows, others)
    )
    if not here or not there:
        return ()
    shares = {
        name: [sum(name in names for names in some) / len(some) for some in (here, there)]
        for name in frozenset[str]().union(*here) - _ALL
    }
    return tuple(
        sorted(
            name
            for name, (mine, theirs) in shares.items()
            if mine >= _NEARLY_ALL and theirs <= _FEW
        )
    )


def share_of_equal(pairs: list[tuple[int, int]], line_of: LineOf) -> float | None:
    """The share of pairs of requests with the same filter; None where no filter is known."""
    compared = [
        one == other
        for first, second in pairs
        if (one := filter_of(line_of(first))) is not None
        and (other := filter_of(line_of(second))) is not None
    ]
    return sum(compared) / len(compared) if compared else None
