"""Oracle's diagnostic log format: a time and [key: value] in brackets, then a text."""

from __future__ import annotations

from ldap_workbench.logs.kernel.brackets import bracket_line, verb_first
from ldap_workbench.logs.kernel.compiled import inner
from ldap_workbench.logs.kernel.fields import etime, lookup, number, word_end
from ldap_workbench.logs.kernel.layout import (
    BASE,
    BASE_END,
    BIND,
    BIND_END,
    BLANK,
    BRACKET,
    BRACKET_END,
    CAPITAL_S,
    CLASS,
    CLIENT,
    CLIENT_END,
    COLON,
    CONN,
    ERR,
    F_BASE,
    F_BIND,
    F_CLIENT,
    F_CONN,
    F_ERR,
    F_ETIME,
    F_FILTER,
    F_NENTRIES,
    F_OP,
    F_ORIGIN,
    F_ROLE,
    F_SKIP,
    F_UNINDEXED,
    FIELDS,
    FILTER,
    FILTER_END,
    HAS_REQUEST,
    INTERNAL,
    KEYS,
    KIND,
    LETTER_F,
    LETTER_I,
    LETTER_S,
    MEANINGS,
    NENTRIES,
    NOT_KNOWN,
    NOTE_A,
    NOTES,
    OP,
    R_MESSAGE,
    REQUEST,
    RESULT,
    WORDS,
)
from ldap_workbench.logs.kernel.lines import set_aside
from ldap_workbench.logs.kernel.memory import byte, find, get, put
from ldap_workbench.logs.kernel.objects import long_word
from ldap_workbench.logs.kernel.slapd import iso_time

_FURTHEST = 1 << 40


@inner
def _bracket_end(p: int, e: int) -> int:
    """Where the bracket closes: the first ']' that a blank or the end of the line follows."""
    q = find(p, e, BRACKET_END)
    while q + 1 < e and byte(q + 1) != BLANK:
        q = find(q + 1, e, BRACKET_END)
    return q


@inner
def _take(s: int, p: int, e: int, field: int) -> None:
    if field == F_CONN:
        number(s, p, e, CONN)
    elif field == F_OP:
        number(s, p, e, OP)
    elif field == F_ERR:
        number(s, p, e, ERR)
    elif field == F_NENTRIES:
        number(s, p, e, NENTRIES)
    elif field == F_ETIME:
        etime(s, p, e)
    elif field == F_ROLE:
        put(s, CLASS, RESULT if byte(p + 2) == CAPITAL_S else REQUEST)
    elif field == F_BASE:
        put(s, BASE, p)
        put(s, BASE_END, e)
    elif field == F_FILTER:
        put(s, FILTER, p)
        put(s, FILTER_END, e)
    elif field == F_BIND:
        put(s, BIND, p)
        put(s, BIND_END, e)
    elif field == F_CLIENT:
        colon = find(p, e, COLON)
        put(s, CLIENT, p)
        put(s, CLIENT_END, colon if find(colon + 1, e, COLON) >= e else e)
    elif field == F_ORIGIN:
        if byte(p) == LETTER_I or byte(p) == LETTER_S:
            put(s, INTERNAL, 1)
    elif field == F_UNINDEXED and byte(p) != LETTER_F:
        put(s, NOTES, get(s, NOTES) | NOTE_A)


@inner
def _attributes(s: int, p: int, e: int) -> int:
    """Read every [key: value] from p on; returns where the text behind them begins."""
    keys, values = get(s, KEYS), get(s, FIELDS)
    while p < e and byte(p) == BRACKET:
        end = _bracket_end(p, e)
        colon = find(p + 1, end, COLON)
        field = lookup(keys, values, long_word(p + 1, colon - p - 1)) if colon < end else F_SKIP
        value = colon + 1
        while value < end and byte(value) == BLANK:
            value += 1
        if field != F_SKIP:
            _take(s, value, end, field)
        p = end + 1
        while p < e and byte(p) == BLANK:
            p += 1
    return min(p, e)


@inner
def attribute_line(s: int, p: int, e: int) -> int:
    """'[2013-06-18T09:57:02.418-04:00] [OUD] [TRACE] ... [conn: 0] [op: 1] SEARCH'; a classic line
    of the same server among them is read too."""
    q = iso_time(s, p + 1, e) if p < e and byte(p) == BRACKET else 0
    if q == 0 or q >= e or byte(q) != BRACKET_END:
        return bracket_line(s, p, e)
    p = q + 1
    while p < e and byte(p) == BLANK:
        p += 1
    p = _attributes(s, p, e)
    role, conn, op = get(s, CLASS), get(s, CONN), get(s, OP)
    put(s, CLASS, NOT_KNOWN)
    if conn < 0 and op < 0:
        # The text may be the classic line.
        verb_first(s, p, e)
        if get(s, CLASS) == NOT_KNOWN:
            set_aside(s, R_MESSAGE)
        return e
    code = lookup(get(s, WORDS), get(s, MEANINGS), long_word(p, word_end(p, e) - p))
    what = code & 15
    if conn > _FURTHEST or op >= 1 << 31 or what == NOT_KNOWN:
        return e
    put(s, KIND, code >> 4)
    if what == REQUEST and role != NOT_KNOWN:
        what = role
        put(s, HAS_REQUEST, 1 if get(s, BASE) != 0 else 0)
    put(s, CLASS, what)
    return e
