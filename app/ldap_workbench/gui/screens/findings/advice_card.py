"""A card for each piece of advice: what, expected, cost, risk and evidence as a grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QWidget

from ldap_workbench.figures.names import metric_name
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import Stretch, row
from ldap_workbench.gui.parts.widgets.moods import RISK_BADGES
from ldap_workbench.gui.parts.widgets.tips import set_tip
from ldap_workbench.gui.screens.findings.cards import card_column
from ldap_workbench.model.finding import Advice
from ldap_workbench.model.message import Message
from ldap_workbench.model.metric import PrimaryMetric


class AdviceCard(QFrame):
    """What is worth one experiment; without a setting, what a person would do.

    `evidence` are the titles of the findings it rests on.

    *Signals:* adviceWanted(Advice)
    """

    adviceWanted = Signal(object)

    def __init__(
        self, advice: Advice, evidence: Sequence[Message] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.advice = advice
        self.button: QPushButton | None = None
        title = shown(advice.title)
        self.setAccessibleName(f"{title} {shown(advice.why)}")
        column = card_column(self, title, *RISK_BADGES[advice.risk_level])
        column.addLayout(self._grid(evidence))
        if advice.treatment.settings:
            column.addLayout(self._try())

    def set_server(self, may: bool, whose: Message) -> None:
        """Whether it may be tried on the connected server, and which that is."""
        if self.button is not None:
            self.button.setEnabled(may)
            set_tip(self.button, f"{self._about} {shown(whose)}".strip())

    def _grid(self, evidence: Sequence[Message]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        top = Qt.AlignmentFlag.AlignTop
        for place, (name, text) in enumerate(self._rows(evidence)):
            grid.addWidget(label(name, "strip"), place, 0, top)
            grid.addWidget(label(text, wrap=True), place, 1)
        return grid

    def _rows(self, evidence: Sequence[Message]) -> Iterator[tuple[str, str]]:
        """Names and texts of what there is to tell, in the order of reading."""
        advice = self.advice
        steps = [f"{n}. {shown(step)}" for n, step in enumerate(advice.steps, start=1)]
        judged = PrimaryMetric.parse(advice.primary)
        rows = (
            (self.tr("Change"), str(advice.treatment) if advice.treatment.settings else ""),
            (self.tr("Tried before"), "\n".join(map(shown, advice.tried))),
            (self.tr("Steps"), "\n".join(steps)),
            (self.tr("Why"), shown(advice.why)),
            (self.tr("Expected"), shown(advice.expected)),
            (
                self.tr("Judged by"),
                shown(metric_name(judged.metric, judged.type)) if advice.primary else "",
            ),
            (self.tr("Cost"), shown(advice.cost)),
            (self.tr("Risk"), shown(advice.risk)),
            (self.tr("Counter-argument"), shown(advice.disagree)),
            (self.tr("Evidence"), "\n".join(map(shown, evidence))),
            (self.tr("Source"), "; ".join(advice.sources)),
        )
        return ((name, text) for name, text in rows if text)

    def _try(self) -> QHBoxLayout:
        self._about = self.tr("Plan an experiment with it; nothing is changed yet")
        self.button = push_button(self.tr("Try this"), primary=True, tip=self._about)
        self.button.setAccessibleName(
            self.tr("Try this: {treatment}").format(treatment=self.advice.treatment)
        )
        self.button.clicked.connect(lambda: self.adviceWanted.emit(self.advice))
        return row(self.button, Stretch())
