"""A server that a crash of the workbench left stopped: put its files back and start it."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from typing import TypeVar

from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.model.change import Change
from ldap_workbench.model.errors import AuthenticationError, ConnectError
from ldap_workbench.tuning.journal import Journal, OfflineEdit
from ldap_workbench.tuning.locks import ServerLock
from ldap_workbench.tuning.restart import ANSWER_TIMEOUT_S
from ldap_workbench.tuning.stopped_host import Host, edited_files
from ldap_workbench.tuning.undo import file_change

_POLL_S = 0.5
Connected = TypeVar("Connected")


def interrupted(journal: Journal, server: str) -> list[tuple[Change, OfflineEdit]]:
    """Open changes made while a server was stopped: they may have left it so."""
    pairs = ((change, journal.edit(change)) for change in journal.open_changes(server))
    return [(change, edit) for change, edit in pairs if edit]


def revive(
    server: str, shell: RemoteShell, journal: Journal, connect: Callable[[], Connected]
) -> Connected:
    """Undo in its files what an interrupted edit left there, start the server, and connect.

    Only on the operator's word: the server is stopped first, should it run after all. The journal
    is closed by `Tuner.recover` afterwards. Raises ChangeError, ConflictError, AnotherServerError
    where the host is another server's (then none is stopped) and, when the server does not answer
    in time, ConnectError.
    """
    with closing(_Locked(journal.lock(server))):
        made = interrupted(journal, server)
        if made:
            edit = made[0][1]
            host = Host(shell, edit.stop, edit.start)
            host.check_server(journal.identity_of(made[0][0]), edit.path)
            host.stop()
            edits, changes = [edit for _, edit in made], [file_change(*pair) for pair in made]
            try:
                _, texts, moves = edited_files(host, edits, changes)
                for move in moves:
                    host.logs.copy(move)
                for path, text in texts.items():
                    host.put(path, text)
            except BaseException:
                host.start()
                raise
            host.build(edit.path, changes)  # may have been ended halfway
            host.start()
    return _wait(connect)


class _Locked:
    """Holds the lock of a server until it is closed."""

    def __init__(self, lock: ServerLock) -> None:
        self._lock = lock
        lock.acquire()

    def close(self) -> None:
        self._lock.release()


def _wait(connect: Callable[[], Connected]) -> Connected:
    end = time.monotonic() + ANSWER_TIMEOUT_S
    while True:
        try:
            return connect()
        except AuthenticationError:
            raise
        except ConnectError:
            if time.monotonic() > end:
                raise
            time.sleep(_POLL_S)
