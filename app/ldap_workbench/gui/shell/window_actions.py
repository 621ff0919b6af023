"""The actions of the main window: made once, and enabled as what is open allows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMainWindow

from ldap_workbench.gui.shell.actions import Actions, make_action, mark_acting
from ldap_workbench.gui.shell.commands import Commands
from ldap_workbench.gui.shell.files import SessionFiles
from ldap_workbench.gui.shell.navigation import Navigation
from ldap_workbench.gui.shell.notes import Notes
from ldap_workbench.gui.shell.servers import ServerDialogs
from ldap_workbench.gui.workbench.state import Workbench

if TYPE_CHECKING:
    from ldap_workbench.gui.shell.help import HelpDialog


def make_actions(
    window: QMainWindow,
    workbench: Workbench,
    files: SessionFiles,
    notes: Notes,
    servers: ServerDialogs,
) -> Actions:
    """Those of the menus; what needs screens or dialogs is connected by who makes these."""
    make, tr = partial(make_action, window), window.tr
    actions = Actions(
        {
            "open": make(tr("&Open a session …"), files.choose, "Ctrl+O"),
            "logs": make(tr("Read &logs …"), files.choose_logs, "Ctrl+L"),
            "save": make(tr("&Save a copy as …"), files.save_copy, "Ctrl+Shift+S"),
            "nameless": make(tr("Save a copy &without names …"), files.save_without_names),
            "notes": make(tr("&Notes …"), notes.ask, "Ctrl+Shift+N"),
            "close": make(tr("&Close the session"), workbench.close_session, "Ctrl+W"),
            "report": make(tr("&Export the report …"), None, "Ctrl+E"),
            "compare": make(tr("Co&mpare two sessions …"), None),
            "window": make(tr("New w&indow"), None, "Ctrl+Alt+N"),
            "quit": make(tr("&Quit"), None, "Ctrl+Q"),
            "add": make(tr("&Add a server …"), servers.add, "Ctrl+N"),
            "disconnect": mark_acting(make(tr("&Disconnect"), workbench.disconnect_server)),
            "sudoers": make(tr("Sudo rights on the &host …"), servers.show_rights),
            "revert": mark_acting(make(tr("&Revert all open changes …"), None)),
            "read_only": make(tr("Read-&only: never change a server"), None),
            "everything": make(tr("&Clear time range"), workbench.selection.clear, "Ctrl+0"),
            "reset": make(tr("Reset the la&yout"), None),
            "reload": make(tr("&Refresh"), None, "F5"),
            "palette": make(tr("&Commands …"), None, "Ctrl+Shift+P", "Ctrl+K"),
            "help": make(tr("&Help for this screen"), None, "F1"),
            "shortcuts": make(tr("&Shortcuts"), None, "Ctrl+F1"),
            "about": make(tr("&About"), None),
        }
    )
    read_only = actions["read_only"]
    read_only.setCheckable(True)
    read_only.setChecked(workbench.read_only)
    read_only.toggled.connect(workbench.set_read_only)
    return actions


class ActionStates(QObject):
    """Enables what the open session, the connected server and the selection allow."""

    def __init__(self, actions: Actions, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._actions, self._workbench = actions, workbench
        workbench.sessionChanged.connect(self._on_session)
        workbench.connectionChanged.connect(self._on_connection)
        workbench.selection.changed.connect(self._on_selection)
        self._on_session()
        self._on_connection()
        self._on_selection()

    @Slot()
    def _on_session(self) -> None:
        self._enable(
            self._workbench.opened is not None, "save", "nameless", "notes", "close", "report"
        )

    @Slot()
    def _on_connection(self) -> None:
        connected = self._workbench.connection is not None
        self._enable(connected, "disconnect", "revert", "sudoers")

    @Slot()
    def _on_selection(self) -> None:
        self._enable(self._workbench.selection.now is not None, "everything")

    def _enable(self, wanted: bool, *names: str) -> None:
        for name in names:
            self._actions[name].setEnabled(wanted)


class HelpDialogs(QObject):
    """The command palette, the pages of help, the list of shortcuts and the versions."""

    def __init__(
        self, actions: Actions, commands: Commands, navigation: Navigation, window: QMainWindow
    ) -> None:
        super().__init__(window)
        self._actions, self._commands, self._window = actions, commands, window
        self._navigation = navigation
        self.page: HelpDialog | None = None
        for name, show in (
            ("help", self.show_help),
            ("palette", self.show_palette),
            ("shortcuts", self.show_shortcuts),
            ("about", self.show_about),
        ):
            actions[name].triggered.connect(show)

    @Slot()
    def show_palette(self) -> None:
        """Offer every command; do the one that is chosen."""
        from ldap_workbench.gui.shell.palette import CommandPalette  # the window starts without

        offered = [*self._actions.by_name.values(), *self._commands.actions()]
        palette = CommandPalette(offered, self._window)
        if palette.exec() and (action := palette.chosen()):
            action.trigger()

    @Slot()
    def show_help(self) -> None:
        """The page for the screen in front, beside the window."""
        from ldap_workbench.gui.shell.help import HelpDialog, page_of

        if self.page is None:
            self.page = HelpDialog(self._window)
        self.page.show()  # before its page: that is laid out for the room there is
        self.page.show_page(page_of(self._navigation.current().name))
        self.page.raise_()

    @Slot()
    def show_shortcuts(self) -> None:
        """Every key, and what it does."""
        from ldap_workbench.gui.shell.about import ShortcutsDialog

        ShortcutsDialog(self._actions.shortcuts(), self._window).exec()

    @Slot()
    def show_about(self) -> None:
        """What this is, and all versions."""
        from ldap_workbench.gui.shell.about import AboutDialog

        AboutDialog(self._window).exec()
