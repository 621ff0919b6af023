"""The list of places, and how one screen leads to another.

The window is there before its screens: Home alone is made with it. The rest follows at once, or
as soon as somebody asks for one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QMouseEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QMenu, QStackedWidget

from ldap_workbench.gui.parts.style.icons import icon
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.screens.start.screen import StartScreen
from ldap_workbench.gui.workbench.places import PLACE_OF, PLACES, Group, Place
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.model.message import Message
from ldap_workbench.model.operation_filter import OperationFilter

if TYPE_CHECKING:
    from ldap_workbench.experiment.history import Tried
    from ldap_workbench.gui.screens.experiment.screen import ExperimentScreen
    from ldap_workbench.gui.screens.series.screen import SeriesScreen
    from ldap_workbench.gui.shell.screens import Screens
    from ldap_workbench.model.finding import Advice
    from ldap_workbench.model.knob import Setting
    from ldap_workbench.practice.model.scenario import Scenario

_FIRST_STEP = 0
"""Of every kind of test: what is tried."""
_SELECTABLE = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class Rail(QListWidget):
    """The places in their groups.

    *Signals:* chosen(Place), windowWanted(Place) of a place in a new window.
    """

    chosen = Signal(object)
    windowWanted = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("rail")
        self.setAccessibleName(self.tr("Places"))
        self.setIconSize(QSize(20, 20))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._items: dict[Place, QListWidgetItem] = {}
        for group in (Group.HOME, Group.SERVER, Group.SESSION):
            self._add_group(group)
        self._fit()
        self.currentItemChanged.connect(self._on_item)

    def _add_group(self, group: Group) -> None:
        if group.value:
            heading = QListWidgetItem(shown(group.value).upper(), self)
            heading.setFlags(Qt.ItemFlag.NoItemFlags)
            font = self.font()
            font.setPointSizeF(0.8 * font.pointSizeF())
            heading.setFont(font)
        for place in PLACES:
            if place.group is group:
                self._items[place] = QListWidgetItem(icon(place.icon), shown(place.title), self)

    def show_place(self, place: Place) -> None:
        """Mark where the window is; nothing for a place of the header."""
        with QSignalBlocker(self):
            item = self._items.get(place)
            self.setCurrentRow(self.row(item) if item else -1)

    def set_possible(self, may_show: Callable[[Place], bool]) -> None:
        """Grey the places that have nothing to show."""
        for place, item in self._items.items():
            item.setFlags(_SELECTABLE if may_show(place) else Qt.ItemFlag.NoItemFlags)

    def _on_item(self, item: QListWidgetItem | None) -> None:
        if place := self._place(item):
            self.chosen.emit(place)

    def _place(self, item: QListWidgetItem | None) -> Place | None:
        return next((place for place, own in self._items.items() if own is item), None)

    def _fit(self) -> None:
        """As wide as the longest title in this language and style."""
        letter = self.fontMetrics().averageCharWidth()
        border = self.contentsMargins().right()
        self.setFixedWidth(max(self.sizeHintForColumn(0) + letter + border, 23 * letter))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The right button asks for the menu of a place, and leaves the one in front there."""
        if event.button() is Qt.MouseButton.RightButton:
            return
        before = self.currentItem()
        super().mousePressEvent(event)
        if self.itemAt(event.position().toPoint()) is before:
            self._on_item(before)  # Qt tells of another one only

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Keep the current item: Qt takes the first where none is, as for a place of the header."""
        before = self.currentRow()
        with QSignalBlocker(self):
            super().focusInEvent(event)
            self.setCurrentRow(before)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Of the place under the mouse, or of the one in front where a key asks."""
        by_key = event.reason() is QContextMenuEvent.Reason.Keyboard
        item = self.currentItem() if by_key else self.itemAt(event.pos())
        place = self._place(item)
        if item is None or place is None or not item.flags():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = self.tr("&Open in a new window")
        menu.addAction(words).triggered.connect(lambda: self.windowWanted.emit(place))
        menu.popup(self.mapToGlobal(self.visualItemRect(item).center()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._fit()
        if event.type() == QEvent.Type.PaletteChange:
            for place, item in self._items.items():
                item.setIcon(icon(place.icon))


class Navigation(QObject):
    """Brings screens to the front, also when one screen asks for another.

    `complete` makes the screens that are not there yet, and hands them to `take`.

    *Signals:* possibleChanged(), which places have something to show
    """

    possibleChanged = Signal()

    def __init__(
        self, start: StartScreen, rail: Rail, pages: QStackedWidget, complete: Callable[[], None]
    ) -> None:
        super().__init__(pages)
        self._start, self._complete = start, complete
        self._made: Screens | None = None
        self._rail, self._pages = rail, pages
        self._name = start.name
        self._last = {place: place.tabs[0].name for place in PLACES}
        self._verdict_of: Path | None = None
        """The session that was opened for its verdict, until a session is open."""
        self._to_experiment = single_shot(self, self._on_experiment)
        pages.addWidget(start)
        start.tabWanted.connect(self._on_tab)
        rail.show_place(PLACE_OF[start.name])
        rail.chosen.connect(self.show_place)
        for changed in (start.workbench.sessionChanged, start.workbench.connectionChanged):
            changed.connect(self.refresh)
        self.refresh()

    @property
    def screens(self) -> Screens:
        """All of them; made now where they are not there yet."""
        if self._made is None:
            self._complete()
        assert self._made is not None
        return self._made

    def take(self, screens: Screens) -> None:
        """From now on these are there."""
        from ldap_workbench.gui.screens.experiment.stepper import CHANGE, VERDICT

        self._made = screens
        # After the screens, which look at the session first.
        self._start.workbench.sessionChanged.connect(self._on_session)
        for screen in screens:
            if screen is not self._start:
                screen.tabWanted.connect(self._on_tab)
        screens.overview.verdictWanted.connect(partial(self._go_to_step, VERDICT))
        screens.overview.testWanted.connect(partial(self._go_to_step, CHANGE))
        screens.overview.operationsWanted.connect(self._on_words)
        screens.operations.indexKeysWanted.connect(self._on_index_keys)
        screens.knobs.settingWanted.connect(self._on_setting)
        screens.timeline.filter_bar.operationsWanted.connect(self._on_operations)
        findings = screens.overview.findings
        findings.momentWanted.connect(self._on_moment)
        findings.operationsWanted.connect(self._on_operations)
        findings.adviceWanted.connect(self._on_advice)
        findings.seenChanged.connect(lambda seen: screens.knobs.set_advice(seen.advice))
        screens.knobs.adviceWanted.connect(findings.read_once)
        screens.tests.newWanted.connect(self._on_new_test)
        screens.tests.testWanted.connect(self._on_test)
        screens.experiment.reportWanted.connect(lambda: self.show_screen("report"))
        screens.experiment.revertWanted.connect(screens.journal.revert_group)

    def show_screen(self, name: str) -> None:
        """Bring a screen to the front."""
        if name == self._name:
            return
        screen = self._start if name == self._start.name else self.screens.named(name)
        self._name = name
        place = PLACE_OF[name]
        self._last[place] = name
        self.refresh()
        self._rail.show_place(place)
        screen.dress()
        self._pages.setCurrentWidget(screen)
        screen.shown()

    def show_place(self, place: Place) -> None:
        """Bring a place to the front as it was last seen; if it is there, its first screen."""
        if PLACE_OF[self._name] is place:
            self.show_first(place)
        else:
            self.show_screen(self.screen_of(place))

    def show_first(self, place: Place) -> None:
        """Bring the first screen of a place to the front."""
        self.show_screen(place.tabs[0].name)

    def screen_of(self, place: Place) -> str:
        """The screen of a place that was seen last."""
        return self._last[place]

    def current(self) -> Screen:
        """The screen in front."""
        return self._start if self._made is None else self._made.named(self._name)

    def may_show(self, place: Place) -> bool:
        """Whether a place has something to show, or is the one in front."""
        bench = self._start.workbench
        served, opened = bench.connection is not None, bench.opened is not None
        # Stored campaigns show without a server, and one replica at a time connects itself.
        if place in (PLACE_OF[self._name], PLACE_OF["experiment"]):
            return True
        # A session has settings of its own, and a server answers some findings without one.
        if place in (PLACE_OF["knobs"], PLACE_OF["overview"]):
            return served or opened
        if place.group is Group.SESSION or place is PLACE_OF["report"]:
            return opened
        return served or place.group is not Group.SERVER

    @Slot()
    def refresh(self) -> None:
        """Offer the places that have something to show now."""
        self._rail.set_possible(self.may_show)
        self.possibleChanged.emit()

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

    @Slot(str)
    def _on_tab(self, name: str) -> None:
        self.show_screen(name)
        self.current().focus_heading()

    def _go_to_step(self, step: int) -> None:
        """A step of the experiment."""
        # In a turn before it is shown: both together are felt.
        self.screens.experiment.go_to(step)
        self.screens.experiment.dress()
        self._to_experiment.start()

    @Slot()
    def _on_experiment(self) -> None:
        self.show_screen("experiment")

    @Slot(str)
    def _on_words(self, words: str) -> None:
        self.screens.operations.finder.put(words, "")
        self.show_screen("operations")

    @Slot(str)
    def _on_new_test(self, kind: str) -> None:
        """Plan one: the first step of its screen, unless one runs there."""
        name = "campaign" if kind == "levels" else kind
        self.show_screen(name)
        screen = self._testing(name)
        if screen.running():
            return
        queue = self.screens.campaign.queue.queue
        if name == "campaign" and not queue.candidates:  # another mode would empty it
            queue.ladder.setChecked(kind == "levels")
        screen.go_to(_FIRST_STEP)

    @Slot(object)
    def _on_test(self, tried: Tried) -> None:
        """Where it is worked on; one that is done is opened, and then its verdict shown."""
        from ldap_workbench.figures.overview.history import OpenTest

        if not isinstance(tried, OpenTest):
            self._verdict_of = Path(tried.session)
            self._start.workbench.open_session(self._verdict_of)
            return
        kinds = ("experiment", "campaign", "canary")
        runs = (kind for kind in kinds if self._testing(kind).running())
        self.show_screen(tried.kind or next(runs, "experiment"))
        series = {"campaign": self.screens.campaign, "canary": self.screens.canary}.get(tried.kind)
        if series is not None:
            series.show_series(Path(tried.session))

    @Slot()
    def _on_session(self) -> None:
        """Show the verdict of a test that was opened from the list; else its summary."""
        if (opened := self._start.workbench.opened) is None:
            return
        wanted, self._verdict_of = self._verdict_of, None
        if wanted == opened.path:
            from ldap_workbench.gui.screens.experiment.stepper import VERDICT

            if self.screens.experiment.show_verdict():
                self._go_to_step(VERDICT)
            else:
                self.show_screen("overview")

    def _testing(self, name: str) -> ExperimentScreen | SeriesScreen:
        screen: ExperimentScreen | SeriesScreen = getattr(self.screens, name)
        return screen

    @Slot()
    def _on_index_keys(self) -> None:
        self.show_screen("capture")
        self.screens.capture.prepare_index_keys()

    @Slot(object)
    def _on_advice(self, advice: Advice) -> None:
        self.show_screen("experiment")
        self.screens.experiment.try_advice(advice)

    @Slot(object)
    def try_lesson(self, lesson: Scenario) -> None:
        """Plan what the answer of a lesson says."""
        self.show_screen("experiment")
        self.screens.experiment.try_treatment(lesson.treatment, lesson.primary)

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
