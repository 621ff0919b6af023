"""Fields: those with a wheel, windows to tick, a knob with its value.

The mouse wheel changes a field only while it has the focus. Qt lets it change whatever field lies
under the pointer, so scrolling a page of safety limits changed them on the way. Without the focus
these leave the wheel to the page behind them.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeySequence, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QDateTimeEdit,
    QDoubleSpinBox,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QSpinBox,
    QTabBar,
    QToolButton,
    QWidget,
)

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.labels import label, set_tip
from ldap_workbench.model.units import format_time
from ldap_workbench.model.window import Window


class _WheelNeedsFocus:
    """Stands before a class of Qt's among the bases."""

    def __init__(self) -> None:
        super().__init__()
        # Also: the wheel itself does not give the focus.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)  # type: ignore[attr-defined]

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():  # type: ignore[attr-defined]
            super().wheelEvent(event)  # type: ignore[misc]
        else:
            event.ignore()


class ComboBox(_WheelNeedsFocus, QComboBox):
    """A list to choose from."""


class SpinBox(_WheelNeedsFocus, QSpinBox):
    """A whole number."""


class DoubleSpinBox(_WheelNeedsFocus, QDoubleSpinBox):
    """A number."""


class DateTimeEdit(_WheelNeedsFocus, QDateTimeEdit):
    """A moment."""


class TabBar(_WheelNeedsFocus, QTabBar):
    """Tabs to choose from, with the arrow keys as well."""


class WindowPicker(QToolButton):
    """Which windows make up one side.

    `keys` open it where the first letter of its name is that of a menu in some language.

    *Signals:* chosen()
    """

    chosen = Signal()

    def __init__(self, side: str, keys: str = "") -> None:
        super().__init__()
        self._side = side
        self._keys = QKeySequence(keys)
        set_tip(self, self._keys.toString(QKeySequence.SequenceFormat.NativeText))
        self._windows: dict[QAction, Window] = {}
        self._menu = _StayingMenu(self)
        self._menu.aboutToHide.connect(self._on_hidden)
        self._changed = False
        self.setMenu(self._menu)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)

    def set_windows(self, windows: Sequence[Window], chosen: Sequence[Window]) -> None:
        """Offer these windows, some of them ticked."""
        self._menu.clear()
        ids = {window.id for window in chosen}
        self._windows = {self._action(w, w.id in ids): w for w in windows}
        self._name()

    def windows(self) -> tuple[Window, ...]:
        """Those ticked, in the order of the session."""
        return tuple(w for action, w in self._windows.items() if action.isChecked())

    def count(self) -> int:
        """How many windows there are to tick."""
        return len(self._windows)

    def _action(self, window: Window, ticked: bool) -> QAction:
        when = format_time(window.start_ns)[11:19]
        note = f"   {shown(window.notes)}" if window.notes else ""
        words = f"{window.name}   {when} UTC, {window.seconds:.0f} s{note}"
        action = self._menu.addAction(words.replace("&", "&&"))
        action.setCheckable(True)
        action.setChecked(ticked)
        action.toggled.connect(self._on_toggled)
        return action

    def _name(self) -> None:
        names = [window.name for window in self.windows()]
        several = self.tr("{count} windows").format(count=len(names))
        none = self.tr("none")
        shown = ", ".join(names) if len(names) < 3 else several
        mark = "&" if self._keys.isEmpty() else ""
        self.setText(f"{mark}{self._side}: {shown or none}")
        if not self._keys.isEmpty():  # a new text takes the keys of the old one away
            self.setShortcut(self._keys)
        template = self.tr("Windows of {side}: {names}")
        self.setAccessibleName(template.format(side=self._side, names=", ".join(names) or none))

    def _on_toggled(self) -> None:
        self._changed = True
        self._name()
        if not self._menu.isVisible():
            self._on_hidden()

    def _on_hidden(self) -> None:
        if self._changed:
            self._changed = False
            self.chosen.emit()


class _StayingMenu(QMenu):
    """Stays open while windows are ticked."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        action = self.actionAt(event.position().toPoint())
        if action and action.isCheckable():
            action.trigger()
        else:
            super().mouseReleaseEvent(event)


class KnobEntry(QWidget):
    """The knob is found by any part of its name; Return in the value adds both.

    *Signals:* added(knob, value)
    """

    added = Signal(str, str)

    def __init__(self, value_name: str) -> None:
        super().__init__()
        self.knob = _knob_box(self.tr("any part of its name"))
        self.value = QLineEdit()
        self.value.setPlaceholderText(self.tr("512 MiB, 60, on …"))
        self.value.returnPressed.connect(self._on_add)
        add = push_button(self.tr("&Add"), self._on_add)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._put(self.tr("Settin&g"), self.knob, 3)
        self._put(value_name, self.value, 2)
        self._row.addWidget(add)

    def set_knobs(self, names: Sequence[str]) -> None:
        """Offer these knobs."""
        self.knob.clear()
        self.knob.addItems(list(names))
        self.knob.setCurrentIndex(-1)

    def add_button(self, button: QWidget) -> None:
        """Put a button at the end of the row."""
        self._row.addWidget(button)

    def _put(self, words: str, field: QWidget, share: int) -> None:
        name = label(words)
        name.setBuddy(field)
        self._row.addWidget(name)
        self._row.addWidget(field, share)

    @Slot()
    def _on_add(self) -> None:
        knob, value = self.knob.currentText().strip(), self.value.text().strip()
        if knob and value:
            self.value.clear()
            self.added.emit(knob, value)


def _knob_box(placeholder: str) -> QComboBox:
    box = ComboBox()
    box.setEditable(True)
    box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(14)
    completer, line = box.completer(), box.lineEdit()
    assert completer is not None  # an editable box has both
    assert line is not None
    completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
    completer.setFilterMode(Qt.MatchFlag.MatchContains)
    line.setPlaceholderText(placeholder)
    return box
