"""One line of text -> the line part of the context. The grammar says what its words mean."""

from __future__ import annotations

from ldap_workbench.logs.kernel.compiled import inner
from ldap_workbench.logs.kernel.fields import fields, lookup, word_end
from ldap_workbench.logs.kernel.layout import (
    ABANDON,
    ABSENT,
    ASIDE,
    BLANK,
    BOUND,
    BRACKET,
    BRACKET_END,
    CLASS,
    CLIENT,
    CLIENT_END,
    CLOSING,
    COLON,
    CONN,
    DASH,
    ETIME,
    EXTRA,
    HEADER,
    INTERNAL,
    INTERNAL_OP,
    KIND,
    MEANINGS,
    NESTING,
    NUL,
    OP,
    OPENED,
    OPENING,
    QUOTE,
    R_BLANK,
    R_ERROR_LOG,
    R_HEADER,
    R_NO_ETIME,
    R_NUL,
    REASON,
    REQUEST,
    RESULT,
    SLASH,
    SOCKET,
    TAB,
    WORDS,
    constant,
)
from ldap_workbench.logs.kernel.memory import byte, find, get, put, word, word_at
from ldap_workbench.logs.kernel.numbers import bracket_time, integer


def _as_word(text: bytes) -> int:
    return constant(int.from_bytes(text.ljust(8, b"\0"), "little", signed=True))


def _mask(text: bytes) -> int:
    return _as_word(b"\xff" * len(text))


_CONN, _CONN_MASK = _as_word(b"conn="), _mask(b"conn=")
_OP, _OP_MASK = _as_word(b"op="), _mask(b"op=")
_MSG_ID, _MSG_ID_MASK = _as_word(b"msgId="), _mask(b"msgId=")
_FROM, _FROM_MASK = _as_word(b"from"), _mask(b"from")
_IP, _IP_MASK = _as_word(b"IP="), _mask(b"IP=")
_PATH, _PATH_MASK = _as_word(b"PATH="), _mask(b"PATH=")
_INTERNAL = _as_word(b"Internal")
_BRACKET_INTERNAL = _as_word(b"(Interna")
_FURTHEST = 1 << 40


@inner
def set_aside(s: int, reason: int) -> None:
    """Say why this line does not count."""
    put(s, CLASS, ASIDE)
    put(s, REASON, reason)


@inner
def _nested(s: int, p: int, e: int) -> int:
    """Read '(9)(1)' behind an op number: internal operation and depth; 0 if it is none."""
    first, q = integer(p + 1, e)
    if q == 0 or q + 1 >= e or byte(q) != CLOSING or byte(q + 1) != OPENING or first >> 31 != 0:
        return 0
    second, q = integer(q + 2, e)
    if q == 0 or q >= e or byte(q) != CLOSING or second >> 31 != 0:
        return 0
    put(s, INTERNAL_OP, first)
    put(s, NESTING, second)
    return q + 1


@inner
def _connection(s: int, p: int, e: int) -> int:
    """Read 'conn=12 ', 'conn=12 (Internal) ', 'conn=Internal ' or 'conn=Internal(0) '."""
    number = -1
    if word(p) == _INTERNAL:
        put(s, INTERNAL, 1)
        p += 8
        if p < e and byte(p) == OPENING:
            number, p = integer(p + 1, e)
            if p == 0 or p >= e or byte(p) != CLOSING:
                return 0
            number = -1 - number
            p += 1
    else:
        number, p = integer(p, e)
    if p == 0 or p >= e or byte(p) != BLANK or number > _FURTHEST or number < -_FURTHEST:
        return 0
    put(s, CONN, number)
    p += 1
    if p + 11 < e and word(p) == _BRACKET_INTERNAL:
        put(s, INTERNAL, 1)
        p += 11
    return p


@inner
def ids(s: int, p: int, e: int) -> int:
    """Read 'conn=.. op=.. ' (with internal numbers, or a msgId); 0 if there is none."""
    if p + 6 > e or word(p) & _CONN_MASK != _CONN:
        return 0
    p = _connection(s, p + 5, e)
    if p == 0 or p >= e or word(p) & _OP_MASK != _OP:
        return p
    number, p = integer(p + 3, e)
    if p == 0 or number >= 1 << 31 or number < -1:
        return 0
    put(s, OP, number)
    if p < e and byte(p) == OPENING:
        p = _nested(s, p, e)
    if p == 0 or p >= e or byte(p) != BLANK:
        return 0
    p += 1
    if p < e and word(p) & _MSG_ID_MASK == _MSG_ID:
        p = find(p, e, BLANK)
        if p + 3 > e or byte(p + 1) != DASH:
            return 0
        p += 3
    return p


