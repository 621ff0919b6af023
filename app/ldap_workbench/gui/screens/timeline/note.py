"""A note at a moment of the timeline: written, changed, taken out, in the session's file."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLineEdit, QWidget

from ldap_workbench.figures.timeline.view import note_near
from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.widgets.buttons import button_row, push_button
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.message import verbatim
from ldap_workbench.model.units import NS_PER_S, format_time
from ldap_workbench.model.window import MARK, Mark
from ldap_workbench.session.notes import change_mark, may_note

_LONGEST = 300


class MarkDialog(QDialog):
    """The note at a moment, shown only where the file is read-only; '' takes it out."""

    def __init__(self, mark: Mark, *, known: bool, writable: bool, parent: QWidget) -> None:
        super().__init__(parent)
        apply_style(self)
        moment = format_time(mark.time_ns)[:19]
        self.setWindowTitle(self.tr("Note at {time} UTC").format(time=moment))
        self._note = QLineEdit(str(mark.text))
        self._note.setMaxLength(_LONGEST)
        self._note.setReadOnly(not writable)
        named = label(self.tr("&Note at {time} UTC").format(time=moment))
        named.setBuddy(self._note)
        whole = column(named, self._note, on=self, spacing=10)
        if not writable:
            hint = self.tr("This session is read-only. Save a copy to add notes.")
            whole.addWidget(label(hint, "dim", wrap=True))
        whole.addLayout(self._buttons(known=known, writable=writable))
        self.resize(self.fontMetrics().averageCharWidth() * 60, self.sizeHint().height())

    @property
    def note(self) -> str:
        """What was written."""
        return self._note.text().strip()

    @Slot()
    def _remove(self) -> None:
        self._note.clear()
        self.accept()

    def _buttons(self, *, known: bool, writable: bool) -> QHBoxLayout:
        keep = push_button(self.tr("&Keep the note"), primary=True)
        keep.setEnabled(writable)
        keep.clicked.connect(self.accept)
        remove = push_button(self.tr("&Remove"))
        remove.setVisible(known and writable)
        remove.clicked.connect(self._remove)
        cancel = push_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        return button_row(remove, cancel, keep)


class TimelineNotes(QObject):
    """Asks for notes over the timeline and writes them into the open session.

    *Signals:* writing(), before the session is closed to be written
    """

    writing = Signal()

    def __init__(self, workbench: Workbench, screen: QWidget) -> None:
        super().__init__(screen)
        self._workbench, self._screen = workbench, screen

    def ask(self, second: float, shown_s: float) -> MarkDialog | None:
        """Ask for the note at a moment, or near it; does not wait. None without a session."""
        opened = self._workbench.opened
        if opened is None:
            return None
        before = note_near(opened.summary.marks, second, shown_s)
        mark = before or Mark(round(second * NS_PER_S), MARK, verbatim(""))
        writable = may_note(opened.path)
        dialog = MarkDialog(
            mark, known=before is not None, writable=writable, parent=self._screen.window()
        )
        dialog.accepted.connect(partial(self._write, dialog, before, mark))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    def _write(self, dialog: MarkDialog, before: Mark | None, mark: Mark) -> None:
        after = replace(mark, text=verbatim(dialog.note)) if dialog.note else None
        if after == before:
            return
        self.writing.emit()
        title = self.tr("Writing the note")
        self._workbench.rewrite_session(title, lambda path: change_mark(path, before, after))
