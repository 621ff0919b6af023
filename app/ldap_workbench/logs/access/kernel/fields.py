"""The key=value part of a line, the same loop for every dialect; keys come from its tables."""

from __future__ import annotations

from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.logs.access.kernel.compiled import inner
from ldap_workbench.logs.access.kernel.filters import quote_end
from ldap_workbench.logs.access.kernel.memory import (
    byte,
    find,
    get,
    index_of_equals,
    put,
    top_byte,
    word,
    word_at,
)
from ldap_workbench.logs.access.kernel.numbers import decimal, integer
from ldap_workbench.model import operations

_MICROSOFT = layout.constant(int.from_bytes(b"1.2.840.", "little"))
_PAGED, _SORTED = (
    layout.constant(int.from_bytes(text, "little")) for text in (b".1.4.319", b".1.4.473")
)
_NETSCAPE = layout.constant(int.from_bytes(b"2.16.840", "little"))
_LISTED = layout.constant(int.from_bytes(b"730.3.4.", "little"))
_MOST = layout.constant((1 << 31) - 1)
_LETTERS = layout.constant(int.from_bytes(operations.NOTES.encode(), "little"))


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
    while p < e and byte(p) > layout.COMMA and byte(p) != layout.EQUALS:
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
    while p < e and byte(p) != layout.BLANK:
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
    unit = get(s, layout.ETIME_UNIT)
    if unit == layout.LATCHED:
        q = number(s, p, e, layout.ETIME)
        put(s, layout.ETIME_END, q)
        return q
    value, digits, q = decimal(p, e)
    if q == 0:
        return p
    # 389 puts text of clients behind its etime, OpenDJ and its kin put it before.
    if get(s, layout.ETIME) == layout.ABSENT or unit == layout.MILLISECONDS:
        if unit == layout.MILLISECONDS:
            value, digits = value // 1000, digits + 3
        put(s, layout.ETIME, value)
        put(s, layout.ETIME_DIGITS, digits)
        put(s, layout.ETIME_END, q)
    return q


