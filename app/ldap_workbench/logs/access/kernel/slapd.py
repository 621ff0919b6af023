"""OpenLDAP lines: what may stand before 'conn=', and what slapd says besides."""

from __future__ import annotations

from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.logs.access.kernel.compiled import inner
from ldap_workbench.logs.access.kernel.lines import (
    CONN_TEXT,
    CONN_TEXT_MASK,
    as_word,
    body,
    ids,
    mask_of,
    set_aside,
)
from ldap_workbench.logs.access.kernel.memory import byte, find, get, put, word
from ldap_workbench.logs.access.kernel.numbers import (
    clock,
    days,
    fraction_ns,
    integer,
    is_year,
    month_number,
    two_digits,
    zone_seconds,
)

_S = 1_000_000_000
_NS_SLAPD = as_word(b"ns-slapd")
_SLAPD, _SLAPD_MASK = as_word(b"slapd["), mask_of(b"slapd[")
_OPENLDAP, _OPENLDAP_MASK = as_word(b"OpenLDA"), mask_of(b"OpenLDA")
_STARTING = as_word(b"starting")
_REPEATED = as_word(b"repeated")


@inner
def hexadecimal(p: int, e: int) -> tuple[int, int]:
    """(value, position behind) of up to 15 lower-case hexadecimal digits."""
    value, start = 0, p
    while p < e and p - start < 15:
        c = byte(p)
        if 48 <= c <= 57:
            value = value * 16 + c - 48
        elif 97 <= c <= 102:
            value = value * 16 + c - 87
        else:
            break
        p += 1
    return value, p


@inner
def _hex_time(s: int, p: int, e: int) -> int:
    """'6b010435.0d4cd4da ' or, from 2.4, '6b010435 '; the position behind or 0."""
    seconds, q = hexadecimal(p, e)
    if q != p + 8 or q >= e:
        return 0
    nanoseconds, digits = 0, 0
    if byte(q) == layout.DOT:
        nanoseconds, r = hexadecimal(q + 1, e)
        digits = 9
        if r - q == 6:  # where the system has no nanoseconds, microseconds
            nanoseconds, digits = nanoseconds * 1000, 6
        q = r
    if q < e and byte(q) != layout.BLANK:
        return 0
    put(s, layout.TIME, seconds * _S + nanoseconds)
    put(s, layout.TIME_DIGITS, digits)
    put(s, layout.LACKING, layout.WHOLE)
    return q


@inner
def iso_time(s: int, p: int, e: int) -> int:
    """'2023-11-21T14:28:15.631738+01:00' or with a blank for the T; the position behind or 0."""
    if p + 19 > e or byte(p + 4) != layout.DASH or byte(p + 7) != layout.DASH:
        return 0
    year, q = integer(p, p + 4)
    month, day, second = two_digits(p + 5), two_digits(p + 8), clock(p + 11, e)
    if q != p + 4 or month < 1 or month > 12 or day < 1 or day > 31 or second < 0:
        return 0
    if not is_year(year):
        return 0
    fraction, q = fraction_ns(p + 19, e)
    spaced = (
        q + 1 < e and byte(q) == layout.BLANK and (byte(q + 1) == 43 or byte(q + 1) == layout.DASH)
    )
    zone, r = zone_seconds(q + 1 if spaced else q, e)
    east = zone * _S if r != 0 else get(s, layout.ZONE_NS)
    put(s, layout.TIME, (days(year, month, day) * 86400 + second) * _S + fraction - east)
    put(s, layout.TIME_DIGITS, max(0, q - p - 20))
    put(s, layout.LACKING, layout.WHOLE if r != 0 else layout.NO_ZONE)
    return r if r != 0 else q


