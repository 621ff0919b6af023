"""F1: the page of the guide for the screen in front, from the pages that come with the program.

No network and no browser is needed; the same pages are the docs site.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QSize, Qt, QTimer, QUrl, Slot
from PySide6.QtGui import (
    QDesktopServices,
    QHideEvent,
    QImage,
    QImageReader,
    QShowEvent,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QWidget

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.workbench.places import TABS
from ldap_workbench.model.message import Message
from ldap_workbench.resources import docs_folder

_WEB = ("https", "http", "mailto")


class HelpPage(NamedTuple):
    """A page of docs/, and a heading of it; '' for its top."""

    page: str
    heading: str


def page_of(screen: str) -> HelpPage:
    """The page of a screen, by the screen's name."""
    tab = TABS[screen]
    return HelpPage(tab.page, tab.heading)


class _Page(QTextBrowser):
    """Its pictures are no wider than it is, and each is read in a turn of its own.

    A page with twelve of them would hold up the window. Until then each has its room, blank.
    """

    def __init__(self) -> None:
        super().__init__()
        self.unread: list[QUrl] = []
        self._turn = QTimer(self)
        self._turn.setInterval(0)
        self._turn.timeout.connect(self._read_one)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        place = self.source().resolved(QUrl(name))
        if kind != QTextDocument.ResourceType.ImageResource.value or not place.isLocalFile():
            return super().loadResource(kind, name)
        size = self._size(QImageReader(place.toLocalFile()))
        self.unread.append(place)
        if self.isVisible():
            self._turn.start()
        blank = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
        blank.fill(Qt.GlobalColor.transparent)
        return blank

    def _size(self, reader: QImageReader) -> QSize:
        """As large as the picture is, or as the page is wide."""
        size = reader.size()
        most = self.viewport().width() - 2 * round(self.document().documentMargin())
        if size.width() <= most:
            return size
        return QSize(most, round(size.height() * most / size.width()))

    @Slot()
    def _read_one(self) -> None:
        place = self.unread.pop(0)
        reader = QImageReader(place.toLocalFile())
        reader.setScaledSize(self._size(reader))
        kind = QTextDocument.ResourceType.ImageResource.value
        self.document().addResource(kind, place, reader.read())
        self.viewport().update()
        if not self.unread:
            self._turn.stop()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.unread:
            self._turn.start()

    def hideEvent(self, event: QHideEvent) -> None:
        self._turn.stop()
        super().hideEvent(event)


class HelpDialog(QDialog):
    """Shows pages; stays beside the window while one works."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        apply_style(self)
        self.setWindowTitle(shown(Message("Help")))
        self.page = ""
        self.text = _Page()
        self.text.setAccessibleName(shown(Message("Help page")))
        self.text.setOpenLinks(False)
        # Always there: pictures are made to fit before the page is known to be long.
        self.text.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.text.anchorClicked.connect(self._on_link)
        self._before: list[HelpPage] = []
        box = QDialogButtonBox()
        self.back = box.addButton(shown(Message("&Back")), QDialogButtonBox.ButtonRole.ActionRole)
        self.back.clicked.connect(self._on_back)
        box.addButton(shown(Message("&Close")), QDialogButtonBox.ButtonRole.RejectRole)
        box.rejected.connect(self.reject)
        column((self.text, 1), box, on=self)
        self.resize(self.fontMetrics().averageCharWidth() * 120, self.fontMetrics().height() * 40)

    def show_page(self, place: HelpPage) -> None:
        """Show a page from one of its headings on."""
        self._before.append(place)
        self._show(place)

    def _show(self, place: HelpPage) -> None:
        if place.page != self.page:
            self.page = place.page
            kind = QTextDocument.ResourceType.MarkdownResource
            self.text.setSource(QUrl.fromLocalFile(docs_folder() / place.page), kind)
        self.text.moveCursor(QTextCursor.MoveOperation.Start)
        block = self.text.document().begin()
        while place.heading and block.isValid():
            if block.blockFormat().headingLevel() and block.text() == place.heading:
                self.text.setTextCursor(QTextCursor(block))
                top = self.text.document().documentLayout().blockBoundingRect(block).top()
                self.text.verticalScrollBar().setValue(round(top))
                break
            block = block.next()
        self.back.setEnabled(len(self._before) > 1)

    @Slot()
    def _on_back(self) -> None:
        if len(self._before) > 1:
            self._before.pop()
            self._show(self._before[-1])

    @Slot(QUrl)
    def _on_link(self, link: QUrl) -> None:
        """Pages here, addresses in the browser; what only the source code has leads nowhere."""
        if link.scheme() in _WEB:
            QDesktopServices.openUrl(link)
            return
        folder = docs_folder().resolve()
        here = folder / self.page
        path = (here.parent / link.path()).resolve() if link.path() else here
        if path.suffix == ".md" and path.is_file() and path.is_relative_to(folder):
            name = path.relative_to(folder).as_posix()
            self.show_page(HelpPage(name, heading_of(path, link.fragment())))


def heading_of(page: Path, anchor: str) -> str:
    """The heading that an anchor of a page names; '' where there is none."""
    lines = page.read_text(encoding="utf-8").splitlines()
    titles = (line.lstrip("#").strip() for line in lines if line.startswith("#"))
    return next((title.replace("`", "") for title in titles if _anchor(title) == anchor), "")


def _anchor(title: str) -> str:
    letters = "".join(c for c in title.lower() if c.isalnum() or c in " -_")
    return letters.replace(" ", "-")
