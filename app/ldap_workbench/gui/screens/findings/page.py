"""What was found, and what is worth an experiment, as cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import (
    QWidget,
)

from ldap_workbench.advice.families.references import ASKED, asked
from ldap_workbench.figures.overview.findings import (
    FIRST_SHOWN,
    TAILS,
    FindingsView,
    ranked,
    ranked_references,
    read_findings,
    span_of,
)
from ldap_workbench.figures.overview.knobs import Match
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.parts.widgets.buttons import link_button, push_button
from ldap_workbench.gui.parts.widgets.fields import ComboBox
from ldap_workbench.gui.parts.widgets.flow import flow
from ldap_workbench.gui.parts.widgets.labels import label, set_mood
from ldap_workbench.gui.parts.widgets.layouts import Stretch, column, row, scroll
from ldap_workbench.gui.screens.findings.cards import AdviceCard, FindingCard
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.finding import Advice, Finding, FindingGroup
from ldap_workbench.model.message import NOTHING, Message, count_of
from ldap_workbench.model.progress import Cancel, OnProgress
from ldap_workbench.model.target import distinct_names
from ldap_workbench.servers.target import Target
from ldap_workbench.session.reader import Session

_LAID_OUT_MS = 50
"""Until all cards have their heights: a turn of the event loop is not enough."""


class FindingsPage(QWidget):
    """Cards are made one a turn of the event loop, so that many do not stall the window.

    *Signals:* momentWanted(from_ns, to_ns, title of a strip or NOTHING, filter or None),
    operationsWanted(OperationFilter), adviceWanted(Advice),
    adviceFound(tuple of Advice, best first)
    """

    momentWanted = Signal(object, object, object, object)
    operationsWanted = Signal(object)
    adviceWanted = Signal(object)
    adviceFound = Signal(object)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        self._stale = True
        self.seen: FindingsView | None = None
        self._expanded = ""
        """Id of the finding that somebody came to read, until its card is in sight."""
        self._asked: tuple[Finding, ...] = ()
        self._coming: list[tuple[Callable[[], QWidget], QWidget | None]] = []
        self._timer = single_shot(self, self._add_next)
        self._to_card = single_shot(self, self._show_wanted, _LAID_OUT_MS)
        self._lay_out()
        workbench.sessionChanged.connect(self._on_session)
        workbench.connectionChanged.connect(self._on_connection)
        self._on_session()
        self._on_connection()

    def cards(self) -> list[FindingCard | AdviceCard]:
        """The cards shown, top to bottom."""
        items = map(self._cards.itemAt, range(self._cards.count()))
        every = [item.widget() for item in items if item]
        return [card for card in every if isinstance(card, FindingCard | AdviceCard)]

    def expand(self, name: str) -> None:
        """Show the evidence of the finding with this id, now or once its card is made."""
        self._expanded = name
        if card := self._wanted_card():
            card.expand()
        self._timer.start()

    def _wanted_card(self) -> FindingCard | None:
        cards = (card for card in self.cards() if isinstance(card, FindingCard))
        return next((card for card in cards if self._expanded in card.names), None)

    def shown(self) -> None:
        """Called when the step is shown: look through the session if that was not done yet."""
        if self._stale:
            self.reload()

    def reload(self) -> None:
        """Look through the open session."""
        tail, references = str(self._tail.currentData()), self._asked
        known = self.seen.findings if self.seen else None

        def work(session: Session) -> FindingsView:
            findings = read_findings(session, tail).findings if known is None else known
            own = tuple(finding for finding in findings if finding.id not in ASKED)
            return ranked((*own, *references), session, tail)

        title = self.tr("Looking for causes")
        if self._workbench.ask_session(title, work, self._on_seen, view=True):
            self._stale = False
            self._words.setText(self.tr("Looking for causes in the open session …"))

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
        wanted = QWidget()
        row(words, self._tail, on=wanted, margins=0)
        self.references = push_button(
            self.tr("Chec&k group references"),
            self.ask_references,
            tip=self.tr(
                "Find entries that many others reference, and groups that form rings. "
                "Only reads; takes long on a large directory."
            ),
        )
        inside = QWidget()
        inside.setObjectName("page")
        self._cards = column(spacing=10)
        column(self._cards, Stretch(), on=inside, margins=0)
        self.area = scroll(inside, framed=False)
        self._server = label("", "badge", wrap=True)
        set_mood(self._server, "warn")
        self._server.hide()
        column(
            self._server,
            flow(wanted, self.references),
            self._words,
            (self.area, 1),
            on=self,
            margins=0,
            spacing=10,
        )

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
            self.seen = None
            self._clear()

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
            self._on_seen(asked)

    @Slot()
    def _on_session(self) -> None:
        self._stale = True
        self.seen, self._expanded = None, ""
        self._asked = ()
        self._clear()
        nothing = self.tr(
            "There is no window to analyse yet. Capture one, or choose a change yourself."
        )
        self._words.setText("" if self._workbench.opened else nothing)
        self._show_whose()
        if self._workbench.opened and self.isVisible():
            self.reload()

    @Slot(object)
    def _on_seen(self, seen: FindingsView) -> None:
        self.seen = seen
        self.adviceFound.emit(seen.advice)
        self._clear()
        judged = shown(seen.judged)
        counts = Message(
            "{findings}, {suggestions}, best first.",
            findings=count_of("{n} finding", "{n} findings", n=len(seen.findings)),
            suggestions=count_of("{n} suggestion", "{n} suggestions", n=len(seen.advice)),
        )
        self._words.setText(shown(counts) if seen.findings else judged)
        self._list(
            self.tr("Findings"), [partial(self._finding_card, group) for group in seen.groups]
        )
        self._list(
            self.tr("Worth an experiment"),
            [partial(self._advice_card, advice) for advice in seen.advice],
        )
        for sentence in seen.conflicts:
            self._coming.append((partial(label, shown(sentence), "dim", wrap=True), None))
        self._timer.start()

    def _list(self, heading: str, cards: Sequence[Callable[[], QWidget]]) -> None:
        """Cards below a heading: the first at once, the rest behind a button."""
        if not cards:
            return
        first, rest = cards[:FIRST_SHOWN], cards[FIRST_SHOWN:]
        makers: list[Callable[[], QWidget]] = [partial(label, heading, "heading"), *first]
        if rest:
            makers.append(partial(self._more_button, rest))
        self._coming += [(make, None) for make in makers]

    def _more_button(self, rest: Sequence[Callable[[], QWidget]]) -> QWidget:
        button = link_button(self.tr("Show {n} more").format(n=len(rest)))

        def show_rest() -> None:
            button.hide()
            self._coming += [(make, button) for make in rest]
            self._timer.start()

        button.clicked.connect(show_rest)
        return button

    @Slot()
    def _show_wanted(self) -> None:
        """Scroll to the finding that somebody came to read, once."""
        if not self._coming and (card := self._wanted_card()):
            self._expanded = ""
            self.area.verticalScrollBar().setValue(card.y())

    @Slot()
    def _add_next(self) -> None:
        """Make the next card: at the end, or where the button stands that was pressed for it."""
        if not self._coming:
            self._to_card.start()
            return
        make, button = self._coming.pop(0)
        at = self._cards.count() if button is None else self._cards.indexOf(button)
        self._cards.insertWidget(at, make())
        self._timer.start()

    def _advice_card(self, advice: Advice) -> AdviceCard:
        findings = self.seen.findings if self.seen else ()
        titles = dict.fromkeys(
            finding.title for finding in findings if finding.id in advice.findings
        )
        card = AdviceCard(advice, tuple(titles))
        card.adviceWanted.connect(self.adviceWanted)
        card.set_server(*self._whose())
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
            if isinstance(card, AdviceCard):
                card.set_server(may, whose)

    def _finding_card(self, group: FindingGroup) -> FindingCard:
        opened = self._workbench.opened
        windows = opened.summary.windows if opened else ()
        level, share = group.lead.severity, None
        if self.seen:
            level, share = self.seen.level(group), self.seen.share(group)
        card = FindingCard(group, span_of(group.lead, windows), level=level, share=share)
        card.momentWanted.connect(self.momentWanted)
        card.operationsWanted.connect(self.operationsWanted)
        if self._expanded in card.names:
            card.expand()
        return card

    def _clear(self) -> None:
        self._timer.stop()
        self._coming = []
        while (item := self._cards.takeAt(0)) is not None:
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()


def _read_references(
    target: Target, tail: str, progress: OnProgress, cancel: Cancel
) -> FindingsView:
    """Entries that many others name, rings, missing indexes: searches only, nothing is written.

    Raises DirectoryError when the server refuses so large a search, CancelledError between back
    ends.
    """
    references = tuple(asked(target.directory, target.facts, progress, cancel))
    return ranked_references(references, target.facts, tail)
