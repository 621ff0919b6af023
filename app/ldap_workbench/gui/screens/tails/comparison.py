"""Two sessions side by side: opened, shown by name, and let go of again."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from ldap_workbench.figures.overview.sides import Side, Sides
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import Band
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.screens.tails.compare import KEY, CompareDialog
from ldap_workbench.gui.workbench.state import Workbench


class Comparison(QObject):
    """At most one pair of sessions beside the open one; used in the thread of KEY only.

    *Signals:* began(), ended()
    """

    began = Signal()
    ended = Signal()

    def __init__(self, workbench: Workbench, parent: QWidget) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self._parent = parent
        self._wanted: tuple[Side, Side] | None = None
        self.sides: Sides | None = None
        self.band = Band()
        back = push_button(self.tr("Bac&k to the open session"))
        back.clicked.connect(self.end)
        self.band.add_button(back)
        self.band.hide()

    @Slot()
    def ask(self) -> CompareDialog:
        """Let the operator choose; does not wait for it."""
        dialog = CompareDialog(self._workbench, self._parent)
        dialog.chosen.connect(self.begin)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()
        return dialog

    @Slot(object, object)
    def begin(self, a: Side, b: Side) -> None:
        """Open both sides in place of those before."""
        self._close()
        self._wanted = a, b
        title = self.tr("Opening {a} and {b}").format(a=a.path.name, b=b.path.name)
        self._workbench.start(KEY, title, lambda _, __: Sides.open(a.path, b.path), self._on_open)

    @Slot()
    def end(self) -> None:
        """Look at the open session again."""
        self._wanted = None
        if self.sides:
            self._close()
            self._workbench.runner.forget(KEY)
            self.band.hide()
            self.ended.emit()

    def wanted(self) -> tuple[Side, Side]:
        """The sides that were chosen; while `sides` are there."""
        assert self._wanted is not None
        return self._wanted

    @Slot(object)
    def _on_open(self, sides: Sides) -> None:
        if self._wanted is None or sides.paths != tuple(side.path for side in self._wanted):
            self._let_go(sides)  # others were chosen meanwhile
            return
        self.sides = sides
        a, b = sides.paths
        words = self.tr("A: {a} · B: {b}").format(a=a.name, b=b.name)
        about = [f"{arm}: {shown(summary.headline())}" for arm, summary in sides.summaries.items()]
        self.band.say(words, "\n".join(about))
        self.band.show()
        self.began.emit()

    def _close(self) -> None:
        if sides := self.sides:
            self.sides = None
            self._let_go(sides)

    def _let_go(self, sides: Sides) -> None:
        title = self.tr("Closing two sessions")
        self._workbench.runner.start(KEY, title, lambda _, __: sides.close())
