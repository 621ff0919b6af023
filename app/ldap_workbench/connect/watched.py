"""A command that ends with who started it, also when that is killed or the line to it is cut."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

_LOOK_S = 0.01
# What is read from standard input ends when the other end is gone: a pipe is closed by the kernel
# when its process dies, a channel by sshd when its line does. Unlike PR_SET_PDEATHSIG this works on
# every Unix, from any thread, over SSH, and for the command's children. The group is the command's
# own: sshd and start_new_session begin one for it. What is left after 3 s is killed; what runs as
# root ends when it writes to its closed output. The command stands in front, for one that a shell
# puts behind ignores SIGINT.
_WATCHED = (
    "exec 3<&0 </dev/null; "
    "{ cat <&3; trap '' TERM; kill -TERM 0; sleep 3; kill -KILL 0; } >/dev/null 2>&1 & w=$!; "
    'exec 3<&-; "$@"; s=$?; kill $w 2>/dev/null; exit $s'
)


def watched(argv: Sequence[str]) -> list[str]:
    """The command with a watcher beside it.

    It needs a process group of its own, and its standard input must be a pipe or a channel that
    stays open as long as the command is wanted.
    """
    return ["sh", "-c", _WATCHED, "sh", *argv]


def end_group(process: subprocess.Popen[bytes], grace_s: float) -> None:
    """End a command that leads a group of its own, and its children.

    What is left of them after `grace_s` is killed: the leader, the watcher's shell, goes at once,
    and a child may ignore the signal that it passes on. What runs as root is left to end when it
    writes to its closed output.
    """
    if sys.platform == "win32":
        process.terminate()
        process.wait()
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            if _group_ends(process, grace_s):
                break
        except PermissionError:
            process.wait()
        except ProcessLookupError:
            break
    with suppress(subprocess.TimeoutExpired):
        process.wait(grace_s)


def _group_ends(process: subprocess.Popen[bytes], within_s: float) -> bool:
    """Whether all of the group end in time. Raises PermissionError where only root's are left."""
    if sys.platform == "win32":
        return True
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        process.poll()  # until then, a leader that has ended counts
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(_LOOK_S)
    return False
