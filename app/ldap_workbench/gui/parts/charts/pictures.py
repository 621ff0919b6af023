"""A chart as a picture: title, legend and drawing, without its buttons, as PNG or SVG."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QIODevice, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPaintDevice, QPainter, QRegion
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QLabel, QWidget

from ldap_workbench.gui.parts.charts.axes import ClockAxis
from ldap_workbench.gui.parts.charts.view import ChartView
from ldap_workbench.gui.parts.widgets.labels import label

_EDGE = 10
"""Points around what is drawn."""
_POINTS_AN_INCH = 96


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
