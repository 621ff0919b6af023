"""Rows of iostat and vmstat that were pasted without their heading, told by their columns.

The number of columns names the generation of the tool; what two generations share is decided by
arithmetic: the size of a request, or processor times that make 100.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

_LINUX = {
    11: "rrqm/s wrqm/s r/s w/s rsec/s wsec/s avgrq-sz avgqu-sz await svctm %util",
    13: "rrqm/s wrqm/s r/s w/s rsec/s wsec/s avgrq-sz avgqu-sz await r_await w_await svctm %util",
    15: "r/s w/s rkB/s wkB/s rrqm/s wrqm/s %rrqm %wrqm r_await w_await aqu-sz rareq-sz wareq-sz "
    "svctm %util",
    20: "r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz "
    "d/s dkB/s drqm/s %drqm d_await dareq-sz aqu-sz %util",
    22: "r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz "
    "d/s dkB/s drqm/s %drqm d_await dareq-sz f/s f_await aqu-sz %util",
}
"""iostat -x of sysstat 9, 10, 11.6, 12.1 and 12.5; the device stands first."""
_SOLARIS = {
    10: "r/s w/s kr/s kw/s wait actv wsvc_t asvc_t %w %b",
    9: "r/s w/s kr/s kw/s wait actv svc_t %w %b",
}
"""iostat -xn, where the device stands last, and -x."""
_VMSTAT_LINUX = "r b swpd free buff cache si so bi bo in cs us sy id wa st gu"
_VMSTAT_SOLARIS = "r b w swap free re mf pi po fr de sr"
_VMSTAT_SOLARIS_END = "in syscalls cs us sy id"
_SECTORS_A_KB = 2.0
_SMALLEST_KB = 0.5
"""A sector: no request is smaller, so what seems to be is counted in megabytes."""


def linux_columns(rows: Sequence[Sequence[float]]) -> list[str] | None:
    """Columns of iostat -x of Linux for rows of one length; None where none has so many."""
    names = _LINUX.get(len(rows[0]))
    if names is None:
        return None
    columns = names.split()
    if "avgrq-sz" not in columns:
        return columns
    at = {column: place for place, column in enumerate(columns)}
    table = np.array(rows)
    requests = table[:, at["r/s"]] + table[:, at["w/s"]]
    kilobytes = (requests * table[:, at["avgrq-sz"]]).sum() / _SECTORS_A_KB
    moved = (table[:, at["rsec/s"]] + table[:, at["wsec/s"]]).sum()
    units = {"sec": _SECTORS_A_KB, "kB": 1.0, "MB": 1 / 1024}
    unit = min(
        units, key=lambda unit: abs(np.log((moved + 1e-9) / (kilobytes * units[unit] + 1e-9)))
    )
    return [column.replace("sec/s", f"{unit}/s") for column in columns]


def solaris_columns(rows: Sequence[Sequence[float]]) -> list[str] | None:
    """Columns of iostat -x and -xn of Solaris for rows of one length; None for another length."""
    names = _SOLARIS.get(len(rows[0]))
    if names is None:
        return None
    table = np.array(rows)
    requests, moved = table[:, :2].sum(), table[:, 2:4].sum()
    in_megabytes = requests > 0 and moved < _SMALLEST_KB * requests
    return (names.replace("kr/s kw/s", "Mr/s Mw/s") if in_megabytes else names).split()


def vmstat_columns(row: Sequence[float]) -> list[str] | None:
    """Columns of a row of vmstat by their number and by which of them make 100 % of a processor."""
    linux = _VMSTAT_LINUX.split()
    if 16 <= len(row) <= len(linux) and _is_whole(row[12:]):
        return linux[: len(row)]
    front, end = _VMSTAT_SOLARIS.split(), _VMSTAT_SOLARIS_END.split()
    disks = len(row) - len(front) - len(end)
    if 0 <= disks <= 4 and _is_whole(row[-3:]):
        names = [f"disk:{place}" for place in range(disks)]
        return [*front, *names, *end]
    return None


def usual_length(rows: Iterable[Sequence[float]]) -> list[Sequence[float]]:
    """The rows of the most common length; the others are cut off, or something else."""
    collected = list(rows)
    counted = Counter(len(row) for row in collected)
    length = max(counted, key=lambda size: counted[size], default=0)
    return [row for row in collected if len(row) == length]


def _is_whole(shares: Sequence[float]) -> bool:
    return abs(sum(shares) - 100) <= 3
