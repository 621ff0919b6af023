"""Changing what a running server refuses: stop it, edit its stored configuration, start it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from ldap_workbench.connect.commands import host_path
from ldap_workbench.model.errors import (
    AnotherServerError,
    AuthenticationError,
    ChangeError,
    ConnectError,
    DirectoryError,
    WorkbenchError,
)
from ldap_workbench.model.message import NOTHING, Message, sentences
from ldap_workbench.model.progress import OnProgress, Progress, no_progress, undeterred
from ldap_workbench.servers.product import product_of
from ldap_workbench.servers.same_server import check_same_server, identity_in
from ldap_workbench.tuning.config_file import (
    config_file,
    identity_file,
    identity_in_file,
    values_in,
)
from ldap_workbench.tuning.entries import is_back_end
from ldap_workbench.tuning.journal import OfflineEdit
from ldap_workbench.tuning.link import PATIENCE_S, is_broken_link, over_any_link
from ldap_workbench.tuning.log_files import LOG_FOLDER, LogMove, folder_in, log_move
from ldap_workbench.tuning.place import (
    KnobLocation,
    Values,
    describe_values,
)
from ldap_workbench.tuning.restart import ANSWER_TIMEOUT_S
from ldap_workbench.tuning.stopped_host import (
    FileChange,
    Host,
    databases_of,
    edited_files,
    service_commands,
)
from ldap_workbench.tuning.tunable import Tunable

REVERT_IT = Message("Read the server's log, then revert: the change is open in the journal.")
_POLL_S = 0.25
_DOWN_TIMEOUT_S = 60.0
_CONFIG = "cn=config"
_VERSION = "entryCSN"
"""When slapd last wrote an entry; it is stored with it."""


def copy_of(edit: OfflineEdit, group: str, *, undone: bool = False) -> str:
    """The copy of an edited file made before a group was applied, or before it was undone."""
    return f"{edit.path}.before-{group}{'-undone' if undone else ''}"


class LeftEditedError(ChangeError):
    """An edit that failed could not be put back: its files may be in force, whatever is read."""


class OfflineEditor:
    """Edits the configuration of one target with its server stopped. Made on the operator's word.

    Whatever goes wrong, also with the shell, the files are put back and the server started. Only
    where it may still run with them they stay: LeftEditedError.
    """

    def __init__(
        self,
        target: Tunable,
        progress: OnProgress = no_progress,
        *,
        wait_s: float = ANSWER_TIMEOUT_S,
        patience_s: float = PATIENCE_S,
    ) -> None:
        """`wait_s`: for the server to answer; `patience_s`: for a host whose link broke."""
        self._target = target
        self._patience_s = patience_s
        self._report_progress = progress
        self._wait_s = wait_s

    def prepare(self, locations: Sequence[KnobLocation]) -> list[OfflineEdit]:
        """What the journal needs to know before the server is stopped, one for each location.

        Raises ChangeError when the host or a file cannot be used: looked at while it runs.
        """
        stop, start = service_commands(self._target.profile)
        host = self._host(stop, start)
        paths = [config_file(self._target, location.dn) for location in locations]
        texts = {path: host.read(path) for path in dict.fromkeys(paths)}
        if product_of(self._target.facts) == "openldap":
            self._check_slapd(host, texts, dict(zip(paths, locations, strict=True)))
        else:
            self._check_instance(paths[0], texts[paths[0]])
        for databases in databases_of(locations):
            host.index(paths[0], "check", databases)
        return [
            OfflineEdit(path, stop, start, values_in(texts[path], at.dn, at.attribute))
            for path, at in zip(paths, locations, strict=True)
        ]

    def write(
        self,
        group: str,
        edits: Sequence[OfflineEdit],
        changes: Sequence[FileChange],
        *,
        undone: bool = False,
    ) -> Message:
        """Stop, edit with copies, start, wait until the server answers: one edit for each change.

        Indexes of slapd that it asks for are built before the start; says so, else NOTHING. Raises
        AnotherServerError, with no server stopped, where the host is another server's.
        """
        copies = {edit.path: copy_of(edit, group, undone=undone) for edit in edits}
        host = self._host(edits[0].stop, edits[0].start)
        host.check_server(identity_in(self._target.facts), edits[0].path)
        self._stop(host)
        moves: list[LogMove] = []
        made: dict[str, str] = {}
        try:
            self._wait(up=False, seconds=_DOWN_TIMEOUT_S)
            before, texts, moves = edited_files(host, edits, changes)
            for path, copy in copies.items():
                host.file(path).keep(copy)
                made[path] = copy
            for move in moves:
                host.logs.copy(move)
        except BaseException as error:
            self._over_any_shell(
                host, lambda host: self._start_unedited(host, made, [move.new for move in moves])
            )
            _say_it_runs(
                error,
                Message("The stored configuration is as it was, and the server was started again."),
            )
            raise
        built, begun = None, False
        try:
            for path, text in texts.items():
                host.put(path, text)
            built = self._build(host, edits[0].path, changes)
            begun = True
            self._start(host)
        except BaseException as error:
            failure = error

            def undo(host: Host) -> None:
                if begun:
                    self._stop_late(host, failure)
                whole = built is None and host.is_whole(edits[0].path, changes)
                self._put_back(host, copies, before, moves, () if whole else changes)

            self._over_any_shell(host, undo)
            _say_it_runs(
                error,
                Message(
                    "The stored configuration was put back, and the server runs with it again."
                ),
            )
            raise
        self._over_any_shell(host, lambda host: _drop(host, copies, [move.old for move in moves]))
        if built is None:
            return NOTHING
        return Message("slapindex built the indexes in {seconds:.1f} s.", seconds=built)

    def restore(
        self, group: str, edits: Sequence[OfflineEdit], changes: Sequence[FileChange]
    ) -> None:
        """Stop, put the copies back that were made before a group was applied, start."""
        copies = {edit.path: copy_of(edit, group) for edit in edits}

        def restore(host: Host) -> None:
            host.stop()
            try:
                self._wait(up=False, seconds=_DOWN_TIMEOUT_S)
                before = {path: host.read(copy) for path, copy in copies.items()}
                moved = [log_move(text, host.read(path)) for path, text in before.items()]
            except BaseException:
                self._start(host)
                raise
            self._put_back(host, copies, before, [move for move in moved if move], changes)

        self._over_any_shell(self._host(edits[0].stop, edits[0].start), restore)

    def is_edited(self, edit: OfflineEdit, location: KnobLocation, *as_before: Values) -> bool:
        """Whether the file has another value than before, whatever the server makes of it.

        `as_before`: what counts as that too, such as the default written out by hand.
        """
        text = self._host(edit.stop, edit.start).read(edit.path)
        now = values_in(text, location.dn, location.attribute)
        return now not in (edit.before, *as_before)

    def _over_any_shell(self, host: Host, work: Callable[[Host], None]) -> None:
        """Do what puts the server back, over a new shell where the old one broke, at once.

        LDAP is of no use, as the server may be stopped, and nothing but its patience ends it.
        Raises ConnectError where the host cannot be reached in time, and what `work` does.
        """
        self._report_progress = undeterred(self._report_progress)
        try:
            over_any_link(
                self._target,
                lambda: work(self._host(host.stop_command, host.start_command)),
                patience_s=self._patience_s,
                progress=self._report_progress,
                reconnect=self._target.reconnect_shell,
            )
        except WorkbenchError as error:
            if is_broken_link(error):
                raise ConnectError(
                    Message(
                        "The host could not be reached for {limit:.0f} s while its server was "
                        "stopped: {why}",
                        limit=self._patience_s,
                        why=error.what,
                    ),
                    safe=Message("The journal keeps the change open."),
                    remedy=Message(
                        "As soon as the host can be reached, have its files put back and the "
                        "server started: ldap-workbench revert PROFILE --all --offline."
                    ),
                ) from error
            raise

    def _start_unedited(
        self, host: Host, copies: Mapping[str, str], folders: Sequence[str]
    ) -> None:
        self._start(host)
        _drop(host, copies, folders)
        _forget(host, copies)  # the files are as they were, and copies hold hashes of passwords

    def _put_back(
        self,
        host: Host,
        copies: Mapping[str, str],
        before: Mapping[str, str],
        moves: Sequence[LogMove],
        changes: Sequence[FileChange] = (),
    ) -> None:
        """Restore files that are not as before; the server is started whatever fails with them.

        It may have rewritten them at a start, so they need not be what was put. Indexes that were
        built with `changes` are built again, and without that slapd is not started.
        """
        try:
            for path, copy in copies.items():
                now = host.read(path)
                if now != before[path]:  # restoring takes room, which a full disk lacks
                    if move := log_move(now, before[path]):  # the server may have written to them
                        host.logs.copy(move)
                    self._restore(host, path, copy, before[path])
        except BaseException:
            self._start(host)
            raise
        self._build(host, next(iter(copies)), changes)
        self._start(host)
        _drop(host, copies, [move.new for move in moves])
        _forget(host, copies)  # not before: where the shell breaks, this is done again from them

    def _restore(self, host: Host, path: str, copy: str, before: str) -> None:
        """Raises LeftEditedError where the file does not read as before then."""
        why = NOTHING
        try:
            host.file(path).restore(copy)
        except ChangeError as error:
            why = error.what
        if host.read(path) != before:
            raise LeftEditedError(
                sentences(
                    Message("{path} could not be restored from {copy}.", path=path, copy=copy), why
                ),
                safe=Message("The journal keeps the change open."),
                remedy=Message(
                    "Mend what is in the way, then revert again: that edits the file once more."
                ),
            )

    def _build(self, host: Host, path: str, changes: Sequence[FileChange]) -> float | None:
        if databases_of(change.location for change in changes):
            text = Message("slapindex builds the indexes while the server is stopped")
            self._report_progress(Progress(text, stopped=True))
        return host.build(path, changes)

    def forget(
        self, group: str, edits: Sequence[OfflineEdit], log_folders: Sequence[str] = ()
    ) -> None:
        """Remove the copies, once all is as it was: of files, and of the log in other folders."""
        host = self._host(edits[0].stop, edits[0].start)
        for path, edit in {edit.path: edit for edit in edits}.items():
            for undone in (False, True):
                host.file(path).forget(copy_of(edit, group, undone=undone))
            for folder in log_folders:
                host.logs.drop(folder, folder_in(host.read(path)))

    def check_folder(self, knob: str, folder: str) -> None:
        """Raises ChangeError when a folder the server shall use is not there, or has no room."""
        host, argv = self._host("", ""), ["test", "-d", host_path(folder)]
        shell = self._target.shell
        if shell is None or shell.run(argv).status:  # a login sees most folders without root
            host.run(argv)
        if knob == LOG_FOLDER:
            dse = host.read(config_file(self._target))
            host.logs.check(LogMove(folder_in(dse), folder))

    def _host(self, stop: str, start: str) -> Host:
        if self._target.shell is None:
            raise ChangeError(
                Message(
                    "Editing the stored configuration needs a shell on the host, and the profile "
                    "has none."
                ),
                safe=Message("Nothing was changed."),
                remedy=Message(
                    "Add SSH to the profile, or --local when the server runs on this machine."
                ),
            )
        return Host(self._target.shell, stop, start)

    def _check_slapd(
        self, host: Host, texts: Mapping[str, str], places: Mapping[str, KnobLocation]
    ) -> None:
        """Raises ChangeError where the files are not known to be those that this slapd uses.

        A copy that was left behind is of the same server; its entries are older.
        """
        above = identity_file(next(iter(texts)))
        noted, stored = identity_in(self._target.facts), identity_in_file(host.read(above))
        check_same_server(above, noted, stored)
        known = noted.known and stored.known
        for path, place in places.items():
            entries = self._target.directory.search(place.dn, attributes=(_VERSION,))
            now = entries[0].values(_VERSION) if entries else None
            there = values_in(texts[path], place.dn, _VERSION)
            absent = is_back_end(place.dn) and not entries
            known &= now == there and (now is not None or absent)
        if not known:
            raise ChangeError(
                Message("It is not known whether slapd uses {path}.", path=above),
                safe=Message("Nothing was changed."),
                remedy=Message(
                    "Bind as a user who sees entryUUID and entryCSN of cn=config, and look with "
                    "which -F slapd was started (olcArgsFile)."
                ),
            )

    def _check_instance(self, path: str, text: str) -> None:
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

    def _stop(self, host: Host) -> None:
        """Stop it. Where that failed and it may be down all the same it is started again."""
        self._report_progress(
            Progress(Message("Stopping the server: {command}", command=host.stop_command))
        )
        try:
            host.stop()
        except BaseException as failure:
            if isinstance(failure, ChangeError) and answers(self._target):
                raise
            halfway = not isinstance(failure, ChangeError)

            def start(host: Host) -> None:
                if halfway:  # nobody waits for the command any more, and it may go on
                    host.stop()
                self._start(host)

            self._over_any_shell(host, start)
            raise

    def _stop_late(self, host: Host, error: BaseException) -> None:
        """Stop a server that did not come up in time: it may yet, and write its files meanwhile.

        Raises LeftEditedError, of `error`, where it may still run.
        """
        try:
            host.stop()
            self._wait(up=False, seconds=_DOWN_TIMEOUT_S)
        except WorkbenchError as second:
            if is_broken_link(second):
                raise
            raise LeftEditedError(
                error.what if isinstance(error, WorkbenchError) else second.what,
                safe=Message("The journal keeps the change open."),
                remedy=sentences(second.what, REVERT_IT),
            ) from second

    def _start(self, host: Host) -> None:
        self._report_progress(
            Progress(
                Message("Starting the server: {command}", command=host.start_command), stopped=True
            )
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
                    remedy=Message("Read the server's log for the cause, then start it."),
                )
            time.sleep(_POLL_S)


def _say_it_runs(error: BaseException, safe: Message) -> None:
    if isinstance(error, WorkbenchError):
        error.safe = safe


def _forget(host: Host, copies: Mapping[str, str]) -> None:
    """Remove the copies beside files, by path."""
    for path, copy in copies.items():
        host.file(path).forget(copy)


def _drop(host: Host, paths: Iterable[str], folders: Sequence[str]) -> None:
    """Remove the log files of folders, never of the one that the file in force names."""
    for path in paths if folders else ():
        if in_force := folder_in(host.read(path)):
            for folder in folders:
                host.logs.drop(folder, in_force)


def answers(target: Tunable) -> bool:
    """Whether the server answers, over a new link where the old one broke.

    A name that leads to another server while this one is down is no answer of it.
    """
    tries: tuple[Callable[[], object], ...] = (lambda: None, target.reconnect)
    for again in tries:
        try:
            again()
            target.directory.search("", attributes=("vendorVersion",))
        except AuthenticationError:
            raise
        except (AnotherServerError, ConnectError, DirectoryError):
            continue
        return True
    return False
