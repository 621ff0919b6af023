"""What a profile needs as root on its host: the sudoers file and the program it allows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QDialog,
    QFileDialog,
    QPlainTextEdit,
    QTabWidget,
    QWidget,
)

from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.servers.target import Target

NAMES = ("ldap-workbench", "ldap-workbench-host")
"""Of the two files where they are installed, in the order of the tabs."""


@dataclass(frozen=True)
class HostRights:
    """Both files; `offline` with what edits files, None where that cannot be done."""

    usual: tuple[str, str]
    offline: tuple[str, str] | None


def rights_of(target: Target) -> HostRights:
    """Of a connected server, in its thread. Raises WorkbenchError."""
    from ldap_workbench.experiment.sudoers import program, sudoers  # not with the window

    def made(*, offline: bool) -> tuple[str, str]:
        return sudoers(target, offline=offline), program(target, offline=offline)

    try:
        return HostRights(made(offline=False), made(offline=True))
    except WorkbenchError:
        return HostRights(made(offline=False), None)


class SudoersDialog(QDialog):
    """Shows both files, to be copied or saved."""

    def __init__(self, workbench: Workbench, rights: HostRights, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._workbench, self._rights = workbench, rights
        apply_style(self)
        self.setWindowTitle(self.tr("Sudo rights on the host"))
        self.offline = QCheckBox(self.tr("Also &stop the server and edit its configuration"))
        self.offline.setEnabled(rights.offline is not None)
        self.offline.toggled.connect(self._fill)
        self.tabs = QTabWidget()
        self._texts = [QPlainTextEdit(), QPlainTextEdit()]
        titles = (self.tr("Sudoers &file"), self.tr("&Program"))
        for text, title in zip(self._texts, titles, strict=True):
            text.setReadOnly(True)
            text.setProperty("role", "raw")
            text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
            text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
            text.setAccessibleName(title.replace("&", ""))
            self.tabs.addTab(text, title)
        self._lay_out()
        self._fill()

    def text(self) -> str:
        """The file that is shown."""
        return self._texts[self.tabs.currentIndex()].toPlainText()

    def _lay_out(self) -> None:
        words = self.tr(
            "The workbench runs these commands as root on the host, and no others. Save both "
            "files and check the sudoers file there: visudo -cf FILE. Then install them as root:\n"
            "• the sudoers file as /etc/sudoers.d/ldap-workbench, mode 0440\n"
            "• the program as /usr/local/libexec/ldap-workbench-host, mode 0755"
        )
        self._copy = push_button(self.tr("&Copy"), self.copy)
        self._save = push_button(self.tr("Sa&ve as …"), self._on_save, primary=True)
        close = push_button(self.tr("C&lose"), self.reject)
        foot = row((self.offline, 1), self._copy, self._save, close)
        column(label(words, wrap=True), (self.tabs, 1), foot, on=self)
        self.resize(self.fontMetrics().averageCharWidth() * 110, self.fontMetrics().height() * 34)

    @Slot()
    def _fill(self) -> None:
        files = self._rights.usual
        if self.offline.isChecked() and self._rights.offline is not None:
            files = self._rights.offline
        for text, content in zip(self._texts, files, strict=True):
            text.setPlainText(content)

    @Slot()
    def copy(self) -> None:
        """The file that is shown, to the clipboard."""
        QApplication.clipboard().setText(self.text())

    @Slot()
    def _on_save(self) -> None:
        name = str(self._workbench.settings.folder / NAMES[self.tabs.currentIndex()])
        path, _ = QFileDialog.getSaveFileName(self, self.windowTitle(), name)
        if path:
            self.save(Path(path))

    def save(self, path: Path) -> None:
        """Write the file that is shown."""
        try:
            path.write_text(self.text(), "utf-8")
        except OSError as error:
            self._workbench.fail(error)