@inner
def _month_name(s: int, p: int, e: int) -> tuple[int, int]:
    """(month, position of the day behind it) of 'Nov ', 'nov. ', 'Mär ' or '11月 '; (0, 0)."""
    q = p
    while q < e and q - p < 10 and byte(q) != layout.BLANK:
        q += 1
    day = q + 2 if byte(q + 1) == layout.BLANK else q + 1
    # Words that no day of a month follows need not be looked up.
    if q - p < 3 or q + 12 > e or byte(day) < 48 or byte(day) > 57:
        return 0, 0
    number, after = integer(p, q)
    if after != 0 and after + 3 == q and byte(after) == 0xE6 and byte(after + 1) == 0x9C:
        return number if number <= 12 else 0, day
    return month_number(s, p, q - p - 1 if byte(q - 1) == layout.DOT else q - p), day


@inner
def _syslog_time(s: int, p: int, e: int) -> int:
    """'Nov  1 02:40:39', without year and zone; the position behind or 0."""
    month, start = _month_name(s, p, e)
    if month == 0:
        return 0
    day, q = integer(start, e)
    if q == 0 or day < 1 or day > 31 or byte(q) != layout.BLANK:
        return 0
    second = clock(q + 1, e)
    if second < 0:
        return 0
    before = get(s, layout.MONTH)
    if before != 0 and month + 6 < before:
        put(s, layout.YEAR, get(s, layout.YEAR) + 1)
    elif before != 0 and before + 6 < month:
        put(s, layout.YEAR, get(s, layout.YEAR) - 1)
    put(s, layout.MONTH, month)
    date = days(get(s, layout.YEAR), month, day) * 86400
    # Journals and rsyslog may print a fraction: short-precise.
    fraction, r = fraction_ns(q + 9, e)
    put(s, layout.TIME, (date + second) * _S + fraction - get(s, layout.ZONE_NS))
    put(s, layout.TIME_DIGITS, max(0, r - q - 10))
    put(s, layout.LACKING, layout.NO_YEAR)
    return r


@inner
def _day_first_time(s: int, p: int, e: int) -> int:
    """'[17-01-2019 09:04:47]', a template people set in rsyslog; the position behind or 0."""
    if (
        p + 21 > e
        or byte(p) != layout.BRACKET
        or byte(p + 20) != layout.BRACKET_END
        or byte(p + 3) != layout.DASH
    ):
        return 0
    day, month = two_digits(p + 1), two_digits(p + 4)
    year, q = integer(p + 7, p + 11)
    second = clock(p + 12, e)
    if day < 1 or day > 31 or month < 1 or month > 12 or q != p + 11 or second < 0:
        return 0
    if not is_year(year):
        return 0
    put(s, layout.TIME, (days(year, month, day) * 86400 + second) * _S - get(s, layout.ZONE_NS))
    put(s, layout.TIME_DIGITS, 0)
    put(s, layout.LACKING, layout.NO_ZONE)
    return p + 21


@inner
def _time(s: int, p: int, e: int) -> int:
    """A time in any of these forms at p; the position behind or 0."""
    q = _hex_time(s, p, e)
    if q == 0:
        q = iso_time(s, p, e)
    if q == 0:
        q = _syslog_time(s, p, e)
    if q == 0:
        q = _day_first_time(s, p, e)
    return q


@inner
def _remember(s: int, pid: int) -> None:
    """Keep how far the process of this number is; the oldest one gives way."""
    n = get(s, layout.PROCESSES)
    for i in range(layout.PROCESS_SLOTS):
        place = layout.PROCESS_TABLE + i * layout.P_SIZE
        if get(s, place + layout.P_PID) == pid:
            put(s, place + layout.P_BOOT, get(s, layout.BOOT))
            put(s, place + layout.P_MAX_CONN, get(s, layout.MAX_CONN))
            return
    place = layout.PROCESS_TABLE + n % layout.PROCESS_SLOTS * layout.P_SIZE
    put(s, layout.PROCESSES, n + 1)
    put(s, place + layout.P_PID, pid)
    put(s, place + layout.P_BOOT, get(s, layout.BOOT))
    put(s, place + layout.P_MAX_CONN, get(s, layout.MAX_CONN))


