"""The scanner's loop over the lines of one block."""

from __future__ import annotations

from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.logs.access.kernel.attributes import attribute_line
from ldap_workbench.logs.access.kernel.audit import audit_line
from ldap_workbench.logs.access.kernel.brackets import bracket_line
from ldap_workbench.logs.access.kernel.compiled import entry, inner
from ldap_workbench.logs.access.kernel.etimes import judge
from ldap_workbench.logs.access.kernel.lines import set_aside
from ldap_workbench.logs.access.kernel.memory import byte, find, get, put
from ldap_workbench.logs.access.kernel.objects import object_line
from ldap_workbench.logs.access.kernel.rows import act, add
from ldap_workbench.logs.access.kernel.slapd import slapd_line

_HOUR = 3_600_000_000_000
_STEP = 1_000_000_000
"""Lines are up to some 50 ms out of order; a clock that steps goes back further than this."""

_PACKED = 600 * _STEP
"""Packing a log takes less than this; pieces that were put together lie days apart."""


@inner
def _clear(s: int) -> None:
    """Forget the line before."""
    boot, defaults = get(s, layout.BOOT), get(s, layout.DEFAULTS)
    for i in range(layout.LINE_SIZE):
        put(s, layout.TIME + i, get(defaults, i))
    if get(s, layout.SAID) != 0:
        for i in range(layout.LINE_SIZE, layout.LINE_AND_RARE):
            put(s, layout.TIME + i, get(defaults, i))
    put(s, layout.BOOT, boot)


@inner
def _change_zone(s: int, by: int) -> None:
    put(s, layout.ZONE_NS, get(s, layout.ZONE_NS) + by)
    put(s, layout.TIME, get(s, layout.TIME) - by)
    add(s, layout.CLOCK_CHANGES)


@inner
def _note_clock_change(s: int) -> None:
    """Local time that prints no zone goes back an hour when summer ends, and leaves one out when it
    begins: on a Sunday, from the last minute of an hour to the first of the one after next."""
    newest = get(s, layout.MAX_TIME)
    step = get(s, layout.TIME) - newest
    if -_HOUR - 5 * _STEP <= step <= -_HOUR + 60 * _STEP:
        _change_zone(s, -_HOUR)
    elif _HOUR <= step <= _HOUR + 60 * _STEP:
        before = (newest + get(s, layout.ZONE_NS)) // _STEP
        after = (get(s, layout.TIME) + get(s, layout.ZONE_NS)) // _STEP
        # 1970 began on a Thursday.
        sunday = (after // 86400 + 4) % 7 == 0 and after % 86400 < 5 * 3600
        if sunday and before % 3600 >= 3540 and after % 3600 < 60:
            _change_zone(s, _HOUR)


@inner
def _waited(s: int, now: int, newest: int) -> bool:
    """Whether a line has its time from before a silence that is just over.

    389 DS 2.3.1 packs a log that it rotates; threads wait for seconds with lines that have their
    times already, and write them among those of afterwards.
    """
    just_over: bool = newest <= get(s, layout.SILENT_TO) + _STEP
    return just_over and now + _STEP >= get(s, layout.SILENT_FROM)


@inner
def _note_time(s: int) -> None:
    newest = get(s, layout.MAX_TIME)
    if get(s, layout.LACKING) != layout.WHOLE and newest != layout.ABSENT:
        _note_clock_change(s)
    now = get(s, layout.TIME)
    if now >= newest:
        if newest != layout.ABSENT and _STEP < now - newest < _PACKED:
            put(s, layout.SILENT_FROM, newest)
            put(s, layout.SILENT_TO, now)
        put(s, layout.MAX_TIME, now)
    elif now + _STEP < newest and not _waited(s, now, newest):
        add(s, layout.STEPS_BACK)
        put(s, layout.MAX_TIME, now)
    if newest == layout.ABSENT:
        put(s, layout.FIRST_TIME, now)
    put(s, layout.LAST_TIME, now)


@inner
def _room(s: int) -> int:
    """DONE if one more line fits into every table, else what must grow."""
    if get(s, layout.ROWS) >= get(s, layout.ROOM):
        return layout.NEED_ROWS
    if get(s, layout.OPEN_USED) * 2 > get(s, layout.OPEN_MASK):
        return layout.NEED_OPEN
    if get(s, layout.CONN_USED) * 2 > get(s, layout.CONN_MASK):
        return layout.NEED_CONN
    if get(s, layout.OWN_USED) >= get(s, layout.OWN_ROOM):
        return layout.NEED_OWN
    return layout.DONE


@inner
def _is_record(p: int, e: int) -> bool:
    """Whether another record begins at p: a writer was killed within the line before."""
    return (
        p + 22 < e
        and byte(p) == layout.BRACKET
        and byte(p + 3) == layout.SLASH
        and byte(p + 7) == layout.SLASH
    )


@inner
def _read(s: int, p: int, e: int) -> int:
    """Read one line by the grammar; returns where it stopped."""
    style = get(s, layout.STYLE)
    if style == layout.SLAPD:
        return slapd_line(s, p, e)
    if style == layout.AUDIT:
        return audit_line(s, p, e)
    if style >= layout.EVENTS:
        return object_line(s, p, e)
    if style == layout.ATTRIBUTES:
        return attribute_line(s, p, e)
    return bracket_line(s, p, e)


@inner
def _more(array: int, i: int, lines: int) -> None:
    put(array, i, get(array, i) + lines)


@inner
def _lines_of(s: int, p: int, e: int) -> int:
    """Lines that a record takes."""
    lines = 1
    if get(s, layout.STYLE) >= layout.EVENTS:
        p = find(p, e, layout.JOIN)
        while p < e:
            lines += 1
            p = find(p + 1, e, layout.JOIN)
    return lines


@inner
def _count(s: int, lines: int) -> None:
    """Every line is counted once, as one of three."""
    what = get(s, layout.CLASS)
    if what == layout.NOT_KNOWN:
        _more(s, layout.UNKNOWN, lines)
    elif what in (layout.ASIDE, layout.HEADER):
        _more(s, layout.SET_ASIDE, lines)
    else:
        _more(s, layout.UNDERSTOOD, lines)


@inner
def _act(s: int, lines: int) -> None:
    what = get(s, layout.CLASS)
    if what in (layout.ASIDE, layout.HEADER):
        _more(get(s, layout.COUNTS), get(s, layout.REASON), lines)
    if what not in (layout.NOT_KNOWN, layout.ASIDE):
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
        if status != layout.DONE:
            put(s, layout.STATUS, status)
            return p
        if byte(p) == layout.BRACE and get(s, layout.STYLE) == layout.NUMBERS_FIRST:
            put(s, layout.STATUS, layout.NEED_OBJECTS)
            return p
        newline = find(p, end, layout.LF)
        e = newline
        if e > p and byte(e - 1) == layout.CR:
            e -= 1
        _clear(s)
        stopped = e
        if e - p > layout.MAX_LINE:
            set_aside(s, layout.R_OVERLONG)
        else:
            stopped = _read(s, p, e)
        if get(s, layout.TIME) != layout.ABSENT:
            _note_time(s)
        glued = _is_record(stopped, e)
        judge(s, stopped, terminated and not glued)
        put(s, layout.AT, p + offset)
        lines = _lines_of(s, p, e)
        _act(s, lines)
        if glued:
            # The line is counted by its last record.
            add(get(s, layout.COUNTS), layout.R_GLUED)
            p = stopped
        else:
            _count(s, lines)
            p = newline + 1
    put(s, layout.STATUS, layout.DONE)
    return end
