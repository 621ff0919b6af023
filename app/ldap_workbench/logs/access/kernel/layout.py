"""The context: one int64 array that holds the scanner's whole state, and where things are in it."""

from __future__ import annotations

from itertools import count
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.access.kernel.compiled import INTERPRETED
from ldap_workbench.model import operations


def constant(value: int) -> int:
    """A constant of the compiled code. numba compiles a function anew for every plain integer it
    is called with, and once for all numpy integers."""
    return value if INTERPRETED else cast(int, np.int64(value))


def _constants(first: int, end: int) -> map[int]:
    return map(constant, range(first, end))


_places = count()


def _next() -> int:
    return constant(next(_places))


ABSENT = constant(operations.ABSENT)

# --- counters and memory of the scan, kept across feeds ---------------------------------------
UNDERSTOOD = _next()
SET_ASIDE = _next()
UNKNOWN = _next()
FIRST_TIME = _next()
LAST_TIME = _next()
MAX_TIME = _next()
STEPS_BACK = _next()
SILENT_FROM = _next()
SILENT_TO = _next()
"""The last time without a line, of more than a second."""
CLOCK_CHANGES = _next()
"""Times that local time without a zone went from summer to winter time, or back."""
MAX_CONN = _next()
HEADER_SEEN = _next()
ORPHANS = _next()
COMBINED = _next()
"""Results whose own line tells the request."""
BETWEEN_LINES = _next()
"""Latencies that are not printed, but told by the times of two lines."""
ROWS = _next()
ROOM = _next()
"""Rows that fit into the columns."""
STATUS = _next()
WHOLE_SECONDS = _next()
QUANTISED = _next()
MICROSECONDS = _next()
NANOSECONDS = _next()
LAST_DIGITS = _next()
FINISHED = _next()
SMALLEST = _next()
"""The shortest etime of all rows so far."""
ENDED_BY_SERVER = _next()
"""Connections whose close names a limit of the server, or a failure of TLS (slapd)."""
OWN_USED = _next()
OWN_ROOM = _next()

# --- the text of the last second, and which second it is --------------------------------------
DATE_1 = _next()
DATE_2 = _next()
DATE_3 = _next()
ZONE = _next()
SECOND = _next()

# --- one line, as its grammar read it; first what goes into a row, in the order of its columns -
TIME = _next()
ETIME = _next()
WTIME = _next()
OPTIME = _next()
NENTRIES = _next()
CONN = _next()
ASKED_AT = _next()
AT = _next()
ERR = _next()
BOOT = _next()
"""Server starts seen: the only one of these that outlives a line."""
OP = _next()
INTERNAL_OP = _next()
NESTING = _next()
CLIENT_INDEX = _next()
SHAPE_INDEX = _next()
BASE_INDEX = _next()
BIND_INDEX = _next()
KIND = _next()
INTERNAL = _next()
IS_OWN = _next()
NOTES = _next()
CLASS = _next()
REASON = _next()
TAG = _next()
ETIME_DIGITS = _next()
ETIME_END = _next()
TIME_DIGITS = _next()
GARBAGE_WTIME = _next()
GARBAGE_OPTIME = _next()
UNITS = _next()
EPOCH = _next()
"""What tells connections of the same number apart, where the log says it."""
MSG_ID = _next()
"""What tells operations of the same number apart: Sun logs all of a replication session as op=0."""
HAS_REQUEST = _next()
"""A result that tells its request too: combined lines, and logs of results only."""
BIND = _next()
BIND_END = _next()
BASE = _next()
BASE_END = _next()
FILTER = _next()
FILTER_END = _next()
CLIENT = _next()
CLIENT_END = _next()

# --- what few lines say, first again what goes into a row --------------------------------------
WQTIME = _next()
WRITETIME = _next()
INDEX_NS = _next()
INDEX_IDS = _next()
OPENED_NS = _next()
"""When the connection was opened, in the row of the first operation that ends on it."""
CLOSED_NS = _next()
"""When the connection was closed, in rows of operations that ended after that."""
KEY_INDEX = _next()
WBUSY = _next()
WMAX = _next()
WQDEPTH = _next()
DEREF = _next()
VLV = _next()
INDEX_KEY = _next()
INDEX_KEY_END = _next()
SAID = _next()
"""Whether the line gives any of these: whoever puts one says so, and only then are they cleared
and written into rows."""

