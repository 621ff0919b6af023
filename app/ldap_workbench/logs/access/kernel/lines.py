"""One line of text -> the line part of the context. The grammar says what its words mean."""

from __future__ import annotations

from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.logs.access.kernel.compiled import inner
from ldap_workbench.logs.access.kernel.fields import fields, lookup, say, word_end
from ldap_workbench.logs.access.kernel.memory import byte, find, get, put, word, word_at
from ldap_workbench.logs.access.kernel.numbers import decimal, integer


def as_word(text: bytes) -> int:
    """Up to eight bytes as the number that `word` reads them as."""
    return layout.constant(int.from_bytes(text.ljust(8, b"\0"), "little", signed=True))


def mask_of(text: bytes) -> int:
    """What to keep of a word to compare it with a shorter text."""
    return as_word(b"\xff" * len(text))


CONN_TEXT, CONN_TEXT_MASK = as_word(b"conn="), mask_of(b"conn=")
_OP, _OP_MASK = as_word(b"op="), mask_of(b"op=")
_MSG_ID, _MSG_ID_MASK = as_word(b"msgId="), mask_of(b"msgId=")
_FROM, _FROM_MASK = as_word(b"from"), mask_of(b"from")
_IP, _IP_MASK = as_word(b"IP="), mask_of(b"IP=")
_PATH, _PATH_MASK = as_word(b"PATH="), mask_of(b"PATH=")
_INTERNAL = as_word(b"Internal")
_BRACKET_INTERNAL = as_word(b"(Interna")
_ATTRIBUTE = as_word(b"attribut")
_DURATION = as_word(b"duration")
_COUNT, _COUNT_MASK = as_word(b" count "), mask_of(b" count ")
_FURTHEST = 1 << 40


@inner
def set_aside(s: int, reason: int) -> None:
    """Say why this line does not count."""
    put(s, layout.CLASS, layout.ASIDE)
    put(s, layout.REASON, reason)


@inner
def _nested(s: int, p: int, e: int) -> int:
    """Read '(9)(1)' behind an op number: internal operation and depth; 0 if it is none."""
    first, q = integer(p + 1, e)
    if (
        q == 0
        or q + 1 >= e
        or byte(q) != layout.CLOSING
        or byte(q + 1) != layout.OPENING
        or first >> 31 != 0
    ):
        return 0
    second, q = integer(q + 2, e)
    if q == 0 or q >= e or byte(q) != layout.CLOSING or second >> 31 != 0:
        return 0
    put(s, layout.INTERNAL_OP, first)
    put(s, layout.NESTING, second)
    return q + 1


@inner
def _connection(s: int, p: int, e: int) -> int:
    """Read 'conn=12 ', 'conn=12 (Internal) ', 'conn=Internal ' or 'conn=Internal(0) '."""
    number = -1
    if word(p) == _INTERNAL:
        put(s, layout.INTERNAL, 1)
        p += 8
        if p < e and byte(p) == layout.OPENING:
            number, p = integer(p + 1, e)
            if p == 0 or p >= e or byte(p) != layout.CLOSING:
                return 0
            number = -1 - number
            p += 1
    else:
        number, p = integer(p, e)
    if p == 0 or number > _FURTHEST or number < -_FURTHEST or (p < e and byte(p) != layout.BLANK):
        return 0
    put(s, layout.CONN, number)
    if number < 0:
        put(s, layout.INTERNAL, 1)
    p = min(p + 1, e)
    if p + 11 < e and word(p) == _BRACKET_INTERNAL:
        put(s, layout.INTERNAL, 1)
        p += 11
    return p


@inner
def ids(s: int, p: int, e: int) -> int:
    """Read 'conn=.. op=.. ' (with internal numbers, or a msgId); 0 if there is none."""
    if p + 6 > e or word(p) & CONN_TEXT_MASK != CONN_TEXT:
        return 0
    p = _connection(s, p + 5, e)
    if p == 0 or p >= e or word(p) & _OP_MASK != _OP:
        return p
    number, p = integer(p + 3, e)
    if p == 0 or number >= 1 << 31 or number < -1:
        return 0
    put(s, layout.OP, number)
    if p < e and byte(p) == layout.OPENING:
        p = _nested(s, p, e)
    if p == 0 or p >= e or byte(p) != layout.BLANK:
        return 0
    p += 1
    if p < e and word(p) & _MSG_ID_MASK == _MSG_ID:
        number, _ = integer(p + 6, e)
        put(s, layout.MSG_ID, number if 0 < number < 1 << 31 else 0)
        p = find(p, e, layout.BLANK)
        if p + 3 > e or byte(p + 1) != layout.DASH:
            return 0
        p += 3
    return p


