"""Bands across a screen: something went wrong, a change is open, a verdict is in."""

from __future__ import annotations

import traceback
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from ldap_workbench.gui.parts.style.icons import icon
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.parts.widgets.buttons import OnClick, push_button, small_button
from ldap_workbench.gui.parts.widgets.labels import label, set_mood, set_tip
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import Judgement, Mood, Verdict

_SIGN = 20
"""Pixels of the sign in front of a warning."""


class _Sign(QWidget):
    """Made when it is painted: made at every change of the theme, it is felt."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(_SIGN, _SIGN)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            icon("warn").paint(painter, self.rect())


class _OneLine(QLabel):
    """Cut at its end where there is no room; the tip says it all, and so does `text`."""

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        mode, flags = Qt.TextElideMode.ElideRight, Qt.AlignmentFlag.AlignVCenter
        cut = self.fontMetrics().elidedText(self.text(), mode, self.width())
        with QPainter(self) as painter:
            painter.drawText(self.rect(), flags, cut)


class Band(QFrame):
    """A heading, a sentence and buttons, in the colour of a mood (good, bad, warn or '').

    A sign stands before what is bad or a warning: colour is not the only carrier.
    """

    def __init__(self, mood: str = "") -> None:
        super().__init__()
        self.setProperty("role", "band")
        self.setProperty("mood", mood)
        self._sign = _Sign()
        self._make_words()
        self._show_sign()

    def _make_words(self) -> None:
        self.heading = label("", "heading", wrap=True)
        self.sentence = label("", wrap=True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words = column(self.heading, self.sentence, spacing=2)
        self._sign = _Sign()
        self._row = row((words, 1), spacing=10)
        self._rows = column(self._row)
        row(
            (self._sign, Qt.AlignmentFlag.AlignTop),
            (self._rows, 1),
            on=self,
            margins=(14, 9, 12, 9),
            spacing=10,
        )

    def say(self, heading: str, sentence: str = "", mood: str | None = None) -> None:
        """Change the words, and the mood where one is given."""
        self.heading.setText(heading)
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        self.setAccessibleName(f"{heading} {sentence}".strip())
        if mood is not None:
            set_mood(self, mood)
            self._show_sign()

    def _show_sign(self) -> None:
        self._sign.setVisible(self.property("mood") in ("bad", "warn"))

    def add_row(self, words: QWidget, button: QWidget | None = None) -> None:
        """Put more words below, with a button of theirs at the right end, if they have one."""
        line = row((words, 1), spacing=10)
        if button is not None:
            line.addWidget(button, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._rows.addLayout(line)

    def add_button(self, button: QWidget) -> None:
        """Put a button at the right end."""
        self._row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)


class MessageLine(Band):
    """A band of one line, in the bar at the foot of the window: nothing moves when it comes.

    Its tip has all of its words. Hidden until it has something to say.
    """

    def __init__(self, mood: str) -> None:
        super().__init__(mood)
        self.hide()

    def _make_words(self) -> None:
        self.heading, self.sentence = _OneLine(), _OneLine()
        self.heading.setProperty("role", "strip")
        for part in (self.heading, self.sentence):
            part.setTextFormat(Qt.TextFormat.PlainText)
        parts = (self._sign, self.heading, (self.sentence, 1))
        self._row = row(*parts, on=self, margins=(8, 1, 4, 1), spacing=8)

    def say(self, heading: str, sentence: str = "", mood: str | None = None) -> None:
        """Change the words, and the mood where one is given."""
        super().say(heading, sentence, mood)
        set_tip(self, f"{heading}\n{sentence}".strip())


class _ClosableLine(MessageLine):
    """Esc or the cross takes it away."""

    @Slot()
    def dismiss(self) -> None:
        """Take it away; it does not come back by itself."""
        self.say("")
        self.hide()

    def _add_close(self) -> None:
        self._close = small_button("close", self.tr("Close this message (Esc)"), self.dismiss)
        self.add_button(self._close)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)


class ErrorBar(_ClosableLine):
    """The last error: what happened, what is safe, what to do; the details one click away.

    Does not stand in the way of anything. `again` is for whoever knows how to try it once more.

    *Signals:* seenChanged(bool)
    """

    seenChanged = Signal(bool)

    def __init__(self) -> None:
        super().__init__("bad")
        self.error: WorkbenchError | None = None
        self.kind = ""
        """Of the job that failed; '' where it was none, or is not known yet."""
        self._details = QPlainTextEdit(self)
        self._details.hide()
        self._details.installEventFilter(self)
        self._details.setReadOnly(True)
        self._details.setAccessibleName(self.tr("Details of the error"))
        self._details.setProperty("role", "raw")
        self._place = single_shot(self, self._place_details)
        self._toggle = anywhere(self.tr("Details"), "Alt+Shift+E")
        self._toggle.setCheckable(True)
        self._toggle.toggled.connect(self._show_details)
        self.again = anywhere(self.tr("Try again"), "Alt+Shift+R")
        self.add_button(self.again)
        self.add_button(self._toggle)
        self._add_close()

    def show_error(self, title: str, error: WorkbenchError) -> None:
        """Say it, with where it came from in the details."""
        self.error, self.kind = error, ""
        self.say(title, _sentence(error))
        whence = "".join(traceback.format_exception(error))
        parts = (title, self.sentence.text(), shown(error.details), whence)
        self._details.setPlainText("\n\n".join(part for part in parts if part))
        self._toggle.setChecked(False)
        self.again.hide()
        self.show()

    def details(self) -> str:
        return self._details.toPlainText()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.seenChanged.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._toggle.setChecked(False)
        self.seenChanged.emit(False)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Esc in the details closes them; they follow the size of the window."""
        if event.type() == QEvent.Type.Resize and watched is self._details.parent():
            self._place.start()  # once the bar has its new place
        elif watched is self._details and event.type() == QEvent.Type.KeyPress:
            assert isinstance(event, QKeyEvent)
            if event.key() == Qt.Key.Key_Escape:
                self._toggle.setChecked(False)
                self._toggle.setFocus()
                return True
        return super().eventFilter(watched, event)

    @Slot(bool)
    def _show_details(self, wanted: bool) -> None:
        """Above the bar, over what is there: nothing makes room for them."""
        window = self.window()
        if wanted:
            self._details.setParent(window)
            window.installEventFilter(self)
            apply_style(self._details)
            self._place_details()
            self._details.raise_()
            self._details.show()
            self._details.setFocus()
        else:
            window.removeEventFilter(self)
            self._details.hide()

    def _place_details(self) -> None:
        window = self.window()
        foot = self.mapTo(window, QPoint(0, 0)).y()
        room = QRect(0, 0, window.width(), foot - 4).adjusted(12, 0, -12, 0)
        room.setTop(max(0, foot - 14 * self.fontMetrics().height()))
        self._details.setGeometry(room)


