"""The list of screens, and how one leads to another.

The window is there before its screens: Start alone is made with it. The rest follows at once, or
as soon as somebody asks for one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QStackedWidget

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.screens.start.screen import StartScreen
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.model.message import Message
from ldap_workbench.model.operation_filter import OperationFilter

if TYPE_CHECKING:
    from ldap_workbench.figures.operations.clients import ClientRow
    from ldap_workbench.gui.shell.screens import Screens
    from ldap_workbench.model.finding import Advice
    from ldap_workbench.model.knob import Setting

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QMenu

from ldap_workbench.gui.parts.style.icons import icon


class Rail(QListWidget):
    """*Signals:* chosen(int), windowWanted(int) of a screen in a new window."""

    chosen = Signal(int)
    windowWanted = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setAccessibleName(self.tr("Screens"))
        self.setIconSize(QSize(20, 20))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._icons: list[str] = []
        self.currentRowChanged.connect(self.chosen)

    def set_screens(self, icons: Sequence[str], titles: Sequence[str]) -> None:
        """List these."""
        self._icons = list(icons)
        for name, title in zip(self._icons, titles, strict=True):
            self.addItem(QListWidgetItem(icon(name), title))
        self.setCurrentRow(0)
        self._fit()

    def _fit(self) -> None:
        """As wide as the longest title in this language and style."""
        letter = self.fontMetrics().averageCharWidth()
        border = self.contentsMargins().right()
        self.setFixedWidth(max(self.sizeHintForColumn(0) + letter + border, 23 * letter))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The right button asks for the menu of a screen, and leaves the one in front there."""
        if event.button() is not Qt.MouseButton.RightButton:
            super().mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Of the screen under the mouse, or of the one in front where a key asks."""
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        row = self.currentRow() if by_key else self.indexAt(event.pos()).row()
        if row < 0:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = self.tr("&Open in a new window")
        menu.addAction(words).triggered.connect(lambda: self.windowWanted.emit(row))
        menu.popup(self.mapToGlobal(self.visualItemRect(self.item(row)).center()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._fit()
        if event.type() == QEvent.Type.PaletteChange:
            for row, name in enumerate(self._icons):
                self.item(row).setIcon(icon(name))


SCREENS = {
    "start": Message("Start"),
    "capture": Message("Capture"),
    "overview": Message("Overview"),
    "findings": Message("Findings"),
    "timeline": Message("Timeline"),
    "tails": Message("Tails"),
    "operations": Message("Operations"),
    "clients": Message("Clients"),
    "knobs": Message("Knobs"),
    "experiment": Message("Experiment"),
    "campaign": Message("Campaign"),
    "canary": Message("Canary"),
    "journal": Message("Journal"),
    "history": Message("History"),
    "fleet": Message("Fleet"),
    "report": Message("Report"),
}
"""Top to bottom, as the rail lists them: the key of each, which also names its icon, and what the
rail and the menu call it."""


class Navigation(QObject):
    """Brings screens to the front, also when one screen asks for another.

    `complete` makes the screens that are not there yet, and hands them to `take`.
    """

    def __init__(
        self, start: StartScreen, rail: Rail, pages: QStackedWidget, complete: Callable[[], None]
    ) -> None:
        super().__init__(pages)
        self._start, self._complete = start, complete
        self._made: Screens | None = None
        self._rail, self._pages = rail, pages
        self._to_experiment = single_shot(self, self._on_experiment)
        pages.addWidget(start)
        rail.set_screens(tuple(SCREENS), [shown(title) for title in SCREENS.values()])
        rail.chosen.connect(self._on_chosen)

    @property
    def screens(self) -> Screens:
        """All of them; made now where they are not there yet."""
        if self._made is None:
            self._complete()
        assert self._made is not None
        return self._made

    def take(self, screens: Screens) -> None:
        """From now on these are there."""
        self._made = screens
        screens.overview.wanted.connect(self._on_wanted)
        screens.overview.operationsWanted.connect(self._on_words)
        screens.clients.operationsOfWanted.connect(self._on_client)
        screens.operations.indexKeysWanted.connect(self._on_index_keys)
        screens.knobs.settingWanted.connect(self._on_setting)
        screens.timeline.filter_bar.operationsWanted.connect(self._on_operations)
        findings = screens.findings.page
        findings.momentWanted.connect(self._on_moment)
        findings.operationsWanted.connect(self._on_operations)
        findings.adviceWanted.connect(self._on_advice)
        findings.adviceFound.connect(screens.knobs.set_advice)
        screens.knobs.adviceWanted.connect(findings.shown)
        screens.experiment.reportWanted.connect(lambda: self.show_screen("report"))
        screens.experiment.revertWanted.connect(screens.journal.revert_group)

    def show_screen(self, name: str) -> None:
        """Bring a screen to the front."""
        self._rail.setCurrentRow(list(SCREENS).index(name))

    def current(self) -> Screen:
        """The screen in front."""
        return self._start if self._made is None else self._made[self._rail.currentRow()]

    @Slot()
    def compare(self) -> None:
        """Ask for two sessions to compare."""
        self.show_screen("tails")
        self.screens.tails.comparison.ask()

    @Slot()
    def export_report(self) -> None:
        """Ask where to write the report."""
        self.show_screen("report")
        self.screens.report.export(".html")

    @Slot()
    def revert_all(self) -> None:
        """Offer to revert all open changes."""
        self.show_screen("journal")
        self.screens.journal.revert_all()

    @Slot()
    def reload(self) -> None:
        """Refresh the screen in front."""
        self.current().reload()

    @Slot(int)
    def _on_chosen(self, row: int) -> None:
        if 0 <= row < len(SCREENS):
            screen = self._start if row == 0 else self.screens[row]
            screen.dress()
            self._pages.setCurrentIndex(row)
            screen.shown()

    @Slot(str)
    def _on_wanted(self, name: str) -> None:
        """A way from the overview: a screen, or a step of the experiment."""
        from ldap_workbench.gui.screens.experiment.stepper import CHANGE, VERDICT

        step = {"verdict": VERDICT, "experiment": CHANGE}.get(name)
        if step is None:
            self.show_screen(name)
            return
        # In a turn before it is shown: both together are felt.
        self.screens.experiment.go_to(step)
        self.screens.experiment.dress()
        self._to_experiment.start()

    @Slot()
    def _on_experiment(self) -> None:
        self.show_screen("experiment")

    @Slot(object)
    def _on_client(self, row: ClientRow) -> None:
        from ldap_workbench.figures.operations.clients import words_of

        self.screens.operations.finder.put(words_of(row), "")
        self.show_screen("operations")

    @Slot(str)
    def _on_words(self, words: str) -> None:
        self.screens.operations.finder.put(words, "")
        self.show_screen("operations")

    @Slot()
    def _on_index_keys(self) -> None:
        self.show_screen("capture")
        self.screens.capture.prepare_index_keys()

    @Slot(object)
    def _on_advice(self, advice: Advice) -> None:
        self.show_screen("experiment")
        self.screens.experiment.try_advice(advice)

    @Slot(object)
    def _on_setting(self, setting: Setting) -> None:
        self.show_screen("experiment")
        self.screens.experiment.add_setting(setting)

    @Slot(object, object, object, object)
    def _on_moment(
        self, from_ns: int, to_ns: int, strip: Message, which: OperationFilter | None
    ) -> None:
        self.screens.timeline.show_time_range(from_ns, to_ns, strip, which)
        self.show_screen("timeline")

    @Slot(object)
    def _on_operations(self, which: OperationFilter) -> None:
        self.screens.operations.show_filter(which)
        self.show_screen("operations")
