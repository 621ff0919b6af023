"""The findings of a session and the advice they back, as cards within its summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from ldap_workbench.advice.families.references import ASKED, asked
from ldap_workbench.figures.overview.findings import (
    FIRST_SHOWN,
    TAILS,
    WORTH_A_TEST,
    FindingsView,
    findings_of,
    ranked,
    ranked_references,
    span_of,
)
from ldap_workbench.figures.overview.knobs import Match
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.parts.widgets.buttons import link_button, push_button
from ldap_workbench.gui.parts.widgets.fields import ComboBox
from ldap_workbench.gui.parts.widgets.labels import label, set_mood
from ldap_workbench.gui.parts.widgets.layouts import Stretch, column, row
from ldap_workbench.gui.screens.overview.cards import AdviceCard, FindingCard
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.finding import Advice, Finding, FindingGroup
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.model.progress import Cancel, OnProgress
from ldap_workbench.model.target import distinct_names
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session


class _Coming(NamedTuple):
    """A card that is yet to be made: at the end of its list, or above the button `before`."""

    make: Callable[[], QWidget]
    cards: QVBoxLayout
    before: QWidget | None = None


class FindingsPanel(QWidget):
    """Findings, and what is worth a test.

    Cards are made one a turn of the event loop, so that many do not stall the window.

    *Signals:* momentWanted(from_ns, to_ns, title of a strip or NOTHING, filter or None),
    operationsWanted(OperationFilter), adviceWanted(Advice),
    seenChanged(FindingsView)
    """

    momentWanted = Signal(object, object, object, object)
    operationsWanted = Signal(object)
    adviceWanted = Signal(object)
    seenChanged = Signal(object)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        self.stale = True
        """Whether the findings of the open session are yet to be asked for."""
        self.seen: FindingsView | None = None
        self._asked: tuple[Finding, ...] = ()
        self._coming: list[_Coming] = []
        self._timer = single_shot(self, self._add_next)
        self._lay_out()
        workbench.sessionChanged.connect(self._on_session)
        workbench.connectionChanged.connect(self._on_connection)
        self._on_session()
        self._on_connection()

    def cards(self) -> list[FindingCard | AdviceCard]:
        """The cards that are made, top to bottom."""
        every = (*_widgets_of(self._findings), *_widgets_of(self._advice))
        return [card for card in every if isinstance(card, FindingCard | AdviceCard)]

    def read_once(self) -> None:
        """Look through the session if that was not done yet."""
        if self.stale:
            self.reload()

    def reload(self) -> None:
        """Look through the open session."""
        title = self.tr("Looking for causes")
        self._workbench.ask_session(
            title, self.reader(), self.show_seen, self._on_failed, view=True
        )

    def reader(self) -> Callable[[Session], FindingsView]:
        """What looks through a session, in its thread, for what is wanted now."""
        self.stale = False
        tail, references = str(self._tail.currentData()), self._asked
        known = self.seen.findings if self.seen else None

        def work(session: Session) -> FindingsView:
            findings = findings_of(session) if known is None else known
            own = tuple(finding for finding in findings if finding.id not in ASKED)
            return ranked((*own, *references), session, tail)

        return work

    def ask_references(self) -> None:
        """Ask the server which entries many others name, and which groups form rings."""
        tail = str(self._tail.currentData())
        self._workbench.ask_server(
            self.tr("Checking group references"),
            lambda c, progress, cancel: _read_references(c.target, tail, progress, cancel),
            on_done=self._on_references,
        )

    def _lay_out(self) -> None:
        self._tail = ComboBox()
        for name, title in TAILS.items():
            self._tail.addItem(shown(title), name)
        self._tail.setCurrentIndex(list(TAILS).index("p99.9"))
        self._tail.activated.connect(self.reload)
        words = label(self.tr("Op&timise for"))
        words.setBuddy(self._tail)
        self._words = label("", "dim", wrap=True)
        self.references = push_button(
            self.tr("Chec&k group references"),
            self.ask_references,
            tip=self.tr(
                "Find entries that many others reference, and groups that form rings. "
                "Only reads; takes long on a large directory."
            ),
        )
        self._server = label("", "badge", wrap=True)
        set_mood(self._server, "warn")
        self._server.hide()
        self._findings, self._advice = column(spacing=6), column(spacing=6)
        top = row(label(self.tr("Findings"), "heading"), (self._words, 1), self.references)
        self._worth = QWidget()
        worth = label(shown(WORTH_A_TEST), "heading")
        row(worth, Stretch(), words, self._tail, on=self._worth, margins=(0, 10, 0, 0))
        column(
            top, self._server, self._findings, self._worth, self._advice,
            on=self, margins=0, spacing=8,
        )  # fmt: skip

    @Slot()
    def _on_connection(self) -> None:
        connection = self._workbench.connection
        self.references.setVisible(connection is not None)
        if connection and self._asked:
            self._forget_asked()
        self._show_whose()

    def _forget_asked(self) -> None:
        """Another server told it: it is not of this one."""
        self._asked = ()
        if self._workbench.opened:
            self.reload()
        else:
            self._start_over()
            self.seenChanged.emit(FindingsView((), (), ()))

    @Slot(object)
    def _on_references(self, asked: FindingsView) -> None:
        """What the server told goes with the session's findings, or stands alone."""
        if not asked.findings:
            self._workbench.show_status(
                self.tr("No entry is referenced unusually often, and no groups form a ring.")
            )
        self._asked = asked.findings
        if self._workbench.opened:
            self.reload()
        else:
            self.show_seen(asked)

    @Slot()
    def _on_session(self) -> None:
        self._asked = ()
        self._start_over()
        self._show_whose()

    def _start_over(self) -> None:
        """Show nothing yet, and say what is waited for."""
        self.stale = True
        self.seen = None
        self._clear()
        nothing = self.tr(
            "There is no window to analyse yet. Capture one, or choose a change yourself."
        )
        reading = self.tr("Looking for causes in the open session …")
        self._words.setText(reading if self._workbench.opened else nothing)

    def show_failure(self) -> None:
        """Say in place of the findings that they could not be made out."""
        self.stale = True
        self._words.setText(self.tr("The search for causes failed. F5 tries again."))

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.show_failure()
        self._workbench.fail(error)

    @Slot(object)
    def show_seen(self, seen: FindingsView) -> None:
        """List these; a session is not read again for what is known of it."""
        self.seen = seen
        self.seenChanged.emit(seen)
        self._clear()
        judged = shown(seen.judged)
        counts = Message(
            "{findings}, {suggestions}, best first.",
            findings=count_of("{n} finding", "{n} findings", n=len(seen.findings)),
            suggestions=count_of("{n} suggestion", "{n} suggestions", n=len(seen.advice)),
        )
        self._words.setText(shown(counts) if seen.findings else judged)
        self._worth.setVisible(bool(seen.advice))
        self._list(self._findings, [partial(self._finding_card, group) for group in seen.groups])
        self._list(self._advice, [partial(self._advice_card, advice) for advice in seen.advice])
        for sentence in seen.conflicts:
            words = partial(label, shown(sentence), "dim", wrap=True)
            self._coming.append(_Coming(words, self._advice))
        self._timer.start()

    def _list(self, cards: QVBoxLayout, makers: Sequence[Callable[[], QWidget]]) -> None:
        """The first at once, the rest behind a button."""
        first, rest = makers[:FIRST_SHOWN], makers[FIRST_SHOWN:]
        self._coming += [_Coming(make, cards) for make in first]
        if rest:
            self._coming.append(_Coming(partial(self._more_button, cards, rest), cards))

    def _more_button(self, cards: QVBoxLayout, rest: Sequence[Callable[[], QWidget]]) -> QWidget:
        button = link_button(self.tr("Show {n} more").format(n=len(rest)))

        def show_rest() -> None:
            button.hide()
            self._coming += [_Coming(make, cards, button) for make in rest]
            self._timer.start()

        button.clicked.connect(show_rest)
        return button

    @Slot()
    def _add_next(self) -> None:
        if not self._coming:
            return
        make, cards, before = self._coming.pop(0)
        cards.insertWidget(cards.count() if before is None else cards.indexOf(before), make())
        self._timer.start()

    def _advice_card(self, advice: Advice) -> QWidget:
        findings = self.seen.findings if self.seen else ()
        titles = dict.fromkeys(
            finding.title for finding in findings if finding.id in advice.findings
        )
        card = AdviceCard(advice, tuple(titles))
        return self._testable(card)

    def _testable(self, card: AdviceCard | FindingCard) -> AdviceCard | FindingCard:
        card.adviceWanted.connect(self.adviceWanted)
        if card.test:
            card.test.set_server(*self._whose())
        return card

    def _whose(self) -> tuple[bool, Message]:
        """Whether advice may be tried on the connected server, and of which server it is."""
        bench = self._workbench
        match, opened, connection = bench.session_match(), bench.opened, bench.connection
        if match is None or opened is None or connection is None:
            return True, NOTHING
        here = connection.target.facts
        if match is Match.SAME:
            return True, Message("Tried on {server}.", server=here.name)
        if match is Match.UNKNOWN:
            warning = Message(
                "This session does not say of which server it is. Advice would be tried on "
                "{server}.",
                server=here.name,
            )
            return True, warning
        assert opened.summary.facts is not None  # else it were unknown
        other, server = distinct_names(opened.summary.facts, here)
        refusal = Message(
            "These findings are of {other}. The connected server is {server}: their advice cannot "
            "be tried there.",
            other=other,
            server=server,
        )
        return False, refusal

    def _show_whose(self) -> None:
        may, whose = self._whose()
        self._server.setText(shown(whose))
        known = may and self._workbench.session_match() is not Match.UNKNOWN
        self._server.setVisible(bool(whose) and not known)
        self.references.setEnabled(may)  # of the connected server: they would be mixed
        for card in self.cards():
            if card.test:
                card.test.set_server(may, whose)

    def _finding_card(self, group: FindingGroup) -> QWidget:
        opened = self._workbench.opened
        windows = opened.summary.windows if opened else ()
        level, share, advice = group.lead.severity, None, None
        if self.seen:
            level, share = self.seen.level(group), self.seen.share(group)
            advice = self.seen.first_to_test(group)
        span = span_of(group.lead, windows)
        card = FindingCard(group, span, level=level, share=share, advice=advice)
        card.momentWanted.connect(self.momentWanted)
        card.operationsWanted.connect(self.operationsWanted)
        return self._testable(card)

    def _clear(self) -> None:
        self._timer.stop()
        self._coming = []
        self._worth.hide()
        for cards in (self._findings, self._advice):
            while (item := cards.takeAt(0)) is not None:
                if widget := item.widget():
                    widget.hide()
                    widget.deleteLater()


def _widgets_of(cards: QVBoxLayout) -> list[QWidget]:
    items = map(cards.itemAt, range(cards.count()))
    return [widget for item in items if item and (widget := item.widget())]


def _read_references(
    target: Target, tail: str, progress: OnProgress, cancel: Cancel
) -> FindingsView:
    """Entries that many others name, rings, missing indexes: searches only, nothing is written.

    Raises DirectoryError when the server refuses so large a search, CancelledError between back
    ends.
    """
    references = tuple(asked(target.directory, target.facts, progress, cancel))
    return ranked_references(references, target.facts, tail)
