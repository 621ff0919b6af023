"""The scanner's loop over the lines of one block."""

from __future__ import annotations

from ldap_workbench.logs.kernel.attributes import attribute_line
from ldap_workbench.logs.kernel.audit import audit_line
from ldap_workbench.logs.kernel.brackets import bracket_line
from ldap_workbench.logs.kernel.compiled import entry, inner
from ldap_workbench.logs.kernel.etimes import judge
from ldap_workbench.logs.kernel.layout import (
    ABSENT,
    ASIDE,
    AT,
    ATTRIBUTES,
    AUDIT,
    BOOT,
    BRACE,
    BRACKET,
    CLASS,
    CLOCK_CHANGES,
    CONN_MASK,
    CONN_USED,
    COUNTS,
    CR,
    DEFAULTS,
    DONE,
    EVENTS,
    FIRST_TIME,
    HEADER,
    JOIN,
    LACKING,
    LAST_TIME,
    LF,
    LINE_SIZE,
    MAX_LINE,
    MAX_TIME,
    NEED_CONN,
    NEED_OBJECTS,
    NEED_OPEN,
    NEED_OWN,
    NEED_ROWS,
    NOT_KNOWN,
    NUMBERS_FIRST,
    OPEN_MASK,
    OPEN_USED,
    OWN_ROOM,
    OWN_USED,
    R_GLUED,
    R_OVERLONG,
    REASON,
    ROOM,
    ROWS,
    SET_ASIDE,
    SLAPD,
    SLASH,
    STATUS,
    STEPS_BACK,
    STYLE,
    TIME,
    UNDERSTOOD,
    UNKNOWN,
    WHOLE,
    ZONE_NS,
)
from ldap_workbench.logs.kernel.lines import set_aside
from ldap_workbench.logs.kernel.memory import byte, find, get, put
from ldap_workbench.logs.kernel.objects import object_line
from ldap_workbench.logs.kernel.rows import act, add
from ldap_workbench.logs.kernel.slapd import slapd_line

_HOUR = 3_600_000_000_000
_STEP = 1_000_000_000
"""Lines are up to some 50 ms out of order; a clock that steps goes back further than this."""


@inner
def _clear(s: int) -> None:
    """Forget the line before."""
    boot, defaults = get(s, BOOT), get(s, DEFAULTS)
    for i in range(LINE_SIZE):
        put(s, TIME + i, get(defaults, i))
    put(s, BOOT, boot)


@inner
def _change_zone(s: int, by: int) -> None:
    put(s, ZONE_NS, get(s, ZONE_NS) + by)
    put(s, TIME, get(s, TIME) - by)
    add(s, CLOCK_CHANGES)


