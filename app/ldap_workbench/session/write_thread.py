"""The thread that owns the database of a session file, and what it does when the disk fails."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb

from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.session.opening import Database, words_of

_PENDING_LIMIT = 16
"""Pieces of work waiting for the disk: each may hold the rows of 8 MiB of log, some 3 MiB."""

PATIENCE_S = 120.0
"""How long the disk may take for what is handed over at once: a share of a network may hang for
ever, and whoever writes has a server to put back."""

Work = Callable[[duckdb.DuckDBPyConnection], Any]


class WriteThread:
    """Runs work on a database one piece after the other, until the first failure.

    No method waits for longer than PATIENCE_S. After a failure each raises SessionError and what is
    still queued is dropped.
    """

    def __init__(self, path: Path, database: Database) -> None:
        self._path = path
        self._database = database
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="session-writer")
        self._room = threading.BoundedSemaphore(_PENDING_LIMIT)
        self._failure: BaseException | None = None
        self._hangs = False

    def do(self, work: Work) -> Future[None]:
        """Queue a piece of work; waits only when the disk is far behind."""
        self.check()
        if not self._room.acquire(timeout=PATIENCE_S):
            raise self._stuck()
        return self._thread.submit(self._run, work)

    def do_now(self, work: Work) -> None:
        """Queue a piece of work and wait until it is done."""
        try:
            self.do(work).result(PATIENCE_S)
        except TimeoutError:
            raise self._stuck() from None
        self.check()

    def check(self) -> None:
        """Raise SessionError where something handed over before could not be written."""
        if self._failure is not None:
            raise self._failed(self._failure) from self._failure

    def close(self, last: Work) -> None:
        """Do the last piece of work and let go of the file, whether that succeeds or not."""
        try:
            if self._failure is None:
                self.do_now(last)
        finally:
            # Who hangs in a write cannot be ended, and must hold up nobody else.
            self._thread.shutdown(wait=not self._hangs)
            if not self._hangs:
                self._close_database()

    def _close_database(self) -> None:
        try:
            self._database.close()
        except duckdb.Error as error:  # a full disk makes even closing fail
            self._failure = self._failure or error

    def _stuck(self) -> SessionError:
        self._hangs = True
        self._failure = TimeoutError()
        return self._failed(self._failure)

    def _run(self, work: Work) -> None:
        try:
            if self._failure is None:
                work(self._database.connection)
        except (duckdb.Error, OSError) as error:
            self._failure = error
        finally:
            self._room.release()

    def _failed(self, error: BaseException) -> SessionError:
        reason = verbatim(words_of(error))
        if self._hangs:
            reason = Message("the disk has not answered for {limit:.0f} s", limit=PATIENCE_S)
        return SessionError(
            Message(
                "The session file {path} cannot be written: {reason}",
                path=str(self._path),
                reason=reason,
            ),
            safe=Message(
                "What was written before stays readable; changes of a server are in the journal."
            ),
            remedy=Message("Make room on the disk, then start again with a new file."),
        )
