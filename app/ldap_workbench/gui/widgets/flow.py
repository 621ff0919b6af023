"""A row of widgets that goes on in the next line where there is no room."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """Each line is as high as its highest widget; `at` says where the widgets stand in it."""

    def __init__(
        self,
        parent: QWidget | None = None,
        *,
        spacing: int = 8,
        at: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._at = at
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        lines = self._lines(width)
        return sum(map(_height, lines)) + self.spacing() * max(0, len(lines) - 1)

    def sizeHint(self) -> QSize:
        """All in one line."""
        return QSize(self._width(self._seen()), _height(self._seen()))

    def minimumSize(self) -> QSize:
        """One below the other."""
        widths = [item.minimumSize().width() for item in self._seen()]
        return QSize(max(widths, default=0), _height(self._seen()))

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        top = rect.y()
        for line in self._lines(rect.width()):
            high = _height(line)
            left = rect.x() + self._before(rect.width() - self._width(line))
            for item in line:
                size = item.sizeHint().boundedTo(QSize(rect.width(), high))
                drop = (high - size.height()) // 2
                item.setGeometry(QRect(QPoint(left, top + drop), size))
                left += size.width() + self.spacing()
            top += high + self.spacing()

    def _before(self, room: int) -> int:
        """How much of the room that a line leaves is left of it."""
        shares = {Qt.AlignmentFlag.AlignRight: 2, Qt.AlignmentFlag.AlignHCenter: 1}
        return max(0, room) * shares.get(self._at, 0) // 2

    def _seen(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _width(self, line: list[QLayoutItem]) -> int:
        widths = sum(item.sizeHint().width() for item in line)
        return widths + self.spacing() * max(0, len(line) - 1)

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        for item in self._seen():
            if lines and self._width([*lines[-1], item]) <= width:
                lines[-1].append(item)
            else:
                lines.append([item])
        return lines


def _height(line: list[QLayoutItem]) -> int:
    return max((item.sizeHint().height() for item in line), default=0)