@inner
def _note_clock_change(s: int) -> None:
    """Local time that prints no zone goes back an hour when summer ends, and leaves one out when it
    begins: on a Sunday, from the last minute of an hour to the first of the one after next."""
    newest = get(s, MAX_TIME)
    step = get(s, TIME) - newest
    if -_HOUR - 5 * _STEP <= step <= -_HOUR + 60 * _STEP:
        _change_zone(s, -_HOUR)
    elif _HOUR <= step <= _HOUR + 60 * _STEP:
        before = (newest + get(s, ZONE_NS)) // _STEP
        after = (get(s, TIME) + get(s, ZONE_NS)) // _STEP
        # 1970 began on a Thursday.
        sunday = (after // 86400 + 4) % 7 == 0 and after % 86400 < 5 * 3600
        if sunday and before % 3600 >= 3540 and after % 3600 < 60:
            _change_zone(s, _HOUR)


@inner
def _note_time(s: int) -> None:
    newest = get(s, MAX_TIME)
    if get(s, LACKING) != WHOLE and newest != ABSENT:
        _note_clock_change(s)
    now = get(s, TIME)
    if now >= newest:
        put(s, MAX_TIME, now)
    elif now + _STEP < newest:
        add(s, STEPS_BACK)
        put(s, MAX_TIME, now)
    if newest == ABSENT:
        put(s, FIRST_TIME, now)
    put(s, LAST_TIME, now)


@inner
def _room(s: int) -> int:
    """DONE if one more line fits into every table, else what must grow."""
    if get(s, ROWS) >= get(s, ROOM):
        return NEED_ROWS
    if get(s, OPEN_USED) * 2 > get(s, OPEN_MASK):
        return NEED_OPEN
    if get(s, CONN_USED) * 2 > get(s, CONN_MASK):
        return NEED_CONN
    if get(s, OWN_USED) >= get(s, OWN_ROOM):
        return NEED_OWN
    return DONE


@inner
def _is_record(p: int, e: int) -> bool:
    """Whether another record begins at p: a writer was killed within the line before."""
    return p + 22 < e and byte(p) == BRACKET and byte(p + 3) == SLASH and byte(p + 7) == SLASH


@inner
def _read(s: int, p: int, e: int) -> int:
    """Read one line by the grammar; returns where it stopped."""
    style = get(s, STYLE)
    if style == SLAPD:
        return slapd_line(s, p, e)
    if style == AUDIT:
        return audit_line(s, p, e)
    if style >= EVENTS:
        return object_line(s, p, e)
    if style == ATTRIBUTES:
        return attribute_line(s, p, e)
    return bracket_line(s, p, e)


@inner
def _more(array: int, i: int, lines: int) -> None:
    put(array, i, get(array, i) + lines)


@inner
def _lines_of(s: int, p: int, e: int) -> int:
    """Lines that a record takes."""
    lines = 1
    if get(s, STYLE) >= EVENTS:
        p = find(p, e, JOIN)
        while p < e:
            lines += 1
            p = find(p + 1, e, JOIN)
    return lines


@inner
def _count(s: int, lines: int) -> None:
    """Every line is counted once, as one of three."""
    what = get(s, CLASS)
    if what == NOT_KNOWN:
        _more(s, UNKNOWN, lines)
    elif what in (ASIDE, HEADER):
        _more(s, SET_ASIDE, lines)
    else:
        _more(s, UNDERSTOOD, lines)


@inner
def _act(s: int, lines: int) -> None:
    what = get(s, CLASS)
    if what in (ASIDE, HEADER):
        _more(get(s, COUNTS), get(s, REASON), lines)
    if what not in (NOT_KNOWN, ASIDE):
        act(s)


@entry
def scan(s: int, p: int, end: int, offset: int, terminated: bool) -> int:
    """Scan the lines from p to end; returns where it stopped, with the reason in STATUS.

    s is the address of the context, p and end are addresses of text. The text ends behind a
    newline (or, `terminated` False, is one last line without). `offset` added to an address gives
    the place in the stream. PAD bytes behind `end` must be readable.
    """
    while p < end:
        status = _room(s)
        if status != DONE:
            put(s, STATUS, status)
            return p
        if byte(p) == BRACE and get(s, STYLE) == NUMBERS_FIRST:
            put(s, STATUS, NEED_OBJECTS)
            return p
        newline = find(p, end, LF)
        e = newline
        if e > p and byte(e - 1) == CR:
            e -= 1
        _clear(s)
        stopped = e
        if e - p > MAX_LINE:
            set_aside(s, R_OVERLONG)
        else:
            stopped = _read(s, p, e)
        if get(s, TIME) != ABSENT:
            _note_time(s)
        glued = _is_record(stopped, e)
        judge(s, stopped, terminated and not glued)
        put(s, AT, p + offset)
        lines = _lines_of(s, p, e)
        _act(s, lines)
        if glued:
            # The line is counted by its last record.
            add(get(s, COUNTS), R_GLUED)
            p = stopped
        else:
            _count(s, lines)
            p = newline + 1
    put(s, STATUS, DONE)
    return end
