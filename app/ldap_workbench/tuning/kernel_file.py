"""Files of the Linux kernel that hold a knob: which one is read, and which one is written.

vm.dirty_bytes and vm.dirty_ratio, and their kin of the background, are two files for one limit: the
kernel sets the one to 0 when the other is written. As a knob they are one value, in bytes or, with
a percent sign, as the share of memory: put back is whichever was in force.

The features of the scheduler are one file of many switches, which takes one at a time. It is read
and put back as a whole. It is in debugfs, which is mounted for it where it was not.
"""

from __future__ import annotations

import re

DEBUGFS = "/sys/kernel/debug"
SWITCHES = (f"{DEBUGFS}/sched/features", f"{DEBUGFS}/sched_features")
"""Files of switches; the second is that of kernels before 5.13."""
_BYTES = re.compile(r"(/proc/sys/vm/dirty_(?:background_)?)bytes")


def share_beside(path: str) -> str | None:
    """The file that says as a share of memory what `path` says in bytes; None for all others."""
    match = _BYTES.fullmatch(path)
    return f"{match[1]}ratio" if match else None


def switched(words: str, switch: str) -> str:
    """The words of a file of switches with one of them set: NO_ before the name is off."""
    name = switch.removeprefix("NO_")
    return " ".join(switch if word.removeprefix("NO_") == name else word for word in words.split())


def switch_in(words: str, switch: str) -> str | None:
    """How a switch stands in such a file; None where this kernel does not have it."""
    names = {word.removeprefix("NO_"): word for word in words.split()}
    return names.get(switch.removeprefix("NO_"))


def switches_to_write(now: str, wanted: str) -> list[str]:
    """What to write, one after the other: such a file takes one switch at a time."""
    return [word for word in wanted.split() if word not in now.split()]


def to_write(path: str, value: str) -> tuple[str, str]:
    """The file to write and the text: '10%' of a limit in bytes goes to the file of the share."""
    share = share_beside(path)
    return (share, value.removesuffix("%")) if share and value.endswith("%") else (path, value)