# --- what kind of text it is, and what its times need -----------------------------------------
STYLE = _next()
ETIME_UNIT = _next()
YEAR = _next()
"""For syslog times without one; grows when December is followed by January."""
MONTH = _next()
ZONE_NS = _next()
"""East of UTC, for times without a zone."""
LACKING = _next()
"""What the newest time does not show: WHOLE, NO_ZONE, NO_YEAR (and no zone), NO_TIME."""
UNDATED = _next()
"""The time of lines that show none; ABSENT: such lines are set aside."""
PID = _next()
NEWEST_BOOT = _next()
"""The highest BOOT given out: the line's own may be that of an older process."""
PROCESSES = _next()
"""Processes seen; the latest of them are in PROCESS_TABLE."""
RETURNS = _next()
"""Times a line was of another process than the line before, and that process was known."""
DEPTH = _next()
"""How deep in an object keys are looked at."""
SCRATCH = _next()
"""Room for texts without their escapes."""
SCRATCH_USED = _next()

# --- addresses --------------------------------------------------------------------------------
DEFAULTS = _next()
"""What a line is before it is read."""
TAGS = _next()
"""Kind by LDAP tag, 128 numbers."""
MONTHS = _next()
WORDS = _next()
MEANINGS = _next()
KEYS = _next()
FIELDS = _next()
COUNTS = _next()
"""Per reason."""
NONCES = _next()
NONCE_ENDS = _next()
NONCE_COUNT = _next()
OWN = _next()

# --- tables: open requests and connections ----------------------------------------------------
OPEN_TABLE = _next()
OPEN_MASK = _next()
OPEN_USED = _next()
CONN_TABLE = _next()
CONN_MASK = _next()
CONN_USED = _next()

# --- tables of strings, seven numbers each ----------------------------------------------------
S_HASHES, S_INDEXES, S_MASK, S_TEXT, S_ENDS, S_COUNT, S_BYTES, S_SIZE = _constants(0, 8)
CLIENTS = _next()
FINGERPRINTS = CLIENTS + S_SIZE
BASES = FINGERPRINTS + S_SIZE
BIND_DNS = BASES + S_SIZE

# --- addresses of the columns of the rows, as wide as their values ---------------------------
INDEX_KEYS = BIND_DNS + S_SIZE
COLUMNS = INDEX_KEYS + S_SIZE
WIDE = (
    "end_ns",
    "etime_ns",
    "wtime_ns",
    "optime_ns",
    "nentries",
    "conn",
    "request_at",
    "result_at",
)
MIDDLE = (
    "err", "boot", "op", "internal_op", "nesting", "client", "fingerprint", "base", "bind_dn",
)  # fmt: skip
NARROW = ("kind", "internal", "own", "notes")
WIDE_END = constant(len(WIDE))
MIDDLE_END = constant(len(WIDE) + len(MIDDLE))
NARROW_END = constant(len(WIDE) + len(MIDDLE) + len(NARROW))

# --- addresses of the columns of model.operations.RARE, only written in rows that say something -
RARE_COLUMNS = COLUMNS + NARROW_END
RARE_WIDE = ("wqtime_ns", "writetime_ns", "index_ns", "index_ids", "opened_ns", "closed_ns")
RARE_MIDDLE = ("index_key", "wbusy", "wmax", "wqdepth")
RARE_NARROW = ("deref", "vlv")
RARE_WIDE_END = constant(len(RARE_WIDE))
RARE_MIDDLE_END = constant(len(RARE_WIDE) + len(RARE_MIDDLE))
RARE_END = constant(len(RARE_WIDE) + len(RARE_MIDDLE) + len(RARE_NARROW))
RARE_AT = RARE_COLUMNS + RARE_END
"""Address of the numbers of those rows."""
RARE_ROWS = RARE_AT + constant(1)
"""How many they are."""

