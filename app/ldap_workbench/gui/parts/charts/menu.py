"""The menu of a chart: back and forward, its picture, its numbers. By right click or its key."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu

from ldap_workbench.gui.parts.charts.pictures import as_image, as_png, as_svg
from ldap_workbench.gui.parts.charts.view import ChartView, Entry
from ldap_workbench.gui.parts.style.language import reader, shown
from ldap_workbench.gui.parts.widgets.saving import Format, save_as
from ldap_workbench.gui.parts.widgets.table_menu import copy_markdown, table_formats
from ldap_workbench.model.message import Message


def open_menu(chart: ChartView, where: QPoint) -> None:
    """Show the menu of a chart at a place of the screen."""
    menu = QMenu(chart)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    for group in (chart.more_entries(), _steps(chart), _picture(chart), _numbers(chart)):
        for words, key, do, possible in group:
            action = menu.addAction(shown(words))
            # Shown only: the chart itself listens to its keys.
            action.setShortcut(QKeySequence(key))
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            action.triggered.connect(do)
            action.setEnabled(possible)
        menu.addSeparator()
    menu.popup(where)


def _steps(chart: ChartView) -> list[Entry]:
    history = chart.plot.getViewBox().history
    return [
        (Message("&Back to the previous view"), "Backspace", chart.go_back, history.can_go_back),
        (Message("&Forward"), "Shift+Backspace", chart.go_forward, history.can_go_forward),
        (Message("Show &all"), "Home", chart.fit_by_hand, True),
    ]


def _picture(chart: ChartView) -> list[Entry]:
    return [
        (Message("Copy &picture"), "", lambda: copy_picture(chart), True),
        (Message("&Save picture …"), "", lambda: save_picture(chart), True),
    ]


def _numbers(chart: ChartView) -> list[Entry]:
    return [
        (Message("&Copy numbers"), "C", chart.copy_numbers, True),
        (Message("Copy numbers as &Markdown"), "", lambda: copy_markdown(_rows(chart)), True),
        (Message("Save &numbers …"), "", lambda: save_numbers(chart), True),
    ]


def copy_picture(chart: ChartView) -> None:
    """The picture into the clipboard."""
    QGuiApplication.clipboard().setImage(as_image(chart))


def save_picture(chart: ChartView) -> None:
    """Ask for a file, PNG or SVG, and write the picture into it."""
    formats = (
        Format(Message("Picture (*.png)"), ".png", lambda: as_png(chart)),
        Format(Message("Drawing (*.svg)"), ".svg", lambda: as_svg(chart)),
    )
    save_as(chart, Message("Save the picture"), chart.title, formats)


def save_numbers(chart: ChartView) -> None:
    """Ask for a file, CSV or Markdown, and write the numbers into it."""
    formats = table_formats(lambda: _rows(chart))
    save_as(chart, Message("Save the numbers"), chart.title, formats)


def _rows(chart: ChartView) -> list[list[str]]:
    return chart.numbers().texts(reader())
