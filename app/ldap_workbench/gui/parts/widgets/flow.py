"""A row of widgets that goes on in the next line where there is no room."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


@dataclass
class _Line:
    """Widgets side by side, with the size each wants; pixels."""

    items: list[tuple[QLayoutItem, QSize]] = field(default_factory=list)
    width: int = 0
    height: int = 0

    def add(self, item: QLayoutItem, size: QSize, spacing: int) -> None:
        self.width += size.width() + (spacing if self.items else 0)
        self.height = max(self.height, size.height())
        self.items.append((item, size))


class FlowLayout(QLayout):
    """Each line is as high as its highest widget; `at` says where the widgets stand in it.

    To Qt it has the height that its last width needs, and asks for another when it is given
    another width. Were its height one that depends on its width, the layouts around it would ask
    for that over and over: twice for each that is inside another, so thousands of times a window.
    """

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        spacing: int = 8,
        at: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._lines_at: dict[int, list[_Line]] = {}
        self._width = _ENDLESS
        self._at = at
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)
        self.invalidate()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        if not 0 <= index < len(self._items):
            return None
        self.invalidate()
        return self._items.pop(index)

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def invalidate(self) -> None:
        """Forget the sizes; Qt calls it when a widget comes, goes or wants another size."""
        self._lines_at = {}
        super().invalidate()

    def height_at(self, width: int) -> int:
        """Pixels that the lines need."""
        lines = self._lines(width)
        return sum(line.height for line in lines) + self.spacing() * max(0, len(lines) - 1)

    def sizeHint(self) -> QSize:
        """As wide as all in one line."""
        widths = [line.width for line in self._lines(_ENDLESS)]
        return QSize(max(widths, default=0), self.height_at(self._width))

    def minimumSize(self) -> QSize:
        """As wide as the widest."""
        widths = [item.minimumSize().width() for item in self._items if not item.isEmpty()]
        return QSize(max(widths, default=0), self.height_at(self._width))

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        if self._take_width(rect.width()):
            self.update()
        top = rect.y()
        for line in self._lines(rect.width()):
            left = rect.x() + self._before(rect.width() - line.width)
            for item, wanted in line.items:
                size = wanted.boundedTo(QSize(rect.width(), line.height))
                drop = (line.height - size.height()) // 2
                item.setGeometry(QRect(QPoint(left, top + drop), size))
                left += size.width() + self.spacing()
            top += line.height + self.spacing()

    def _take_width(self, width: int) -> bool:
        """Whether another height is needed since."""
        before, self._width = self.height_at(self._width), width
        return self.height_at(width) != before

    def _before(self, room: int) -> int:
        """How much of the room that a line leaves is left of it."""
        shares = {Qt.AlignmentFlag.AlignRight: 2, Qt.AlignmentFlag.AlignHCenter: 1}
        return max(0, room) * shares.get(self._at, 0) // 2

    def _lines(self, width: int) -> list[_Line]:
        if width not in self._lines_at:
            self._lines_at[width] = self._broken(width)
        return self._lines_at[width]

    def _broken(self, width: int) -> list[_Line]:
        """The widgets that are seen, in lines no wider than `width` where they hold two."""
        lines: list[_Line] = []
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if not lines or lines[-1].width + self.spacing() + size.width() > width:
                lines.append(_Line())
            lines[-1].add(item, size, self.spacing())
        return lines


_ENDLESS = 2**24
"""More pixels than any layout has."""


def flow(*widgets: QWidget, on: QWidget | None = None, spacing: int = 8) -> FlowLayout:
    """Widgets from left to right in as many lines as they need, as the content of `on` if given."""
    made = FlowLayout(on, spacing=spacing)
    for widget in widgets:
        made.addWidget(widget)
    return made