@inner
def part(s: int, p: int, e: int, place: int, garbage: int) -> int:
    """wtime or optime: stays ABSENT and is marked where it is negative or no number."""
    value, _, q = decimal(p, e)
    if q == 0 or value < 0:
        put(s, garbage, 1)
        return max(p, q)
    put(s, place, value // 1000 if get(s, layout.ETIME_UNIT) == layout.MILLISECONDS else value)
    return q


@inner
def say(s: int, place: int, value: int) -> None:
    """Put what few lines say."""
    put(s, place, value)
    put(s, layout.SAID, 1)


@inner
def extra_time(s: int, p: int, e: int, place: int) -> int:
    """wqtime or writetime: stays ABSENT where it is negative or no number."""
    value, _, q = decimal(p, e)
    if q == 0 or value < 0:
        return max(p, q)
    say(s, place, value)
    return q


@inner
def _amount(s: int, p: int, e: int, place: int) -> int:
    """A number of threads or operations: stays -1 where it is negative or none."""
    value, q = integer(p, e)
    if q == 0 or value < 0 or value > _MOST:
        return max(p, q)
    say(s, place, value)
    return q


@inner
def pool(s: int, p: int, e: int, field: int) -> int:
    """wqdepth, and wbusy: '3/16' of how many, which JSON has under the key wmax."""
    if field == layout.F_WQDEPTH:
        return _amount(s, p, e, layout.WQDEPTH)
    if field == layout.F_WMAX:
        return _amount(s, p, e, layout.WMAX)
    q = _amount(s, p, e, layout.WBUSY)
    if q < e and byte(q) == layout.SLASH:
        return _amount(s, q + 1, e, layout.WMAX)
    return q


@inner
def note_controls(s: int, p: int, e: int) -> None:
    """What the OIDs of controls in a text ask for: pages, sorting, a virtual list view."""
    while p + 22 <= e:
        text = word(p)
        if text == _MICROSOFT and word(p + 14) == _PAGED:
            put(s, layout.NOTES, get(s, layout.NOTES) | layout.NOTE_P)
        elif text == _MICROSOFT and word(p + 14) == _SORTED:
            put(s, layout.NOTES, get(s, layout.NOTES) | layout.NOTE_S)
        elif text == _NETSCAPE and word(p + 14) == _LISTED and byte(p + 22) == 57:
            say(s, layout.VLV, 1)
        p += 1


@inner
def note_deref(s: int, p: int, e: int) -> None:
    """'3', 'always' or 'derefAlways': how aliases are followed."""
    if p >= e:
        return
    c = byte(p)
    code = c - 48
    if code < 0 or code > 3:
        c = byte(p + 5) | 32 if c == layout.LETTER_D else c | 32
        code = 0
        if c in (layout.LETTER_S, layout.LETTER_I):  # searching, derefInSearching
            code = 1
        elif c == layout.LETTER_F:  # finding, derefFindingBaseObj
            code = 2
        elif c == layout.LETTER_A:  # always, derefAlways
            code = 3
    say(s, layout.DEREF, code)


@inner
def _text(s: int, p: int, e: int, place: int) -> int:
    """Note where a text begins and ends, quoted or up to a blank; the position behind it."""
    if p < e and byte(p) == layout.QUOTE:
        q = quote_end(p + 1, e)
        put(s, place, p + 1)
        put(s, place + 1, q)
        return q + 1
    q = find(p, e, layout.BLANK)
    put(s, place, p)
    put(s, place + 1, q)
    return q


@inner
def _name(s: int, p: int, e: int) -> int:
    """Note a DN; one that was cut off, by the server or with its line, is not known."""
    quoted = p < e and byte(p) == layout.QUOTE
    q = _text(s, p, e, layout.BASE)
    end = get(s, layout.BASE_END)
    cut = quoted and (end >= e or byte(end) != layout.QUOTE)
    dots = quoted and end >= p + 4 and byte(end - 1) == byte(end - 2) == byte(end - 3) == layout.DOT
    if cut or dots:
        put(s, layout.BASE, 0)
    return q


@inner
def _value(s: int, p: int, e: int, field: int) -> int:
    """Read the value at p of a known key; returns a position behind it or inside it."""
    if field == layout.F_ETIME:
        return etime(s, p, e)
    if field == layout.F_OPTIME:
        return part(s, p, e, layout.OPTIME, layout.GARBAGE_OPTIME)
    if field == layout.F_WTIME:
        return part(s, p, e, layout.WTIME, layout.GARBAGE_WTIME)
    if field == layout.F_NENTRIES:
        return number(s, p, e, layout.NENTRIES)
    if field == layout.F_ERR:
        return number(s, p, e, layout.ERR)
    if field == layout.F_TAG:
        return number(s, p, e, layout.TAG)
    if field == layout.F_BASE:
        return _name(s, p, e)
    if field == layout.F_FILTER:
        return _text(s, p, e, layout.FILTER)
    if field == layout.F_BIND:
        return _text(s, p, e, layout.BIND)
    if field == layout.F_ORIGIN:
        # type=internal and type=synchronization; of a bind it is type=SIMPLE.
        if byte(p) == layout.LETTER_I or byte(p) == layout.LETTER_S:
            put(s, layout.INTERNAL, 1)
        return p
    return _rare_value(s, p, e, field)


@inner
def _rare_value(s: int, p: int, e: int, field: int) -> int:
    if field == layout.F_WQTIME:
        return extra_time(s, p, e, layout.WQTIME)
    if field == layout.F_WRITETIME:
        return extra_time(s, p, e, layout.WRITETIME)
    if field in (layout.F_WBUSY, layout.F_WQDEPTH):
        return pool(s, p, e, field)
    if field == layout.F_NOTES:
        put(s, layout.NOTES, get(s, layout.NOTES) | note_bits(p, e))
    elif field == layout.F_DEREF:
        note_deref(s, p, e)
    elif field == layout.F_CONTROLS:
        q = find(p, e, layout.BLANK)
        note_controls(s, p, q)
        return q
    return p


@inner
def fields(s: int, p: int, e: int) -> int:
    """Read every key=value token from p on into the line; returns where it stopped.

    It stops at a token that begins with ',', '-' or '[': text for people, or the next record glued
    to a cut one.
    """
    keys, values = get(s, layout.KEYS), get(s, layout.FIELDS)
    while p < e:
        c = byte(p)
        if c == layout.BLANK:
            p += 1
            continue
        if c in (layout.COMMA, layout.DASH, layout.BRACKET):
            return p
        q = _key_end(p, e)
        field = lookup(keys, values, word_at(p, q - p)) if q < e else layout.F_SKIP
        if field == layout.F_STOP:
            return e
        if field == layout.F_UNINDEXED:
            # A bare word of OpenDJ; 'unindexed=true' of PingDirectory.
            denied = byte(q) == layout.EQUALS and byte(q + 1) == layout.LETTER_F
            put(s, layout.NOTES, get(s, layout.NOTES) | (0 if denied else layout.NOTE_A))
            p = q
        elif field != layout.F_SKIP and byte(q) == layout.EQUALS:
            p = _value(s, q + 1, e, field)
        elif (
            q + 1 < e
            and byte(q) == layout.EQUALS
            and byte(q + 1) == layout.QUOTE
            and find(p, q, layout.BLANK) == q
        ):
            p = quote_end(q + 2, e) + 1
        while p < e and byte(p) != layout.BLANK:
            if byte(p) == layout.BRACKET:
                return p
            p += 1
    return e