def anywhere(
    text: str, keys: str, on_click: OnClick | None = None, *, primary: bool = False
) -> QPushButton:
    """A button beside controls that need every letter: its key is none of theirs."""
    button = push_button(text, on_click, primary=primary)
    button.setShortcut(keys)
    set_tip(button, button.shortcut().toString(QKeySequence.SequenceFormat.NativeText))
    return button


class NoticeBar(_ClosableLine):
    """Something to know that is no error; stays through every screen until it is closed.

    What concerns one session (`session` is its path) goes when another is opened.
    """

    def __init__(self) -> None:
        super().__init__("warn")
        self.session: Path | None = None
        self._makes_way = False
        self._add_close()

    def show_notice(self, heading: str, sentence: str, session: Path | None = None) -> None:
        """Say it; without a heading, go."""
        self.session = session
        self.say(heading, sentence)
        self.make_way(self._makes_way)

    @Slot(bool)
    def make_way(self, wanted: bool) -> None:
        """Leave the room to an error, and come back after it."""
        self._makes_way = wanted
        self.setVisible(bool(self.heading.text()) and not wanted)


def _sentence(error: WorkbenchError) -> str:
    return " ".join(shown(part) for part in (error.safe, error.remedy) if part)


_LOOKS = {Mood.GOOD: "good", Mood.BAD: "bad", Mood.OPEN: "warn", Mood.PLAIN: ""}
"""Mood of a judgement -> that of bands and badges in the style sheet."""


class VerdictBand(Band):
    """Shows a verdict, or why there is none."""

    def __init__(self) -> None:
        super().__init__("")
        self.show_none(NOTHING)

    def show_verdict(self, verdict: Verdict) -> None:
        """The heading says what the change did, the sentence gives the statistics."""
        words = _without_heading(verdict)
        notes = " ".join(map(shown, (*verdict.warnings, *verdict.dropped)))
        self.say(_headline(verdict), f"{words} {notes}".strip(), look_of(verdict.primary.verdict))
        self.show()

    def show_line(self, verdict: Verdict, tested: Message) -> None:
        """The heading alone, and what was tested."""
        self.say(_headline(verdict), shown(tested), look_of(verdict.primary.verdict))

    def show_none(self, why: Message) -> None:
        """No verdict; hidden where there is nothing to say either."""
        self.say(self.tr("No comparison"), shown(why), "")
        self.setVisible(bool(why))


def _headline(verdict: Verdict) -> str:
    from ldap_workbench.inference.verdict.headline import headline  # the window starts without

    return shown(headline(verdict.primary))


def look_of(word: str) -> str:
    """How a judgement is shown; one that only a stranger's file has is plain."""
    known = Judgement.known(word)
    return _LOOKS[known.mood] if known else ""


def _without_heading(verdict: Verdict) -> str:
    """The sentence without the word that the heading says; a metric's name keeps its p."""
    text = shown(verdict.explanation)
    return text if text[1:2].isdigit() else text[:1].upper() + text[1:]
