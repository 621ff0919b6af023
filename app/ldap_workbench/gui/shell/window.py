"""The main window: screens behind a rail, menus, the error bar, drag and drop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QDialog,
    QMainWindow,
    QStackedWidget,
    QWidget,
)

from ldap_workbench.gui.parts.style.icons import program_icon
from ldap_workbench.gui.parts.style.theme import ThemeFollower, apply_style
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.screens.start.lesson import PracticeHost
from ldap_workbench.gui.screens.start.screen import StartScreen
from ldap_workbench.gui.shell.bands import Bands
from ldap_workbench.gui.shell.commands import Commands
from ldap_workbench.gui.shell.context import ContextBar, HeaderButtons
from ldap_workbench.gui.shell.crash import RecoveryBand
from ldap_workbench.gui.shell.files import SessionFiles
from ldap_workbench.gui.shell.menus import Menus
from ldap_workbench.gui.shell.navigation import Navigation, Rail
from ldap_workbench.gui.shell.notes import Notes
from ldap_workbench.gui.shell.placement import Placement, bring_to_front
from ldap_workbench.gui.shell.questions import Closing, Questions
from ldap_workbench.gui.shell.servers import ServerDialogs
from ldap_workbench.gui.shell.status import StatusBar
from ldap_workbench.gui.shell.window_actions import ActionStates, HelpDialogs, make_actions
from ldap_workbench.gui.workbench.places import PLACE_OF, Place
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench


class MainWindow(QMainWindow):
    """Everything of one workbench; with `later`, its screens follow the first paint.

    *Signals:* completed(), all screens are there; windowWanted(Path | None session, str screen)
    for a second window; quitWanted(); ended()
    """

    completed = Signal()
    windowWanted = Signal(object, str)
    quitWanted = Signal()
    ended = Signal()

    def __init__(
        self, workbench: Workbench, follower: ThemeFollower | None = None, *, later: bool = False
    ) -> None:
        super().__init__()
        self.workbench = workbench
        self._follower = follower
        self._style_screen = single_shot(self, self._on_style_screen)
        self._ending = self._closing = self._complete = False
        self.closed = False
        self.setObjectName("main")
        self.setWindowIcon(program_icon())
        self.setAcceptDrops(True)
        self.files = SessionFiles(workbench, self)
        self.notes = Notes(workbench, self)
        self.servers = ServerDialogs(workbench, self)
        self.actions_ = make_actions(self, workbench, self.files, self.notes, self.servers)
        self.practice = PracticeHost(workbench, self)
        self._make_frame()
        self.menus = Menus(
            self, workbench, self.navigation, self.actions_, self.files, self._follower
        )
        places = (self.menus.places[PLACE_OF[name]] for name in ("journal", "report"))
        self.header = HeaderButtons(self, workbench.selection, *places)
        self.bands.alert.opened.connect(self.header.show_open)
        self.questions = Questions(workbench, self.navigation, self)
        self.commands = Commands(workbench, self.navigation, self.practice)
        self.help = HelpDialogs(self.actions_, self.commands, self.navigation, self)
        self.states = ActionStates(self.actions_, workbench, self)
        self._lay_out()
        self.placement = Placement(self, workbench.settings)
        self.actions_["reset"].triggered.connect(self.placement.reset)
        self._connect()
        self._building = self._build()
        self._next = QTimer(self)
        self._next.setInterval(0)
        self._next.timeout.connect(self._on_next)
        if not later:
            self.complete()

    # What others ask of the window

    @Slot()
    def complete(self) -> None:
        """Make the screens that are not there yet, now."""
        self._next.stop()
        for _ in self._building:
            pass

    @Slot(object)
    def complete_in_turns(self, _: object = None) -> None:
        """Make them one in a turn of the event loop, so that nobody waits for them."""
        if not self.closed:
            self._next.start()

    def show_screen(self, name: str) -> None:
        """Bring a screen to the front."""
        self.navigation.show_screen(name)

    def current_screen(self) -> Screen:
        return self.navigation.current()

    def open_paths(self, paths: list[Path]) -> None:
        """Open what was dropped or named."""
        self.files.open_paths(paths)

    def show_recovery(self, report: Path, session: Path | None) -> RecoveryBand:
        """Say that the last run ended badly, and offer what it had open."""
        return self.bands.show_recovery(report, session)

    @Slot(object)
    def take_over(self, paths: list[str]) -> None:
        """A later start came: to the front, with its files."""
        bring_to_front(self)
        self.open_paths([Path(path) for path in paths])

    def close_now(self) -> None:
        """Close without a question; returns when what runs has ended and the server is put back."""
        self._ending = True
        self.close()

    def ended_with(self) -> str:
        """Why the last experiment ended early, and what became of the server."""
        return self.screens.canary.ended_with() or self.screens.experiment.ended_with()

    def note_open_session(self) -> None:
        """Remember which session is open, for a start after an unexpected exit."""
        opened = self.workbench.opened
        self.workbench.settings.open_session = opened.path if opened else None

    @Slot()
    def apply_style(self) -> None:
        """Follow the theme: what is seen now, in two turns; another screen when it is shown."""
        dialogs = (dialog for dialog in self.findChildren(QDialog) if dialog.isVisible())
        for part in (
            self.menuBar(),
            self.rail,
            self.context,
            self.bands,
            self.statusBar(),
            *dialogs,
        ):
            apply_style(part)
        self._style_screen.start()

    @Slot()
    def _on_style_screen(self) -> None:
        self.current_screen().dress()

    # Qt's events

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.open_paths(paths)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.busy() and not self._ending:
            event.ignore()
            self._on_close_while_busy()
            return
        self.placement.save()
        self.workbench.settings.open_session = None
        self._next.stop()
        if self._complete:
            self.screens.tails.comparison.end()
        self.workbench.close()
        self.practice.end()
        self.closed = True
        event.accept()
        self.ended.emit()

    def _on_close_while_busy(self) -> None:
        """Go on without the window, or stop what runs and close once the server is put back."""
        answer = self.questions.how_to_close()
        if answer is Closing.BACKGROUND:
            self.background.go()
        elif answer is Closing.STOP:
            self._closing = True
            self.screens.experiment.stop()
            self.screens.canary.stop()
            self.workbench.runner.cancel_all()
            self.hide()

    @Slot()
    def _on_job_ended(self) -> None:
        if self._closing and not self.busy():
            self._closing = False
            QTimer.singleShot(0, self.close_now)

    @Slot()
    def _on_failed(self) -> None:
        """What went wrong while the window was on its way out must be seen."""
        if self._closing:
            self._closing = False
            bring_to_front(self)

    # How it is made

    def _make_frame(self) -> None:
        self.start = StartScreen(self.workbench)
        self.rail, self.pages = Rail(), QStackedWidget()
        self.navigation = Navigation(self.start, self.rail, self.pages, self.complete)
        self.context = ContextBar(self.workbench)
        self.bands = Bands(self.workbench, self.practice)
        self.alert, self.error_bar, self.notice = (
            self.bands.alert, self.bands.error_bar, self.bands.notice,
        )  # fmt: skip
        for name, do in (
            ("report", self.navigation.export_report),
            ("compare", self.navigation.compare),
            ("revert", self.navigation.revert_all),
            ("reload", self.navigation.reload),
            ("window", lambda: self.windowWanted.emit(None, "start")),
            ("quit", self.quitWanted),
        ):
            self.actions_[name].triggered.connect(do)

    def _build(self) -> Iterator[None]:
        """Make a screen in every turn, and at last what needs them all."""
        from ldap_workbench.gui.shell.background import Background
        from ldap_workbench.gui.shell.screens import Screens, make_screens

        made: dict[str, Any] = {self.start.name: self.start}
        for screen in make_screens(self.workbench, self.actions_, self.practice.offer(self)):
            self.pages.addWidget(screen)
            made[screen.name] = screen
            yield
        screens = self.screens = Screens(**made)
        vars(self).update(made)  # window.timeline, for whoever drives the window
        self.navigation.take(self.screens)
        self.background = Background(self.workbench, screens.experiment, self)
        self._make_undo()
        self.menus.complete()
        splitters = [screens.timeline.split, *screens.experiment.splits]
        splitters += [*screens.campaign.splits, *screens.canary.splits, screens.fleet.split]
        screens.fleet.hourWanted.connect(self.files.import_hour)
        self.placement.take(splitters, self.screens.panes().values())
        self.workbench.journal.reload()
        self._complete = True
        self.completed.emit()

    @Slot()
    def _on_next(self) -> None:
        if next(self._building, self) is self:
            self._next.stop()

    def _make_undo(self) -> None:
        from ldap_workbench.gui.shell.undo import PlanUndo

        self.undo = PlanUndo(self.screens.experiment)
        undo = self.undo.stack.createUndoAction(self, self.tr("&Undo"))
        undo.setShortcut("Ctrl+Z")
        redo = self.undo.stack.createRedoAction(self, self.tr("&Redo"))
        redo.setShortcut("Ctrl+Shift+Z")
        self.actions_.by_name |= {"undo": undo, "redo": redo}

    def _lay_out(self) -> None:
        right = column(self.context, self.bands, (self.pages, 1), spacing=0)
        middle = QWidget()
        row(self.rail, (right, 1), on=middle, margins=0, spacing=0)
        self.setCentralWidget(middle)
        self.setStatusBar(StatusBar(self.workbench, self.bands.messages))
        self.resize(1280, 860)

    def _connect(self) -> None:
        bench, start = self.workbench, self.start
        bench.screensNeeded.connect(self.complete)
        bench.sessionChanged.connect(self._on_session)
        bench.connectionChanged.connect(self._on_connection)
        bench.runner.jobEnded.connect(self._on_job_ended)
        bench.failed.connect(self._on_failed)
        self.bands.journalWanted.connect(lambda: self.show_screen("journal"))
        self.bands.sessionWanted.connect(bench.open_session)
        self.bands.lesson.testWanted.connect(self.navigation.try_lesson)
        self.rail.windowWanted.connect(self._on_window_wanted)
        self.navigation.possibleChanged.connect(self._on_place)
        start.openWanted.connect(self.files.choose)
        start.addServerWanted.connect(self.servers.add)
        start.editServerWanted.connect(self.servers.edit)
        self.servers.saved.connect(start.fill)
        start.connectWanted.connect(bench.connect_to)
        start.practiceWanted.connect(self.practice.start)
        start.filesWanted.connect(self.files.open_paths)
        if self._follower:
            self._follower.changed.connect(self.apply_style)
        self._on_connection()
        self._on_session()
        self.apply_style()

    # What happens

    @Slot()
    def _on_place(self) -> None:
        self.header.time_range.set_unused(self.current_screen().of_whole_windows)

    @Slot()
    def _on_session(self) -> None:
        opened = self.workbench.opened
        self.note_open_session()
        name = f"{opened.summary.name} – " if opened else ""
        self.setWindowTitle(f"{name}LDAP Tuning Workbench")
        if opened is None:
            return
        self.error_bar.hide()
        if self.current_screen().name in ("start", "capture", "experiment"):
            wanted = "overview" if self.current_screen().name != "experiment" else "experiment"
            self.show_screen(wanted)

    @Slot(object)
    def _on_window_wanted(self, place: Place) -> None:
        """This session, at a place, in a window of its own."""
        opened = self.workbench.opened
        self.windowWanted.emit(opened.path if opened else None, self.navigation.screen_of(place))

    @Slot()
    def _on_connection(self) -> None:
        connected = self.workbench.connection is not None
        if connected and self.current_screen().name == "start":
            self.show_screen("capture")

    def busy(self) -> bool:
        """Whether something runs that closing would cut short."""
        if not self._complete:
            return False
        made = self.screens
        screens = (made.capture, made.experiment, made.campaign, made.canary)
        return any(screen.running() for screen in screens)
