"""Bands across a screen: something went wrong, a change is open, a verdict is in."""

from __future__ import annotations

import traceback
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QPlainTextEdit,
    QPushButton,
    QWidget,
)

from ldap_workbench.gui.parts.style.icons import icon
from ldap_workbench.gui.parts.style.language import shown
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


class Band(QFrame):
    """A heading, a sentence and buttons, in the colour of a mood (good, bad, warn or '').

    A sign stands before what is bad or a warning: colour is not the only carrier.
    """

    def __init__(self, mood: str = "") -> None:
        super().__init__()
        self.setProperty("role", "band")
        self.setProperty("mood", mood)
        self.heading = label("", "heading", wrap=True)
        self.sentence = label("", wrap=True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        words = column(self.heading, self.sentence, spacing=2)
        self._sign = _Sign()
        self._row = row((words, 1), spacing=10)
        self._rows = column(self._row)
        self._whole = column(
            row((self._sign, Qt.AlignmentFlag.AlignTop), (self._rows, 1), spacing=10),
            on=self,
            margins=(14, 9, 12, 9),
        )
        self._show_sign()

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


class _ClosableBand(Band):
    """Hidden until it has something to say; Esc or the cross takes it away."""

    def _add_close(self) -> None:
        self._close = small_button("close", self.tr("Close this message (Esc)"), self.hide)
        self.add_button(self._close)
        self.hide()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)


class ErrorBar(_ClosableBand):
    """The last error: what happened, what is safe, what to do; the details one click away.

    Does not stand in the way of anything.
    """

    def __init__(self) -> None:
        super().__init__("bad")
        self.error: WorkbenchError | None = None
        self.kind = ""
        """Of the job that failed; '' where it was none, or is not known yet."""
        self._details = QPlainTextEdit()
        self._details.setReadOnly(True)
        self._details.setAccessibleName(self.tr("Details of the error"))
        self._details.setProperty("role", "raw")
        self._details.setMaximumHeight(self.fontMetrics().height() * 12)
        self._details.hide()
        self._toggle = anywhere(self.tr("Details"), "Alt+Shift+D")
        self._toggle.setCheckable(True)
        self._toggle.toggled.connect(self._details.setVisible)
        self._copy = anywhere(self.tr("Copy"), "Alt+Shift+C", self._copy_details)
        self.add_button(self._toggle)
        self.add_button(self._copy)
        self._add_close()
        self._whole.addWidget(self._details)

    def show_error(self, title: str, error: WorkbenchError) -> None:
        """Say it, with where it came from in the details."""
        self.error, self.kind = error, ""
        self.say(title, _sentence(error))
        whence = "".join(traceback.format_exception(error))
        self._details.setPlainText(f"{shown(error.details)}\n\n{whence}".lstrip())
        self._toggle.setChecked(False)
        self.show()

    def details(self) -> str:
        return self._details.toPlainText()

    def _copy_details(self) -> None:
        text = f"{self.heading.text()}\n{self.sentence.text()}\n\n{self.details()}"
        QGuiApplication.clipboard().setText(text)


def anywhere(
    text: str, keys: str, on_click: OnClick | None = None, *, primary: bool = False
) -> QPushButton:
    """A button beside controls that need every letter: its key is none of theirs."""
    button = push_button(text, on_click, primary=primary)
    button.setShortcut(keys)
    set_tip(button, button.shortcut().toString(QKeySequence.SequenceFormat.NativeText))
    return button


class NoticeBar(_ClosableBand):
    """Something to know that is no error; stays through every screen until it is closed.

    What concerns one session (`session` is its path) goes when another is opened.
    """

    def __init__(self) -> None:
        super().__init__("warn")
        self.session: Path | None = None
        self._add_close()

    def show_notice(self, heading: str, sentence: str, session: Path | None = None) -> None:
        """Say it; without a heading, go."""
        self.session = session
        self.say(heading, sentence)
        self.setVisible(bool(heading))


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
