"""Showing a widget so that keys reach it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def show_active(qtbot, widget: QWidget) -> None:
    """Show a window and wait until it has the focus: shortcuts work only then."""
    with qtbot.waitActive(widget):
        widget.show()
        widget.activateWindow()
