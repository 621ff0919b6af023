"""Report: read it here, write it as one file to hand on."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QAction, QTextDocument
from PySide6.QtWidgets import QFileDialog, QTextBrowser

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import palette
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.screens.report.pdf import charts_apart, document_with, print_pdf
from ldap_workbench.gui.workbench.screen import SessionScreen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.message import Message
from ldap_workbench.resources import resource
from ldap_workbench.session.reader import Session


class ReportScreen(SessionScreen):
    """The session as a report."""

    name = "report"
    of_whole_windows = True

    def __init__(self, workbench: Workbench, actions: list[QAction]) -> None:
        super().__init__(workbench)
        for kind in _FORMATS:
            button = push_button(
                shown(kind.button),
                partial(self.export, kind.suffix),
                primary=kind.suffix == ".html",
                tip=shown(kind.tip),
            )
            self.add_tool(button)
        self._body = self._text = QTextBrowser()
        self._text.setAccessibleName(self.tr("The report"))
        self._text.setOpenLinks(False)
        # The report looks like paper in every theme.
        self._text.setPalette(palette(dark=False))
        self._empty = self.empty_state(actions)
        self.add_bodies(self._empty, self._text)

    @Slot()
    def _ask(self) -> None:
        if self.workbench.ask_session(
            self.tr("Writing the preview"), _preview, self._on_preview, view=True
        ):
            self._stale = False

    def export(self, suffix: str) -> None:
        """Ask where to, and write it."""
        opened = self.workbench.opened
        if opened is None:
            return
        kind = next(kind for kind in _FORMATS if kind.suffix == suffix)
        suggestion = str(opened.path.with_suffix(suffix))
        title = self.tr("Write the report")
        path, _ = QFileDialog.getSaveFileName(self, title, suggestion, kind.files)
        if path:
            self.write_to(Path(path))

    def write_to(self, path: Path) -> None:
        """Write the report; its kind is the path's ending."""
        title = self.tr("Writing {name}").format(name=path.name)
        self.workbench.ask_session(title, partial(_write, path), self._on_written)

    def _clear(self) -> None:
        self._text.clear()

    @Slot(object)
    def _on_preview(self, parts: tuple[str, list[str]]) -> None:
        document = document_with(*parts, margin=24.0)
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


@dataclass(frozen=True)
class Format:
    """One kind of report file: its button, its ending, its line in the file dialog."""

    button: Message
    suffix: str
    files: str
    tip: Message


_FORMATS = (
    Format(
        Message("Export &Markdown …"), ".md", "Markdown (*.md)", Message("For a ticket or a wiki")
    ),
    Format(Message("Export &PDF …"), ".pdf", "PDF (*.pdf)", Message("For print")),
    Format(
        Message("E&xport HTML …"),
        ".html",
        "HTML (*.html)",
        Message("One self-contained file with its charts"),
    ),
)


def _preview(session: Session) -> tuple[str, list[str]]:
    """The report as HTML that Qt's documents understand, and its charts."""
    from ldap_workbench.report.html import to_html
    from ldap_workbench.report.model import report_model

    html = to_html(report_model(session), for_print=True)
    larger = resource("report/screen.css").read_text("utf-8")  # paper has smaller tables
    html = html.replace("</style>", f"{larger}</style>", 1)
    # Qt lays out a table as wide as the page a pixel wider, and would scroll sideways for it.
    return charts_apart(re.sub(r'(<table[^>]* width=)"100%"', r'\1"99%"', html))


def _write(path: Path, session: Session) -> Path:
    """Write the report of a session; its kind is the path's ending."""
    from ldap_workbench.report.write import write_report

    return write_report(session.path, path, render_pdf=print_pdf)
