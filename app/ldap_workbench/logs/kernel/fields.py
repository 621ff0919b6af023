"""The key=value part of a line, the same loop for every dialect; keys come from its tables."""

from __future__ import annotations

from ldap_workbench.logs.kernel.compiled import inner
from ldap_workbench.logs.kernel.filters import quote_end
from ldap_workbench.logs.kernel.layout import (
    ABSENT,
    BASE,
    BASE_END,
    BIND,
    BLANK,
    BRACKET,
    COMMA,
    DASH,
    DEREF,
    DOT,
    EQUALS,
    ERR,
    ETIME,
    ETIME_DIGITS,
    ETIME_END,
    ETIME_UNIT,
    F_BASE,
    F_BIND,
    F_CONTROLS,
    F_DEREF,
    F_ERR,
    F_ETIME,
    F_FILTER,
    F_NENTRIES,
    F_NOTES,
    F_OPTIME,
    F_ORIGIN,
    F_SKIP,
    F_STOP,
    F_TAG,
    F_UNINDEXED,
    F_WQTIME,
    F_WRITETIME,
    F_WTIME,
    FIELDS,
    FILTER,
    GARBAGE_OPTIME,
    GARBAGE_WTIME,
    INTERNAL,
    KEYS,
    LATCHED,
    LETTER_A,
    LETTER_D,
    LETTER_F,
    LETTER_I,
    LETTER_S,
    MILLISECONDS,
    NENTRIES,
    NOTE_A,
    NOTE_P,
    NOTE_S,
    NOTES,
    OPTIME,
    QUOTE,
    TAG,
    VLV,
    WQTIME,
    WRITETIME,
    WTIME,
    constant,
)
from ldap_workbench.logs.kernel.memory import (
    byte,
    find,
    get,
    index_of_equals,
    put,
    top_byte,
    word,
    word_at,
)
from ldap_workbench.logs.kernel.numbers import decimal, integer
from ldap_workbench.model import operations

_MICROSOFT = constant(int.from_bytes(b"1.2.840.", "little"))
_PAGED, _SORTED = (constant(int.from_bytes(text, "little")) for text in (b".1.4.319", b".1.4.473"))
_NETSCAPE = constant(int.from_bytes(b"2.16.840", "little"))
_LISTED = constant(int.from_bytes(b"730.3.4.", "little"))
_LETTERS = constant(int.from_bytes(operations.NOTES.encode(), "little"))


@inner
def lookup(keys: int, values: int, name: int) -> int:
    """The value a grammar gives to a word, 0 if it has none; 256 slots, at most half full."""
    slot = top_byte(name)
    held = get(keys, slot)
    while held != 0:
        if held == name:
            return get(values, slot)
        slot = (slot + 1) & 255
        held = get(keys, slot)
    return 0


@inner
def word_end(p: int, e: int) -> int:
    """End of the word at p: before a blank, a quote, a bracket, a comma or an equals sign."""
    while p < e and byte(p) > COMMA and byte(p) != EQUALS:
        p += 1
    return p


@inner
def _key_end(p: int, e: int) -> int:
    length = index_of_equals(p)
    if length < 8:
        return min(p + length, e)
    return word_end(p + 8, e) if p + 8 < e else e


@inner
def note_bits(p: int, e: int) -> int:
    """notes=U,P as bits of model.operations.NOTES ('UAPFMNB')."""
    bits = 0
    while p < e and byte(p) != BLANK:
        for i in range(7):
            if byte(p) == (_LETTERS >> (8 * i)) & 255:
                bits |= 1 << i
        p += 1
    return bits


@inner
def number(s: int, p: int, e: int, place: int) -> int:
    """Read a whole number into its place; the position behind it, p if it is none."""
    value, q = integer(p, e)
    if q == 0:
        return p
    put(s, place, value)
    return q


@inner
def etime(s: int, p: int, e: int) -> int:
    """Read a latency in the unit of the dialect; the position behind it, p if it is none."""
    unit = get(s, ETIME_UNIT)
    if unit == LATCHED:
        q = number(s, p, e, ETIME)
        put(s, ETIME_END, q)
        return q
    value, digits, q = decimal(p, e)
    if q == 0:
        return p
    # 389 puts text of clients behind its etime, OpenDJ and its kin put it before.
    if get(s, ETIME) == ABSENT or unit == MILLISECONDS:
        if unit == MILLISECONDS:
            value, digits = value // 1000, digits + 3
        put(s, ETIME, value)
        put(s, ETIME_DIGITS, digits)
        put(s, ETIME_END, q)
    return q


