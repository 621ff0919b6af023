"""The access log read plainly, line by line: which operations there were, to hold a session to."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

_RESULT = re.compile(
    r"^\[(?P<day>[^.\]]+)\.(?P<ns>\d{9}) (?P<zone>[+-]\d{4})\] "
    r"conn=(?P<conn>\d+) op=(?P<op>-?\d+) RESULT .*etime=(?P<s>\d+)\.(?P<etime>\d{9})",
    re.MULTILINE,
)
_END_OF_WINDOW_NS = 100_000_000
"""389 DS writes lines out of order, and a window's end is known to half a round trip."""
Operation = tuple[int, int, int]
"""Time of the result (ns since 1970), connection, operation; numbers begin anew at a restart."""


@dataclass(frozen=True)
class LogMark:
    """How long each file of a log was at one moment, by inode."""

    sizes: dict[int, int]


def mark(folder: Path) -> LogMark:
    return LogMark({path.stat().st_ino: path.stat().st_size for path in _files(folder)})


def operations(folder: Path, since: LogMark) -> list[tuple[int, Operation]]:
    """(start, operation) of every RESULT line written since the mark, rotated files included."""
    found = []
    for path in _files(folder):
        with path.open("rb") as file:
            file.seek(since.sizes.get(path.stat().st_ino, 0))
            text = file.read().decode(errors="replace")
        found += [_operation(line) for line in _RESULT.finditer(text)]
    return found


def _operation(line: re.Match[str]) -> tuple[int, Operation]:
    moment = datetime.strptime(f"{line['day']} {line['zone']}", "%d/%b/%Y:%H:%M:%S %z")
    end_ns = int(moment.timestamp()) * 10**9 + int(line["ns"])
    etime_ns = int(line["s"]) * 10**9 + int(line["etime"])
    return end_ns - etime_ns, (end_ns, int(line["conn"]), int(line["op"]))


@dataclass(frozen=True)
class Count:
    """A window against the plain reading: operations there should be, that lack, that are extra."""

    expected: int
    missing: int
    extra: int
    examples: tuple[Operation, ...] = ()


def compare(
    plain: list[tuple[int, Operation]],
    start_ns: int,
    end_ns: int,
    stored: list[Operation],
    told_open: int = 0,
) -> Count:
    """Hold what a session has of a window to the operations that started in it.

    `told_open` operations had no result yet when the session ceased to read: such a one is not
    missing where its result belongs to the end of the window or came after it.
    """
    wanted = Counter(operation for start, operation in plain if start_ns <= start < end_ns)
    had = Counter(stored)
    missing = sorted((wanted - had).elements())
    late = sum(operation[0] >= end_ns - _END_OF_WINDOW_NS for operation in missing)
    lost = missing[: len(missing) - min(late, told_open)]
    return Count(wanted.total(), len(lost), (had - wanted).total(), tuple(lost[:5]))


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.glob("access*") if path.name != "access.rotationinfo"]
