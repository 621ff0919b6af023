"""Programs we start: what they get of our environment, and how they end with us."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

_NEEDED = {
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "TZ", "TERM", "LANG", "LANGUAGE"),
    *("TMPDIR", "TMP", "TEMP", "LD_LIBRARY_PATH", "XDG_RUNTIME_DIR"),
    # Where LDAP and Kerberos tools find certificates and tickets, and Java itself.
    *("LDAPCONF", "LDAPRC", "LDAPTLS_CACERT", "LDAPTLS_CACERTDIR", "LDAPTLS_REQCERT"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "KRB5CCNAME", "KRB5_CONFIG", "JAVA_HOME"),
    # Without these no program starts on Windows.
    *("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "USERPROFILE", "APPDATA"),
}


def environment() -> dict[str, str]:
    """The environment of a child process: what it needs to run, and no password."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _NEEDED or name.startswith("LC_")
    }


def module_command(module: str, *arguments: str) -> list[str]:
    """The command line that runs one of our modules as a program of its own.

    A program and not a process of multiprocessing: that hands on the whole environment, to itself
    and to its resource tracker. -P: a module of that name in the current folder is not ours.
    """
    return [sys.executable, "-P", "-m", module, *arguments]


# What is read from standard input ends when the other end is gone: a pipe is closed by the kernel
# when its process dies, a channel by sshd when its line does. Unlike PR_SET_PDEATHSIG this works on
# every Unix, from any thread, over SSH, and for the command's children. The group is the command's
# own: sshd and start_new_session begin one for it. What is left after 3 s is killed; what runs as
# root ends when it writes to its closed output. The command stands in front, for one that a shell
# puts behind ignores SIGINT. The shell outlives the signal until its command has ended, so that who
# ends the group knows how long that takes.
_WATCHED = (
    "trap : TERM; exec 3<&0 </dev/null; "
    "{ while read -r _ <&3; do :; done; trap '' TERM; kill -TERM 0; sleep 3; kill -KILL 0; } "
    ">/dev/null 2>&1 & w=$!; "
    'exec 3<&-; "$@"; s=$?; kill -KILL $w 2>/dev/null; exit $s'
)


def watched(argv: Sequence[str]) -> list[str]:
    """The command with a watcher beside it.

    It needs a process group of its own, and its standard input must be a pipe or a channel that
    stays open as long as the command is wanted.
    """
    return ["sh", "-c", _WATCHED, "sh", *argv]


class Group:
    """A command and all that it starts, which end together: when asked, or when we are gone.

    Ctrl-C does not reach them. Standard input is a pipe that stays open until `end`; `reads_input`
    says that the command reads it and ends with it, else somebody has to watch it on POSIX.
    `options` are those of Popen. Raises OSError where it cannot be started.
    """

    def __init__(self, argv: Sequence[str], *, reads_input: bool = False, **options: Any) -> None:
        options["stdin"] = subprocess.PIPE
        if sys.platform == "win32":
            from ldap_workbench.connect.windows_job import Job

            self._job = Job()
            self.process = self._job.start(argv, **options)
        else:
            self.process = subprocess.Popen(
                argv if reads_input else watched(argv), start_new_session=True, **options
            )

    def end(self, grace_s: float) -> None:
        """End what still runs; on Windows at once, as no signal reaches a program without a window.

        What is left of it when the command has ended, or after `grace_s`, is killed: some ignore
        the signal. What runs as root is left to end when it writes to its closed output.
        """
        if self.process.poll() is None:
            self._end(grace_s)
        if self.process.stdin:  # not before: the watcher would stay with the others
            self.process.stdin.close()

    def _end(self, grace_s: float) -> None:
        if sys.platform == "win32":
            self._job.end()
        else:
            for number in (signal.SIGTERM, signal.SIGKILL):
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.process.pid, number)
                with suppress(subprocess.TimeoutExpired):
                    self.process.wait(grace_s)
        self.process.wait()
