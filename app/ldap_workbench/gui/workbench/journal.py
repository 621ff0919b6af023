"""The journal of this user as the window sees it: opened when first needed, read in a worker."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from ldap_workbench.model.change import Change

if TYPE_CHECKING:
    from ldap_workbench.tuning import Journal

KEY = "journal"
"""Under which its jobs run, one after the other."""


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

    def file(self) -> Journal:
        """The journal of this user; may be used from any thread."""
        from ldap_workbench.tuning import Journal  # the window starts without

        with self._lock:
            if self._journal is None:
                self._journal = Journal()
            return self._journal

    @Slot()
    def reload(self) -> None:
        """Read all changes again."""
        self._start(KEY, self.tr("Reading the journal"), self._read, self.show_changes)

    def open_changes(self) -> tuple[Change, ...]:
        """Changes that may be in force on a server, as last read."""
        return tuple(change for change in self.changes if change.state.open)

    def close(self) -> None:
        """Close the file; no worker may use it any more."""
        if self._journal:
            self._journal.close()

    def _read(self, *_: object) -> tuple[Change, ...]:
        return tuple(self.file().changes())

    @Slot(object)
    def show_changes(self, changes: tuple[Change, ...]) -> None:
        """The journal as it was read just now."""
        self.changes = changes
        self.changed.emit()
