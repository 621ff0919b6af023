"""The places of the window: what the rail, the menu, the palette and F1 know of each, once."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from ldap_workbench.model.message import NOTHING, Message


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
    heading: str = ""
    words: Message = NOTHING
    """By which the palette finds it besides its title."""


class Place(NamedTuple):
    """A row of the rail, or a button of the header. `key` is pressed together with Ctrl."""

    title: Message
    icon: str
    group: Group
    key: str
    tabs: tuple[Tab, ...]


_GUIDE = "guide.md"
_WINDOW = "Find your way in the window"
_READ = "Read a session"
_SEVERAL = "Several changes: a campaign"
_END = "5. Keep or revert, and report"

PLACES = (
    Place(
        Message("Home"), "start", Group.HOME, "1",
        (
            Tab("start", Message("Home"), "tutorial.md", "",
                Message("start servers sessions practice lessons")),
            Tab("fleet", Message("Fleet"), _GUIDE, "Logs of many servers",
                Message("many servers logs hours")),
        ),
    ),
    Place(
        Message("Record"), "capture", Group.SERVER, "2",
        (Tab("capture", Message("Record"), _GUIDE, "2. Measure",
             Message("capture measure watch past live")),),
    ),
    Place(
        Message("Settings"), "knobs", Group.SERVER, "3",
        (Tab("knobs", Message("Settings"), _GUIDE, "3. Choose one change",
             Message("knobs parameters configuration tuning")),),
    ),
    Place(
        Message("Tests"), "experiment", Group.SERVER, "4",
        (
            Tab("experiment", Message("One change"), _GUIDE, "4. Test the change",
                Message("experiment verdict before after")),
            Tab("campaign", Message("Several in turn"), _GUIDE, _SEVERAL,
                Message("campaign queue")),
            Tab("canary", Message("One replica at a time"), _GUIDE, "Several replicas: a canary",
                Message("canary replicas")),
        ),
    ),
    Place(
        Message("Summary"), "overview", Group.SESSION, "5",
        (
            Tab("overview", Message("Summary"), _GUIDE, _WINDOW,
                Message("overview account where the time went")),
            Tab("findings", Message("Findings"), "findings.md", "",
                Message("causes advice suggestions")),
        ),
    ),
    Place(
        Message("Timeline"), "timeline", Group.SESSION, "6",
        (Tab("timeline", Message("Timeline"), _GUIDE, _WINDOW,
             Message("stalls counters strips history")),),
    ),
    Place(
        Message("Latency"), "tails", Group.SESSION, "7",
        (Tab("tails", Message("Latency"), "verdict.md", "",
             Message("tails percentiles distribution histogram pairs")),),
    ),
    Place(
        Message("Operations"), "operations", Group.SESSION, "8",
        (
            Tab("operations", Message("Operations"), _GUIDE, _READ,
                Message("slowest log lines searches binds")),
            Tab("clients", Message("Clients"), _GUIDE, _READ,
                Message("addresses applications pooling")),
        ),
    ),
    Place(
        Message("Report"), "report", Group.HEADER, "R",
        (Tab("report", Message("Report"), _GUIDE, _END, Message("print PDF HTML export")),),
    ),
    Place(
        Message("Change log"), "journal", Group.HEADER, "J",
        (
            Tab("journal", Message("Changes"), _GUIDE, _END,
                Message("journal revert undo open changes")),
            Tab("history", Message("Tests so far"), _GUIDE, _SEVERAL,
                Message("history verdicts tried")),
        ),
    ),
)  # fmt: skip
"""Top to bottom, as the rail lists them; then the buttons of the header."""

TABS = {tab.name: tab for place in PLACES for tab in place.tabs}
"""Every screen by its name."""

PLACE_OF = {tab.name: place for place in PLACES for tab in place.tabs}
"""The place of every screen."""


def full_title(name: str) -> tuple[Message, ...]:
    """What a screen is called outside its place: the place, and its tab where that says more."""
    place, tab = PLACE_OF[name], TABS[name]
    return (place.title,) if tab.title == place.title else (place.title, tab.title)
