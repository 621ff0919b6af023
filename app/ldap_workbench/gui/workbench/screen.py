"""The base of a screen: a title, its tools beside it, a body; and of one that shows a session."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QTabBar, QWidget

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.widgets.buttons import link_button
from ldap_workbench.gui.parts.widgets.empty import EmptyState
from ldap_workbench.gui.parts.widgets.flow import FlowLayout
from ldap_workbench.gui.parts.widgets.labels import ElidedLabel, label
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.parts.widgets.pages import Pages
from ldap_workbench.gui.workbench.open_session import OpenSession
from ldap_workbench.gui.workbench.places import PLACE_OF, TABS
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.message import Message


class Screen(QWidget):
    """One page of the main window; `name` is its key in the registry of places.

    *Signals:* tabWanted(str), the name of another screen of its place
    """

    name = ""
    of_whole_windows = False
    """Whether a time range that is chosen does not narrow what it shows."""
    tabWanted = Signal(str)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self.workbench = workbench
        self.setObjectName(self.name)
        self._names = [tab.name for tab in PLACE_OF[self.name].tabs if not tab.within]
        self._heading = self._make_heading()
        self._back = link_button("", on_click=lambda: self.tabWanted.emit(self._names[0]))
        self._back.setText(f"‹ {shown(PLACE_OF[self.name].title)}")
        self._back.setVisible(TABS[self.name].within)
        self._subtitle = ElidedLabel()
        self._toolbar = QWidget()
        self._tools = FlowLayout(self._toolbar, at=Qt.AlignmentFlag.AlignRight)
        self._pages = Pages()
        self._reading = label("", "dim")
        self._reading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pages.add(self._reading)
        self._lay_out()

    def heading(self) -> str:
        """What is read at its top: its title, or the tab that is in front."""
        if isinstance(self._heading, QTabBar):
            return self._heading.tabText(self._heading.currentIndex())
        return self._heading.text()

    def set_heading(self, text: str) -> None:
        """Say otherwise what it is at the moment; a screen beside others is named by its tab."""
        assert isinstance(self._heading, QLabel)
        self._heading.setText(text)

    def focus_heading(self) -> None:
        """Let the keys go on through the tabs of its place."""
        self._heading.setFocus()

    def empty_state(self, actions: Sequence[QAction]) -> EmptyState:
        """What stands here while there is nothing to show: why, and what leads on."""
        tab, icon = TABS[self.name], PLACE_OF[self.name].icon
        return EmptyState(icon, shown(tab.lacks), shown(tab.empty), actions)

    def add_bodies(self, first: QWidget, *others: QWidget) -> None:
        """Take in all pages and show the first: one without a parent would outlive the window."""
        for body in (first, *others):
            self._pages.add(body)
        self.show_body(first)

    def show_body(self, widget: QWidget) -> None:
        """Show one of the pages: the screen at work, or an empty state, which has its own tools."""
        self._pages.show_page(widget)
        self._toolbar.setHidden(isinstance(widget, EmptyState))

    def show_reading(self, text: str) -> None:
        """Say what is being read in place of the charts of something else."""
        self._reading.setText(text)
        self.show_body(self._reading)

    def add_tool(self, widget: QWidget) -> None:
        """Put a control to the right of the title; an empty screen has none."""
        self._tools.addWidget(widget)

    def add_field(self, words: QLabel, field: QWidget) -> None:
        """Put a field to the right of the title; its label is never parted from it."""
        words.setBuddy(field)
        both = QWidget()
        row(words, field, on=both, margins=0)
        self.add_tool(both)

    def set_subtitle(self, text: str) -> None:
        """The line below the title: which server, which windows."""
        self._subtitle.set_whole(text)
        self._subtitle.setVisible(bool(text))

    def dress(self) -> None:
        """Take on the look of the present theme. Called when it is about to be seen."""
        apply_style(self)

    def dress_apart(self, *parts: QWidget) -> None:
        """Dress the title, its tools and these parts of the body, and nothing else."""
        frame = (self._back, self._heading, self._subtitle, self._toolbar, self._reading)
        for part in (*frame, self._pages.verticalScrollBar(), *parts):
            apply_style(part)

    def shown(self) -> None:
        """Called when the screen comes to the front."""

    def reload(self) -> None:
        """F5: read again what the screen shows."""

    def _make_heading(self) -> QLabel | QTabBar:
        """Its title; or the screens of its place as tabs, always on this one."""
        place = PLACE_OF[self.name]
        if len(self._names) == 1:
            return label(shown(TABS[self.name].title), "title")
        tabs = QTabBar()
        tabs.setProperty("role", "title")
        tabs.setExpanding(False)
        tabs.setUsesScrollButtons(False)
        tabs.setElideMode(Qt.TextElideMode.ElideRight)
        tabs.setAccessibleName(shown(place.title))
        for name in self._names:
            tabs.addTab(shown(TABS[name].title))
        tabs.setCurrentIndex(self._names.index(self.name))
        tabs.currentChanged.connect(partial(self._on_tab, tabs))
        return tabs

    def _on_tab(self, tabs: QTabBar, index: int) -> None:
        """The other screen comes to the front, with tabs of its own."""
        with QSignalBlocker(tabs):
            tabs.setCurrentIndex(self._names.index(self.name))
        self.tabWanted.emit(self._names[index])

    def _lay_out(self) -> None:
        # Below the tools, not beside them: many tools would leave it no room.
        line = row(self._back, self._heading, (self._toolbar, 1), spacing=10)
        top = column(line, self._subtitle, spacing=2)
        self._subtitle.hide()
        column(top, (self._pages, 1), on=self, margins=(20, 14, 20, 14), spacing=12)


class SessionScreen(Screen):
    """It shows the open session, or says that there is none; read when it is seen and stale.

    A subclass makes `_empty` and `_body`, reads in `_ask`, and sets `_stale` to False once that
    has begun. `_clear` forgets the last session, `_begin` takes the windows of a new one.
    """

    _empty: EmptyState
    _body: QWidget

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self._stale = True
        workbench.sessionChanged.connect(self._on_session)

    def shown(self) -> None:
        if self._stale:
            self._ask()

    def reload(self) -> None:
        self._ask()

    @Slot()
    def outdate(self) -> None:
        """What is shown is no longer what is wanted: read now if it is seen, else later."""
        self._stale = True
        if self.isVisible():
            self._ask()

    def _ask(self) -> None:
        """Read what is to be shown, in the session's thread."""
        raise NotImplementedError

    def _clear(self) -> None:
        """Forget what was read from the session before."""

    def _begin(self, opened: OpenSession) -> None:
        """Get ready for a session that was opened."""
        self.show_body(self._body)

    @Slot(object)
    def _on_unread(self, error: Exception) -> None:
        """Say in place of the body that the session could not be read, and why in the error bar."""
        self.show_reading(shown(Message("This session could not be read.")))
        self.workbench.fail(error)

    @Slot()
    def _on_session(self) -> None:
        opened = self.workbench.opened
        self._clear()
        self.set_subtitle(shown(opened.summary.headline()) if opened else "")
        if opened is None:
            self._stale = True
            self.show_body(self._empty)
            return
        self._begin(opened)
        self.outdate()
