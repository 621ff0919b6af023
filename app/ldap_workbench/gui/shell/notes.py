"""Notes on the open session and on its windows."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from ldap_workbench.figures.overview.session_summary import SessionSummary
from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.widgets.buttons import button_row, push_button
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.workbench.state import Workbench


class NotesDialog(QDialog):
    """A note on the session, and one on each window; shown only where the file is read-only."""

    def __init__(self, summary: SessionSummary, parent: QWidget | None = None) -> None:
        from ldap_workbench.session.notes import may_note  # the window starts without

        super().__init__(parent)
        apply_style(self)
        self.setWindowTitle(self.tr("Notes on {name}").format(name=summary.name))
        self._writable = may_note(summary.path)
        self._note = QPlainTextEdit(summary.note)
        self._note.setTabChangesFocus(True)
        self._note.setReadOnly(not self._writable)
        self._note.setMaximumHeight(self.fontMetrics().height() * 6)
        named = label(self.tr("On the &session"))
        named.setBuddy(self._note)
        self._windows = self._table(summary)
        on_windows = label(self.tr("On its &windows"))
        on_windows.setBuddy(self._windows)
        whole = column(named, self._note, on_windows, self._windows, on=self, spacing=10)
        if not self._writable:
            hint = self.tr("This session is read-only. Save a copy to add notes.")
            whole.addWidget(label(hint, "dim", wrap=True))
        whole.addLayout(self._buttons())
        self.resize(self.fontMetrics().averageCharWidth() * 80, self.fontMetrics().height() * 26)

    @property
    def note(self) -> str:
        """The note on the session."""
        return self._note.toPlainText().strip()

    def notes(self) -> dict[int, str]:
        """The notes on windows by their id."""
        notes: dict[int, str] = {}
        for row in range(self._windows.rowCount()):
            window, note = self._windows.item(row, 0), self._windows.item(row, 1)
            if window and note:
                notes[window.data(Qt.ItemDataRole.UserRole)] = note.text().strip()
        return notes

    def _table(self, summary: SessionSummary) -> QTableWidget:
        table = QTableWidget(len(summary.windows), 2)
        table.setAccessibleName(self.tr("Notes on the windows"))
        table.setHorizontalHeaderLabels([self.tr("Window"), self.tr("Note")])
        table.horizontalHeader().setStretchLastSection(True)
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        table.verticalHeader().hide()
        table.setTabKeyNavigation(False)
        if not self._writable:
            table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        for row, window in enumerate(summary.windows):
            name = QTableWidgetItem(window.name)
            name.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            name.setData(Qt.ItemDataRole.UserRole, window.id)
            table.setItem(row, 0, name)
            table.setItem(row, 1, QTableWidgetItem(window.note))
        return table

    def _buttons(self) -> QHBoxLayout:
        save = push_button(self.tr("&Keep the notes"), self.accept, primary=True)
        save.setEnabled(self._writable)
        cancel = push_button(self.tr("Cancel"), self.reject)
        return button_row(cancel, save)


class Notes(QObject):
    """Asks for notes over a window and writes them into the open session; belongs to it."""

    def __init__(self, workbench: Workbench, window: QWidget) -> None:
        super().__init__(window)
        self._workbench = workbench
        self._window = window

    @Slot()
    def ask(self) -> NotesDialog | None:
        """Show the notes of the open session, to be changed; does not wait. None without one."""
        opened = self._workbench.opened
        if opened is None:
            return None
        dialog = NotesDialog(opened.summary, self._window)
        dialog.accepted.connect(partial(self._write, dialog))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def _write(self, dialog: NotesDialog) -> None:
        from ldap_workbench.session.notes import write_notes

        note, windows = dialog.note, dialog.notes()
        title = self.tr("Writing the notes")
        self._workbench.rewrite_session(title, lambda path: write_notes(path, note, windows))
