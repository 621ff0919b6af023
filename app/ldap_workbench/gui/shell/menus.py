"""The menus of the main window: what is done to a session, to a server, to the view, and help."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow, QMenu

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import Scheme, ThemeFollower
from ldap_workbench.gui.shell.actions import (
    Actions,
    language_menu,
    make_action,
    name_place,
    scheme_menu,
)
from ldap_workbench.gui.shell.files import SessionFiles
from ldap_workbench.gui.shell.navigation import Navigation
from ldap_workbench.gui.workbench.places import PLACE_OF, PLACES, Place, Tab
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.logs.access.dialects import DIALECTS


class Menus(QObject):
    """Puts the actions of a window into its menu bar; belongs to the window."""

    def __init__(
        self,
        window: QMainWindow,
        workbench: Workbench,
        navigation: Navigation,
        actions: Actions,
        files: SessionFiles,
        follower: ThemeFollower | None,
    ) -> None:
        super().__init__(window)
        self._window, self._workbench, self._navigation = window, workbench, navigation
        self._actions, self._files, self._follower = actions, files, follower
        self.places: dict[Place, QAction] = {}
        self._screens: dict[str, QAction] = {}
        bar = window.menuBar()
        self._fill_file(bar.addMenu(self.tr("&File")))
        self._edit = bar.addMenu(self.tr("&Edit"))
        self._fill_server(bar.addMenu(self.tr("&Server")))
        self._fill_view(bar.addMenu(self.tr("&View")))
        self._add(bar.addMenu(self.tr("&Help")), "help", "palette", "shortcuts", "about")

    def _fill_file(self, menu: QMenu) -> None:
        self._add(menu, "open", "logs")
        self._fill_read_as(menu.addMenu(self.tr("Read logs &as")))
        self._recent = menu.addMenu(self.tr("Open &recent"))
        self._recent.aboutToShow.connect(self._fill_recent)
        self._add(menu, "compare", "save", "nameless", "notes", "report", "close")
        menu.addSeparator()
        self._add(menu, "window", "quit")

    def _fill_read_as(self, menu: QMenu) -> None:
        """What logs are, where their content tells it wrongly."""
        files = self._files
        menu.addAction(self.tr("Detect from content")).triggered.connect(files.choose_logs)
        menu.addSeparator()
        for dialect in DIALECTS.values():
            action = menu.addAction(shown(dialect.title))
            action.triggered.connect(partial(files.choose_logs_as, dialect.name))

    def _fill_server(self, menu: QMenu) -> None:
        self._servers = menu.addMenu(self.tr("&Connect to"))
        self._servers.aboutToShow.connect(self._fill_servers)
        self._add(menu, "add", "disconnect", "sudoers")
        menu.addSeparator()
        self._add(menu, "revert", "read_only")

    def _fill_view(self, menu: QMenu) -> None:
        window, actions = self._window, self._actions
        for place in PLACES:
            show = partial(self._navigation.show_first, place)
            self.places[place] = action = make_action(window, shown(place.title), show)
            action.setShortcut(f"Ctrl+{place.key}")
            menu.addAction(action)
            for tab in place.tabs:
                self._name_screen(place, tab)
        self._navigation.possibleChanged.connect(self._on_possible)
        self._on_possible()
        menu.addSeparator()
        self._add(menu, "everything", "reload")
        self._panes_menu = menu.addMenu(self.tr("&Panes"))
        self._add(menu, "reset")
        theme = menu.addMenu(self.tr("&Theme"))
        speech = menu.addMenu(self.tr("&Language"))
        settings = self._workbench.settings
        language_menu(window, speech, settings.language, self._on_language)
        self._themes = scheme_menu(window, theme, settings.scheme, self._on_scheme)
        actions.by_name |= self._themes
        theme.aboutToShow.connect(self._tick_theme)

    def _name_screen(self, place: Place, tab: Tab) -> None:
        """For the palette: a place by its first screen, the others by their own names."""
        action = self.places[place]
        if tab is not place.tabs[0]:
            show = partial(self._navigation.show_screen, tab.name)
            action = make_action(self._window, shown(tab.title), show, f"Ctrl+{tab.key}")
            self._window.addAction(action)  # it is in no menu: its keys would do nothing
        name_place(action, shown(place.title), f"{shown(tab.known_as)} {tab.title} {tab.known_as}")
        self._screens[tab.name] = self._actions.by_name[f"show {tab.name}"] = action

    @Slot()
    def _on_possible(self) -> None:
        for name, action in self._screens.items():
            action.setEnabled(self._navigation.may_show(PLACE_OF[name]))

    def complete(self) -> None:
        """Add what needs the screens: undo, redo, and their panes."""
        self._add(self._edit, "undo", "redo")
        self._fill_panes(self._panes_menu)

    def _fill_panes(self, menu: QMenu) -> None:
        """Show or close the panes of every screen; a pane that is opened is looked at."""
        self._panes: dict[QAction, QDockWidget] = {}
        menu.aboutToShow.connect(self._tick_panes)
        for screen, panes in self._navigation.screens.panes().items():
            for dock in panes.docks:
                place = shown(PLACE_OF[screen.name].title)
                words = f"&{len(self._panes) + 1}  {place}: {dock.windowTitle()}"
                action = make_action(self._window, words, None)
                action.setCheckable(True)
                action.triggered.connect(partial(self._on_pane, screen, dock))
                self._panes[action] = dock
                self._actions.by_name[f"pane {dock.objectName()}"] = action
                menu.addAction(action)
        self._tick_panes()

    @Slot()
    def _tick_panes(self) -> None:
        # A dock's own action forgets its tick while its screen is not the one seen.
        for action, dock in self._panes.items():
            action.setChecked(not dock.isHidden())

    def _on_pane(self, screen: Screen, dock: QDockWidget) -> None:
        dock.setVisible(dock.isHidden())
        if not dock.isHidden():
            self._navigation.show_screen(screen.name)
        self._tick_panes()

    def _add(self, menu: QMenu, *names: str) -> None:
        for name in names:
            menu.addAction(self._actions[name])
            name_place(self._actions[name], menu.title().replace("&", ""))

    def _on_language(self, language: str) -> None:
        self._workbench.settings.language = language
        self._workbench.show_status(self.tr("The language changes at the next start."))

    def _on_scheme(self, scheme: Scheme) -> None:
        self._workbench.settings.scheme = scheme
        if self._follower:
            self._follower.set_scheme(scheme)

    @Slot()
    def _tick_theme(self) -> None:
        """The one in force: another window may have changed it."""
        self._themes[f"theme {self._workbench.settings.scheme.value}"].setChecked(True)

    @Slot()
    def _fill_recent(self) -> None:
        menu = self._recent
        menu.clear()
        for number, path in enumerate(self._workbench.settings.recent, start=1):
            action = menu.addAction(f"&{number} {path.name}   ({path.parent})")
            action.triggered.connect(partial(self._workbench.open_session, path))
        if menu.isEmpty():
            menu.addAction(self.tr("No recent sessions")).setEnabled(False)

    @Slot()
    def _fill_servers(self) -> None:
        menu = self._servers
        menu.clear()
        for profile in self._workbench.profiles.all():
            action: QAction = menu.addAction(f"{profile.name}   ({profile.server_url})")
            action.triggered.connect(partial(self._workbench.connect_to, profile))
        if menu.isEmpty():
            menu.addAction(self.tr("No saved servers")).setEnabled(False)
