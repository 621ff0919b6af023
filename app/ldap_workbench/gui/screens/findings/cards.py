"""A card for each finding, with ways to its evidence."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from ldap_workbench.figures.overview.findings import CONFIDENCES, cost_of, span_to_show, strip_title
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.buttons import link_button
from ldap_workbench.gui.parts.widgets.labels import badge, label
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.parts.widgets.severities import SEVERITIES
from ldap_workbench.gui.screens.findings.chain import chain_rows
from ldap_workbench.model.finding import Evidence, Finding, FindingGroup, Link
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import format_time
from ldap_workbench.model.window import Span

_SHOWN = 3


class FindingCard(QFrame):
    """What was seen; each piece of evidence leads to its moment, its strip and its operations.

    Below it what it costs, how sure it is, what would disprove it, what the clients' owner can do,
    and the other findings of the same group. Evidence without a time of its own leads to `whole`,
    the windows the finding is about.

    *Signals:* momentWanted(from_ns, to_ns, title of a strip or NOTHING, filter or None),
    operationsWanted(OperationFilter)
    """

    momentWanted = Signal(object, object, object, object)
    operationsWanted = Signal(object)

    def __init__(
        self, group: FindingGroup, whole: Span | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._whole = whole
        self.setProperty("role", "card")
        finding = group.lead
        title, sentence = shown(finding.title), shown(finding.sentence)
        self.setAccessibleName(f"{title} {sentence}")
        inside = card_column(self, title, *SEVERITIES[finding.severity])
        self._add(inside, finding)
        for other in group.others:
            inside.addSpacing(6)
            inside.addWidget(label(shown(other.title), "strip", wrap=True))
            self._add(inside, other)

    def _add(self, inside: QVBoxLayout, finding: Finding) -> None:
        """One finding of the group, without its title."""
        inside.addWidget(label(shown(finding.sentence), wrap=True))
        beside = cost_of(finding), CONFIDENCES[finding.confidence]
        inside.addWidget(label(" ".join(shown(text) for text in beside if text), wrap=True))
        self._add_evidence(inside, finding)
        if finding.disproof:
            disproof = Message("What would disprove it: {disproof}", disproof=finding.disproof)
            inside.addWidget(label(shown(disproof), "dim", wrap=True))
        if finding.owner_steps:
            steps = [f"{n}. {shown(step)}" for n, step in enumerate(finding.owner_steps, start=1)]
            words = [self.tr("For the owner of the clients:"), *steps]
            inside.addWidget(label("\n".join(words), wrap=True))

    def _add_evidence(self, inside: QVBoxLayout, finding: Finding) -> None:
        if links := [link for link in finding.evidence if isinstance(link, Link)]:
            inside.addLayout(chain_rows(links, self._ways_of))
            return
        for evidence in finding.evidence[:_SHOWN]:
            inside.addLayout(self._evidence(evidence))
        if (more := len(finding.evidence) - _SHOWN) > 0:
            inside.addWidget(label(self.tr("and {n} more like these").format(n=more), "dim"))

    def _ways_of(self, link: Link) -> QWidget | None:
        """The ways of one link in a row; None where it was not seen."""
        if link.start_ns is None:
            return None
        ways = QWidget()
        self._add_ways(row(on=ways, margins=0), link, shown(link.text))
        return ways

    def _evidence(self, evidence: Evidence) -> QHBoxLayout:
        when = f"{format_time(evidence.start_ns)[11:19]} UTC  " if evidence.start_ns else ""
        text = f"{when}{shown(evidence.text)}"
        line = row((label(text, "dim", wrap=True), 1))
        self._add_ways(line, evidence, text)
        return line

    def _add_ways(self, line: QHBoxLayout, evidence: Evidence, text: str) -> None:
        if (there := span_to_show(evidence, self._whole)) is None:
            return
        strip = strip_title(evidence.series)
        show_when = partial(self.momentWanted.emit, *there, strip, evidence.which)
        ways = [(self.tr("Show when"), show_when)]
        if evidence.which is not None:
            go_there = partial(self.operationsWanted.emit, evidence.which)
            ways.append((self.tr("Show operations"), go_there))
        for words, go in ways:
            link = link_button(words, f"{words}: {text}")
            link.setAccessibleName(link.toolTip())
            link.clicked.connect(lambda _=False, go=go: go())
            line.addWidget(link)


def card_column(card: QFrame, title: str, mark: Message, mood: str) -> QVBoxLayout:
    """The column of a card: its title with a mark beside it; the rest is added below."""
    top = row((label(title, "heading", wrap=True), 1), badge(shown(mark), mood))
    return column(top, on=card, margins=(16, 12, 16, 12), spacing=6)