@inner
def part(s: int, p: int, e: int, place: int, garbage: int) -> int:
    """wtime or optime: stays ABSENT and is marked where it is negative or no number."""
    value, _, q = decimal(p, e)
    if q == 0 or value < 0:
        put(s, garbage, 1)
        return max(p, q)
    put(s, place, value // 1000 if get(s, ETIME_UNIT) == MILLISECONDS else value)
    return q


@inner
def extra_time(s: int, p: int, e: int, place: int) -> int:
    """wqtime or writetime: stays ABSENT where it is negative or no number."""
    value, _, q = decimal(p, e)
    if q == 0 or value < 0:
        return max(p, q)
    put(s, place, value)
    return q


@inner
def note_controls(s: int, p: int, e: int) -> None:
    """What the OIDs of controls in a text ask for: pages, sorting, a virtual list view."""
    while p + 22 <= e:
        text = word(p)
        if text == _MICROSOFT and word(p + 14) == _PAGED:
            put(s, NOTES, get(s, NOTES) | NOTE_P)
        elif text == _MICROSOFT and word(p + 14) == _SORTED:
            put(s, NOTES, get(s, NOTES) | NOTE_S)
        elif text == _NETSCAPE and word(p + 14) == _LISTED and byte(p + 22) == 57:
            put(s, VLV, 1)
        p += 1


@inner
def note_deref(s: int, p: int, e: int) -> None:
    """'3', 'always' or 'derefAlways': how aliases are followed."""
    if p >= e:
        return
    c = byte(p)
    code = c - 48
    if code < 0 or code > 3:
        c = byte(p + 5) | 32 if c == LETTER_D else c | 32
        code = 0
        if c in (LETTER_S, LETTER_I):  # searching, derefInSearching
            code = 1
        elif c == LETTER_F:  # finding, derefFindingBaseObj
            code = 2
        elif c == LETTER_A:  # always, derefAlways
            code = 3
    put(s, DEREF, code)


@inner
def _text(s: int, p: int, e: int, place: int) -> int:
    """Note where a text begins and ends, quoted or up to a blank; the position behind it."""
    if p < e and byte(p) == QUOTE:
        q = quote_end(p + 1, e)
        put(s, place, p + 1)
        put(s, place + 1, q)
        return q + 1
    q = find(p, e, BLANK)
    put(s, place, p)
    put(s, place + 1, q)
    return q


@inner
def _name(s: int, p: int, e: int) -> int:
    """Note a DN; one that was cut off, by the server or with its line, is not known."""
    quoted = p < e and byte(p) == QUOTE
    q = _text(s, p, e, BASE)
    end = get(s, BASE_END)
    cut = quoted and (end >= e or byte(end) != QUOTE)
    dots = quoted and end >= p + 4 and byte(end - 1) == byte(end - 2) == byte(end - 3) == DOT
    if cut or dots:
        put(s, BASE, 0)
    return q


@inner
def _value(s: int, p: int, e: int, field: int) -> int:
    """Read the value at p of a known key; returns a position behind it or inside it."""
    if field == F_ETIME:
        return etime(s, p, e)
    if field == F_OPTIME:
        return part(s, p, e, OPTIME, GARBAGE_OPTIME)
    if field == F_WTIME:
        return part(s, p, e, WTIME, GARBAGE_WTIME)
    if field == F_NENTRIES:
        return number(s, p, e, NENTRIES)
    if field == F_ERR:
        return number(s, p, e, ERR)
    if field == F_TAG:
        return number(s, p, e, TAG)
    if field == F_BASE:
        return _name(s, p, e)
    if field == F_FILTER:
        return _text(s, p, e, FILTER)
    if field == F_BIND:
        return _text(s, p, e, BIND)
    if field == F_ORIGIN:
        # type=internal and type=synchronization; of a bind it is type=SIMPLE.
        if byte(p) == LETTER_I or byte(p) == LETTER_S:
            put(s, INTERNAL, 1)
        return p
    return _rare_value(s, p, e, field)


@inner
def _rare_value(s: int, p: int, e: int, field: int) -> int:
    if field == F_WQTIME:
        return extra_time(s, p, e, WQTIME)
    if field == F_WRITETIME:
        return extra_time(s, p, e, WRITETIME)
    if field == F_NOTES:
        put(s, NOTES, get(s, NOTES) | note_bits(p, e))
    elif field == F_DEREF:
        note_deref(s, p, e)
    elif field == F_CONTROLS:
        q = find(p, e, BLANK)
        note_controls(s, p, q)
        return q
    return p


@inner
def fields(s: int, p: int, e: int) -> int:
    """Read every key=value token from p on into the line; returns where it stopped.

    It stops at a token that begins with ',', '-' or '[': text for people, or the next record glued
    to a cut one.
    """
    keys, values = get(s, KEYS), get(s, FIELDS)
    while p < e:
        c = byte(p)
        if c == BLANK:
            p += 1
            continue
        if c in (COMMA, DASH, BRACKET):
            return p
        q = _key_end(p, e)
        field = lookup(keys, values, word_at(p, q - p)) if q < e else F_SKIP
        if field == F_STOP:
            return e
        if field == F_UNINDEXED:
            # A bare word of OpenDJ; 'unindexed=true' of PingDirectory.
            denied = byte(q) == EQUALS and byte(q + 1) == LETTER_F
            put(s, NOTES, get(s, NOTES) | (0 if denied else NOTE_A))
            p = q
        elif field != F_SKIP and byte(q) == EQUALS:
            p = _value(s, q + 1, e, field)
        elif q + 1 < e and byte(q) == EQUALS and byte(q + 1) == QUOTE and find(p, q, BLANK) == q:
            p = quote_end(q + 2, e) + 1
        while p < e and byte(p) != BLANK:
            if byte(p) == BRACKET:
                return p
            p += 1
    return e
