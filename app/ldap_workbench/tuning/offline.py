"""Changing what a running server refuses: stop it, edit its dse.ldif, start it."""

from __future__ import annotations

import posixpath
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ldap_workbench.connect.commands import host_path, is_script
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.model.errors import (
    AnotherServerError,
    AuthenticationError,
    ChangeError,
    ConflictError,
    ConnectError,
    DirectoryError,
    WorkbenchError,
)
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.progress import OnProgress, Progress, no_progress
from ldap_workbench.model.server_identity import ServerIdentity
from ldap_workbench.servers.same_server import check_same_server, identity_in
from ldap_workbench.tuning.dse import identity_in_dse, values_in, with_values
from ldap_workbench.tuning.journal import OfflineEdit
from ldap_workbench.tuning.place import (
    KnobLocation,
    Values,
    command_failure,
    describe_values,
)
from ldap_workbench.tuning.restart import ANSWER_TIMEOUT_S, COMMAND_TIMEOUT_S
from ldap_workbench.tuning.server_file import ServerFile
from ldap_workbench.tuning.tunable import Tunable

_POLL_S = 0.25
_DOWN_TIMEOUT_S = 60.0
_CONFIG = "cn=config"


@dataclass(frozen=True)
class FileChange:
    """One attribute of one entry of dse.ldif: set it if it reads one of `expected`."""

    location: KnobLocation
    expected: tuple[Values, ...]
    values: Values
    force: bool = False
    """Overwrite a value that another administrator has set."""

    @property
    def ours(self) -> Values:
        """What the workbench sets; to put the value before back, what it had set and expects."""
        before, last = self.expected[0], self.expected[-1]
        return last if self.values == before else self.values


def service_commands(profile: Profile) -> tuple[str, str]:
    """The commands that stop and start the server: the restart command with that word replaced.

    Raises ChangeError where the profile has none, or none with the word 'restart'.
    """
    argv = shlex.split(profile.restart_command or "")
    if argv.count("restart") != 1:
        raise ChangeError(
            Message("The server must be stopped and started, and the profile does not say how."),
            safe=Message("Nothing was changed."),
            remedy=Message(
                "Set a restart command that contains the word restart, such as "
                "'systemctl restart dirsrv@INSTANCE': stop and start are put in its "
                "place."
            ),
        )
    place = argv.index("restart")
    before, after = argv[:place], argv[place + 1 :]
    return shlex.join([*before, "stop", *after]), shlex.join([*before, "start", *after])


def dse_path(target: Tunable) -> str:
    """The path of the server's dse.ldif. Raises ChangeError where the server does not report it."""
    entries = target.directory.search(_CONFIG, attributes=("nsslapd-certdir", "nsslapd-schemadir"))
    entry = entries[0] if entries else None
    folder = (entry.first("nsslapd-certdir") or "") if entry else ""
    if entry and not folder:
        folder = posixpath.dirname(entry.first("nsslapd-schemadir") or "")
    if not folder.startswith("/"):
        raise ChangeError(
            Message("The server does not say in which folder its dse.ldif is."),
            safe=Message("Nothing was changed."),
            remedy=Message(
                "Bind as a user who may read cn=config, for example cn=Directory Manager."
            ),
        )
    return posixpath.join(folder, "dse.ldif")


class Host:
    """The server's host as far as an edit needs it: two commands and one file."""

    def __init__(self, shell: RemoteShell, path: str, stop: str, start: str) -> None:
        self.stop_command, self.start_command = stop, start
        self._shell = shell
        self.file = ServerFile(path, self.run)

    def stop(self) -> None:
        self.run(shlex.split(self.stop_command))

    def start(self) -> None:
        self.run(shlex.split(self.start_command))

    def check_server(self, noted: ServerIdentity) -> None:
        """Raises AnotherServerError where the dse.ldif here is of another server than this one."""
        check_same_server(self._shell.name, noted, identity_in_dse(self.read()))

    def read(self) -> str:
        """dse.ldif. It holds hashes of passwords: it is never stored."""
        return self.file.read().decode("utf-8", "surrogateescape")

    def put(self, text: str) -> None:
        self.file.put(text.encode("utf-8", "surrogateescape"))

    def run(self, argv: Sequence[str], stdin: bytes = b"") -> bytes:
        """Raises ChangeError with what the command said."""
        result = self._shell.run(argv, stdin=stdin, sudo=True, timeout=COMMAND_TIMEOUT_S)
        if result.status:
            what = f"{argv[3]} {argv[5]}" if is_script(argv) else shlex.join(argv)
            raise ChangeError(
                Message(
                    "'{what}' failed on {shell}: {reason}.",
                    what=what,
                    shell=self._shell.name,
                    reason=command_failure(result),
                ),
                remedy=Message(
                    "Make it work on the host, with sudo without a password, then try again."
                ),
            )
        return result.stdout


