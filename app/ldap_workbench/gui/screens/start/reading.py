"""A log that is being read: its tails and timeline so far, filling in."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QDialog, QWidget

from ldap_workbench.capture.importing.preview import Preview
from ldap_workbench.figures.overview.import_preview import strips_of, tails_of
from ldap_workbench.figures.tails.table import COLUMNS
from ldap_workbench.gui.parts.charts.strip_stack import StripStack
from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.parts.widgets.progress import ProgressLine
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.workbench.jobs import Job
from ldap_workbench.model.progress import Progress

_NEARLY_DONE = 0.8
"""A log that is read up to here with the first report will be open before anybody can look."""


class ReadingDialog(QDialog):
    """Follows one import and closes with it; closed before, the import goes on.

    Shown with the first report of a large log, never for a small one.
    """

    def __init__(self, job: Job, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._job = job
        self._name = name
        self._dismissed = False
        apply_style(self)
        self.setWindowTitle(self.tr("Reading {name}").format(name=name))
        self.progress = ProgressLine(self.tr("Progress"))
        self.table = RowsTable(self.tr("Latency so far"), COLUMNS)
        self.model = self.table.rows
        self.stack = StripStack()
        self.stop = push_button(self.tr("Stop, and keep what was read"), self._on_stop)
        self._lay_out()
        job.progressed.connect(self._on_progress)
        job.ended.connect(self._on_ended)

    def _lay_out(self) -> None:
        note = self.tr("So far: quantiles are within 1.6 %. The session will hold exact ones.")
        foot = row((label(note, "dim", wrap=True), 1), self.stop)
        column(self.progress, (self.stack, 3), (self.table, 2), foot, on=self)
        em = self.fontMetrics().height()
        self.resize(em * 56, em * 36)

    @Slot(object)
    def _on_progress(self, progress: Progress) -> None:
        preview = progress.details.get("preview")
        if not isinstance(preview, Preview) or self._dismissed:
            return
        if not self.isVisible():
            if (progress.fraction or 0) > _NEARLY_DONE:
                return
            self.show()
        self.progress.show_progress(progress)
        self.stack.set_strips(strips_of(preview))
        self.model.set_rows(tails_of(preview, self._name))

    @Slot()
    def _on_stop(self) -> None:
        self.stop.setEnabled(False)
        self._job.cancel()

    @Slot()
    def _on_ended(self) -> None:
        self._dismissed = True
        self.close()
        self.deleteLater()

    def reject(self) -> None:
        """Escape and the cross: the import goes on."""
        self._dismissed = True
        super().reject()
