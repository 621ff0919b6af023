"""Which operations a log holds, by a reading of its lines that is none of the workbench's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from pathlib import Path

from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window

EDGE_S = 2
"""Lines may be of whole seconds, and an operation begins before its RESULT: seconds of doubt."""
_ANSWERED = (
    re.compile(r"^\[(?P<text>[^\].]+)(?:\.\d+)? (?P<zone>[+-]\d{4})\] "
               r"conn=(?P<conn>\d+) op=(?P<op>\d+) RESULT "),
    re.compile(r"^(?P<hex>[0-9a-f]{8})[. ].*?"
               r"conn=(?P<conn>\d+) op=(?P<op>\d+) (?:SEARCH )?RESULT "),
    re.compile(r"^(?P<iso>\d{4}-\d\d-\d\dT\S+) .*?"
               r"conn=(?P<conn>\d+) op=(?P<op>\d+) (?:SEARCH )?RESULT "),
)  # fmt: skip
"""Access logs of 389 DS, of whole seconds too, of slapd, and of slapd in the journal."""


def lines_of(log: Path) -> list[str]:
    """All lines of a log, of its rotated files, too."""
    paths = sorted(log.parent.glob(f"{log.name}*"))
    return [line for path in paths for line in path.read_text("utf-8", "replace").splitlines()]


def answered(lines: Iterable[str], window: Window, edge_s: int) -> set[tuple[int, int]]:
    """(conn, op) of the answers in a window widened by so many seconds, but for our own."""
    first, last = window.start_ns // NS_PER_S - edge_s, window.end_ns // NS_PER_S + edge_s
    found, own = set(), set()
    for line in lines:
        if "cn=ldap-workbench-" in line and (conn := re.search(r"conn=(\d+)", line)):
            own.add(int(conn[1]))
        match = next((m for each in _ANSWERED if (m := each.match(line))), None)
        if match and first <= _second_of(match) <= last:
            found.add((int(match["conn"]), int(match["op"])))
    return {(conn, op) for conn, op in found if conn not in own}


def _second_of(match: re.Match[str]) -> int:
    """Unix time of a line, in whole seconds."""
    told = match.groupdict()
    if "hex" in told:
        return int(told["hex"], 16)
    if "iso" in told:
        return int(datetime.fromisoformat(told["iso"]).timestamp())
    return _second_of_389(f"{told['text']} {told['zone']}")


@cache
def _second_of_389(text: str) -> int:
    """A busy server answers thousands of times in one second."""
    return int(datetime.strptime(text, "%d/%b/%Y:%H:%M:%S %z").timestamp())
