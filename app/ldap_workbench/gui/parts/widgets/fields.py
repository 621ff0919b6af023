"""Fields that the mouse wheel changes only while they have the focus.

Qt lets the wheel change whatever field lies under the pointer, so scrolling a page of safety limits
changed them on the way. Without the focus these leave the wheel to the page behind them.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QDateTimeEdit, QDoubleSpinBox, QSpinBox


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
