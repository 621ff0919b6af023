"""Report: read it here, write it as one file to hand on."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QAction, QTextDocument
from PySide6.QtWidgets import QFileDialog, QTextBrowser, QWidget

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import palette
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.empty import EmptyState
from ldap_workbench.gui.screens.report.pdf import document_of
from ldap_workbench.gui.screens.report.writer import FORMATS, preview, write
from ldap_workbench.gui.workbench.session_screen import SessionScreen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.message import Message


class ReportScreen(SessionScreen):
    """The session as a report."""

    name = "report"
    icon = "report"
    title = Message("Report")

    def __init__(
        self, workbench: Workbench, actions: list[QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(workbench, parent)
        for kind in FORMATS:
            button = push_button(
                shown(kind.button), primary=kind.suffix == ".html", tip=shown(kind.tip)
            )
            button.clicked.connect(partial(self.export, kind.suffix))
            self.add_tool(button)
        self._body = self._text = QTextBrowser()
        self._text.setAccessibleName(self.tr("The report"))
        self._text.setOpenLinks(False)
        # The report looks like paper in every theme.
        self._text.setPalette(palette(dark=False))
        self._empty = EmptyState(
            "report",
            self.tr("No session is open"),
            self.tr(
                "Open a session or run an experiment. Its report says what was "
                "changed, where and when, how complete the measurement is, and what "
                "the result was."
            ),
            actions,
        )
        self.add_bodies(self._empty, self._text)
        self.selection_bar = self.add_selection_bar(follows=False)

    @Slot()
    def _ask(self) -> None:
        if self.workbench.ask_session(
            self.tr("Writing the preview"), preview, self._on_preview, view=True
        ):
            self._stale = False

    def export(self, suffix: str) -> None:
        """Ask where to, and write it."""
        opened = self.workbench.opened
        if opened is None:
            return
        kind = next(kind for kind in FORMATS if kind.suffix == suffix)
        suggestion = str(opened.path.with_suffix(suffix))
        title = self.tr("Write the report")
        path, _ = QFileDialog.getSaveFileName(self, title, suggestion, kind.files)
        if path:
            self.write_to(Path(path))

    def write_to(self, path: Path) -> None:
        """Write the report; its kind is the path's ending."""
        title = self.tr("Writing {name}").format(name=path.name)
        self.workbench.ask_session(title, partial(write, path), self._on_written)

    def _clear(self) -> None:
        self._text.clear()

    @Slot(object)
    def _on_preview(self, html: str) -> None:
        document = document_of(html, margin=24.0)
        document.setParent(self._text)
        # In a turn of its own, so that neither half is long.
        QTimer.singleShot(0, document, partial(self._show, document))

    def _show(self, document: QTextDocument) -> None:
        document.setTextWidth(self._text.viewport().width())
        document.setLayoutEnabled(True)
        before = self._text.document()
        ours = before.parent() is self._text
        self._text.setDocument(document)
        if ours:  # the view deletes only a document it made itself
            before.deleteLater()

    @Slot(object)
    def _on_written(self, path: Path) -> None:
        self.workbench.show_status(self.tr("Report written to {path}").format(path=path))
