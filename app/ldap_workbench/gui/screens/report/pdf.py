"""The report's HTML as a Qt document with its charts, and that document as a PDF.

Text is laid out in the GUI thread alone: the calls that do it keep the interpreter's lock while
they wait for the lock of the fonts, and two threads that hold one each wait for each other for
ever. A PDF is therefore printed by a process of its own.
"""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

from PySide6.QtCore import QByteArray, QLocale, QMarginsF, QObject, QRect, QRectF, QSizeF, Qt, QUrl
from PySide6.QtGui import (
    QFont,
    QGuiApplication,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QPyTextObject,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtSvg import QSvgRenderer

from ldap_workbench.connect.children import environment, module_command
from ldap_workbench.connect.desktop import draw_unseen
from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.message import Message, verbatim

_CHART = QTextFormat.ObjectTypes.UserObject + 1
_NUMBER = QTextFormat.Property.UserProperty + 1
_SVG = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
_MARK = "\ue000{}\ue001"
"""Stands where a chart was, in characters no text has; the number is the chart's."""
_MARKS = re.compile("\ue000(\\d+)\ue001")
_SVG_BOX = re.compile(r'viewBox="[\d.]+ [\d.]+ ([\d.]+) ([\d.]+)"')
_DPI = 96
_PAGE_SHARE = 0.85
"""Of a page, for its highest chart."""
_CHART_LETTER = "\ufffc"
"""Stands for a chart in the text of a document."""


class _Charts(QPyTextObject):
    """Draws the SVG charts of a document as wide as its page."""

    def __init__(self, svgs: list[str], parent: QObject) -> None:
        super().__init__(parent)
        self._svgs = svgs
        self._renderers: dict[int, QSvgRenderer] = {}
        self._sizes = [_size_of(svg) for svg in svgs]

    def intrinsicSize(self, document: QTextDocument, position: int, form: QTextFormat) -> QSizeF:
        size = self._sizes[int(form.property(_NUMBER))]
        page = document.textWidth() if document.textWidth() > 0 else document.pageSize().width()
        room = page - 2 * document.documentMargin()
        scale = min(1.0, room / size.width()) if room > 0 else 1.0
        if (page_height := document.pageSize().height()) > 0:
            # Higher than a page with its caption, it would be cut in two.
            scale = min(scale, _PAGE_SHARE * page_height / size.height())
        return size * scale

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        document: QTextDocument,
        at: int,
        form: QTextFormat,
    ) -> None:
        painter.save()
        painter.setFont(without_ligatures(painter.font()))
        self._renderer(int(form.property(_NUMBER))).render(painter, rect)
        painter.restore()

    def _renderer(self, number: int) -> QSvgRenderer:
        """Read when the chart is first in sight: all at once would hold the window up."""
        if number not in self._renderers:
            self._renderers[number] = QSvgRenderer(QByteArray(self._svgs[number].encode()))
        return self._renderers[number]


class ClosedDocument(QTextDocument):
    """Fetches nothing: a report brings all that it shows."""

    def loadResource(self, kind: int, name: QUrl | str) -> None:
        return None


def without_ligatures(font: QFont) -> QFont:
    """The font with which text copied from a PDF is what stands in it: =off."""
    plain = QFont(font)
    plain.setFeature(QFont.Tag("liga"), 0)
    return plain


def document_of(html: str, *, margin: float) -> QTextDocument:
    """A document with text and charts, not laid out yet: `setLayoutEnabled(True)` does it.

    Needs a QGuiApplication, and its thread.
    """
    return document_with(*charts_apart(html), margin=margin)


def charts_apart(html: str) -> tuple[str, list[str]]:
    """The text of a report with a mark for each chart, and its charts; in any thread."""
    svgs: list[str] = []

    def keep(match: re.Match[str]) -> str:
        svgs.append(match.group())
        return _MARK.format(len(svgs) - 1)

    return _SVG.sub(keep, html), svgs


def document_with(marked: str, svgs: list[str], *, margin: float) -> QTextDocument:
    """Like `document_of`, of what `charts_apart` gave."""
    document = ClosedDocument()
    document.setUndoRedoEnabled(False)
    document.setDocumentMargin(margin)
    document.setDefaultFont(without_ligatures(document.defaultFont()))
    # Laid out once, at the end: every chart put in would do it again.
    document.setLayoutEnabled(False)
    document.setHtml(marked)
    document.documentLayout().registerHandler(_CHART, _Charts(svgs, document))
    _put_charts(document)
    return document


def print_pdf(html: str, output: Path) -> None:
    """Write a report as a PDF, from any thread, on the paper of the reader's country.

    Raises SessionError.
    """
    done = subprocess.run(
        module_command(__name__, str(output)),
        input=html.encode(),
        capture_output=True,
        env=environment(),
        check=False,
    )
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        status = Message("exit status {status:plain}", status=done.returncode)
        reason = verbatim(lines[-1]) if lines else status
        raise SessionError(
            Message("The PDF could not be printed: {reason}.", reason=reason),
            safe=Message("The session was not changed."),
            remedy=Message("Write the report as .html and print it from a browser."),
        )


