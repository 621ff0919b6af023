"""The menu of a chart: back and forward, its picture, its numbers. By right click or its key.

The picture has title, legend and drawing, without the buttons, as PNG or SVG.
"""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QImage,
    QKeySequence,
    QPaintDevice,
    QPainter,
    QRegion,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QLabel, QMenu, QWidget

from ldap_workbench.gui.parts.charts.axes import ClockAxis
from ldap_workbench.gui.parts.charts.view import ChartView, Entry
from ldap_workbench.gui.parts.style.language import reader, shown
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.saving import Format, save_as
from ldap_workbench.gui.parts.widgets.table import copy_markdown, table_formats
from ldap_workbench.model.message import Message

_EDGE = 10
"""Points around what is drawn."""
_POINTS_AN_INCH = 96


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


def as_image(chart: ChartView) -> QImage:
    """With as many pixels as the screen has, for the clipboard and as PNG."""
    head = _head(chart)
    size, ratio = _size(chart, head), chart.plot.pixel_ratio
    image = QImage(size * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    _paint(chart, head, image, size)
    return image


def as_png(chart: ChartView) -> bytes:
    """The bytes of a PNG file."""
    written = _opened()
    as_image(chart).save(written, "PNG")  # type: ignore[call-overload]
    return bytes(written.data().data())


def as_svg(chart: ChartView) -> bytes:
    """The bytes of an SVG file; pyqtgraph's own exporter fails with this Qt."""
    head = _head(chart)
    size, written = _size(chart, head), _opened()
    generator = QSvgGenerator()
    generator.setOutputDevice(written)
    generator.setResolution(_POINTS_AN_INCH)
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(chart.title)
    generator.setDescription(chart.reading())
    _paint(chart, head, generator, size)
    return bytes(written.data().data())


def _opened() -> QBuffer:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer


def _head(chart: ChartView) -> QLabel:
    """Title and legend, above the drawing and as wide; every word in it is escaped."""
    head = label(chart.heading_html(), wrap=True)
    head.setTextFormat(Qt.TextFormat.RichText)
    head.setFont(chart.font())
    head.setPalette(chart.palette())
    head.setFixedWidth(chart.canvas.width())
    head.adjustSize()
    return head


def _size(chart: ChartView, head: QLabel) -> QSize:
    drawn = chart.canvas.size()
    above = head.height()
    return QSize(drawn.width() + 2 * _EDGE, above + drawn.height() + 3 * _EDGE)


def _paint(chart: ChartView, head: QLabel, device: QPaintDevice, size: QSize) -> None:
    chart.draw_if_stale()
    with chart.as_picture(), QPainter(device) as painter:
        painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(chart.colours().ground))
        painter.translate(_EDGE, _EDGE)
        head.render(painter, QPoint(), QRegion(), QWidget.RenderFlag.DrawChildren)
        bottom = chart.plot.getAxis("bottom")
        below = QRectF(0, float(head.height() + _EDGE), *chart.canvas.size().toTuple())
        if isinstance(device, QSvgGenerator) and isinstance(bottom, ClockAxis):
            painter.drawImage(below, _drawn(chart))
        else:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            chart.canvas.render(painter, below, chart.canvas.viewport().rect())


def _drawn(chart: ChartView) -> QImage:
    """The drawing alone, in pixels.

    Qt writes six digits of a coordinate into an SVG: of seconds since 1970 those
    are steps of hours.
    """
    image = QImage(chart.canvas.size() * chart.plot.pixel_ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(chart.plot.pixel_ratio)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        below = QRectF(0, 0, *chart.canvas.size().toTuple())
        chart.canvas.render(painter, below, chart.canvas.viewport().rect())
    return image
