"""One of several pages; where it has no room, it scrolls instead of making the window larger."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QWidget


class _Stack(QStackedWidget):
    """As high as the page in front needs, not as the highest of all."""

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(least.width(), self.heightForWidth(max(self.width(), least.width())))

    def heightForWidth(self, width: int) -> int:
        page = self.currentWidget()
        layout = page.layout() if page else None
        if layout and layout.hasHeightForWidth():
            return layout.minimumHeightForWidth(width)
        return page.minimumSizeHint().height() if page else 0


class Scrolled(QScrollArea):
    """Scrolls to what Tab leads to; a button that turns grey hands its focus on without that."""

    def focusNextPrevChild(self, forward: bool) -> bool:
        leaving, bar = self.focusWidget(), self.verticalScrollBar()
        before = bar.value()
        moved = super().focusNextPrevChild(forward)
        if leaving is not None and not leaving.isEnabled():
            bar.setValue(before)
        return moved


class Pages(Scrolled):
    """Pages of which one is in front. Never narrower than the widest; any height will do."""

    def __init__(self) -> None:
        super().__init__()
        self._stack = _Stack()
        self._stack.setObjectName("page")
        self.setWidget(self._stack)
        # As the style sheet says it, also where that is given to the pages one by one.
        for ground in (self._stack, self.viewport()):
            ground.setAutoFillBackground(False)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def add(self, page: QWidget) -> None:
        """Take in a page, behind the others."""
        self._stack.addWidget(page)

    def show_page(self, page: QWidget) -> None:
        """Bring a page to the front, from its top; a new one is taken in."""
        if self._stack.indexOf(page) < 0:
            self.add(page)
        if page is not self._stack.currentWidget():
            self._stack.setCurrentWidget(page)
            self._stack.updateGeometry()
            self.verticalScrollBar().setValue(0)

    def show_number(self, number: int) -> None:
        """Bring the page of this number to the front, counted from 0 as they came."""
        if page := self._stack.widget(number):
            self.show_page(page)

    def currentWidget(self) -> QWidget | None:
        return self._stack.currentWidget()

    def currentIndex(self) -> int:
        return self._stack.currentIndex()

    def sizeHint(self) -> QSize:
        return self._stack.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """So high that what is scrolled can still be read."""
        return QSize(self._stack.minimumSizeHint().width(), self.fontMetrics().height() * 10)
