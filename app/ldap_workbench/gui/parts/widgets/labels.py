"""Labels with a role (title, heading, dim, badge), what badges say, and tips."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFormLayout, QLabel, QWidget

from ldap_workbench.gui.parts.style.language import plain_tip
from ldap_workbench.model.knob import Risk
from ldap_workbench.model.message import Message


class HasTip(Protocol):
    """A widget, or an item of a chart."""

    def setToolTip(self, text: str) -> None: ...


def set_tip(owner: HasTip, text: str) -> None:
    """Give it a tip that shows text as it stands; every tip is set here.

    Qt reads markup in whatever looks like it, and a picture in it is fetched at once: on Windows
    from any host, with the operator's credentials. Names and lines of a log end up in tips.
    """
    owner.setToolTip(plain_tip(text))


def label(text: str, role: str = "", *, wrap: bool = False) -> QLabel:
    """A plain-text label; text of a server or a log is never read as markup."""
    made = QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    made.setWordWrap(wrap)
    if role:
        made.setProperty("role", role)
    return made


class ElidedLabel(QLabel):
    """One line that is cut (in its middle) where there is no room, whole in its tip."""

    def __init__(
        self,
        text: str = "",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
        role: str = "dim",
    ) -> None:
        self._whole = ""
        self._mode = mode
        super().__init__()
        self.setProperty("role", role)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * 12)
        self.set_whole(text)

    def set_whole(self, text: str) -> None:
        """Show this, as far as there is room."""
        self._whole = text
        set_tip(self, text)
        self.setAccessibleName(text)
        self._cut()
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """As wide as the whole line, so that it grows again where there is room."""
        width = self.fontMetrics().horizontalAdvance(self._whole)
        return QSize(width + self._edges() + 5, super().sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._cut()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cut()

    def _edges(self) -> int:
        """Pixels beside the words: a badge has some."""
        return self.width() - self.contentsRect().width() + 2 * max(0, self.indent())

    def _cut(self) -> None:
        room = self.width() - self._edges() - 4
        self.setText(self.fontMetrics().elidedText(self._whole, self._mode, room))


def level_labels(form: QFormLayout) -> QFormLayout:
    """Put the labels of a form on a level with their fields: Qt puts them at the top.

    The style sheet makes them as high as it makes fields. A label of several fields side by side
    belongs to the one that takes their focus.
    """
    for row in range(form.rowCount()):
        name = form.itemAt(row, QFormLayout.ItemRole.LabelRole)
        field = form.itemAt(row, QFormLayout.ItemRole.FieldRole)
        named, entry = name and name.widget(), field and field.widget()
        if not isinstance(named, QLabel):
            continue
        if named.text():
            named.setProperty("role", "field")
        if entry and (first := entry.focusProxy()):
            named.setBuddy(first)
            first.setAccessibleName(named.text().replace("&", ""))
    return form


def badge(text: str, mood: str = "") -> QLabel:
    """A short word in a coloured pill; the word says it all, the colour repeats it."""
    made = label(text, "badge")
    made.setProperty("mood", mood)
    return made


def set_mood(widget: QWidget, mood: str) -> None:
    """Dress a widget as good, bad, warn or plain ('')."""
    widget.setProperty("mood", mood)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


LEVELS = {
    3: (Message("high"), "bad"),
    2: (Message("medium"), "warn"),
    1: (Message("low"), ""),
}
"""How much of the time a finding explains."""

RISK_BADGES: dict[str, tuple[Message, str]] = {
    Risk.LOW: (Message("low risk"), "good"),
    Risk.MEDIUM: (Message("medium risk"), "warn"),
    Risk.HIGH: (Message("high risk"), "bad"),
}
