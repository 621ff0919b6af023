"""The base of a screen of the open session: read when it is seen, and again when it is stale."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.empty import EmptyState
from ldap_workbench.gui.workbench.open_session import OpenSession
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench


class SessionScreen(Screen):
    """It shows the open session, or says that there is none.

    A subclass makes `_empty` and `_body`, reads in `_ask`, and sets `_stale` to False once that
    has begun. `_clear` forgets the last session, `_begin` takes the windows of a new one.
    """

    _empty: EmptyState
    _body: QWidget

    def __init__(self, workbench: Workbench, parent: QWidget | None = None) -> None:
        super().__init__(workbench, parent)
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