@inner
def _process(s: int, pid: int) -> None:
    """The line is of another process than the one before: its connections are its own."""
    before = get(s, layout.PID)
    put(s, layout.PID, pid)
    if before == 0:
        return
    _remember(s, before)
    for i in range(layout.PROCESS_SLOTS):
        place = layout.PROCESS_TABLE + i * layout.P_SIZE
        if get(s, place + layout.P_PID) == pid:
            put(s, layout.RETURNS, get(s, layout.RETURNS) + 1)
            put(s, layout.BOOT, get(s, place + layout.P_BOOT))
            put(s, layout.MAX_CONN, get(s, place + layout.P_MAX_CONN))
            return
    put(s, layout.NEWEST_BOOT, get(s, layout.NEWEST_BOOT) + 1)
    put(s, layout.BOOT, get(s, layout.NEWEST_BOOT))
    put(s, layout.MAX_CONN, 0)
    put(s, layout.HEADER_SEEN, 0)


@inner
def prefix(s: int, p: int, e: int) -> int:
    """Read the times before e, which may nest: the innermost counts. Where the last word begins."""
    last = p
    while p < e:
        q = _time(s, p, e)
        if q == 0 and (word(p) & _SLAPD_MASK == _SLAPD or word(p) == _NS_SLAPD):
            pid, q = integer(p + (9 if word(p) == _NS_SLAPD else 6), e)
            if q != 0 and pid != get(s, layout.PID):
                _process(s, pid)
            q = 0
        last = p
        if q == 0:
            q = find(p, e, layout.BLANK)
        p = q
        while p < e and byte(p) == layout.BLANK:
            p += 1
    return last


@inner
def find_conn_text(p: int, e: int) -> int:
    """Where 'conn=' begins a word, e if nowhere."""
    start = p
    p = find(p, e, layout.LETTER_C)
    while p < e:
        if word(p) & CONN_TEXT_MASK == CONN_TEXT and (p == start or byte(p - 1) == layout.BLANK):
            return p
        p = find(p + 1, e, layout.LETTER_C)
    return e


@inner
def has_time(s: int) -> bool:
    """Whether the line has a time, be it the one given to all that show none; else set aside."""
    if get(s, layout.TIME) == layout.ABSENT:
        if get(s, layout.UNDATED) == layout.ABSENT:
            set_aside(s, layout.R_NO_TIME)
            return False
        put(s, layout.TIME, get(s, layout.UNDATED))
        put(s, layout.LACKING, layout.NO_TIME)
    return True


@inner
def _message(s: int, p: int, e: int) -> None:
    """A line that is about no connection: the start of the server, or noise."""
    prefix(s, p, min(e, p + 64))
    set_aside(s, layout.R_MESSAGE)
    if p >= e:
        set_aside(s, layout.R_BLANK)
    elif byte(p) == layout.TAB:
        set_aside(s, layout.R_HEADER)
    elif get(s, layout.TIME) == layout.ABSENT:
        put(s, layout.CLASS, layout.NOT_KNOWN)
    while p + 8 <= e:
        text = word(p)
        if text & _OPENLDAP_MASK == _OPENLDAP or text == _STARTING:
            put(s, layout.CLASS, layout.HEADER)
            put(s, layout.REASON, layout.R_HEADER)
            return
        p += 1


@inner
def slapd_line(s: int, p: int, e: int) -> int:
    """'6b010435.0d4cd4da 0x7f5da53fe6c0 conn=1000 op=0 ...' with any of the usual prefixes."""
    while e > p and byte(e - 1) == layout.BLANK:
        e -= 1
    start = find_conn_text(p, e)
    if start == e:
        _message(s, p, e)
        return e
    last = prefix(s, p, start)
    if not has_time(s):
        return e
    behind = find(last, start, layout.BLANK)
    if behind > last and byte(behind - 1) == layout.COLON and word(last) & _SLAPD_MASK != _SLAPD:
        set_aside(s, layout.R_MESSAGE)
        return e
    if byte(last) == layout.BRACKET and behind == last + 1:
        set_aside(s, layout.R_REPEATED)
        return e
    p = ids(s, start, e)
    if p != 0:
        body(s, p, e)
    if get(s, layout.CLASS) == layout.NOT_KNOWN and p != 0 and get(s, layout.OP) < 0:
        set_aside(s, layout.R_MESSAGE)
    return e
