"""A card for each finding, with ways to its evidence, and for each piece of advice."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from ldap_workbench.figures.findings import settings_of, span_to_show, strip_title
from ldap_workbench.gui.findings.chain import chain_rows
from ldap_workbench.gui.retold import retold
from ldap_workbench.gui.widgets.buttons import link_button
from ldap_workbench.gui.widgets.labels import badge, label
from ldap_workbench.gui.words import said
from ldap_workbench.model.finding import Advice, Evidence, Finding, Link
from ldap_workbench.model.units import format_time
from ldap_workbench.model.window import Span

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
        title, sentence = retold(finding.title), retold(finding.sentence)
        self.setAccessibleName(f"{title} {sentence}")
        column = _column(self, title, *SEVERITIES[finding.severity])
        column.addWidget(label(sentence, wrap=True))
        if links := [each for each in finding.evidence if isinstance(each, Link)]:
            column.addLayout(chain_rows(links, self._ways_of))
            return
        for evidence in finding.evidence[:_SHOWN]:
            column.addLayout(self._evidence(evidence))
        if (more := len(finding.evidence) - _SHOWN) > 0:
            column.addWidget(label(self.tr("and {n} more like these").format(n=more), "dim"))

    def _ways_of(self, link: Link) -> QWidget | None:
        """The ways of one link in a row; None where it was not seen."""
        if link.start_ns is None:
            return None
        ways = QWidget()
        row = QHBoxLayout(ways)
        row.setContentsMargins(0, 0, 0, 0)
        self._add_ways(row, link, retold(link.text))
        return ways

    def _evidence(self, evidence: Evidence) -> QHBoxLayout:
        row = QHBoxLayout()
        when = f"{format_time(evidence.start_ns)[11:19]} UTC  " if evidence.start_ns else ""
        told = f"{when}{retold(evidence.text)}"
        row.addWidget(label(told, "dim", wrap=True), 1)
        self._add_ways(row, evidence, told)
        return row

    def _add_ways(self, row: QHBoxLayout, evidence: Evidence, told: str) -> None:
        if (there := span_to_show(evidence, self._whole)) is None:
            return
        strip = strip_title(evidence.series)
        ways = [(self.tr("Show when"), partial(self.momentWanted.emit, *there, strip))]
        if evidence.operations:
            ways.append((self.tr("Show operations"), partial(self.operationsWanted.emit, *there)))
        for words, go in ways:
            link = link_button(words, f"{words}: {told}")
            link.setAccessibleName(link.toolTip())
            link.clicked.connect(lambda _=False, go=go: go())
            row.addWidget(link)


class AdviceCard(QFrame):
    """What is worth one experiment, and why; without a setting, what a person would do.

    *Signals:* treatmentWanted(list of 'KNOB@PLACE=VALUE')
    """

    treatmentWanted = Signal(object)

    def __init__(self, advice: Advice, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        title = retold(advice.title)
        self.setAccessibleName(f"{title} {retold(advice.why)}")
        column = _column(self, title, *_risk(advice))
        column.addWidget(label("\n".join(self._reasons(advice)), wrap=True))
        if advice.steps:
            steps = (f"{n}. {retold(step)}" for n, step in enumerate(advice.steps, start=1))
            column.addWidget(label("\n".join(steps), wrap=True))
        if advice.treatment.settings:
            column.addLayout(self._try(advice))
        if advice.sources:
            sources = self.tr("Source: {sources}").format(sources="; ".join(advice.sources))
            column.addWidget(label(sources, "dim", wrap=True))

    def _reasons(self, advice: Advice) -> list[str]:
        """Why, then what it promises, costs and risks, and who disagrees."""
        told = (
            (self.tr("Expected: {text}"), advice.expected),
            (self.tr("Cost: {text}"), advice.cost),
            (self.tr("Risk: {text}"), advice.risk),
            (self.tr("Counter-argument: {text}"), advice.disagree),
        )
        lines = [words.format(text=retold(text)) for words, text in told if text]
        return [retold(advice.why), *lines]

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
    level = advice.risk_level
    return f"{level} risk", {"low": "good", "medium": "warn", "high": "bad"}.get(level, "")
