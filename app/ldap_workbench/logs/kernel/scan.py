"""The scanner's loop over the lines of one block."""

from __future__ import annotations

from ldap_workbench.logs.kernel.compiled import entry, inner
from ldap_workbench.logs.kernel.layout import (
    ABSENT,
    ASIDE,
    AT,
    BOOT,
    BRACKET,
    CLASS,
    CONN_MASK,
    CONN_USED,
    COUNTS,
    CR,
    DEFAULTS,
    DONE,
    ETIME,
    ETIME_DIGITS,
    ETIME_END,
    FIRST_TIME,
    HEADER,
    LAST_DIGITS,
    LAST_TIME,
    LF,
    LINE_SIZE,
    MAX_LINE,
    MAX_TIME,
    MICROSECONDS,
    NANOSECONDS,
    NEED_CONN,
    NEED_OPEN,
    NEED_OWN,
    NEED_ROWS,
    NOT_KNOWN,
    OPEN_MASK,
    OPEN_USED,
    OWN_ROOM,
    OWN_USED,
    QUANTISED,
    R_CUT,
    R_GARBAGE_ETIME,
    R_GLUED,
    R_NO_ETIME,
    R_OVERLONG,
    REASON,
    RESULT,
    ROOM,
    ROWS,
    SET_ASIDE,
    SLASH,
    STATUS,
    STEPS_BACK,
    TIME,
    UNDERSTOOD,
    UNKNOWN,
    WHOLE_SECONDS,
)
from ldap_workbench.logs.kernel.lines import bracket_line, set_aside
from ldap_workbench.logs.kernel.memory import byte, find, get, put
from ldap_workbench.logs.kernel.rows import act, add

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
def _note_time(s: int) -> None:
    now = get(s, TIME)
    newest = get(s, MAX_TIME)
    if now >= newest:
        put(s, MAX_TIME, now)
    elif now + _STEP < newest:
        add(s, STEPS_BACK)
        put(s, MAX_TIME, now)
    if newest == ABSENT:
        put(s, FIRST_TIME, now)
    put(s, LAST_TIME, now)


@inner
def _note_resolution(s: int) -> None:
    digits = get(s, ETIME_DIGITS)
    put(s, LAST_DIGITS, digits)
    if digits >= 7:
        add(s, NANOSECONDS)
    elif digits == 0:
        add(s, WHOLE_SECONDS)
    elif get(s, ETIME) % 1_000_000 == 0:
        add(s, QUANTISED)
    else:
        add(s, MICROSECONDS)


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
def _judge(s: int, stopped: int, whole: bool) -> None:
    """Set a result aside whose latency cannot be trusted: negative, or cut within its digits."""
    if get(s, CLASS) == RESULT:
        digits, before = get(s, ETIME_DIGITS), get(s, LAST_DIGITS)
        if get(s, ETIME) < 0:
            set_aside(s, R_GARBAGE_ETIME)
        elif not whole and get(s, ETIME_END) == stopped and before >= 0 and digits != before:
            set_aside(s, R_CUT)
        else:
            _note_resolution(s)
    elif not whole and get(s, CLASS) == ASIDE and get(s, REASON) == R_NO_ETIME:
        put(s, REASON, R_CUT)


@inner
def _count_and_act(s: int) -> None:
    what = get(s, CLASS)
    if what == NOT_KNOWN:
        add(s, UNKNOWN)
    elif what == ASIDE:
        add(s, SET_ASIDE)
        add(get(s, COUNTS), get(s, REASON))
    else:
        if what == HEADER:
            add(s, SET_ASIDE)
            add(get(s, COUNTS), get(s, REASON))
        else:
            add(s, UNDERSTOOD)
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
        newline = find(p, end, LF)
        e = newline
        if e > p and byte(e - 1) == CR:
            e -= 1
        _clear(s)
        stopped = e
        if e - p > MAX_LINE:
            set_aside(s, R_OVERLONG)
        else:
            stopped = bracket_line(s, p, e)
        if get(s, TIME) != ABSENT:
            _note_time(s)
        glued = _is_record(stopped, e)
        _judge(s, stopped, terminated and not glued)
        put(s, AT, p + offset)
        _count_and_act(s)
        if glued:
            add(get(s, COUNTS), R_GLUED)
            p = stopped
        else:
            p = newline + 1
    put(s, STATUS, DONE)
    return end
