"""Oracle's diagnostic log format: a time and [key: value] in brackets, then a text."""

from __future__ import annotations

from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.logs.access.kernel.brackets import bracket_line, verb_first
from ldap_workbench.logs.access.kernel.compiled import inner
from ldap_workbench.logs.access.kernel.fields import etime, lookup, number, word_end
from ldap_workbench.logs.access.kernel.lines import set_aside
from ldap_workbench.logs.access.kernel.memory import byte, find, get, put
from ldap_workbench.logs.access.kernel.objects import long_word
from ldap_workbench.logs.access.kernel.slapd import iso_time

_FURTHEST = 1 << 40


@inner
def _bracket_end(p: int, e: int) -> int:
    """Where the bracket closes: the first ']' that a blank or the end of the line follows."""
    q = find(p, e, layout.BRACKET_END)
    while q + 1 < e and byte(q + 1) != layout.BLANK:
        q = find(q + 1, e, layout.BRACKET_END)
    return q


@inner
def _take(s: int, p: int, e: int, field: int) -> None:
    if field == layout.F_CONN:
        number(s, p, e, layout.CONN)
    elif field == layout.F_OP:
        number(s, p, e, layout.OP)
    elif field == layout.F_ERR:
        number(s, p, e, layout.ERR)
    elif field == layout.F_NENTRIES:
        number(s, p, e, layout.NENTRIES)
    elif field == layout.F_ETIME:
        etime(s, p, e)
    elif field == layout.F_ROLE:
        put(s, layout.CLASS, layout.RESULT if byte(p + 2) == layout.CAPITAL_S else layout.REQUEST)
    elif field == layout.F_BASE:
        put(s, layout.BASE, p)
        put(s, layout.BASE_END, e)
    elif field == layout.F_FILTER:
        put(s, layout.FILTER, p)
        put(s, layout.FILTER_END, e)
    elif field == layout.F_BIND:
        put(s, layout.BIND, p)
        put(s, layout.BIND_END, e)
    elif field == layout.F_CLIENT:
        colon = find(p, e, layout.COLON)
        put(s, layout.CLIENT, p)
        put(s, layout.CLIENT_END, colon if find(colon + 1, e, layout.COLON) >= e else e)
    elif field == layout.F_ORIGIN:
        if byte(p) == layout.LETTER_I or byte(p) == layout.LETTER_S:
            put(s, layout.INTERNAL, 1)
    elif field == layout.F_UNINDEXED and byte(p) != layout.LETTER_F:
        put(s, layout.NOTES, get(s, layout.NOTES) | layout.NOTE_A)


@inner
def _attributes(s: int, p: int, e: int) -> int:
    """Read every [key: value] from p on; returns where the text behind them begins."""
    keys, values = get(s, layout.KEYS), get(s, layout.FIELDS)
    while p < e and byte(p) == layout.BRACKET:
        end = _bracket_end(p, e)
        colon = find(p + 1, end, layout.COLON)
        field = (
            lookup(keys, values, long_word(p + 1, colon - p - 1)) if colon < end else layout.F_SKIP
        )
        value = colon + 1
        while value < end and byte(value) == layout.BLANK:
            value += 1
        if field != layout.F_SKIP:
            _take(s, value, end, field)
        p = end + 1
        while p < e and byte(p) == layout.BLANK:
            p += 1
    return min(p, e)


@inner
def attribute_line(s: int, p: int, e: int) -> int:
    """'[2013-06-18T09:57:02.418-04:00] [OUD] [TRACE] ... [conn: 0] [op: 1] SEARCH'; a classic line
    of the same server among them is read too."""
    q = iso_time(s, p + 1, e) if p < e and byte(p) == layout.BRACKET else 0
    if q == 0 or q >= e or byte(q) != layout.BRACKET_END:
        return bracket_line(s, p, e)
    p = q + 1
    while p < e and byte(p) == layout.BLANK:
        p += 1
    p = _attributes(s, p, e)
    role, conn, op = get(s, layout.CLASS), get(s, layout.CONN), get(s, layout.OP)
    put(s, layout.CLASS, layout.NOT_KNOWN)
    if conn < 0 and op < 0:
        # The text may be the classic line.
        verb_first(s, p, e)
        if get(s, layout.CLASS) == layout.NOT_KNOWN:
            set_aside(s, layout.R_MESSAGE)
        return e
    code = lookup(get(s, layout.WORDS), get(s, layout.MEANINGS), long_word(p, word_end(p, e) - p))
    what = code & 15
    if conn > _FURTHEST or op >= 1 << 31 or what == layout.NOT_KNOWN:
        return e
    put(s, layout.KIND, code >> 4)
    if what == layout.REQUEST and role != layout.NOT_KNOWN:
        what = role
        put(s, layout.HAS_REQUEST, 1 if get(s, layout.BASE) != 0 else 0)
    put(s, layout.CLASS, what)
    return e