def edited(text: str, changes: Sequence[FileChange]) -> str:
    """dse.ldif with the changes. Raises ConflictError where somebody else has set a value."""
    for change in changes:
        now = values_in(text, change.location.dn, change.location.attribute)
        if not change.force and now not in (*change.expected, change.values):
            before = describe_values(change.expected[0])
            raise ConflictError(
                change.location.label, before, describe_values(change.ours), describe_values(now)
            )
        text = with_values(text, change.location.dn, change.location.attribute, change.values)
    return text


class OfflineEditor:
    """Edits the dse.ldif of one target with its server stopped. Made only on the operator's word.

    Whatever goes wrong, the file is put back and the server started.
    """

    def __init__(
        self,
        target: Tunable,
        progress: OnProgress = no_progress,
        *,
        wait_s: float = ANSWER_TIMEOUT_S,
    ) -> None:
        self._target = target
        self._report_progress = progress
        self._wait_s = wait_s

    def prepare(self, locations: Sequence[KnobLocation]) -> list[OfflineEdit]:
        """What the journal needs to know before the server is stopped, one for each location.

        Raises ChangeError when the host or the file cannot be used: looked at while it runs.
        """
        stop, start = service_commands(self._target.profile)
        path = dse_path(self._target)
        text = self._host(path, stop, start).read()
        self._check_instance(text, path)
        return [
            OfflineEdit(path, stop, start, values_in(text, location.dn, location.attribute))
            for location in locations
        ]

    def write(self, edit: OfflineEdit, backup: str, changes: Sequence[FileChange]) -> None:
        """Stop, edit with a backup, start, wait until the server answers.

        Raises AnotherServerError, with no server stopped, where the host is another server's.
        """
        host = self._host(edit.path, edit.stop, edit.start)
        host.check_server(identity_in(self._target.facts))
        self._report_progress(
            Progress(Message("Stopping the server: {command}", command=edit.stop))
        )
        host.stop()
        try:
            self._wait(up=False, seconds=_DOWN_TIMEOUT_S)
            text = host.read()
            new = edited(text, changes)
            host.file.keep(backup)
        except WorkbenchError as error:
            error.safe = Message("dse.ldif is as it was, and the server was started again.")
            self._start(host)
            raise
        try:
            host.put(new)
            self._start(host)
        except WorkbenchError as error:
            host.file.restore(backup)
            self._start(host)
            error.safe = Message("dse.ldif was put back, and the server runs with it again.")
            raise

    def forget(self, edit: OfflineEdit, backup: str) -> None:
        """Remove the backup, once all is as it was."""
        self._host(edit.path, edit.stop, edit.start).file.forget(backup)

    def check_folder(self, folder: str) -> None:
        """Raises ChangeError when a folder the server shall use is not there."""
        self._host(folder, "", "").run(["test", "-d", host_path(folder)])

    def _host(self, path: str, stop: str, start: str) -> Host:
        if self._target.shell is None:
            raise ChangeError(
                Message("Editing dse.ldif needs a shell on the host, and the profile has none."),
                safe=Message("Nothing was changed."),
                remedy=Message(
                    "Add SSH to the profile, or --local when the server runs on this machine."
                ),
            )
        return Host(self._target.shell, path, stop, start)

    def _check_instance(self, text: str, path: str) -> None:
        entries = self._target.directory.search(_CONFIG, attributes=("nsslapd-port",))
        port = entries[0].values("nsslapd-port") if entries else None
        there = values_in(text, _CONFIG, "nsslapd-port")
        if port != there:
            raise ChangeError(
                Message(
                    "{path} is of another server: its port is {there}, not {port}.",
                    path=path,
                    there=describe_values(there),
                    port=describe_values(port),
                ),
                safe=Message("Nothing was changed."),
                remedy=Message("Check the instance and the SSH host in the profile."),
            )

    def _start(self, host: Host) -> None:
        self._report_progress(
            Progress(Message("Starting the server: {command}", command=host.start_command))
        )
        host.start()
        self._wait(up=True, seconds=self._wait_s)

    def _wait(self, *, up: bool, seconds: float) -> None:
        end = time.monotonic() + seconds
        while answers(self._target) is not up:
            if time.monotonic() > end:
                late = Message(
                    "The server still answers {seconds:g} s after it was told to stop.",
                    seconds=seconds,
                )
                if up:
                    late = Message(
                        "The server does not answer {seconds:g} s after it was told to start.",
                        seconds=seconds,
                    )
                raise ChangeError(
                    late,
                    remedy=Message("Read the server's error log for the cause, then start it."),
                )
            time.sleep(_POLL_S)


def answers(target: Tunable) -> bool:
    """Whether the server answers, over a new link where the old one broke.

    A name that leads to another server while this one is down is no answer of it.
    """
    tries: tuple[Callable[[], object], ...] = (lambda: None, target.reconnect)
    for again in tries:
        try:
            again()
            target.directory.search("cn=monitor", attributes=("starttime",))
        except AuthenticationError:
            raise
        except (AnotherServerError, ConnectError, DirectoryError):
            continue
        return True
    return False
