"""What the window is about, on every screen: which server, which session, which experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QMainWindow, QPushButton, QToolButton, QWidget

from ldap_workbench.figures.overview.session_summary import SessionSummary, describe_server
from ldap_workbench.gui.parts.style.icons import icon
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import look_of
from ldap_workbench.gui.parts.widgets.labels import ElidedLabel, badge, set_mood, set_tip
from ldap_workbench.gui.parts.widgets.layouts import Stretch, row
from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.gui.workbench.selection import TimeSelection
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.experiment import Experiment, Plan
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.units import format_time
from ldap_workbench.model.verdict import Judgement

if TYPE_CHECKING:
    from ldap_workbench.figures.overview.knobs import Match

_LEAST = 7
"""Characters of a name that are seen in the smallest window."""
_MARGIN, _SPACING = 20, 14
_OF_EXPERIMENT = 0.4
"""Of the bar, which a test may have before server and session."""


class PartText(NamedTuple):
    """One part of the bar: a word in a colour, and the name it stands for."""

    word: Message
    mood: str
    name: Message


class ContextBar(QFrame):
    """A server in use is amber; a simulated one green, and so is a session of one, also offline.

    A server that does not answer and a session of another one are red.
    """

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        self.server, self.session, self.experiment = _Part(), _Part(), _Part()
        row(
            self.server,
            self.session,
            self.experiment,
            Stretch(),
            on=self,
            margins=(_MARGIN, 8, _MARGIN, 0),
            spacing=_SPACING,
        )
        for changed in (
            workbench.connectionChanged,
            workbench.sessionChanged,
            workbench.running.changed,
        ):
            changed.connect(self.refresh)
        self._answering = True
        workbench.answeringChanged.connect(self._on_answering)
        self.refresh()

    @Slot(bool)
    def _on_answering(self, answering: bool) -> None:
        if answering != self._answering:
            self._answering = answering
            self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        """Server and session are cut before the test is, which may take a part of the bar."""
        server, session = self.server.sizeHint().width(), self.session.sizeHint().width()
        room = self.contentsRect().width() - 2 * _SPACING - 2 * _MARGIN
        if not self.experiment.isHidden():
            wanted = min(self.experiment.sizeHint().width(), round(_OF_EXPERIMENT * room))
            server = min(server, max(room - wanted - session, (room - wanted) // 2))
            session = min(session, room - wanted - server)
        self.server.setMaximumWidth(max(server, self.server.minimumSizeHint().width()))
        self.session.setMaximumWidth(max(session, self.session.minimumSizeHint().width()))

    @Slot()
    def refresh(self) -> None:
        """Say what is so now."""
        bench = self._workbench
        summary = bench.opened.summary if bench.opened else None
        self.server.set_text(_server(bench.connection, answering=self._answering))
        self.session.set_text(_session(summary, bench.session_match()))
        text = _experiment(bench, summary)
        self.experiment.setVisible(text is not None)
        if text is not None:
            self.experiment.set_text(text)
        self._share_room()
        parts = (self.server, self.session, self.experiment)
        words = " · ".join(part.text() for part in parts if part.isVisibleTo(self))
        self.setAccessibleName(words)


class TimeRangeChip(QPushButton):
    """The time range that is looked at; pressed, whole windows are again. Hidden where they are."""

    def __init__(self, selection: TimeSelection) -> None:
        super().__init__()
        self._selection = selection
        self._unused = False
        self.setProperty("role", "chip")
        self.setAccessibleName(self.tr("Time range"))
        self.setIcon(icon("close"))
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.clicked.connect(selection.clear)
        selection.changed.connect(self.refresh)
        self.refresh()

    def set_unused(self, unused: bool) -> None:
        """Say that what is in front covers whole windows all the same."""
        self._unused = unused
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Say which range it is now."""
        now = self._selection.now
        self.setVisible(now is not None)
        if now is None:
            return
        times = [format_time(moment)[5:19] for moment in now]
        one_day = times[0][:5] == times[1][:5]
        first, last = (time[6:] if one_day else time for time in times)
        between = f"{first} – {last}"
        self.setText(self.tr("Time range not used here") if self._unused else between)
        about = self.tr("Clear time range (Ctrl+0): {selection}")
        if self._unused:
            about = self.tr(
                "This screen covers whole windows, not only {selection}. Clear time range (Ctrl+0)"
            )
        text = about.format(selection=self._selection.describe())
        set_tip(self, text)
        self.setAccessibleName(text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.setIcon(icon("close"))


class HeaderButtons(QWidget):
    """The time range and the places that belong to no group, at the upper right of the window."""

    def __init__(self, window: QMainWindow, selection: TimeSelection, *actions: QAction) -> None:
        super().__init__()
        self.time_range = TimeRangeChip(selection)
        self.changes = _header_button(actions[0])
        self._title = self.changes.text()
        row(
            self.time_range,
            self.changes,
            *map(_header_button, actions[1:]),
            on=self,
            margins=(0, 1, 8, 1),
            spacing=6,
        )
        window.menuBar().setCornerWidget(self)

    @Slot(int)
    def show_open(self, count: int) -> None:
        """Say, in red, how many changes are open."""
        words = self.tr("{title}: {n} open").format(title=self._title, n=count)
        self.changes.setText(words if count else self._title)
        set_mood(self.changes, "bad" if count else "")


def _header_button(action: QAction) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    button.setProperty("role", "header")
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button


class _Part(QWidget):
    """A badge, and a name that is cut where there is no room."""

    def __init__(self) -> None:
        super().__init__()
        self._badge = badge("")
        self._name = ElidedLabel(mode=Qt.TextElideMode.ElideRight, role="")
        row(self._badge, self._name, on=self, margins=0, spacing=6)

    def set_text(self, text: PartText) -> None:
        self._badge.setText(shown(text.word))
        set_mood(self._badge, text.mood)
        name = shown(text.name)
        self._name.set_whole(name)
        # Less would leave a long name beside it all of the room.
        least = _LEAST * self.fontMetrics().averageCharWidth()
        self._name.setMinimumWidth(least if name else 1)

    def text(self) -> str:
        return f"{self._badge.text()} {self._name.accessibleName()}".strip()

    @property
    def mood(self) -> str:
        return str(self._badge.property("mood"))


def _server(connection: Connection | None, *, answering: bool) -> PartText:
    if connection is None:
        return PartText(Message("no server"), "", NOTHING)
    facts = connection.target.facts
    name = verbatim(f"{connection.profile.name} · {describe_server(facts)}")
    if not answering:
        return PartText(Message("no answer"), "bad", name)
    if facts.simulated:
        return PartText(Message("simulated server"), "good", name)
    return PartText(Message("server"), "warn", name)


def _session(summary: SessionSummary | None, match: Match | None) -> PartText:
    if summary is None:
        return PartText(Message("no session"), "", NOTHING)
    host = summary.facts.host if summary.facts else ""
    name = verbatim(f"{summary.name} · {host}" if host else summary.name)
    from ldap_workbench.figures.overview.knobs import Match  # loaded with the first session

    if match is Match.OTHER:
        return PartText(Message("another server"), "bad", name)
    if summary.facts and summary.facts.simulated:
        return PartText(Message("simulated session"), "good", name)
    return PartText(Message("session"), "", name)


def _experiment(bench: Workbench, summary: SessionSummary | None) -> PartText | None:
    """The one at work, also in another window, else that of the session."""
    running = bench.running
    if run := running.run:
        word = Message("running")
        if bench.runs_elsewhere():
            word = Message("running in another window")
        server = running.server if bench.runs_elsewhere() else ""
        return PartText(word, "warn", _progress(run.plan, run.experiment, server))
    stored = summary.experiment if summary else None
    if stored is None:
        return None
    if stored.verdict is None:
        return PartText(Message("test"), "", _tested(stored.plan))
    judged = stored.verdict.primary.verdict
    return PartText(Judgement.named(judged), look_of(judged), _tested(stored.plan))


def _progress(plan: Plan, experiment: Experiment | None, server: str) -> Message:
    """What is measured now; `server` is '' where the bar names it already."""
    step = experiment.step if experiment else 0
    numbers = {"n": min(step + 1, len(plan.steps)), "of": len(plan.steps)}
    if not server:
        return Message("{tested}, window {n} of {of}", tested=_tested(plan), **numbers)
    return Message(
        "{tested} on {server}, window {n} of {of}", tested=_tested(plan), server=server, **numbers
    )


def _tested(plan: Plan) -> Message:
    return Message("baseline") if plan.changes_nothing else verbatim(str(plan.treatment))
