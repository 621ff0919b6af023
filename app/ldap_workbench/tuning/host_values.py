"""Values of a server's host that lie in no file of the server: of the kernel, and of its unit.

Files of the Linux kernel that hold a knob: which one is read, and which one is written.
vm.dirty_bytes and vm.dirty_ratio, and their kin of the background, are two files for one limit: the
kernel sets the one to 0 when the other is written. As a knob they are one value, in bytes or, with
a percent sign, as the share of memory: put back is whichever was in force.

The features of the scheduler are one file of many switches, which takes one at a time. It is read
and put back as a whole. It is in debugfs, which is mounted for it where it was not.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from ldap_workbench.connect.shell import CommandResult, RemoteShell
from ldap_workbench.model.errors import CommandError, KnobError
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.tuning.unit_file import is_drop_in, limit_argv, read_limit

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


KernelTexts = Mapping[str, str | CommandError]
"""What kernel files say by their paths, or why that cannot be read."""
ROOTS_ALONE = f"{DEBUGFS}/"
"""Files that only root may read."""
_SOME_UNREAD = 2
"""How grep ends where it could not read a file of several."""


class HostValues:
    """Reads and writes them by their paths, over the shell of one thread."""

    def __init__(self, shell: RemoteShell) -> None:
        self._shell = shell

    def read(self, path: str, texts: KernelTexts | None = None) -> tuple[str, ...] | None:
        """The value now, None for a limit that is not set. Raises CommandError.

        With `texts` (of `texts`), to show it, nothing is mounted on the host.
        """
        if is_drop_in(path):
            return read_limit(self._shell, path)
        if texts is not None:
            return (self._value(path, texts),)
        with self._debugfs(path):
            return (self._value(path, {}),)

    def put(self, path: str, values: tuple[str, ...] | None) -> str:
        """Set it; None removes a limit. Returns what the host said. Raises CommandError."""
        if is_drop_in(path):
            said = self._run(limit_argv(path, values), path, values[0] if values else None)
            return said.stderr.decode(errors="replace").strip()
        with self._debugfs(path):
            self._tee(path, values)
        return ""

    def texts(self, paths: Collection[str]) -> KernelTexts:
        """What kernel files say, read by one command; files of root alone are not among them.

        A command for each would cost two ways over the link and a process on the host: a second
        for all on a link of 25 ms.
        """
        every = {*paths, *(share for path in paths if (share := share_beside(path)))}
        wanted = sorted(p for p in every if not p.startswith(ROOTS_ALONE) and not is_drop_in(p))
        if not wanted:
            return {}
        result = self._shell.run(["grep", "-H", "", *wanted])
        if result.status > _SOME_UNREAD:
            return {}  # no grep on this host
        said = _by_file(result.stdout)
        refused = _by_file(result.stderr.replace(b"grep: ", b""))
        texts: dict[str, str | CommandError] = {path: said.get(path, "") for path in wanted}
        for path in refused.keys() & every:
            reason = verbatim(f"{path}: {refused[path]}")
            texts[path] = failed(unreadable(path), reason, result.status)
        return texts

    def offered(self, path: str) -> tuple[str, ...]:
        """The words a kernel file offers where it lists them with one in brackets; else ()."""
        if path.startswith(ROOTS_ALONE) or is_drop_in(path):
            return ()
        text = self._cat(path)
        return tuple(text.replace("[", " ").replace("]", " ").split()) if "[" in text else ()

    def _value(self, path: str, texts: KernelTexts) -> str:
        def text(of: str) -> str:
            known = texts[of] if of in texts else self._cat(of)
            if isinstance(known, CommandError):
                raise known
            return in_force(known)

        value, share = text(path), share_beside(path)
        return f"{text(share)}%" if share and value == "0" else value

    @contextmanager
    def _debugfs(self, path: str) -> Iterator[None]:
        """For a file in it debugfs is mounted meanwhile where it was not."""
        shell, outside = self._shell, not path.startswith(ROOTS_ALONE)
        if outside or shell.run(["mountpoint", "-q", DEBUGFS]).status == 0:
            yield
            return
        result = shell.run(["mount", "-t", "debugfs", "none", DEBUGFS], sudo=True)
        if result.status != 0:
            what = Message("{path} could not be mounted", path=DEBUGFS)
            raise failed(what, command_failure(result), result.status)
        try:
            yield
        finally:
            shell.run(["umount", DEBUGFS], sudo=True)  # left mounted it harms nobody

    def _cat(self, path: str) -> str:
        result = self._shell.run(["cat", path], sudo=path.startswith(ROOTS_ALONE))
        if result.status != 0:
            raise failed(unreadable(path), command_failure(result), result.status)
        return result.stdout.decode(errors="replace").strip()

    def _tee(self, path: str, values: tuple[str, ...] | None) -> None:
        if not values:
            raise KnobError(
                Message("{spot} cannot be removed.", spot=path),
                safe=Message("Nothing was changed."),
                remedy=Message("Choose a value for it."),
            )
        now = self._value(path, {})
        path, text = to_write(path, values[0])
        for part in switches_to_write(now, text) if path in SWITCHES else [text]:
            self._run(["tee", path], path, part, f"{part}\n".encode())

    def _run(
        self, argv: list[str], path: str, value: str | None, stdin: bytes = b""
    ) -> CommandResult:
        result = self._shell.run(argv, stdin=stdin, sudo=True)
        if result.status != 0:
            what = Message(
                "{spot} could not be set to {value}",
                spot=path,
                value=Message("absent") if value is None else value,
            )
            raise failed(what, command_failure(result), result.status)
        return result


def in_force(text: str) -> str:
    """The word in brackets where a kernel file lists several, else the whole text."""
    match = re.search(r"\[([^\]]+)\]", text)
    return match.group(1) if match else text.strip()


def command_failure(result: CommandResult) -> Message:
    """What a command wrote to stderr, else the status it ended with."""
    stderr = result.stderr.decode(errors="replace").strip()
    return verbatim(stderr) or Message("exit status {status:plain}", status=result.status)


def unreadable(path: str) -> Message:
    """Why a read of a file failed, before its reason."""
    return Message("{path} could not be read", path=path)


def _by_file(lines: bytes) -> dict[str, str]:
    """Lines of 'path:text' as a text for each path."""
    texts: dict[str, list[str]] = defaultdict(list)
    for line in lines.decode(errors="replace").splitlines():
        path, _, text = line.partition(":")
        texts[path].append(text.strip())
    return {path: "\n".join(parts) for path, parts in texts.items()}


def failed(what: Message, reason: Message, status: int) -> CommandError:
    """An error of the host: what could not be done there, and why."""
    return CommandError(
        Message("{what}: {reason}.", what=what, reason=reason),
        status=status,
        stderr=str(reason),
        safe=Message("The value is as it was."),
        remedy=Message(
            "Only root can set files of the host: allow sudo in the profile, and in sudoers what "
            "`ldap-workbench profile sudoers` prints."
        ),
    )
