"""The journal of this user as the window sees it: opened when first needed, read in a worker."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from ldap_workbench.model.change import Change
from ldap_workbench.model.message import Message

if TYPE_CHECKING:
    from ldap_workbench.tuning.journal import Journal
    from ldap_workbench.tuning.locks import ServerTakenError

KEY = "journal"
"""Under which its jobs run, one after the other."""
JournalRead = tuple[tuple[Change, ...], Mapping[str, "ServerTakenError"]]
"""All changes, and by server the runs of other processes that are alive and have made open ones."""


class WindowJournal(QObject):
    """Changes as last read, and the journal itself for who writes to it.

    *Signals:* changed()
    """

    changed = Signal()

    def __init__(self, start: Callable[..., Any], parent: QObject) -> None:
        super().__init__(parent)
        self._start = start
        self._journal: Journal | None = None
        self._lock = threading.Lock()
        self.changes: tuple[Change, ...] = ()
        self.runs: Mapping[str, ServerTakenError] = {}
        """Servers whose open changes are of a run of another process that is alive."""

    def file(self) -> Journal:
        """The journal of this user; may be used from any thread."""
        from ldap_workbench.tuning.journal import Journal

        with self._lock:
            if self._journal is None:
                self._journal = Journal()
            return self._journal

    @Slot()
    def reload(self) -> None:
        """Read all changes again."""
        self._start(KEY, self.tr("Reading the change log"), self._read, self._on_read)

    @Slot()
    def look_again(self) -> None:
        """Read it again, and say so only if it says something else now."""
        self._start(KEY, self.tr("Reading the change log"), self._read, self._on_looked)

    def open_changes(self) -> tuple[Change, ...]:
        """Changes that may be in force on a server, as last read."""
        return tuple(change for change in self.changes if change.state.open)

    def run_of(self, change: Change) -> ServerTakenError | None:
        """The run of another process that will revert a change itself, as last looked."""
        return self.runs.get(change.server) if change.state.open else None

    def close(self) -> None:
        """Close the file; no worker may use it any more."""
        if self._journal:
            self._journal.close()

    def _read(self, *_: object) -> JournalRead:
        return read_journal(self.file())

    @Slot(object)
    def _on_read(self, read: JournalRead) -> None:
        self.show_changes(*read)

    @Slot(object)
    def _on_looked(self, read: JournalRead) -> None:
        changes, runs = read
        if (changes, _named(runs)) != (self.changes, _named(self.runs)):
            self.show_changes(changes, runs)

    def show_changes(
        self, changes: tuple[Change, ...], runs: Mapping[str, ServerTakenError]
    ) -> None:
        """The journal as it was read just now."""
        self.changes, self.runs = changes, runs
        self.changed.emit()


def _named(runs: Mapping[str, ServerTakenError]) -> dict[str, Message]:
    return {server: run.what for server, run in runs.items()}


def read_journal(journal: Journal) -> JournalRead:
    """To be called in a worker."""
    changes = tuple(journal.changes())
    return changes, journal.runs_elsewhere(changes)
