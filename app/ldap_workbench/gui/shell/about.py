"""About: versions to paste into a report of a fault. And the list of shortcuts."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from ldap_workbench import __version__
from ldap_workbench.figures.table import Column
from ldap_workbench.gui.parts.models.table import RowsModel
from ldap_workbench.gui.parts.style.icons import program_icon
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.table import TableView
from ldap_workbench.model.message import Message

_PACKAGES = ("PySide6_Essentials", "pyqtgraph", "numpy", "duckdb", "ldap3", "paramiko")


def versions() -> str:
    """One line a component."""
    system = platform.system(), platform.release(), platform.machine()
    lines = [
        f"LDAP Tuning Workbench {__version__}",
        # platform.platform() waits for a program that names the processor.
        f"Python {platform.python_version()} on {' '.join(system)}",
        f"Qt {qVersion()}",
    ]
    for name in _PACKAGES:
        try:
            lines.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            lines.append(f"{name}: version not known")
    return "\n".join(lines)


class AboutDialog(QDialog):
    """What this is, and all versions."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        apply_style(self)
        self.setWindowTitle(self.tr("About"))
        picture = label("")
        picture.setPixmap(program_icon().pixmap(64, 64))
        text = QPlainTextEdit(versions())
        text.setReadOnly(True)
        text.setAccessibleName(self.tr("Versions"))
        text.setProperty("role", "raw")
        text.setMinimumHeight((text.blockCount() + 1) * text.fontMetrics().lineSpacing())
        words = self.tr(
            "Measures an LDAP directory server, changes one thing at a time, and says honestly "
            "whether it helped. Apache License 2.0; Qt and PySide6 under the LGPL."
        )
        whole = column(
            picture,
            label("LDAP Tuning Workbench", "title"),
            label(words, wrap=True),
            text,
            _close_box(self),
            on=self,
        )
        # Wrapped words are higher than the layout's own least height says.
        width = self.fontMetrics().averageCharWidth() * 78
        self.resize(width, whole.totalHeightForWidth(width))


class ShortcutsDialog(QDialog):
    """Every key, and what it does."""

    def __init__(self, shortcuts: list[tuple[str, str]], parent: QWidget | None = None) -> None:
        from ldap_workbench.gui.parts.charts.view import (
            KEYS,  # a crash report needs the versions alone
        )

        super().__init__(parent)
        apply_style(self)
        self.setWindowTitle(self.tr("Shortcuts"))
        columns = (
            Column[tuple[str, str]](Message("Keys"), lambda row: row[0]),
            Column[tuple[str, str]](Message("Action"), lambda row: row[1]),
        )
        table = TableView(self.tr("Shortcuts"))
        whole = QVBoxLayout(self)
        whole.addWidget(table, 1)  # first: its columns are as wide as the dialog's style makes them
        table.ensurePolished()
        table.set_rows(RowsModel(columns, [*shortcuts, *self._elsewhere()], table), stretch=1)
        whole.addWidget(label(shown(Message("In a chart: {keys}", keys=KEYS)), "dim", wrap=True))
        whole.addWidget(_close_box(self))
        self.resize(self.fontMetrics().averageCharWidth() * 70, self.fontMetrics().height() * 30)

    def _elsewhere(self) -> list[tuple[str, str]]:
        """Keys that act where the focus is, not in the whole window."""
        return [
            (keys(wanted), words)
            for wanted, words in (
                ("S", self.tr("In the timeline: use its time range everywhere")),
                ("Ctrl+Left, Ctrl+Right", self.tr("In the timeline: move the crosshair")),
                ("Ctrl+C", self.tr("In a table: copy the chosen rows, or all")),
                ("Alt+Shift+A", self.tr("In Latency: choose the windows of A")),
                ("Alt+Shift+B", self.tr("In Latency: choose the windows of B")),
                ("Alt+Shift+O", self.tr("In a plan from a file: use my own values")),
                ("Alt+Left", self.tr("In a test: one step back")),
                ("Alt+Shift+L", self.tr("Show open changes")),
                ("Alt+Shift+N", self.tr("In a lesson: the next hint; Alt+Shift+M collapses it")),
                ("Alt+Shift+I", self.tr("In a lesson: plan the test its answer names")),
                ("Alt+Shift+E", self.tr("Details of an error; Alt+Shift+R tries again")),
                ("Esc", self.tr("Close a dialog or a message; hide the crosshair")),
            )
        ] + [(self.tr("Shift and the mouse"), self.tr("In the timeline: select a time range"))]


def keys(wanted: str) -> str:
    """Keys as this system writes them."""
    return QKeySequence(wanted).toString(QKeySequence.SequenceFormat.NativeText)


def _close_box(dialog: QDialog) -> QDialogButtonBox:
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, Qt.Orientation.Horizontal)
    box.button(QDialogButtonBox.StandardButton.Close).setText(shown(Message("&Close")))
    box.rejected.connect(dialog.reject)
    return box
