"""Thin bars: progress below its words, and a share beside its percent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar, QWidget

from ldap_workbench.figures.formats import percent
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.labels import ElidedLabel, label, set_tip
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.model.progress import Progress

if TYPE_CHECKING:
    from ldap_workbench.figures.overview.findings import Share


class ProgressLine(QWidget):
    """What long work says, and how far it is; the bar keeps its place where it does not say."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.text = ElidedLabel(mode=Qt.TextElideMode.ElideRight, role="")
        self._bar = _thin_bar(name)
        column(self.text, self._bar, on=self, margins=0, spacing=4)

    @property
    def words(self) -> str:
        """What it says now, whole."""
        return self.text.toolTip()

    def show_progress(self, progress: Progress) -> None:
        """The latest report."""
        self.text.set_whole(shown(progress.text))
        if progress.fraction is not None:
            self._bar.setValue(round(1000 * progress.fraction))

    def say(self, text: str) -> None:
        """Words of the window's own."""
        self.text.set_whole(text)


_BAR_LETTERS = 8


def share_bar(share: Share | None) -> QWidget:
    """A share as a bar and in percent, with what it is of as its tip; nothing where it is None."""
    made = QWidget()
    if share is None:
        made.hide()
        return made
    letter = made.fontMetrics().averageCharWidth()
    name = shown(share.of)
    bar, words = _thin_bar(name), label(shown(percent(share.part)))
    bar.setValue(round(1000 * share.part))
    bar.setFixedWidth(_BAR_LETTERS * letter)
    words.setFixedWidth(words.fontMetrics().horizontalAdvance(shown(percent(1.0))) + letter)
    words.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    set_tip(made, name)
    row(bar, words, on=made, margins=0, spacing=4)
    return made


def _thin_bar(name: str) -> QProgressBar:
    bar = QProgressBar()
    bar.setRange(0, 1000)
    bar.setTextVisible(False)
    bar.setProperty("role", "thin")
    bar.setAccessibleName(name)
    return bar
