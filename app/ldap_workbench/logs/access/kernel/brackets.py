"""Lines that begin with a time in brackets: 389, Sun, OpenDJ, UnboundID."""

from __future__ import annotations

from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.logs.access.kernel.compiled import inner
from ldap_workbench.logs.access.kernel.fields import fields, lookup, word_end
from ldap_workbench.logs.access.kernel.lines import (
    CONN_TEXT,
    CONN_TEXT_MASK,
    as_word,
    body,
    client,
    ids,
    set_aside,
)
from ldap_workbench.logs.access.kernel.memory import byte, find, get, put, word, word_at
from ldap_workbench.logs.access.kernel.numbers import bracket_time
from ldap_workbench.logs.access.kernel.slapd import find_conn_text, has_time, prefix
from ldap_workbench.logs.access.kernel.tables import text_hash

_REQUESTER, _STARTUP = as_word(b"requeste"), as_word(b"startupI")


@inner
def _unmarked(s: int, p: int, e: int) -> None:
    """A line without a time: part of the header, blank, or unknown."""
    while p < e and (byte(p) == layout.BLANK or byte(p) == layout.TAB):
        p += 1
    if p >= e:
        set_aside(s, layout.R_BLANK)
        return
    blank = find(p, e, layout.BLANK)
    if blank + 2 >= e:
        return
    product = (
        find(p, e, layout.SLASH) < blank and byte(blank + 1) == 66 and 48 <= byte(blank + 2) <= 57
    )
    if product:
        put(s, layout.CLASS, layout.HEADER)
        put(s, layout.REASON, layout.R_HEADER)
    elif (
        byte(blank + 1) == layout.OPENING
        and find(p, blank, layout.COLON) < blank
        and byte(e - 1) == layout.CLOSING
    ):
        set_aside(s, layout.R_HEADER)


@inner
def _has_dash(p: int, e: int) -> bool:
    """Error log lines have ' - ' between their parts; access lines begin with conn=."""
    if p + 5 <= e and word(p) & CONN_TEXT_MASK == CONN_TEXT:
        return False
    q = find(p, e, layout.DASH)
    while q + 1 < e:
        if (q == p or byte(q - 1) == layout.BLANK) and byte(q + 1) == layout.BLANK:
            return True
        q = find(q + 1, e, layout.DASH)
    return False


@inner
def note_start(s: int, p: int, e: int) -> None:
    """A log that names the start of its server says when there was another."""
    start = text_hash(p, e) & 0x7FFFFFFF
    if start != get(s, layout.PID):
        put(s, layout.HEADER_SEEN, 1 if get(s, layout.PID) != 0 else get(s, layout.HEADER_SEEN))
        put(s, layout.PID, start)


@inner
def _to_conn(s: int, p: int, e: int) -> int:
    """Pass over what PingDirectory may put before 'conn=': instanceName="pd0" threadID=11
    startupID="Yx" requesterIP="192.0.2.7". Where 'conn=' begins, e if nowhere."""
    while p < e and word(p) & CONN_TEXT_MASK != CONN_TEXT:
        value = find(p, e, layout.EQUALS) + 1
        quoted = value < e and byte(value) == layout.QUOTE
        q = find(value + 1, e, layout.QUOTE) if quoted else find(value, e, layout.BLANK)
        start = value + 1 if quoted else value
        if word(p) == _STARTUP:
            note_start(s, start, min(q, e))
        elif word(p) == _REQUESTER and byte(p + 9) == layout.CAPITAL_I:
            put(s, layout.CLIENT, start)
            put(s, layout.CLIENT_END, min(q, e))
        p = find(q, e, layout.BLANK) + 1
    return min(p, e)


@inner
def verb_first(s: int, p: int, e: int) -> int:
    """'SEARCH RES conn=1 op=2 msgID=3 result=0 ... etime=4'; one line may be both REQ and RES."""
    q = word_end(p, e)
    code = lookup(get(s, layout.WORDS), get(s, layout.MEANINGS), word_at(p, q - p))
    what = code & 15
    second = q + 1
    after = word_end(second, e) if second < e else e
    # Behind the verb: REQ, REQUEST, RES, RESULT; or FORWARD, ENTRY ... that tell of neither.
    role, combined = layout.EXTRA, 0
    if after < e and byte(after) == layout.EQUALS:
        role, combined = layout.RESULT, 1
        after = q
    elif after < e and byte(second) == layout.CAPITAL_R and byte(second + 2) == layout.CAPITAL_S:
        role = layout.RESULT
    elif after < e and byte(second) == layout.CAPITAL_R and byte(second + 2) == layout.CAPITAL_Q:
        role = layout.REQUEST
    if what == layout.NOT_KNOWN or after >= e:
        return e
    p = ids(s, _to_conn(s, after + 1, e), e)
    if p == 0:
        if _has_dash(q, e):
            set_aside(s, layout.R_ERROR_LOG)
        return e
    if get(s, layout.CONN) < 0:
        put(s, layout.INTERNAL, 1)
    put(s, layout.KIND, code >> 4)
    if what == layout.OPENED:
        client(s, p, e)
    elif what == layout.REQUEST:
        what = role
        p = fields(s, p, e)
        put(s, layout.HAS_REQUEST, 1 if get(s, layout.BASE) != 0 else combined)
    put(s, layout.CLASS, what)
    return p if what == layout.RESULT else e


@inner
def _prefixed(s: int, p: int, e: int) -> int:
    """A line with its time before 'conn=' as syslog writes it, or none; or another line."""
    start = find_conn_text(p, e) if get(s, layout.STYLE) == layout.NUMBERS_FIRST else e
    if start == e:
        _unmarked(s, p, e)
        return e
    prefix(s, p, start)
    if get(s, layout.TIME) == layout.ABSENT and get(s, layout.UNDATED) == layout.ABSENT:
        return e  # a time that cannot be read
    has_time(s)
    p = ids(s, start, e)
    return body(s, p, e) if p != 0 else e


@inner
def _undated(s: int, p: int, e: int) -> int:
    """Behind a time in brackets that cannot be read, where lines may go without; else 0."""
    q = find(p, e, layout.BRACKET_END)
    if get(s, layout.UNDATED) == layout.ABSENT or q + 2 >= e or not has_time(s):
        return 0
    return q + 2


@inner
def bracket_line(s: int, p: int, e: int) -> int:
    """'[time] conn=.. op=.. VERB ...'; returns where it stopped reading, e as a rule."""
    if p < e and byte(p) == layout.NUL:
        while p < e and byte(p) == layout.NUL:
            p += 1
        if p == e:
            set_aside(s, layout.R_NUL)
            return e
    if p >= e or byte(p) != layout.BRACKET:
        return _prefixed(s, p, e)
    q = bracket_time(s, p, e)
    if q == 0 and get(s, layout.STYLE) == layout.VERB_FIRST:
        q = _undated(s, p, e)
    if q == 0:
        return _prefixed(s, p, e)
    if get(s, layout.STYLE) == layout.VERB_FIRST:
        return verb_first(s, q, e)
    p = ids(s, q, e)
    if p == 0:
        if _has_dash(q, e):
            set_aside(s, layout.R_ERROR_LOG)
        return e
    return body(s, p, e)
