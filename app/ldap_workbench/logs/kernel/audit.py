"""IBM's audit log: a header of fields between '--', then a line for each detail."""

from __future__ import annotations

from ldap_workbench.logs.kernel.compiled import inner
from ldap_workbench.logs.kernel.fields import lookup, note_deref, number
from ldap_workbench.logs.kernel.layout import (
    ABSENT,
    BASE,
    BASE_END,
    BIND,
    BIND_END,
    BLANK,
    CLASS,
    CLIENT,
    CLIENT_END,
    COLON,
    CONN,
    DASH,
    ERR,
    ETIME,
    ETIME_DIGITS,
    EXTRA,
    F_BASE,
    F_BIND,
    F_CLIENT,
    F_CONN,
    F_DEREF,
    F_FILTER,
    F_MILLISECONDS,
    F_NENTRIES,
    F_RECEIVED,
    FIELDS,
    FILTER,
    FILTER_END,
    HAS_REQUEST,
    JOIN,
    KEYS,
    KIND,
    MEANINGS,
    NENTRIES,
    NOT_KNOWN,
    NUL,
    R_BLANK,
    R_MESSAGE,
    R_NO_TIME,
    REQUEST,
    RESULT,
    TIME,
    WORDS,
    WTIME,
)
from ldap_workbench.logs.kernel.lines import as_word, mask_of, set_aside
from ldap_workbench.logs.kernel.memory import byte, find, get, put, word
from ldap_workbench.logs.kernel.objects import long_word
from ldap_workbench.logs.kernel.slapd import iso_time

_AUDIT, _AUDIT_MASK = as_word(b"AuditV"), mask_of(b"AuditV")
_CLIENT = as_word(b"--client")
_SUMMER, _SUMMER_MASK = as_word(b"DST"), mask_of(b"DST")
_NOBODY, _NOBODY_MASK = as_word(b"<*CN="), mask_of(b"<*CN=")
_HOUR_NS = 3_600_000_000_000
_FURTHEST = 1 << 40


@inner
def _dashes(p: int, e: int) -> int:
    """Where '--' comes, e if nowhere."""
    p = find(p, e, DASH)
    while p < e and byte(p + 1) != DASH:
        p = find(p + 1, e, DASH)
    return p


@inner
def _time(s: int, p: int, e: int) -> int:
    """'2014-09-23-13:31:30.755+00:00DST'; the position behind or 0. The zone is the standard one,
    in summer an hour is to be added."""
    q = iso_time(s, p, e)
    if q != 0 and word(q) & _SUMMER_MASK == _SUMMER:
        put(s, TIME, get(s, TIME) - _HOUR_NS)
        q += 3
    return q


@inner
def _begin(s: int, p: int, e: int) -> int:
    """'AuditV3--TIME--V3 SSL Search--'; the position behind, 0 where it is no operation."""
    if word(p) & _AUDIT_MASK == _AUDIT:
        p = _dashes(p, e) + 2
    q = _time(s, p, e) if p < e else 0
    if q == 0 or q + 2 > e or byte(q) != DASH:
        return 0
    p = q + 2
    q = _dashes(p, e)
    start = q
    while start > p and byte(start - 1) != BLANK:
        start -= 1
    code = lookup(get(s, WORDS), get(s, MEANINGS), long_word(start, q - start))
    put(s, CLASS, code & 15)
    put(s, KIND, code >> 4)
    return q + 2


@inner
def _without_port(p: int, e: int) -> int:
    q = e
    while q > p and 48 <= byte(q - 1) <= 57:
        q -= 1
    return q - 1 if q - 1 > p and byte(q - 1) == COLON else e


@inner
def _received(s: int, p: int, e: int) -> None:
    """The latency is the time from here to that of the header."""
    ended = get(s, TIME)
    if _time(s, p, e) != 0:
        put(s, ETIME, ended - get(s, TIME))
        put(s, ETIME_DIGITS, 3)
    put(s, TIME, ended)


@inner
def _field(s: int, p: int, e: int, field: int) -> None:
    """One value of the header or the details."""
    if field == F_CONN:
        number(s, p, e, CONN)
    elif field == F_NENTRIES:
        number(s, p, e, NENTRIES)
    elif field == F_RECEIVED:
        _received(s, p, e)
    elif field == F_CLIENT:
        put(s, CLIENT, p)
        put(s, CLIENT_END, _without_port(p, e))
    elif field == F_BIND:
        put(s, BIND, p)
        put(s, BIND_END, p if word(p) & _NOBODY_MASK == _NOBODY else e)
    elif field == F_BASE:
        put(s, BASE, p)
        put(s, BASE_END, e)
    elif field == F_FILTER:
        put(s, FILTER, p)
        put(s, FILTER_END, e)
    elif field == F_DEREF:
        note_deref(s, p, e)
    elif field == F_MILLISECONDS and number(s, p, e, WTIME) > p:
        put(s, WTIME, get(s, WTIME) * 1_000_000)


@inner
def _pair(s: int, p: int, e: int) -> int:
    """'key: value'; what the key means, 0 if nothing known."""
    colon = find(p, e, COLON)
    field = lookup(get(s, KEYS), get(s, FIELDS), long_word(p, colon - p)) if colon < e else 0
    if field != 0:
        p = colon + 1
        while p < e and byte(p) <= BLANK:
            p += 1
        while e > p and byte(e - 1) <= BLANK:
            e -= 1
        _field(s, p, e, field)
    return field


@inner
def _header(s: int, p: int, e: int) -> None:
    """'bindDN: ..--client: ..--connectionID: 5--received: ..--Success'."""
    while e > p and byte(e - 1) <= BLANK:
        e -= 1
    while p < e:
        end = _dashes(p, e)
        colon = find(p, end, COLON)
        field = lookup(get(s, KEYS), get(s, FIELDS), long_word(p, colon - p))
        while field == F_BIND and end < e and word(end) != _CLIENT:
            end = _dashes(end + 2, e)
        if _pair(s, p, end) == 0:
            code = lookup(get(s, WORDS), get(s, MEANINGS), long_word(p, end - p))
            if code & 15 == EXTRA:
                put(s, ERR, code >> 4)
        p = end + 2


@inner
def audit_line(s: int, p: int, e: int) -> int:
    """A header with its details behind JOIN; returns where it stopped reading."""
    while p < e and (byte(p) == NUL or byte(p) == JOIN or byte(p) == BLANK):
        p += 1
    if p >= e:
        set_aside(s, R_BLANK)
        return e
    end = find(p, e, JOIN)
    q = _begin(s, p, end)
    what = get(s, CLASS)
    if q == 0 or what == NOT_KNOWN:
        put(s, CLASS, NOT_KNOWN)
        if get(s, TIME) != ABSENT:
            set_aside(s, R_MESSAGE)
        return e
    _header(s, q, end)
    while end < e:
        p = end + 1
        end = find(p, e, JOIN)
        _pair(s, p, end)
    conn = get(s, CONN)
    if conn > _FURTHEST or conn < -1:
        put(s, CLASS, NOT_KNOWN)
    elif get(s, TIME) == ABSENT:
        set_aside(s, R_NO_TIME)
    elif what == REQUEST:
        put(s, CLASS, RESULT)
        put(s, HAS_REQUEST, 1)
    return e