@inner
def client(s: int, p: int, e: int) -> None:
    """Note the address behind 'from ' or 'from=', without the port."""
    while p + 6 < e and word(p) & _FROM_MASK != _FROM:
        p += 1
    p += 5
    if p < e and (byte(p) == QUOTE or byte(p) == SLASH):
        p += 1
    if p < e and word(p) & _IP_MASK == _IP:
        p += 3
    elif p < e and word(p) & _PATH_MASK == _PATH:
        p += 5
    q = p
    colons, last = 0, 0
    while q < e and byte(q) != BLANK and byte(q) != QUOTE:
        if byte(q) == COLON:
            colons += 1
            last = q
        q += 1
    if last > p and (colons == 1 or byte(last - 1) == BRACKET_END):
        q = last
    if q > p:
        put(s, CLIENT, p)
        put(s, CLIENT_END, q)


@inner
def _socket(s: int, p: int, e: int) -> None:
    """The rest of a 'fd=64 ...' line: opened, closed, or something about the socket."""
    p = find(p, e, BLANK) + 1
    if p >= e:
        return
    code = lookup(get(s, WORDS), get(s, MEANINGS), word_at(p, word_end(p, e) - p))
    put(s, CLASS, code & 15)
    if code & 15 == OPENED:
        client(s, p, e)


@inner
def body(s: int, p: int, e: int) -> int:
    """The verb and its fields, after the numbers; returns where it stopped reading."""
    q = word_end(p, e)
    code = lookup(get(s, WORDS), get(s, MEANINGS), word_at(p, q - p))
    what = code & 15
    if what == SOCKET:
        _socket(s, p, e)
        return e
    put(s, CLASS, what)
    put(s, KIND, code >> 4)
    if what == RESULT:
        q = fields(s, q, e)
        if get(s, ETIME) == ABSENT:
            set_aside(s, R_NO_ETIME)
        return q
    if what in (REQUEST, ABANDON, BOUND):
        fields(s, q, e)
        if what == ABANDON and get(s, ETIME) == ABSENT:
            put(s, CLASS, EXTRA)
    return e


@inner
def _unmarked(s: int, p: int, e: int) -> None:
    """A line without a time: part of the header, blank, or unknown."""
    while p < e and (byte(p) == BLANK or byte(p) == TAB):
        p += 1
    if p >= e:
        set_aside(s, R_BLANK)
        return
    blank = find(p, e, BLANK)
    if blank + 2 >= e:
        return
    product = find(p, e, SLASH) < blank and byte(blank + 1) == 66 and 48 <= byte(blank + 2) <= 57
    if product:
        put(s, CLASS, HEADER)
        put(s, REASON, R_HEADER)
    elif byte(blank + 1) == OPENING and find(p, blank, COLON) < blank and byte(e - 1) == CLOSING:
        set_aside(s, R_HEADER)


@inner
def _has_dash(p: int, e: int) -> bool:
    """Error log lines have ' - ' between their parts; access lines begin with conn=."""
    if p + 5 <= e and word(p) & _CONN_MASK == _CONN:
        return False
    q = find(p, e, DASH)
    while q + 1 < e:
        if (q == p or byte(q - 1) == BLANK) and byte(q + 1) == BLANK:
            return True
        q = find(q + 1, e, DASH)
    return False


@inner
def bracket_line(s: int, p: int, e: int) -> int:
    """'[time] conn=.. op=.. VERB ...'; returns where it stopped reading, e as a rule."""
    if p < e and byte(p) == NUL:
        while p < e and byte(p) == NUL:
            p += 1
        if p == e:
            set_aside(s, R_NUL)
            return e
    if p >= e or byte(p) != BRACKET:
        _unmarked(s, p, e)
        return e
    q = bracket_time(s, p, e)
    if q == 0:
        return e
    p = ids(s, q, e)
    if p == 0:
        if _has_dash(q, e):
            set_aside(s, R_ERROR_LOG)
        return e
    return body(s, p, e)
