"""The command palette: every command by a few letters of its name."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QStringListModel,
    Qt,
)
from PySide6.QtGui import QAction, QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.shell.actions import is_acting, keys_of, place_of, plain_text, words_of

Index = QModelIndex | QPersistentModelIndex


def fits(words: str, letters: str) -> bool:
    """Whether the letters occur in the words, in their order."""
    return fit(words, letters) is not None


def fit(words: str, letters: str) -> tuple[int, ...] | None:
    """How far the words are from what was typed, nearest first; None where letters are missing.

    The words themselves are nearest, at the start of a word or within one; then letters that start
    words; then letters anywhere, those close together first.
    """
    words, letters = words.casefold(), letters.casefold().strip()
    if (at := words.find(letters)) >= 0:
        return 0, 0 if _starts(words, at) else 1, at
    places = _places(words, "".join(letters.split()))
    if places is None:
        return None
    inside = sum(not _starts(words, place) for place in places)
    return 1, inside, places[-1] - places[0], places[0]


def names(words: str, typed: str) -> bool:
    """Whether what was typed is whole words of a command."""
    return bool(typed.strip()) and set(typed.casefold().split()) <= set(words.casefold().split())


def _places(words: str, letters: str) -> list[int] | None:
    """Where the letters are; a letter that starts a word is taken before one within."""
    places: list[int] = []
    for letter in letters:
        start = places[-1] + 1 if places else 0
        matches = [at for at in range(start, len(words)) if words[at] == letter]
        if not matches:
            return _first_places(words, letters)
        places.append(next((at for at in matches if at == start or _starts(words, at)), matches[0]))
    return places


def _first_places(words: str, letters: str) -> list[int] | None:
    places, at = [], -1
    for letter in letters:
        if (at := words.find(letter, at + 1)) < 0:
            return None
        places.append(at)
    return places


def _starts(words: str, at: int) -> bool:
    return at == 0 or not words[at - 1].isalnum()


class _Lines(QStyledItemDelegate):
    """What a command does at the left, its place and keys at the right."""

    def __init__(self, palette: CommandPalette) -> None:
        super().__init__(palette)
        self._palette = palette

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if action := self._palette.action(index.row()):
            option.text = plain_text(action)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        action = self._palette.action(index.row())
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if chosen else QPalette.ColorRole.PlaceholderText
        painter.setPen(option.palette.color(role))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        room = option.rect.adjusted(0, 0, -option.fontMetrics.averageCharWidth(), 0)
        painter.drawText(room, right, _beside(action) if action else "")


class CommandPalette(QDialog):
    """Type, choose with the arrows, Enter."""

    def __init__(self, actions: Sequence[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        apply_style(self)
        self.setWindowTitle(self.tr("Commands"))
        self._actions = [action for action in actions if action.isEnabled()]
        self._shown: list[QAction] = []
        self._line = QLineEdit()
        self._line.setPlaceholderText(self.tr("Type a few letters of a command"))
        self._line.setAccessibleName(self.tr("Command"))
        self._line.textChanged.connect(self._narrow)
        self._line.installEventFilter(self)
        self._model = QStringListModel(self)
        self._list = QListView()
        self._list.setModel(self._model)
        self._list.setItemDelegate(_Lines(self))
        self._list.setAccessibleName(self.tr("Commands"))
        self._list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self._list.activated.connect(self._accept_line)
        self._question = label("", "warn", wrap=True)
        self._is_agreed = False
        column(self._line, self._question, self._list, on=self)
        self._narrow("")
        self.resize(self._wanted_width(), self.fontMetrics().height() * 22)

    def _wanted_width(self) -> int:
        """Wide enough for every command beside its keys, not wider than the window."""
        lines = [self.fontMetrics().horizontalAdvance(_line_of(action)) for action in self._actions]
        letter = self.fontMetrics().averageCharWidth()
        wanted = max([64 * letter, *(width + 10 * letter for width in lines)])
        above = self.parentWidget()
        return min(wanted, above.width() - 4 * letter) if above else wanted

    def accept(self) -> None:
        """Asks before a command that acts on a server where what was typed may mean another."""
        action = self.chosen()
        if action and is_acting(action) and not (self._is_agreed or self._is_named(action)):
            self._ask(plain_text(action))
            return
        super().accept()

    def _is_named(self, action: QAction) -> bool:
        """Whether all its words were typed, or some that are in nothing else on offer."""
        typed, words = self._line.text().casefold().split(), plain_text(action)
        if not names(words, self._line.text()):
            return False
        others = [_known_by(other) for other in self._actions if other is not action]
        unique = not any(all(word in other for word in typed) for other in others)
        return unique or set(typed) == set(words.casefold().split())

    def _accept_line(self) -> None:
        self._is_agreed = True
        self.accept()

    def _ask(self, words: str) -> None:
        self._is_agreed = True
        self._question.setText(
            self.tr("“{command}” acts on a server. Press Enter again to run it.").format(
                command=words
            )
        )
        self._question.show()

    def chosen(self) -> QAction | None:
        """What was chosen, once accepted."""
        return self.action(self._list.currentIndex().row())

    def action(self, row: int) -> QAction | None:
        """The command of a line; None beyond the last."""
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            page = self._list.height() // max(1, self._list.sizeHintForRow(0))
            steps = {
                Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1,
                Qt.Key.Key_PageUp: -page, Qt.Key.Key_PageDown: page,
            }  # fmt: skip
            key = Qt.Key(event.key())
            if key in steps:
                self._move(steps[key])
                return True
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.accept()
                return True
        return super().eventFilter(watched, event)

    def _narrow(self, letters: str) -> None:
        self._is_agreed = False
        self._question.hide()
        near = [(_nearness(action, letters), action) for action in self._actions]
        matches = [(how, action) for how, action in near if how is not None]
        self._shown = [action for _, action in sorted(matches, key=lambda pair: pair[0])]
        self._model.setStringList([_line_of(action) for action in self._shown])
        self._list.setCurrentIndex(self._model.index(0, 0))

    def _move(self, step: int) -> None:
        self._is_agreed = True  # whoever moves to a line has read it
        self._question.hide()
        row = self._list.currentIndex().row() + step
        self._list.setCurrentIndex(self._model.index(max(0, min(row, len(self._shown) - 1)), 0))


def _nearness(action: QAction, letters: str) -> tuple[int, ...] | None:
    """As `fit`; a word it is also known by comes after the starts of words in a text."""
    near = fit(plain_text(action), letters)
    at = words_of(action).casefold().find(letters.casefold().strip())
    known = (0, 1, 0, at) if at >= 0 else None
    return min((how for how in (near, known) if how is not None), default=None)


def _known_by(action: QAction) -> str:
    return f"{plain_text(action)} {words_of(action)}".casefold()


def _beside(action: QAction) -> str:
    return "    ".join(part for part in (place_of(action), keys_of(action)) if part)


def _line_of(action: QAction) -> str:
    return "    ".join(part for part in (plain_text(action), _beside(action)) if part)
