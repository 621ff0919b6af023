"""The main window: screens behind a rail, menus, the error bar, drag and drop."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from ldap_workbench.gui.capture.screen import CaptureScreen
from ldap_workbench.gui.connect.dialog import ProfileDialog
from ldap_workbench.gui.experiment.screen import ExperimentScreen
from ldap_workbench.gui.journal.screen import JournalScreen
from ldap_workbench.gui.knobs.screen import KnobsScreen
from ldap_workbench.gui.operations.screen import OperationsScreen
from ldap_workbench.gui.report.screen import ReportScreen
from ldap_workbench.gui.shell.about import AboutDialog, ShortcutsDialog
from ldap_workbench.gui.shell.actions import Actions, make_action
from ldap_workbench.gui.shell.commands import Commands
from ldap_workbench.gui.shell.crash import RecoveryBand
from ldap_workbench.gui.shell.files import SessionFiles
from ldap_workbench.gui.shell.menus import Menus
from ldap_workbench.gui.shell.notes import Notes
from ldap_workbench.gui.shell.palette import CommandPalette
from ldap_workbench.gui.shell.placement import Placement
from ldap_workbench.gui.shell.questions import Questions
from ldap_workbench.gui.shell.rail import Rail
from ldap_workbench.gui.shell.status import StatusBar
from ldap_workbench.gui.shell.undo import PlanUndo
from ldap_workbench.gui.start.practice import PracticeHost
from ldap_workbench.gui.start.screen import StartScreen
from ldap_workbench.gui.style.icons import program_icon
from ldap_workbench.gui.style.theme import ThemeFollower, dress
from ldap_workbench.gui.tails.screen import TailsScreen
from ldap_workbench.gui.timeline.screen import TimelineScreen
from ldap_workbench.gui.widgets.bands import AlertBar, ErrorBar, NoticeBar
from ldap_workbench.gui.widgets.panes import Panes
from ldap_workbench.gui.workbench import Workbench
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.model.profile import Profile


class MainWindow(QMainWindow):
    """Everything of one workbench."""

    def __init__(
        self,
        workbench: Workbench,
        follower: ThemeFollower | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.workbench = workbench
        self._follower = follower
        self._dress_screen = QTimer(self)
        self._dress_screen.setSingleShot(True)
        self._dress_screen.setInterval(0)
        self._dress_screen.timeout.connect(self._on_dress_screen)
        self._dialog: ProfileDialog | None = None
        self._ending = False
        self.closed = False
        self.setObjectName("main")
        self.setWindowIcon(program_icon())
        self.setAcceptDrops(True)
        self.files = SessionFiles(workbench, self)
        self.notes = Notes(workbench, self)
        self.actions_ = Actions()
        self._make_actions()
        self._make_screens()
        screens = (self.timeline, self.tails, self.operations, self.knobs)
        self.panes: dict[Screen, Panes] = {screen: screen.panes for screen in screens}
        self._make_undo()
        self.menus = Menus(self, follower)
        self.questions = Questions(self)
        self.commands = Commands(self)
        self._lay_out()
        self._connect()
        self._on_session()
        splitters = [self.timeline.split, *self.experiment.splits]
        self.placement = Placement(self, splitters, self.panes.values(), workbench.settings)
        self.actions_["reset"].triggered.connect(self.placement.reset)

    # What others ask of the window

    def screen_named(self, name: str) -> Screen:
        """A screen by its name: start, capture, timeline, tails, ..."""
        return next(screen for screen in self.screens if screen.name == name)

    def show_screen(self, name: str) -> None:
        """Bring a screen to the front."""
        self.rail.setCurrentRow([screen.name for screen in self.screens].index(name))

    def current_screen(self) -> Screen:
        return self.screens[self.rail.currentRow()]

    def open_paths(self, paths: list[Path]) -> None:
        """Open what was dropped or named."""
        self.files.open_paths(paths)

    def tell_of_crash(self, report: Path, session: Path | None) -> RecoveryBand:
        """Say that the last run ended badly, and offer what it had open."""
        band = RecoveryBand(report, session)
        band.sessionWanted.connect(self.workbench.open_session)
        self._band_rows.addWidget(band)
        band.show()
        return band

    @Slot(object)
    def take_over(self, paths: list[str]) -> None:
        """A later start came: to the front, with its files."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.raise_()
        self.activateWindow()
        self.open_paths([Path(path) for path in paths])

    def close_now(self) -> None:
        """Close without a question; returns when what runs has ended and the server is put back."""
        self._ending = True
        self.close()

    def add_server(self, profile: Profile | None = None) -> ProfileDialog:
        """Open the dialog for a new or a known server; does not wait for it."""
        self._dialog = ProfileDialog(self.workbench, profile, self)
        self._dialog.finished.connect(self._on_profile_dialog)
        self._dialog.open()
        return self._dialog

    @Slot()
    def dress(self) -> None:
        """Follow the theme: what is seen now, in two turns; another screen when it is shown."""
        dialogs = (each for each in self.findChildren(QDialog) if each.isVisible())
        for part in (self.rail, self._bands, self.statusBar(), *dialogs):
            dress(part)
        self._dress_screen.start()

    @Slot()
    def _on_dress_screen(self) -> None:
        dress(self.current_screen())

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
        if self.busy() and not self._ending and not self.questions.really_close():
            event.ignore()
            return
        self.placement.save()
        self.workbench.settings.open_session = None
        self.tails.comparison.end()
        self.workbench.close()
        self.practice.end()
        self.closed = True
        event.accept()

    # How it is made

    def _make_actions(self) -> None:
        make = partial(make_action, self)
        self.actions_.by_name = {
            "open": make(self.tr("&Open a session …"), self.files.choose, "Ctrl+O"),
            "logs": make(self.tr("Read &logs …"), self.files.choose_logs, "Ctrl+L"),
            "save": make(self.tr("&Save a copy as …"), self.files.save_copy, "Ctrl+Shift+S"),
            "notes": make(self.tr("&Notes …"), self.notes.ask, "Ctrl+Shift+N"),
            "close": make(self.tr("&Close the session"), self.workbench.close_session, "Ctrl+W"),
            "report": make(self.tr("&Export the report …"), self._on_report, "Ctrl+E"),
            "compare": make(self.tr("Co&mpare two sessions …"), self._on_compare),
            "quit": make(self.tr("&Quit"), self.close, "Ctrl+Q"),
            "add": make(self.tr("&Add a server …"), lambda: self.add_server(), "Ctrl+N"),
            "disconnect": make(self.tr("&Disconnect"), self.workbench.disconnect_server),
            "revert": make(self.tr("&Revert all open changes …"), self._on_revert),
            "read_only": make(self.tr("Read-&only: never change a server"), None),
            "everything": make(
                self.tr("Whole &windows again"), self.workbench.stretch.clear, "Ctrl+0"
            ),
            "reset": make(self.tr("Reset the la&yout"), None),
            "reload": make(self.tr("&Read again"), self._on_reload, "F5"),
            "palette": make(self.tr("&Commands …"), self._on_palette, "Ctrl+Shift+P", "Ctrl+K"),
            "shortcuts": make(self.tr("&Shortcuts"), self._on_shortcuts, "F1"),
            "about": make(self.tr("&About"), self._on_about),
        }
        read_only = self.actions_["read_only"]
        read_only.setCheckable(True)
        read_only.setChecked(self.workbench.read_only)
        read_only.toggled.connect(self.workbench.set_read_only)

    def _make_screens(self) -> None:
        bench = self.workbench
        to_session = [self.actions_["open"], self.actions_["logs"], self.actions_["add"]]
        self.practice = PracticeHost(bench, self)
        to_server = [self.actions_["add"], self.practice.offer(self), self.actions_["open"]]
        self.start = StartScreen(bench)
        self.capture = CaptureScreen(bench, to_server)
        self.timeline = TimelineScreen(bench, to_session)
        self.tails = TailsScreen(bench, [*to_session, self.actions_["compare"]])
        self.operations = OperationsScreen(bench, to_session)
        self.knobs = KnobsScreen(bench, to_server)
        self.experiment = ExperimentScreen(bench, to_server)
        self.journal = JournalScreen(bench, [])
        self.report = ReportScreen(bench, to_session)
        self.screens: list[Screen] = [
            self.start, self.capture, self.timeline, self.tails, self.operations,
            self.knobs, self.experiment, self.journal, self.report,
        ]  # fmt: skip

    def _make_undo(self) -> None:
        self.undo = PlanUndo(self.experiment)
        undo = self.undo.stack.createUndoAction(self, self.tr("&Undo"))
        undo.setShortcut("Ctrl+Z")
        redo = self.undo.stack.createRedoAction(self, self.tr("&Redo"))
        redo.setShortcut("Ctrl+Shift+Z")
        self.actions_.by_name |= {"undo": undo, "redo": redo}

    def rail_to(self, row: int) -> None:
        """Bring the screen of a row to the front."""
        self.rail.setCurrentRow(row)

    def _lay_out(self) -> None:
        self.rail = Rail()
        self.pages = QStackedWidget()
        for screen in self.screens:
            self.pages.addWidget(screen)
        self.error_bar = ErrorBar()
        self.alert = AlertBar(self.tr("Look and revert"))
        bands = QVBoxLayout()
        bands.setContentsMargins(20, 12, 20, 0)
        bands.addWidget(self.alert)
        bands.addWidget(self.error_bar)
        self.notice = NoticeBar()
        bands.addWidget(self.notice)
        self._bands, self._band_rows = QWidget(), bands
        self._bands.setLayout(bands)
        right = QVBoxLayout()
        right.setSpacing(0)
        right.addWidget(self._bands)
        right.addWidget(self.pages, 1)
        middle = QWidget()
        row = QHBoxLayout(middle)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.rail)
        row.addLayout(right, 1)
        self.setCentralWidget(middle)
        self.setStatusBar(StatusBar(self.workbench))
        self.rail.set_screens(self.screens, [screen.short_title for screen in self.screens])
        self.resize(1280, 860)

    def _connect(self) -> None:
        bench = self.workbench
        self.rail.chosen.connect(self._on_screen)
        bench.sessionChanged.connect(self._on_session)
        bench.connectionChanged.connect(self._on_connection)
        bench.journalChanged.connect(self._on_journal)
        bench.stretch.changed.connect(self._on_stretch)
        bench.failed.connect(self.error_bar.show_error)
        bench.noticed.connect(self.notice.show_notice)
        self.alert.pressed.connect(lambda: self.show_screen("journal"))
        self.start.openWanted.connect(self.files.choose)
        self.start.addServerWanted.connect(lambda: self.add_server())
        self.start.editServerWanted.connect(self.add_server)
        self.start.connectWanted.connect(bench.connect_to)
        self.start.practiceWanted.connect(self.practice.start)
        self.start.filesWanted.connect(self.files.open_paths)
        self.knobs.settingWanted.connect(self._on_setting)
        self.knobs.adviceWanted.connect(self.experiment.findings.shown)
        self.experiment.findings.adviceFound.connect(self.knobs.set_advice)
        self.experiment.momentWanted.connect(self._on_moment)
        self.experiment.operationsWanted.connect(self._on_operations)
        self.experiment.reportWanted.connect(lambda: self.show_screen("report"))
        self.experiment.revertWanted.connect(self.journal.revert_group)
        self.experiment.runningChanged.connect(lambda _: self._on_journal())
        if self._follower:
            self._follower.changed.connect(self.dress)
        self._on_connection()
        self._on_stretch()
        self.dress()
        bench.reload_journal()

    # What happens

    @Slot(int)
    def _on_screen(self, row: int) -> None:
        if 0 <= row < len(self.screens):
            dress(self.screens[row])
            self.pages.setCurrentIndex(row)
            self.screens[row].shown()

    @Slot()
    def _on_session(self) -> None:
        opened = self.workbench.opened
        self.workbench.settings.open_session = opened.path if opened else None
        name = f"{opened.summary.name} – " if opened else ""
        self.setWindowTitle(f"{name}LDAP Tuning Workbench")
        for action in ("save", "notes", "close", "report"):
            self.actions_[action].setEnabled(opened is not None)
        if opened is None:
            return
        self.error_bar.hide()
        if self.current_screen().name in ("start", "capture", "experiment"):
            wanted = "tails" if self.current_screen().name != "experiment" else "experiment"
            self.show_screen(wanted)

    @Slot()
    def _on_stretch(self) -> None:
        self.actions_["everything"].setEnabled(self.workbench.stretch.now is not None)

    @Slot()
    def _on_connection(self) -> None:
        connected = self.workbench.connection is not None
        for action in ("disconnect", "revert"):
            self.actions_[action].setEnabled(connected)
        if connected and self.current_screen().name == "start":
            self.show_screen("capture")

    @Slot()
    def _on_journal(self) -> None:
        known = self.workbench.open_changes()
        changes = [change for change in known if not self.experiment.makes(change)]
        if not changes:
            self.alert.hide()
            return
        servers = sorted({change.server for change in changes})
        knobs = ", ".join(sorted({change.knob for change in changes}))
        one = self.tr("You have an open change on {servers}: revert?")
        words = one if len(changes) == 1 else self.tr("You have open changes on {servers}: revert?")
        self.alert.say(
            words.format(servers=", ".join(servers)),
            self.tr("{knobs} may not be as it was before.").format(knobs=knobs),
        )
        self.alert.show()

    @Slot(int)
    def _on_profile_dialog(self, result: int) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is None:
            return
        if result and dialog.profile:
            self.start.fill()
            if dialog.connect_now:
                self.workbench.connect_to(dialog.profile)
        dialog.deleteLater()

    @Slot(str)
    def _on_setting(self, setting: str) -> None:
        self.show_screen("experiment")
        self.experiment.add_setting(setting)

    @Slot(object, object, str)
    def _on_moment(self, from_ns: int, to_ns: int, strip: str) -> None:
        self.timeline.show_stretch(from_ns, to_ns, strip)
        self.show_screen("timeline")

    @Slot(object, object)
    def _on_operations(self, from_ns: int, to_ns: int) -> None:
        self.workbench.stretch.choose(from_ns, to_ns)
        self.show_screen("operations")

    @Slot()
    def _on_compare(self) -> None:
        self.show_screen("tails")
        self.tails.comparison.ask()

    @Slot()
    def _on_report(self) -> None:
        self.show_screen("report")
        self.report.export(".html")

    @Slot()
    def _on_revert(self) -> None:
        self.show_screen("journal")
        self.journal.revert_all()

    @Slot()
    def _on_reload(self) -> None:
        self.current_screen().reload()

    @Slot()
    def _on_palette(self) -> None:
        palette = CommandPalette([*self.actions_.by_name.values(), *self.commands.actions()], self)
        if palette.exec() and (action := palette.chosen()):
            action.trigger()

    @Slot()
    def _on_shortcuts(self) -> None:
        ShortcutsDialog(self.actions_.shortcuts(), self).exec()

    @Slot()
    def _on_about(self) -> None:
        AboutDialog(self).exec()

    def busy(self) -> bool:
        """Whether something runs that closing would cut short."""
        return self.capture.running() or self.experiment.running()
