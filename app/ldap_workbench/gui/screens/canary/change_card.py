"""The one change of a canary: a knob, or an atomic group of them."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QWidget

from ldap_workbench.gui.parts.widgets.bands import anywhere
from ldap_workbench.gui.parts.widgets.knob_entry import KnobEntry
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.model.knob import Setting


class ChangeCard(QFrame):
    """*Signals:* changed()."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.settings: tuple[Setting, ...] = ()
        self.entry = KnobEntry(self.tr("Val&ue"))
        self.entry.added.connect(self.add)
        self._planned = label("", wrap=True)
        self._hint = label(
            self.tr(
                "Add the change; each replica has it in turn. Several settings form one group."
            ),
            "dim",
            wrap=True,
        )
        self._clear = anywhere(self.tr("Remove"), "Alt+Del")
        self._clear.clicked.connect(self.clear)
        column(
            label(self.tr("What is tried"), "heading"),
            self.entry,
            row((self._hint, 1), (self._planned, 1), self._clear),
            on=self,
            margins=(14, 10, 14, 12),
        )
        self._show()

    @Slot(str, str)
    def add(self, knob: str, value: str) -> None:
        """Try this value, in place of an earlier one of the same knob; others stay beside it."""
        name, _, place = knob.partition("@")
        rest = tuple(
            setting for setting in self.settings if (setting.knob, setting.place) != (name, place)
        )
        self._put((*rest, Setting(name, value, place)))

    @Slot()
    def clear(self) -> None:
        """Nothing is to be tried any more."""
        self._put(())

    def _put(self, settings: tuple[Setting, ...]) -> None:
        self.settings = settings
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        self._planned.setText(" + ".join(map(str, self.settings)))
        self._hint.setHidden(bool(self.settings))
        for widget in (self._planned, self._clear):
            widget.setVisible(bool(self.settings))
