"""Files of the Linux kernel that hold a knob: which one is read, and which one is written.

vm.dirty_bytes and vm.dirty_ratio, and their kin of the background, are two files for one limit: the
kernel sets the one to 0 when the other is written. As a knob they are one value, in bytes or, with
a percent sign, as the share of memory: put back is whichever was in force.
"""

from __future__ import annotations

import re

_BYTES = re.compile(r"(/proc/sys/vm/dirty_(?:background_)?)bytes")


def share_beside(path: str) -> str | None:
    """The file that says as a share of memory what `path` says in bytes; None for all others."""
    match = _BYTES.fullmatch(path)
    return f"{match[1]}ratio" if match else None


def to_write(path: str, value: str) -> tuple[str, str]:
    """The file to write and the text: '10%' of a limit in bytes goes to the file of the share."""
    share = share_beside(path)
    return (share, value.removesuffix("%")) if share and value.endswith("%") else (path, value)
