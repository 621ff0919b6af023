"""IBM's audit log: a header of fields between '--', then a line for each detail."""

from __future__ import annotations

from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.logs.access.kernel.compiled import inner
from ldap_workbench.logs.access.kernel.fields import lookup, note_deref, number
from ldap_workbench.logs.access.kernel.lines import as_word, mask_of, set_aside
from ldap_workbench.logs.access.kernel.memory import byte, find, get, put, word
from ldap_workbench.logs.access.kernel.objects import long_word
from ldap_workbench.logs.access.kernel.slapd import iso_time

_AUDIT, _AUDIT_MASK = as_word(b"AuditV"), mask_of(b"AuditV")
_CLIENT = as_word(b"--client")
_SUMMER, _SUMMER_MASK = as_word(b"DST"), mask_of(b"DST")
_NOBODY, _NOBODY_MASK = as_word(b"<*CN="), mask_of(b"<*CN=")
_HOUR_NS = 3_600_000_000_000
_FURTHEST = 1 << 40


@inner
def _dashes(p: int, e: int) -> int:
    """Where '--' comes, e if nowhere."""
    p = find(p, e, layout.DASH)
    while p < e and byte(p + 1) != layout.DASH:
        p = find(p + 1, e, layout.DASH)
    return p


@inner
def _time(s: int, p: int, e: int) -> int:
    """'2014-09-23-13:31:30.755+00:00DST'; the position behind or 0. The zone is the standard one,
    in summer an hour is to be added."""
    q = iso_time(s, p, e)
    if q != 0 and word(q) & _SUMMER_MASK == _SUMMER:
        put(s, layout.TIME, get(s, layout.TIME) - _HOUR_NS)
        q += 3
    return q


@inner
def _begin(s: int, p: int, e: int) -> int:
    """'AuditV3--TIME--V3 SSL Search--'; the position behind, 0 where it is no operation."""
    if word(p) & _AUDIT_MASK == _AUDIT:
        p = _dashes(p, e) + 2
    q = _time(s, p, e) if p < e else 0
    if q == 0 or q + 2 > e or byte(q) != layout.DASH:
        return 0
    p = q + 2
    q = _dashes(p, e)
    start = q
    while start > p and byte(start - 1) != layout.BLANK:
        start -= 1
    code = lookup(get(s, layout.WORDS), get(s, layout.MEANINGS), long_word(start, q - start))
    put(s, layout.CLASS, code & 15)
    put(s, layout.KIND, code >> 4)
    return q + 2


@inner
def _without_port(p: int, e: int) -> int:
    q = e
    while q > p and 48 <= byte(q - 1) <= 57:
        q -= 1
    return q - 1 if q - 1 > p and byte(q - 1) == layout.COLON else e


@inner
def _received(s: int, p: int, e: int) -> None:
    """The latency is the time from here to that of the header."""
    ended = get(s, layout.TIME)
    if _time(s, p, e) != 0:
        put(s, layout.ETIME, ended - get(s, layout.TIME))
        put(s, layout.ETIME_DIGITS, 3)
    put(s, layout.TIME, ended)


@inner
def _field(s: int, p: int, e: int, field: int) -> None:
    """One value of the header or the details."""
    if field == layout.F_CONN:
        number(s, p, e, layout.CONN)
    elif field == layout.F_NENTRIES:
        number(s, p, e, layout.NENTRIES)
    elif field == layout.F_RECEIVED:
        _received(s, p, e)
    elif field == layout.F_CLIENT:
        put(s, layout.CLIENT, p)
        put(s, layout.CLIENT_END, _without_port(p, e))
    elif field == layout.F_BIND:
        put(s, layout.BIND, p)
        put(s, layout.BIND_END, p if word(p) & _NOBODY_MASK == _NOBODY else e)
    elif field == layout.F_BASE:
        put(s, layout.BASE, p)
        put(s, layout.BASE_END, e)
    elif field == layout.F_FILTER:
        put(s, layout.FILTER, p)
        put(s, layout.FILTER_END, e)
    elif field == layout.F_DEREF:
        note_deref(s, p, e)
    elif field == layout.F_MILLISECONDS and number(s, p, e, layout.WTIME) > p:
        put(s, layout.WTIME, get(s, layout.WTIME) * 1_000_000)


@inner
def _pair(s: int, p: int, e: int) -> int:
    """'key: value'; what the key means, 0 if nothing known."""
    colon = find(p, e, layout.COLON)
    field = (
        lookup(get(s, layout.KEYS), get(s, layout.FIELDS), long_word(p, colon - p))
        if colon < e
        else 0
    )
    if field != 0:
        p = colon + 1
        while p < e and byte(p) <= layout.BLANK:
            p += 1
        while e > p and byte(e - 1) <= layout.BLANK:
            e -= 1
        _field(s, p, e, field)
    return field


@inner
def _header(s: int, p: int, e: int) -> None:
    """'bindDN: ..--client: ..--connectionID: 5--received: ..--Success'."""
    while e > p and byte(e - 1) <= layout.BLANK:
        e -= 1
    while p < e:
        end = _dashes(p, e)
        colon = find(p, end, layout.COLON)
        field = lookup(get(s, layout.KEYS), get(s, layout.FIELDS), long_word(p, colon - p))
        while field == layout.F_BIND and end < e and word(end) != _CLIENT:
            end = _dashes(end + 2, e)
        if _pair(s, p, end) == 0:
            code = lookup(get(s, layout.WORDS), get(s, layout.MEANINGS), long_word(p, end - p))
            if code & 15 == layout.EXTRA:
                put(s, layout.ERR, code >> 4)
        p = end + 2


@inner
def audit_line(s: int, p: int, e: int) -> int:
    """A header with its details behind JOIN; returns where it stopped reading."""
    while p < e and (byte(p) == layout.NUL or byte(p) == layout.JOIN or byte(p) == layout.BLANK):
        p += 1
    if p >= e:
        set_aside(s, layout.R_BLANK)
        return e
    end = find(p, e, layout.JOIN)
    q = _begin(s, p, end)
    what = get(s, layout.CLASS)
    if q == 0 or what == layout.NOT_KNOWN:
        put(s, layout.CLASS, layout.NOT_KNOWN)
        if get(s, layout.TIME) != layout.ABSENT:
            set_aside(s, layout.R_MESSAGE)
        return e
    _header(s, q, end)
    while end < e:
        p = end + 1
        end = find(p, e, layout.JOIN)
        _pair(s, p, end)
    conn = get(s, layout.CONN)
    if conn > _FURTHEST or conn < -1:
        put(s, layout.CLASS, layout.NOT_KNOWN)
    elif get(s, layout.TIME) == layout.ABSENT:
        set_aside(s, layout.R_NO_TIME)
    elif what == layout.REQUEST:
        put(s, layout.CLASS, layout.RESULT)
        put(s, layout.HAS_REQUEST, 1)
    return e
