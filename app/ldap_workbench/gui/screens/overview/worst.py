"""The findings that cost most, a line each: what, how much, how likely the cause."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from ldap_workbench.figures.overview.view import WorstFinding, WorstFindings
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.buttons import LinkButton, link_button
from ldap_workbench.gui.parts.widgets.labels import ElidedLabel, badge, label
from ldap_workbench.gui.parts.widgets.layouts import Stretch, column, row
from ldap_workbench.gui.parts.widgets.severities import SEVERITIES


class WorstCard(QFrame):
    """*Signals:* wanted() when somebody wants to read more of a finding."""

    wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._heading = label(self.tr("What costs most"), "heading")
        self._words = label("", "dim", wrap=True)
        self._rows = column(spacing=4)
        self._links: list[LinkButton] = []
        column(self._heading, self._words, self._rows, Stretch(), on=self, margins=(16, 10, 16, 10))

    def show_reading(self) -> None:
        """Nothing is known yet."""
        self._fill(WorstFindings())
        self._words.setText(self.tr("Looking for causes in the open session …"))

    def show_worst(self, worst: WorstFindings) -> None:
        """These findings, the dearest first."""
        self._fill(worst)
        if not worst.lines:
            words = self.tr("Nothing stands out in this session.")
        elif worst.of > len(worst.lines):
            words = self.tr("{n} of {all} findings, in order of cost").format(
                n=len(worst.lines), all=worst.of
            )
        else:
            words = self.tr("In order of cost")
        self._words.setText(words)

    def texts(self) -> list[str]:
        """The lines as a person reads them."""
        return [link.accessibleName() for link in self._links]

    def _fill(self, worst: WorstFindings) -> None:
        self._links = []
        while (item := self._rows.takeAt(0)) is not None:
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        for line in worst.lines:
            self._rows.addWidget(self._row(line))

    def _row(self, line: WorstFinding) -> QWidget:
        title, cost = shown(line.title), shown(line.cost)
        link = link_button(title, title)
        link.setAccessibleName(f"{title} {cost}".strip())
        link.clicked.connect(self.wanted)
        self._links.append(link)
        mark, mood = SEVERITIES[line.severity]
        made = QWidget()
        first = row(link, Stretch(), badge(shown(mark), mood))
        whole = column(first, on=made, margins=0, spacing=0)
        if cost:
            price = ElidedLabel(cost, Qt.TextElideMode.ElideRight)
            price.setIndent(7)
            whole.addWidget(price)
        return made