def _print(html: str, output: Path) -> None:
    draw_unseen()
    application = QGuiApplication(["ldap-workbench"])
    writer = QPdfWriter(str(output))
    writer.setResolution(_DPI)
    writer.setPageLayout(
        QPageLayout(
            QPageSize(_paper()),
            QPageLayout.Orientation.Portrait,
            QMarginsF(15, 15, 15, 15),
            QPageLayout.Unit.Millimeter,
        )
    )
    document = document_of(html, margin=0.0)
    document.documentLayout().setPaintDevice(writer)
    document.setPageSize(QSizeF(writer.width(), writer.height()))
    document.setLayoutEnabled(True)
    keep_together(document)
    title = re.search(r"<title>(.*?)</title>", html, re.DOTALL)
    writer.setTitle(unescape(title.group(1)) if title else output.stem)
    _paint(document, writer)
    del document, writer
    assert application is not None


def _paper() -> QPageSize.PageSizeId:
    """Letter where inches are the measure of paper, A4 elsewhere."""
    if QLocale.system().measurementSystem() == QLocale.MeasurementSystem.ImperialUSSystem:
        return QPageSize.PageSizeId.Letter
    return QPageSize.PageSizeId.A4


def keep_together(document: QTextDocument) -> None:
    """Headings and captions go to the next page with the chart or text they belong to.

    Qt has no such thing as "keep with next": from the top, what begins a page too early begins the
    next one, and everything is laid out again.
    """
    block = document.begin()
    while block.isValid():
        first = block
        while _leads(block) or (block != first and _is_blank(block)):
            block = block.next()
        if first != block and _page(document, first, 0.0) != _page(document, block, 1.0):
            form = first.blockFormat()
            form.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
            # Qt 6.8 to 6.11: a layout from the change onwards leaves charts, headings and heads of
            # tables behind it unpainted; a layout of the whole document does not.
            document.setLayoutEnabled(False)
            QTextCursor(first).setBlockFormat(form)
            document.setLayoutEnabled(True)
        block = block.next()


def _leads(block: QTextBlock) -> bool:
    """Whether what follows belongs to it: a heading, or the caption of a chart."""
    follows = block.next()
    heading = block.blockFormat().headingLevel() > 0
    return follows.isValid() and (heading or _CHART_LETTER in follows.text())


def _is_blank(block: QTextBlock) -> bool:
    """Whether it stands between a heading and the table below it, as an empty line."""
    return block.next().isValid() and not block.text().strip()


def _page(document: QTextDocument, block: QTextBlock, share: float) -> int:
    """The page on which the first line of a block begins (0) or ends (1)."""
    top = document.documentLayout().blockBoundingRect(block).top()
    line = block.layout().lineAt(0)
    end = top + line.y() + share * (line.height() - 1) if line.isValid() else top
    return int(end / document.pageSize().height())


def _paint(document: QTextDocument, writer: QPdfWriter) -> None:
    """Every page with the title above and its number below the text."""
    size, pages = document.pageSize(), document.pageCount()
    painter = QPainter(writer)
    painter.setFont(without_ligatures(painter.font()))
    title = painter.fontMetrics().elidedText(
        writer.title(), Qt.TextElideMode.ElideRight, round(size.width())
    )
    for page in range(pages):
        if page:
            writer.newPage()
        painter.save()
        painter.translate(0, -page * size.height())
        document.drawContents(painter, QRectF(0, page * size.height(), size.width(), size.height()))
        painter.restore()
        if page:  # the first has it larger
            above = QRectF(0, -_DPI / 3, size.width(), _DPI / 4)
            painter.drawText(above, Qt.AlignmentFlag.AlignCenter, title)
        below = QRectF(0, size.height(), size.width(), _DPI / 4)
        number = Message("Page {n} of {pages}", n=page + 1, pages=pages)
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, str(number))
    painter.end()


def _put_charts(document: QTextDocument) -> None:
    """Replace every mark by the object that draws its chart."""
    cursor = document.find("\ue000")
    while not cursor.isNull():
        start = cursor.selectionStart()
        end = document.find("\ue001", start).selectionEnd()
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        number = int(_MARKS.fullmatch(cursor.selectedText()).group(1))  # type: ignore[union-attr]
        form = QTextCharFormat()
        form.setObjectType(_CHART)
        form.setProperty(_NUMBER, number)
        cursor.insertText(_CHART_LETTER, form)
        cursor = document.find("\ue000", start)


def _size_of(svg: str) -> QSizeF:
    match = _SVG_BOX.search(svg)
    return QSizeF(float(match.group(1)), float(match.group(2))) if match else QSizeF(640, 360)


if __name__ == "__main__":
    _print(sys.stdin.buffer.read().decode(), Path(sys.argv[1]))
