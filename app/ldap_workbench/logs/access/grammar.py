"""What differs between text dialects, as data: month names, words and keys.

The kernel (app/kernel) knows these names of what a word or a key means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, auto

from ldap_workbench.logs.reading.months import NAMES
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import NOTES, TYPES


class Line(StrEnum):
    """What a line of an operation, a connection or the server is."""

    EXTRA = auto()
    """Understood, and of no further use."""
    REQUEST = auto()
    RESULT = auto()
    ABANDON = auto()
    OPENED = auto()
    CLOSED = auto()
    UNPROCESSED = auto()
    BOUND = auto()
    SOCKET = auto()
    NOTED = auto()
    """A further line of a request, whose kind is bits of its notes (and WITH_VLV)."""
    STAT = auto()


class Style(StrEnum):
    """The family of grammars."""

    NUMBERS_FIRST = auto()
    """389 DS, Sun."""
    VERB_FIRST = auto()
    """OpenDJ, UnboundID."""
    SLAPD = auto()
    ATTRIBUTES = auto()
    """[key: value] of Oracle before the text."""
    EVENTS = auto()
    """One JSON object an event (389)."""
    RECORDS = auto()
    """One JSON object an operation (OpenDJ)."""
    AUDIT = auto()
    """A header and its details (IBM)."""


class Unit(StrEnum):
    """The unit of an etime."""

    SECONDS = auto()
    MILLISECONDS = auto()
    LATCHED = auto()
    """OpenDJ's bare number, in ms or ns as was set when the connection was accepted."""


class Field(StrEnum):
    """What the value of a key means."""

    ERR = auto()
    TAG = auto()
    NENTRIES = auto()
    WTIME = auto()
    OPTIME = auto()
    ETIME = auto()
    NOTES = auto()
    BASE = auto()
    FILTER = auto()
    STOP = auto()
    """What follows is text for people."""
    BIND = auto()
    ORIGIN = auto()
    UNINDEXED = auto()
    CONN = auto()
    OP = auto()
    INTERNAL_OP = auto()
    NESTING = auto()
    IS_INTERNAL = auto()
    CLIENT = auto()
    OPERATION = auto()
    TIME = auto()
    KEY = auto()
    UNITS = auto()
    NOTE = auto()
    HEADER = auto()
    ELAPSED = auto()
    QUEUED = auto()
    PROCESSED = auto()
    TYPE = auto()
    ITEMS = auto()
    INDEXED = auto()
    STARTUP = auto()
    CONTROLS = auto()
    ROLE = auto()
    RECEIVED = auto()
    MILLISECONDS = auto()
    WQTIME = auto()
    WRITETIME = auto()
    DEREF = auto()
    STAT_ATTRIBUTE = auto()
    STAT_KEY = auto()
    STAT_COUNT = auto()
    STAT_TIME = auto()
    WBUSY = auto()
    WMAX = auto()
    WQDEPTH = auto()


SRCH, BIND, MOD, ADD, DEL, MODRDN, CMP, EXT, ABANDON, UNKNOWN = range(len(TYPES))
"""Kinds of operations: places in TYPES."""
SORTED = 1 << NOTES.index("S")
WITH_VLV = 1 << 8
"""Of NOTED lines: a page of a sorted list is asked for."""


BRACKET_TIME = rb"\[\d\d?/[^\W\d]\S{1,12}/\d{4}:\d\d:\d\d:\d\d(?:\.\d+)? (?:Z|[+-]\d{4})\] "
"""Pattern of '[21/Nov/2026:02:20:00.151797648 +0000] ', which many servers begin a line with."""


@dataclass(frozen=True)
class Look:
    """A pattern that matches at a line of a dialect and of no other, as far as that can be.

    A file is of the dialect whose looks match most of its lines, times `weight`.
    """

    pattern: bytes
    weight: float = 1.0


@dataclass(frozen=True)
class Dialect:
    """A text dialect. Words and keys count by their first eight bytes.

    words: verb -> (class of the line, kind); keys: name -> field. With `style` VERB_FIRST the
    class REQUEST stands for requests, results and lines that are both.
    """

    name: str
    title: Message
    """The product, in a menu of dialects."""
    log: Message
    """A file of it, where an import says what it reads."""
    looks: tuple[Look, ...]
    words: Mapping[str, tuple[Line, int]]
    keys: Mapping[str, Field]
    operations: Mapping[str, tuple[Line, int]] = field(default_factory=dict)
    """Values of "operation" in JSON, like words; these and the keys of JSON count in full."""
    style: Style = Style.NUMBERS_FIRST
    depth: int = 0
    """How deep in a JSON object its keys are."""
    family: str = ""
    """Dialects of one family follow each other where a server is told to write another."""
    messages: str = ""
    """Of resources: the kinds of messages that its server writes beside operations."""
    etime_unit: Unit = Unit.SECONDS
    months: Mapping[int, str] = field(default_factory=lambda: NAMES)
