"""A server that does not answer for a change in files of its host: put them back and start it.

A crash of the workbench, or a link to the host that broke, may have left it stopped amid an edit;
and it may not start with what was changed for its next start. Nothing here needs LDAP.
"""

from __future__ import annotations

import posixpath
import shlex
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TypeVar

from ldap_workbench.connect.commands import host_path
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import AuthenticationError, ConflictError, ConnectError
from ldap_workbench.model.server_identity import ServerIdentity
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers.host import read_machine
from ldap_workbench.servers.product import product_of
from ldap_workbench.servers.same_server import check_same_server
from ldap_workbench.tuning.java_args import is_java_args, line_in, with_line
from ldap_workbench.tuning.journal import Journal, OfflineEdit
from ldap_workbench.tuning.locks import ServerLock
from ldap_workbench.tuning.place import Values, describe_java, describe_values
from ldap_workbench.tuning.restart import ANSWER_TIMEOUT_S
from ldap_workbench.tuning.stopped_host import Host, edited_files
from ldap_workbench.tuning.undo import file_change, location_of, ours
from ldap_workbench.tuning.unit_file import is_drop_in, limit_argv, read_limit

_POLL_S = 0.5
Connected = TypeVar("Connected")
Edited = tuple[Change, OfflineEdit]


def interrupted(journal: Journal, server: str) -> list[Edited]:
    """Open changes made while a server was stopped: they may have left it so."""
    return _edited(journal, journal.open_changes(server))


def may_keep_it_down(journal: Journal, changes: Sequence[Change]) -> list[Change]:
    """Those made in files of the host that the server is started with: its host can undo them."""
    edited = {change.id for change, _ in _edited(journal, changes)}
    return [change for change in changes if change.id in edited or _is_for_the_start(change)]


def revive(
    server: str,
    shell: RemoteShell,
    journal: Journal,
    connect: Callable[[], Connected],
    restart_command: str | None = None,
) -> Connected:
    """Undo in files what an interrupted edit left there, start the server, and connect.

    Only on the operator's word: the server is stopped first, should it run after all. The journal
    is closed by `Tuner.recover` afterwards. Raises ChangeError, ConflictError, AnotherServerError
    where the host is another server's (then none is stopped) and, when the server does not answer
    in time, ConnectError.
    """
    with closing(_Locked(journal.lock(server))):
        undo_on_host(shell, journal, journal.open_changes(server), restart_command)
    return until_it_answers(connect)


def undo_on_host(
    shell: RemoteShell,
    journal: Journal,
    changes: Sequence[Change],
    restart_command: str | None,
) -> None:
    """Put back those of the changes that lie in files of the host, and have the server started.

    One that was edited while it was stopped is stopped for it. Raises as `revive`.
    """
    edited = _edited(journal, changes)
    others = [change for change in changes if _is_for_the_start(change)]
    for change in may_keep_it_down(journal, changes):
        machine = journal.identity_of(change).machine
        now = ServerIdentity(machine=read_machine(shell)) if machine else ServerIdentity()
        check_same_server(shell.name, ServerIdentity(machine=machine), now)
    if not edited:
        host = Host(shell, "", "")
        for change in others:
            _put_back(host, shell, change)
        if others and restart_command:
            host.run(shlex.split(restart_command))
        return
    edit = edited[0][1]
    host = Host(shell, edit.stop, edit.start)
    host.check_server(journal.identity_of(edited[0][0]), edit.path)
    host.stop()
    edits, wanted = [edit for _, edit in edited], [file_change(*pair) for pair in edited]
    try:
        for change in others:
            _put_back(host, shell, change)
        _, texts, moves = edited_files(host, edits, wanted)
        for move in moves:
            host.logs.copy(move)
        for path, text in texts.items():
            host.put(path, text)
    except BaseException:
        host.start()
        raise
    host.build(edit.path, wanted)  # may have been ended halfway
    host.start()


def is_gone(shell: RemoteShell, facts: TargetFacts) -> bool:
    """Whether the server's process is seen not to run, by its file of the process id.

    A login that may not look into the file's folder, or at processes of others, has not seen it. A
    file that is not there says so of OpenDJ alone, whose start script writes it at once: others
    write theirs when they are ready, and a long recovery is no failure.
    """
    if not facts.pid_file:
        return False
    path = host_path(facts.pid_file)
    said = shell.run(["cat", path]).stdout.decode(errors="replace").strip()
    if said:
        sees_all = _is(shell, "-e", "/proc/1")
        return said.isdigit() and sees_all and not _is(shell, "-e", f"/proc/{said}")
    may_look = _is(shell, "-x", posixpath.dirname(path))
    return product_of(facts) == "opendj" and may_look and not _is(shell, "-e", path)


def _is(shell: RemoteShell, test: str, path: str) -> bool:
    return shell.run(["test", test, path]).status == 0


def until_it_answers(
    connect: Callable[[], Connected], seconds: float = ANSWER_TIMEOUT_S
) -> Connected:
    """Connect as soon as the server takes it. Raises ConnectError when it does not in time."""
    end = time.monotonic() + seconds
    while True:
        try:
            return connect()
        except AuthenticationError:
            raise
        except ConnectError:
            if time.monotonic() > end:
                raise
            time.sleep(_POLL_S)


def _edited(journal: Journal, changes: Sequence[Change]) -> list[Edited]:
    pairs = ((change, journal.edit(change)) for change in changes)
    return [(change, edit) for change, edit in pairs if edit]


def _is_for_the_start(change: Change) -> bool:
    """Whether it was written, while the server ran, to a file that it is started with."""
    drop_in = not change.dn and is_drop_in(change.attribute)
    return drop_in or is_java_args(change.dn, change.attribute)


def _put_back(host: Host, shell: RemoteShell, change: Change) -> None:
    if is_drop_in(change.attribute):
        _check(change, read_limit(shell, change.attribute))
        host.run(limit_argv(change.attribute, change.before))  # also where it was ended halfway
        return
    text = host.read(change.dn)
    _check(change, line_in(text))
    host.put(change.dn, with_line(text, change.before))
    host.file(change.dn).apply_java()


def _check(change: Change, now: Values) -> None:
    """Raises ConflictError where somebody else has set it since."""
    if now not in (change.before, ours(change)):
        words = describe_values if is_drop_in(change.attribute) else describe_java
        states = (change.before, ours(change), now)
        raise ConflictError(location_of(change).label, *map(words, states))


class _Locked:
    """Holds the lock of a server until it is closed."""

    def __init__(self, lock: ServerLock) -> None:
        self._lock = lock
        lock.acquire()

    def close(self) -> None:
        self._lock.release()