# --- server processes a syslog tells apart, the latest of them ---------------------------------
PROCESS_TABLE = RARE_ROWS + constant(1)
P_PID, P_BOOT, P_MAX_CONN, P_SIZE = _constants(0, 4)
PROCESS_SLOTS = constant(16)
SIZE = PROCESS_TABLE + P_SIZE * PROCESS_SLOTS

# --- why the scanner came back before the end of the block ------------------------------------
DONE, NEED_ROWS, NEED_OPEN, NEED_CONN, NEED_OWN, NEED_OBJECTS = _constants(0, 6)
"""NEED_OBJECTS: the log of 389 DS is JSON from here on."""

# --- classes of a line ------------------------------------------------------------------------
(
    NOT_KNOWN, ASIDE, EXTRA, REQUEST, RESULT, ABANDON, OPENED, CLOSED, UNPROCESSED, BOUND, HEADER,
    SOCKET, NOTED, STAT,
) = _constants(0, 14)  # fmt: skip

# NOTED: a further line of a request, whose kind is bits of its notes (and WITH_VLV).

# --- styles of text: numbers first (389, Sun), verb first (OpenDJ, UnboundID), slapd ----------
NUMBERS_FIRST, VERB_FIRST, SLAPD, ATTRIBUTES, EVENTS, RECORDS, AUDIT = _constants(0, 7)
"""EVENTS: one JSON object per event (389); RECORDS: one per operation (OpenDJ); ATTRIBUTES: [key:
value] of Oracle before the text; AUDIT: a header and its details (IBM). From EVENTS on, a record
may take several lines, which come joined by JOIN."""

# --- what a time does not show -----------------------------------------------------------------
WHOLE, NO_ZONE, NO_YEAR, NO_TIME = _constants(0, 4)

# --- units of etime ---------------------------------------------------------------------------
SECONDS, MILLISECONDS, LATCHED = _constants(0, 3)
"""LATCHED: OpenDJ's bare number, in ms or ns as was set when the connection was accepted."""

# --- reasons; the text is what people read ----------------------------------------------------
REASONS = (
    "header",
    "blank line",
    "error log line",
    "cut line",
    "NUL bytes",
    "overlong line",
    "result without etime",
    "garbage etime",
    "garbage wtime",
    "garbage optime",
    "request seen twice",
    "two records joined",
    "line without a time",
    "message of the server",
    "repeated by syslog",
)
(
    R_HEADER,
    R_BLANK,
    R_ERROR_LOG,
    R_CUT,
    R_NUL,
    R_OVERLONG,
    R_NO_ETIME,
    R_GARBAGE_ETIME,
    R_GARBAGE_WTIME,
    R_GARBAGE_OPTIME,
    R_TWICE,
    R_GLUED,
    R_NO_TIME,
    R_MESSAGE,
    R_REPEATED,
) = _constants(0, 15)

# --- what a key=value token means -------------------------------------------------------------
(
    F_SKIP,
    F_ERR,
    F_TAG,
    F_NENTRIES,
    F_WTIME,
    F_OPTIME,
    F_ETIME,
    F_NOTES,
    F_BASE,
    F_FILTER,
    F_STOP,
    F_BIND,
    F_ORIGIN,
    F_UNINDEXED,
    F_CONN,
    F_OP,
    F_INTERNAL_OP,
    F_NESTING,
    F_IS_INTERNAL,
    F_CLIENT,
    F_OPERATION,
    F_TIME,
    F_KEY,
    F_UNITS,
    F_NOTE,
    F_HEADER,
    F_ELAPSED,
    F_QUEUED,
    F_PROCESSED,
    F_TYPE,
    F_ITEMS,
    F_INDEXED,
    F_STARTUP,
    F_CONTROLS,
    F_ROLE,
    F_RECEIVED,
    F_MILLISECONDS,
    F_WQTIME,
    F_WRITETIME,
    F_DEREF,
    F_STAT_ATTRIBUTE,
    F_STAT_KEY,
    F_STAT_COUNT,
    F_STAT_TIME,
    F_WBUSY,
    F_WMAX,
    F_WQDEPTH,
) = _constants(0, 47)
MILLI, NANO = _constants(0, 2)

