"""The places of the window: what the rail, the menu, the palette and F1 know of each, once."""

from __future__ import annotations

import tomllib
from enum import Enum
from typing import Any, NamedTuple

from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.resources import resource


class Group(Enum):
    """Places that show the same thing: the rail lists them together, below its name."""

    HOME = NOTHING
    SERVER = Message("Server")
    SESSION = Message("Session")
    HEADER = None
    """Reached by a button above the places, not from the rail."""


class Tab(NamedTuple):
    """One screen of a place. `name` is the key of its class; `page` and `heading` are for F1."""

    name: str
    title: Message
    page: str
    known_as: Message
    """By which the palette finds it besides its title."""
    heading: str
    key: str
    """Pressed together with Ctrl; '' for the first of a place, which has the key of that."""
    lacks: Message
    """Heading of the screen while it has nothing to show; `empty` says what it would show then."""
    empty: Message
    within: bool
    """Whether it is no tab of its own: the first of its place leads to it, and it leads back."""


class Place(NamedTuple):
    """A row of the rail, or a button of the header. `key` is pressed together with Ctrl."""

    title: Message
    icon: str
    group: Group
    key: str
    tabs: tuple[Tab, ...]


# By name: the text of a key in brackets would be taken for one to translate.


def _tab(
    name: str,
    title: str,
    page: str,
    known_as: str,
    heading: str = "",
    key: str = "",
    lacks: str = "",
    empty: str = "",
    within: bool = False,
) -> Tab:
    words = Message(lacks) if lacks else NOTHING, Message(empty) if empty else NOTHING
    return Tab(name, Message(title), page, Message(known_as), heading, key, *words, within)


def _place(title: str, icon: str, group: str, key: str, tab: list[dict[str, Any]]) -> Place:
    return Place(Message(title), icon, Group[group], key, tuple(_tab(**entry) for entry in tab))


_listed = tomllib.loads(resource("places.toml").read_text("utf-8"))["place"]
PLACES = tuple(_place(**entry) for entry in _listed)
"""Top to bottom, as the rail lists them; then the buttons of the header."""

TABS = {tab.name: tab for place in PLACES for tab in place.tabs}
"""Every screen by its name."""

PLACE_OF = {tab.name: place for place in PLACES for tab in place.tabs}
"""The place of every screen."""