@inner
def client(s: int, p: int, e: int) -> None:
    """Note the address behind 'from ' or 'from=', without the port."""
    while p + 6 < e and word(p) & _FROM_MASK != _FROM:
        p += 1
    p += 5
    if p < e and (byte(p) == layout.QUOTE or byte(p) == layout.SLASH):
        p += 1
    if p < e and word(p) & _IP_MASK == _IP:
        p += 3
    elif p < e and word(p) & _PATH_MASK == _PATH:
        p += 5
    q = p
    colons, last = 0, 0
    while q < e and byte(q) != layout.BLANK and byte(q) != layout.QUOTE:
        if byte(q) == layout.COLON:
            colons += 1
            last = q
        q += 1
    if last > p and (colons == 1 or byte(last - 1) == layout.BRACKET_END):
        q = last
    if q > p:
        put(s, layout.CLIENT, p)
        put(s, layout.CLIENT_END, q)


@inner
def _socket(s: int, p: int, e: int) -> None:
    """The rest of a 'fd=64 ...' line: opened, closed, or something about the socket."""
    p = find(p, e, layout.BLANK) + 1
    if p >= e:
        return
    code = lookup(get(s, layout.WORDS), get(s, layout.MEANINGS), word_at(p, word_end(p, e) - p))
    put(s, layout.CLASS, code & 15)
    if code & 15 == layout.OPENED:
        client(s, p, e)
    elif code & 15 == layout.CLOSED and _by_the_server(p, e):
        put(s, layout.ENDED_BY_SERVER, get(s, layout.ENDED_BY_SERVER) + 1)


@inner
def _by_the_server(p: int, e: int) -> bool:
    """'closed ... - T1' or '- B2' of 389 DS; 'closed (idletimeout)', '(TLS negotiation failure)' of
    slapd."""
    while e > p and byte(e - 1) == layout.BLANK:
        e -= 1
    if e - p < 8:
        return False
    if byte(e - 1) == layout.CLOSING:
        last = byte(e - 2)
        timed_out = last == layout.LETTER_T and byte(e - 3) == layout.LETTER_U
        return timed_out or last == layout.LETTER_E
    if byte(e - 3) != layout.BLANK:
        return False
    too_big = byte(e - 2) == layout.CAPITAL_B and byte(e - 1) == layout.DIGIT_2
    return too_big or byte(e - 2) == layout.CAPITAL_T


@inner
def noted(s: int, bits: int) -> None:
    """A SORT or VLV line: what it says of the request before it."""
    put(s, layout.NOTES, bits & 255)
    if bits & layout.WITH_VLV != 0:
        say(s, layout.VLV, 1)


@inner
def stat(s: int, p: int, e: int) -> None:
    """'read index: attribute=cn key(sub)=er_ --> count 24 (duration 0.1)', or the 'duration' of all
    keys of an operation."""
    counted = e
    q = find(p, e, layout.GREATER)
    while q < e:
        if word(q + 1) & _COUNT_MASK == _COUNT:
            counted = q + 8
        q = find(q + 1, e, layout.GREATER)
    if counted < e:
        number, q = integer(counted, e)
        say(s, layout.INDEX_IDS, number if q != 0 and number >= 0 else 0)
        while p + 10 < counted and word(p) != _ATTRIBUTE:
            p += 1
        if p + 10 < counted:
            say(s, layout.INDEX_KEY, p + 10)
            put(s, layout.INDEX_KEY_END, min(find(p + 10, counted, layout.CLOSING) + 1, counted))
        p = counted
    while p + 9 < e and word(p) != _DURATION:
        p += 1
    if p + 9 < e:
        value, _, q = decimal(p + 9, e)
        if q != 0 and value >= 0:
            say(s, layout.INDEX_NS, value)


@inner
def body(s: int, p: int, e: int) -> int:
    """The verb and its fields, after the numbers; returns where it stopped reading."""
    q = word_end(p, e)
    code = lookup(get(s, layout.WORDS), get(s, layout.MEANINGS), word_at(p, q - p))
    what = code & 15
    if what == layout.SOCKET:
        _socket(s, p, e)
        return e
    put(s, layout.CLASS, what)
    put(s, layout.KIND, code >> 4)
    if what == layout.RESULT:
        return fields(s, q, e)
    if what == layout.NOTED:
        noted(s, code >> 4)
    elif what == layout.STAT:
        stat(s, q, e)
    if what in (layout.REQUEST, layout.ABANDON, layout.BOUND):
        fields(s, q, e)
        if what == layout.ABANDON and get(s, layout.ETIME) == layout.ABSENT:
            put(s, layout.CLASS, layout.EXTRA)
    return e
