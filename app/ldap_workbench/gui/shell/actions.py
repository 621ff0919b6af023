"""The commands of the main window: menus, shortcuts, and the list of shortcuts for Help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from ldap_workbench.gui.parts.style.language import LANGUAGES, shown
from ldap_workbench.gui.parts.style.theme import Scheme
from ldap_workbench.model.message import Message

SCHEMES = (
    (Scheme.SYSTEM, Message("As the &system")),
    (Scheme.LIGHT, Message("&Light")),
    (Scheme.DARK, Message("&Dark")),
)

_ACTS, _PLACE, _WORDS = "acts", "place", "words"


@dataclass
class Actions:
    """All actions by their name."""

    by_name: dict[str, QAction] = field(default_factory=dict)

    def __getitem__(self, name: str) -> QAction:
        return self.by_name[name]

    def shortcuts(self) -> list[tuple[str, str]]:
        """(keys, what they do) of every action that has keys."""
        return [
            (keys_of(action), plain_text(action))
            for action in self.by_name.values()
            if not action.shortcut().isEmpty()
        ]


def make_action(
    parent: QObject, text: str, slot: Callable[[], object] | None, *keys: str
) -> QAction:
    """An action of the window; the first of several keys is the one its menu shows."""
    action = QAction(text, parent)
    action.setShortcuts([QKeySequence(key) for key in keys])
    if slot:
        action.triggered.connect(slot)
    return action


def mark_acting(action: QAction) -> QAction:
    """Mark an action that changes a connection or a server: the palette asks on a loose match."""
    action.setProperty(_ACTS, True)
    return action


def is_acting(action: QAction) -> bool:
    """Whether an action changes a connection or a server."""
    return bool(action.property(_ACTS))


def name_place(action: QAction, place: str, words: str = "") -> None:
    """Let the palette say where an action belongs, and find it by other words too."""
    action.setProperty(_PLACE, place)
    action.setProperty(_WORDS, words)


def place_of(action: QAction) -> str:
    """Where an action belongs: a place of the window, or a menu; '' where it has none."""
    return str(action.property(_PLACE) or "")


def words_of(action: QAction) -> str:
    """What finds an action besides its text."""
    return str(action.property(_WORDS) or "")


def keys_of(action: QAction) -> str:
    """The keys of an action as this system writes them; '' where it has none."""
    native = QKeySequence.SequenceFormat.NativeText
    return ", ".join(keys.toString(native) for keys in action.shortcuts())


def plain_text(action: QAction) -> str:
    """The text of an action without mnemonic and dots."""
    return action.text().replace("&", "").replace(" …", "")


def scheme_menu(
    window: QMainWindow, menu: QMenu, present: Scheme, choose: Callable[[Scheme], None]
) -> dict[str, QAction]:
    """Radio actions for the theme, by their names."""
    made: dict[str, QAction] = {}
    group = QActionGroup(window)
    for scheme, name in SCHEMES:
        action = menu.addAction(shown(name))
        action.setCheckable(True)
        action.setChecked(scheme is present)
        action.triggered.connect(lambda _=False, wanted=scheme: choose(wanted))
        group.addAction(action)
        made[f"theme {scheme.value}"] = action
    return made


def language_menu(
    window: QMainWindow, menu: QMenu, present: str, choose: Callable[[str], None]
) -> None:
    """Radio actions for the language."""
    group = QActionGroup(window)
    for language, name in LANGUAGES:
        action = menu.addAction(shown(name))
        action.setCheckable(True)
        action.setChecked(language == present)
        action.triggered.connect(lambda _=False, wanted=language: choose(wanted))
        group.addAction(action)
