"""Progress as words above a thin bar."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar, QWidget

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.labels import ElidedLabel
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.model.progress import Progress


class ProgressLine(QWidget):
    """What long work says, and how far it is; the bar keeps its place where it does not say."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.text = ElidedLabel(mode=Qt.TextElideMode.ElideRight, role="")
        self._bar = QProgressBar()
        self._bar.setRange(0, 1000)
        self._bar.setTextVisible(False)
        self._bar.setProperty("role", "thin")
        self._bar.setAccessibleName(name)
        column(self.text, self._bar, on=self, margins=0, spacing=4)

    def show_progress(self, progress: Progress) -> None:
        """The latest report."""
        self.text.set_whole(shown(progress.text))
        if progress.fraction is not None:
            self._bar.setValue(round(1000 * progress.fraction))

    def say(self, text: str) -> None:
        """Words of the window's own."""
        self.text.set_whole(text)