# --- an open request: some numbers, free where O_KEY is 0 -------------------------------------
(
    O_KEY, O_IDS, O_DEPTH, O_START, O_AT, O_KIND, O_BASE, O_FINGERPRINT, O_BIND, O_EXTRAS,
    O_INDEX_NS, O_INDEX_IDS, O_INDEX_KEY, O_SIZE,
) = _constants(0, 14)  # fmt: skip
WITH_VLV = constant(1 << 8)
DEREF_SHIFT = constant(9)
WITH_INDEX = constant(1 << 12)
"""O_EXTRAS: eight bits of notes, WITH_VLV, how aliases are followed, plus one, in three bits, and
WITH_INDEX where O_INDEX_... hold anything."""

# --- a connection: some numbers, free where N_KEY is 0 ----------------------------------------
(
    N_KEY, N_CLIENT, N_BIND, N_FLAGS, N_CLOSED_AT, N_EPOCH, N_OPENED_NS, N_CLOSED_NS, N_SIZE,
) = _constants(0, 9)  # fmt: skip
N_OPENED, N_CLOSED, N_OWN = constant(1), constant(2), constant(4)
N_MILLISECONDS, N_NANOSECONDS = constant(8), constant(16)
"""The unit of etime, where it is told by connection."""

# --- kinds: indexes into model.operations.TYPES -----------------------------------------------
K_SRCH, K_BIND, K_MOD, K_ADD, K_DEL, K_MODRDN, K_CMP, K_EXT, K_ABANDON, K_UNKNOWN = _constants(
    0, 10
)

MAX_LINE = constant(1 << 20)
"""Longer lines are set aside: no server writes them."""
PAD = constant(64)
"""Bytes that must be readable behind a text, so that whole words can be read."""

# --- characters -------------------------------------------------------------------------------
(NUL, TAB, LF, CR, BLANK, QUOTE, OPENING, CLOSING, COMMA, DASH, DOT, SLASH, COLON, EQUALS) = map(
    constant, b'\0\t\n\r "(),-./:='
)
BRACKET, BRACKET_END, STAR, QUESTION = map(constant, b"[]*?")
JOIN = constant(0x1E)
"""Stands for a newline inside a record."""

_NOT_THERE = (
    TIME, ETIME, WTIME, OPTIME, NENTRIES, WQTIME, WRITETIME, INDEX_NS, INDEX_IDS, OPENED_NS,
    CLOSED_NS,
)  # fmt: skip
_MINUS_ONE = (
    CONN, ASKED_AT, ERR, OP, CLIENT_INDEX, SHAPE_INDEX, BASE_INDEX, BIND_INDEX, TAG,
    KEY_INDEX, WBUSY, WMAX, WQDEPTH, DEREF,
)  # fmt: skip
LINE_SIZE = constant(WQTIME - TIME)
LINE_AND_RARE = constant(SAID + 1 - TIME)


def defaults() -> NDArray[np.int64]:
    """What the line part of the context is before a line is read."""
    line = np.zeros(LINE_AND_RARE, np.int64)
    line[[place - TIME for place in _NOT_THERE]] = ABSENT
    line[[place - TIME for place in _MINUS_ONE]] = -1
    return line


def tags() -> NDArray[np.int64]:
    """The operation type that a result's LDAP tag tells."""
    kinds = np.full(128, K_UNKNOWN, np.int64)
    kinds[[101, 97, 103, 105, 107, 109, 111, 120]] = [
        K_SRCH, K_BIND, K_MOD, K_ADD, K_DEL, K_MODRDN, K_CMP, K_EXT,
    ]  # fmt: skip
    return kinds


LETTER_C, LETTER_F, LETTER_I, LETTER_S, LETTER_T, LETTER_U = map(constant, b"cfistu")
CAPITAL_I, CAPITAL_N, CAPITAL_Q, CAPITAL_R, CAPITAL_S, CAPITAL_T = map(constant, b"INQRST")
CAPITAL_B, DIGIT_2 = map(constant, b"B2")
BRACE, BRACE_END, BACKSLASH = map(constant, b"{}\\")
NOTE_A, NOTE_P, NOTE_S = (constant(1 << operations.NOTES.index(letter)) for letter in "APS")
LETTER_A, LETTER_D, LETTER_E = map(constant, b"ade")
GREATER = constant(0x3E)
