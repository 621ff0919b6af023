"""A card for each finding, with ways to its evidence, and for each piece of advice."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from ldap_workbench.gui.findings.evidence import strip_title, where
from ldap_workbench.gui.findings.reader import settings_of
from ldap_workbench.gui.stretch import Span
from ldap_workbench.gui.widgets.buttons import link_button
from ldap_workbench.gui.widgets.labels import badge, label
from ldap_workbench.gui.words import said
from ldap_workbench.model.finding import Advice, Evidence, Finding
from ldap_workbench.model.units import format_time

SEVERITIES = {3: ("likely the cause", "bad"), 2: ("may matter", "warn"), 1: ("worth knowing", "")}
_SHOWN = 3


class FindingCard(QFrame):
    """What was seen; each piece of evidence leads to its moment, its strip and its operations.

    Evidence without a time of its own leads to `whole`, the windows the finding is about.

    *Signals:* momentWanted(from_ns, to_ns, title of a strip or ''),
    operationsWanted(from_ns, to_ns)
    """

    momentWanted = Signal(object, object, str)
    operationsWanted = Signal(object, object)

    def __init__(
        self, finding: Finding, whole: Span | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._whole = whole
        self.setProperty("role", "card")
        self.setAccessibleName(f"{finding.title} {finding.sentence}")
        column = _column(self, finding.title, *SEVERITIES[finding.severity])
        column.addWidget(label(finding.sentence, wrap=True))
        for evidence in finding.evidence[:_SHOWN]:
            column.addLayout(self._evidence(evidence))
        if (more := len(finding.evidence) - _SHOWN) > 0:
            column.addWidget(label(self.tr("and {n} more like these").format(n=more), "dim"))

    def _evidence(self, evidence: Evidence) -> QHBoxLayout:
        row = QHBoxLayout()
        when = f"{format_time(evidence.start_ns)[11:19]} UTC  " if evidence.start_ns else ""
        row.addWidget(label(f"{when}{evidence.text}", "dim", wrap=True), 1)
        if (there := where(evidence, self._whole)) is None:
            return row
        strip = strip_title(evidence.series)
        ways = [(self.tr("Show when"), partial(self.momentWanted.emit, *there, strip))]
        if evidence.operations:
            ways.append((self.tr("Show operations"), partial(self.operationsWanted.emit, *there)))
        for words, go in ways:
            link = link_button(words, f"{words}: {when}{evidence.text}")
            link.setAccessibleName(link.toolTip())
            link.clicked.connect(lambda _=False, go=go: go())
            row.addWidget(link)
        return row


class AdviceCard(QFrame):
    """What is worth one experiment, and why; without a setting, what a person would do.

    *Signals:* treatmentWanted(list of 'KNOB@PLACE=VALUE')
    """

    treatmentWanted = Signal(object)

    def __init__(self, advice: Advice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setAccessibleName(f"{advice.title} {advice.why}")
        column = _column(self, advice.title, *_risk(advice))
        lines = [advice.why, f"Expected: {advice.expected}", f"Cost: {advice.cost}"]
        lines.append(f"Risk: {advice.risk}")
        if advice.disagree:
            lines.append(f"Others say: {advice.disagree}")
        column.addWidget(label("\n".join(lines), wrap=True))
        if advice.steps:
            steps = "\n".join(f"{n}. {step}" for n, step in enumerate(advice.steps, start=1))
            column.addWidget(label(steps, wrap=True))
        if advice.treatment.settings:
            column.addLayout(self._try(advice))
        if advice.sources:
            column.addWidget(label(f"Source: {'; '.join(advice.sources)}", "dim", wrap=True))

    def _try(self, advice: Advice) -> QHBoxLayout:
        settings = settings_of(advice.treatment)
        self.link = link_button(
            self.tr("Try this: {treatment}").format(treatment=advice.treatment),
            self.tr("Plan an experiment with it; nothing is changed yet"),
        )
        self.link.setAccessibleName(self.link.text())
        self.link.clicked.connect(lambda: self.treatmentWanted.emit(settings))
        row = QHBoxLayout()
        row.addWidget(self.link)
        row.addStretch(1)
        return row


def _column(card: QFrame, title: str, words: str, mood: str) -> QVBoxLayout:
    top = QHBoxLayout()
    top.addWidget(label(title, "heading", wrap=True), 1)
    top.addWidget(badge(said(words), mood))
    column = QVBoxLayout(card)
    column.setContentsMargins(16, 12, 16, 12)
    column.setSpacing(6)
    column.addLayout(top)
    return column


def _risk(advice: Advice) -> tuple[str, str]:
    level = advice.risk.partition(":")[0]
    return f"{level} risk", {"low": "good", "medium": "warn", "high": "bad"}.get(level, "")
