"""Every command line that runs on a server's host, and every path in one, passes through here.

A path may come from the server's configuration, from a profile or from a listing of the host: none
of them is trusted. A `HostPath` is one that was checked; an absolute path cannot be taken for an
option, and no word is ever read by a shell as anything but itself.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NewType

from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.model.errors import CommandError
from ldap_workbench.model.message import NOTHING, Message

HostPath = NewType("HostPath", str)
"""An absolute, normal path on the host that was checked by `host_path`."""

PROGRAM = "/usr/local/libexec/ldap-workbench-host"
"""Where an operator who grants only single commands has put the scripts (sudoers.py)."""

SCRIPTS: dict[str, HostScript] = {}
"""Every script there is, by name."""

_LONGEST_PATH, _LONGEST_NAME = 4095, 255
_SHOWN = 200


@dataclass(frozen=True)
class HostScript:
    """A fixed text for `sh`; what varies are its words, $1 the path of a file and on."""

    name: str
    """Under which the host's own program knows it."""
    text: str
    as_login: bool = False
    """Never run through sudo: it reads only what every login may."""
    as_root: bool = False
    """Root stays root, and does not become the owner of the file."""

    def __post_init__(self) -> None:
        SCRIPTS[self.name] = self

    def argv(self, path: HostPath, *words: str | int) -> list[str]:
        """The command line that runs it as it is."""
        return ["sh", "-c", self.text, self.name, path, *map(str, words)]


def host_path(value: str) -> HostPath:
    """The path, checked once. Raises CommandError, which shows it with everything odd escaped."""
    if why := _flaw(value):
        raise CommandError(
            Message(
                "'{value}' is not used as a path on the host: {why}.", value=shown(value), why=why
            ),
            safe=Message("Nothing was run with it."),
            remedy=Message(
                "Correct it where it is set: in the server's configuration or in the profile."
            ),
        )
    return HostPath(value)


def is_host_path(value: str) -> bool:
    """Whether `host_path` takes it; a file of a listing whose name it refuses is passed over."""
    return not _flaw(value)


def command_line(argv: Sequence[str], *, sudo: bool, installed: str = "") -> list[str]:
    """What the host runs: `argv` word by word, through `sudo -n` where wanted.

    Where the host has its own program (`installed` is its text) a script is run by its name there:
    sudoers can allow that program and nothing else. Raises CommandError for what no program can be
    given, and for a script that the host's program has in another version.
    """
    words = list(argv)
    if not words or words[0][:1] in ("", "-") or any("\0" in word for word in words):
        raise CommandError(
            Message("'{words}' is not a command.", words=shown(" ".join(words))),
            safe=Message("Nothing was run on the host."),
            remedy=Message("Check the restart and load commands that you set."),
        )
    if not sudo:
        return words
    if installed and is_script(words):
        if words[2] not in installed:
            raise _outdated(words[3])
        words = [PROGRAM, *words[3:]]
    return ["sudo", "-n", "--", *words]


def is_script(argv: Sequence[str]) -> bool:
    """Whether a command line is that of a script known here, word by word."""
    script = SCRIPTS.get(argv[3]) if len(argv) > 3 else None
    return script is not None and list(argv[:3]) == ["sh", "-c", script.text]


def own_program(shell: RemoteShell) -> str:
    """The text of the host's own program for the scripts; '' without one, or if sudo allows sh."""
    if shell.run(["test", "-x", PROGRAM]).status != 0:
        return ""
    if shell.run(["sudo", "-n", "-l", "sh"]).status == 0:
        return ""
    return shell.run(["cat", PROGRAM]).stdout.decode("utf-8", "replace")


def _outdated(name: str) -> CommandError:
    return CommandError(
        Message(
            "{program} on the host does not have '{name}' as this version of the workbench uses "
            "it.",
            program=PROGRAM,
            name=name,
        ),
        safe=Message("Nothing was run as root."),
        remedy=Message(
            "Install it again as `ldap-workbench profile sudoers NAME --program` prints it, with "
            "--offline where the server is edited while it is stopped."
        ),
    )


def for_shell(argv: Sequence[str]) -> bytes:
    """A command line as the one text that sshd hands to the login's shell."""
    return shlex.join(argv).encode("utf-8", "surrogateescape")


def shown(value: str) -> str:
    """A value of a stranger for a message: one line, nothing that a terminal or a reader obeys."""
    text = value.encode("unicode_escape", "backslashreplace").decode("ascii")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _flaw(value: str) -> Message:
    if not value.startswith("/"):
        return Message("it does not start with /")
    if not all(c.isprintable() or "\udc80" <= c <= "\udcff" for c in value):
        return Message("it has control characters")
    names = value[1:].split("/")
    if any(name in ("", ".", "..") for name in names):
        return Message("it has empty parts, '.' or '..'")
    sizes = [len(os.fsencode(name)) for name in names]
    if max(sizes) > _LONGEST_NAME or sum(sizes) + len(sizes) > _LONGEST_PATH:
        return Message("it is too long")
    return NOTHING
