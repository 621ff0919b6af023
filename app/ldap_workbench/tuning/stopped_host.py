"""A server's host while its server is stopped: two commands, its files, its indexes, its log."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ldap_workbench.connect.commands import host_path, is_script
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.model.errors import (
    ChangeError,
    ConflictError,
    WorkbenchError,
)
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.server_identity import ServerIdentity
from ldap_workbench.servers.same_server import check_same_server
from ldap_workbench.tuning.config_file import (
    identity_file,
    identity_in_file,
    values_in,
    with_values,
)
from ldap_workbench.tuning.host_values import command_failure
from ldap_workbench.tuning.journal import OfflineEdit
from ldap_workbench.tuning.log_files import LogFiles, LogMove, log_move
from ldap_workbench.tuning.place import (
    KnobLocation,
    Values,
    describe_values,
)
from ldap_workbench.tuning.restart import COMMAND_TIMEOUT_S
from ldap_workbench.tuning.server_file import ServerFile
from ldap_workbench.tuning.slapd_index import ALL, BUILD_TIMEOUT_S, SLAPD_INDEX, built_for


@dataclass(frozen=True)
class FileChange:
    """One attribute of one entry of a file: set it if it reads one of `expected`."""

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


class Host:
    """The server's host as far as an edit needs it: two commands and some files."""

    def __init__(self, shell: RemoteShell, stop: str, start: str) -> None:
        self.stop_command, self.start_command = stop, start
        self._shell = shell

    def stop(self) -> None:
        self.run(shlex.split(self.stop_command))

    def start(self) -> None:
        self.run(shlex.split(self.start_command))

    def check_server(self, noted: ServerIdentity, path: str) -> None:
        """Raises AnotherServerError where that file of the configuration is another server's."""
        text = self.read(identity_file(path))
        check_same_server(self._shell.name, noted, identity_in_file(text))

    @property
    def logs(self) -> LogFiles:
        return LogFiles(self.run)

    def file(self, path: str) -> ServerFile:
        return ServerFile(path, self.run)

    def read(self, path: str) -> str:
        """A file of the configuration. It holds hashes of passwords: it is never stored."""
        return self.file(path).read().decode("utf-8", "surrogateescape")

    def put(self, path: str, text: str) -> None:
        self.file(path).put(text.encode("utf-8", "surrogateescape"))

    def index(self, path: str, what: str, databases: str) -> None:
        """Check or build slapd's indexes; `path` is any file of its configuration."""
        argv = SLAPD_INDEX.argv(host_path(identity_file(path)), what, databases)
        self.run(argv, timeout=BUILD_TIMEOUT_S)

    def build(self, path: str, changes: Sequence[FileChange]) -> float | None:
        """Build the indexes that changes of slapd's files ask for, and say how long it took, s.

        None where they ask for none. Raises ChangeError: slapd must not be started then.
        """
        begun = time.monotonic()
        databases = databases_of(change.location for change in changes)
        try:
            for database in databases:
                self.index(path, "build", database)
        except ChangeError as error:
            error.remedy = Message(
                "Where slapd stays stopped, run slapindex -q -t as its user, for each database, "
                "then start it: with an index that is not whole it gives wrong answers."
            )
            raise
        return time.monotonic() - begun if databases else None

    def is_whole(self, path: str, changes: Sequence[FileChange]) -> bool:
        """Whether no build of these was ended halfway: the databases are as before."""
        try:
            for database in databases_of(change.location for change in changes):
                self.index(path, "whole", database)
        except WorkbenchError:  # where it cannot be asked, it is not known to be
            return False
        return True

    def run(
        self, argv: Sequence[str], stdin: bytes = b"", *, timeout: float = COMMAND_TIMEOUT_S
    ) -> bytes:
        """Raises ChangeError with what the command said."""
        result = self._shell.run(argv, stdin=stdin, sudo=True, timeout=timeout)
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


def databases_of(locations: Iterable[KnobLocation]) -> list[str]:
    """The databases of slapd whose indexes must be built, for `slapd-index`; [] for none."""
    wanted = {built_for(location) for location in locations} - {""}
    return [ALL] if ALL in wanted else sorted(wanted)


def edited_files(
    host: Host, edits: Sequence[OfflineEdit], changes: Sequence[FileChange]
) -> tuple[dict[str, str], dict[str, str], list[LogMove]]:
    """Each file as it is and with its changes, by its path, and what they ask of the log's files.

    Raises ConflictError.
    """
    before, texts, moves = {}, {}, []
    for path in dict.fromkeys(edit.path for edit in edits):
        pairs, now = zip(edits, changes, strict=True), host.read(path)
        before[path] = now
        texts[path] = edited(now, [change for edit, change in pairs if edit.path == path])
        if move := log_move(now, texts[path]):
            moves.append(move)
    return before, texts, moves


def edited(text: str, changes: Sequence[FileChange]) -> str:
    """A file with the changes. Raises ConflictError where somebody else has set a value."""
    for change in changes:
        now = values_in(text, change.location.dn, change.location.attribute)
        if not change.force and now not in (*change.expected, change.values):
            before = describe_values(change.expected[0])
            raise ConflictError(
                change.location.label, before, describe_values(change.ours), describe_values(now)
            )
        if now != change.values:  # a whole entry would be there twice
            text = with_values(text, change.location.dn, change.location.attribute, change.values)
    return text
