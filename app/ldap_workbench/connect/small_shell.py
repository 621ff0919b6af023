"""The small shell on a host that every command goes through, whatever shell the login has.

The login's own shell (bash, csh, fish ...) is given one line that all of them read alike, and
becomes /bin/sh. What is to be run comes to that through its standard input, as one compound
command: a shell that reads ahead has read all of it before it runs the first word, and leaves the
rest of the input to the command. Start-up files may print what they like: a number that nobody
else knows comes before the first byte of the command, on both outputs, and all before it is
dropped.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence

from ldap_workbench.connect.commands import for_shell, shown
from ldap_workbench.connect.shell import TimeOutError
from ldap_workbench.model.errors import CommandError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import SshAddress

LINE = b"exec /bin/sh"
_EXPIRED = re.compile(r"password.{0,40}(expired|change)|change.{0,40}password", re.I)
_KEPT = 4096
"""Bytes kept of what comes before the number: they may say why it does not come."""
_SHOWN = 300


class Opening:
    """What makes a small shell run one command, and the number that shows that it does."""

    def __init__(self, argv: Sequence[str], *, reads: bool) -> None:
        """`reads`: the command has the input that follows; else its input is empty."""
        halves = secrets.token_hex(8), secrets.token_hex(8)
        self.number = "".join(halves).encode()
        # In two halves: a shell that prints what it runs (set -x) does not print the number.
        show = "printf '%s%s\\n' {} {}".format(*halves)
        self.script = b"{ LC_ALL=C; export LC_ALL; %s; %s >&2; exec %s%s; }\n" % (
            show.encode(),
            show.encode(),
            for_shell(argv),
            b"" if reads else b" </dev/null",
        )


class AfterNumber:
    """An output of the small shell from the line with the number on."""

    def __init__(self, number: bytes) -> None:
        self._mark = number + b"\n"
        self._before = b""
        self.begun = False
        """Whether the number has come."""

    def add(self, piece: bytes) -> bytes:
        """What of the piece, and of all pieces before it, is the command's."""
        if self.begun:
            return piece
        noise, mark, after = (self._before + piece).partition(self._mark)
        self._before = noise[-max(_KEPT, len(self._mark)) :]
        self.begun = bool(mark)
        return after

    @property
    def before(self) -> bytes:
        """The last that came before the number."""
        return self._before


def no_command(address: SshAddress, status: int, said: bytes) -> CommandError:
    """Why a login that was let in ran nothing: it ended with `status`, and `said` this."""
    lines = said.decode("utf-8", "replace").split("\n")
    words = " ".join(shown(line.strip()) for line in lines if line.strip())[-_SHOWN:]
    what = Message(
        "The login {address} ended with status {status:plain} before a command ran.",
        address=str(address),
        status=status,
    )
    remedy = Message(
        "See what the login's start-up files (.bashrc, .cshrc, config.fish ...) and its shell do "
        "when ssh runs a command: `ssh -p {port:plain} {user}@{host} true` must end with status 0.",
        port=address.port,
        user=address.user,
        host=address.host,
    )
    if words:
        what = Message(
            "The login {address} ended before a command ran: {words}",
            address=str(address),
            words=words,
        )
    if _EXPIRED.search(words):
        remedy = Message("Log in there with ssh once and set a new password, then try again.")
    return CommandError(
        what,
        status=status,
        stderr=words,
        safe=Message("Nothing was run on the host."),
        remedy=remedy,
    )


def not_begun(address: SshAddress, seconds: float) -> TimeOutError:
    """A login that neither runs the command nor ends: a start-up file that waits, for one."""
    return TimeOutError(
        Message(
            "The login {address} ran no command within {seconds:g} s.",
            address=str(address),
            seconds=seconds,
        ),
        safe=Message("Nothing was run on the host."),
        remedy=Message(
            "Check whether a start-up file of the login waits for input, and whether the host is "
            "overloaded, then try again."
        ),
    )
