"""JSON lines: 389 (one object per event) and OpenDJ (one object per operation)."""

from __future__ import annotations

from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.logs.access.kernel.brackets import bracket_line, note_start
from ldap_workbench.logs.access.kernel.compiled import entry, inner
from ldap_workbench.logs.access.kernel.fields import (
    etime,
    extra_time,
    lookup,
    note_bits,
    note_controls,
    note_deref,
    number,
    part,
    pool,
    say,
)
from ldap_workbench.logs.access.kernel.lines import as_word, noted, set_aside
from ldap_workbench.logs.access.kernel.memory import byte, find, get, mix, put, put8, word, word_at
from ldap_workbench.logs.access.kernel.numbers import integer
from ldap_workbench.logs.access.kernel.slapd import iso_time

_FURTHEST = 1 << 40
_UNINDEXED = as_word(b"unindexe")
_KEY_OPENS = as_word(b" key(")


@inner
def long_word(p: int, length: int) -> int:
    """A word of any length as one number; equal to `word_at` up to eight bytes."""
    if length <= 8:
        return word_at(p, length)
    return mix(word(p), word(p + length - 8))


@inner
def string_end(p: int, e: int) -> int:
    """Where the quote is that closes the JSON string starting at p, e if there is none."""
    q = find(p, e, layout.QUOTE)
    while q < e:
        slashes = 0
        while q - slashes > p and byte(q - slashes - 1) == layout.BACKSLASH:
            slashes += 1
        if slashes & 1 == 0:
            return q
        q = find(q + 1, e, layout.QUOTE)
    return e


@inner
def _hex4(p: int, e: int) -> int:
    value = 0
    for i in range(4):
        c = byte(p + i) | 32
        if p + i < e and 48 <= byte(p + i) <= 57:
            value = value * 16 + byte(p + i) - 48
        elif p + i < e and 97 <= c <= 102:
            value = value * 16 + c - 87
        else:
            return -1
    return value


@inner
def _put_utf8(out: int, n: int, code: int) -> int:
    """Write a character behind n bytes; returns the new number of bytes."""
    if code < 0x80:
        put8(out, n, code)
        return n + 1
    if code < 0x800:
        put8(out, n, 0xC0 | code >> 6)
        put8(out, n + 1, 0x80 | code & 63)
        return n + 2
    put8(out, n, 0xE0 | code >> 12)
    put8(out, n + 1, 0x80 | code >> 6 & 63)
    put8(out, n + 2, 0x80 | code & 63)
    return n + 3


@inner
def _unescape(s: int, p: int, e: int) -> int:
    """Write the text of a JSON string with escapes into the scratch room; returns its end."""
    out = get(s, layout.SCRATCH)
    n = get(s, layout.SCRATCH_USED)
    while p < e:
        c = byte(p)
        p += 1
        if c != layout.BACKSLASH or p >= e:
            put8(out, n, c)
            n += 1
            continue
        c = byte(p)
        p += 1
        code = _hex4(p, e) if c == layout.LETTER_U else -1
        if code >= 0:
            n = _put_utf8(out, n, code)
            p += 4
        else:
            # \\" \\\\ \\/ stand for themselves; control characters become blanks.
            put8(out, n, c if c in (layout.QUOTE, layout.BACKSLASH, layout.SLASH) else layout.BLANK)
            n += 1
    put(s, layout.SCRATCH_USED, n)
    return out + n


@inner
def _text(s: int, p: int, e: int, place: int) -> None:
    """Note a string value, without its escapes."""
    if find(p, e, layout.BACKSLASH) < e:
        start = get(s, layout.SCRATCH) + get(s, layout.SCRATCH_USED)
        e = _unescape(s, p, e)
        p = start
    put(s, place, p)
    put(s, place + 1, e)


@inner
def _key_epoch(s: int, p: int, e: int) -> None:
    """'1739212909-1' begins with the time of the connection: numbers repeat, this does not."""
    value, q = integer(p, e)
    if q != 0 and q < e and byte(q) == layout.DASH and value >= 0:
        put(s, layout.EPOCH, value & 0xFFFFFFFF)


@inner
def _is_true(p: int, e: int) -> bool:
    return p < e and byte(p) == layout.LETTER_T


@inner
def _operation(s: int, p: int, e: int) -> None:
    code = lookup(get(s, layout.WORDS), get(s, layout.MEANINGS), long_word(p, e - p))
    if get(s, layout.CLASS) == layout.NOT_KNOWN:
        put(s, layout.CLASS, code & 15)
        put(s, layout.KIND, code >> 4)


@inner
def _type(s: int, p: int, e: int) -> None:
    """The type of the operation, where another key says which event of it this is."""
    code = lookup(get(s, layout.WORDS), get(s, layout.MEANINGS), long_word(p, e - p))
    put(s, layout.KIND, code >> 4)
    put(s, layout.HAS_REQUEST, 1)
    if code & 15 == layout.EXTRA:
        put(s, layout.CLASS, layout.EXTRA)


@inner
def _items(s: int, p: int, e: int) -> None:
    """Items of a text, of which one says that a search had no index; those of an object have keys
    of their own."""
    if byte(p) == layout.BRACE:
        return
    while p + 8 <= e:
        if word(p) == _UNINDEXED:
            put(s, layout.NOTES, get(s, layout.NOTES) | layout.NOTE_A)
            return
        p += 1


@inner
def _take(s: int, p: int, e: int, field: int) -> None:  # noqa: C901, PLR0912 - a table of fields
    """One value, p to e without quotes, of a known key at the top or in client{}, request{}..."""
    if field == layout.F_ETIME:
        etime(s, p, e)
    elif field == layout.F_OPTIME:
        part(s, p, e, layout.OPTIME, layout.GARBAGE_OPTIME)
    elif field == layout.F_WTIME:
        part(s, p, e, layout.WTIME, layout.GARBAGE_WTIME)
    elif field == layout.F_NENTRIES:
        number(s, p, e, layout.NENTRIES)
    elif field == layout.F_ERR:
        number(s, p, e, layout.ERR)
    elif field == layout.F_TAG:
        number(s, p, e, layout.TAG)
    elif field == layout.F_CONN:
        number(s, p, e, layout.CONN)
    elif field == layout.F_OP:
        number(s, p, e, layout.OP)
    elif field == layout.F_INTERNAL_OP:
        number(s, p, e, layout.INTERNAL_OP)
    elif field == layout.F_NESTING:
        number(s, p, e, layout.NESTING)
    elif field == layout.F_BASE:
        _text(s, p, e, layout.BASE)
    elif field == layout.F_FILTER:
        _text(s, p, e, layout.FILTER)
    elif field == layout.F_CLIENT:
        if get(s, layout.CLIENT) == 0:
            _text(s, p, e, layout.CLIENT)
    elif field == layout.F_OPERATION:
        _operation(s, p, e)
    elif field == layout.F_TIME:
        iso_time(s, p, e)
    elif field == layout.F_KEY:
        _key_epoch(s, p, e)
    elif field == layout.F_IS_INTERNAL:
        if _is_true(p, e):
            put(s, layout.INTERNAL, 1)
    elif field == layout.F_ORIGIN:
        put(s, layout.INTERNAL, 1)
    elif field == layout.F_UNITS:
        put(s, layout.UNITS, layout.NANO if byte(p) == layout.CAPITAL_N else layout.MILLI)
    elif field == layout.F_ELAPSED:
        number(s, p, e, layout.ETIME)
    elif field == layout.F_QUEUED:
        number(s, p, e, layout.WTIME)
    elif field == layout.F_PROCESSED:
        number(s, p, e, layout.OPTIME)
    else:
        _take_rarely(s, p, e, field)


@inner
def _take_rarely(s: int, p: int, e: int, field: int) -> None:
    """Values that few objects have."""
    if field == layout.F_TYPE:
        _type(s, p, e)
    elif field == layout.F_BIND:
        _text(s, p, e, layout.BIND)
    elif field == layout.F_STARTUP:
        note_start(s, p, e)
    elif field == layout.F_ITEMS:
        _items(s, p, e)
    elif field == layout.F_WQTIME:
        extra_time(s, p, e, layout.WQTIME)
    elif field == layout.F_WRITETIME:
        extra_time(s, p, e, layout.WRITETIME)
    elif field in (layout.F_WBUSY, layout.F_WMAX, layout.F_WQDEPTH):
        pool(s, p, e, field)
    elif field == layout.F_DEREF:
        note_deref(s, p, e)
    elif field in (layout.F_STAT_ATTRIBUTE, layout.F_STAT_KEY):
        _index_key(s, p, e)
    elif field == layout.F_STAT_COUNT:
        number(s, p, e, layout.INDEX_IDS)
        put(s, layout.SAID, 1)
    elif field == layout.F_STAT_TIME:
        extra_time(s, p, e, layout.INDEX_NS)
    elif field == layout.F_INDEXED and p < e and byte(p) == layout.LETTER_F:
        put(s, layout.NOTES, get(s, layout.NOTES) | layout.NOTE_A)


@inner
def _index_key(s: int, p: int, e: int) -> None:
    """The attribute, then the kind of its index: 'cn key(sub)', as in a classic line."""
    out, n = get(s, layout.SCRATCH), get(s, layout.SCRATCH_USED)
    start = get(s, layout.INDEX_KEY)
    if start == 0:
        say(s, layout.INDEX_KEY, out + n)
        for i in range(e - p):
            put8(out, n + i, byte(p + i))
        n += e - p
    else:
        for i in range(5):
            put8(out, n + i, (_KEY_OPENS >> (8 * i)) & 255)
        n += 5
        for i in range(e - p):
            put8(out, n + i, byte(p + i))
        n += e - p
        put8(out, n, layout.CLOSING)
        n += 1
    put(s, layout.INDEX_KEY_END, out + n)
    put(s, layout.SCRATCH_USED, n)


@inner
def _bare_end(p: int, e: int) -> int:
    """End of a number, true, false or null."""
    while (
        p < e
        and byte(p) != layout.COMMA
        and byte(p) != layout.BRACE_END
        and byte(p) != layout.BRACKET_END
    ):
        p += 1
    return p


@inner
def _pair(s: int, key: int, key_end: int, p: int, e: int, depth: int) -> int:
    """A key and its value at p; returns where to go on: behind it, or inside it if it nests."""
    while p < e and byte(p) <= layout.BLANK:
        p += 1
    if p >= e:
        return e
    quoted = byte(p) == layout.QUOTE
    start = p + 1 if quoted else p
    end = string_end(start, e) if quoted else _bare_end(p, e)
    field = lookup(get(s, layout.KEYS), get(s, layout.FIELDS), long_word(key, key_end - key))
    if field == layout.F_NOTE:
        put(s, layout.NOTES, get(s, layout.NOTES) | note_bits(start, end))
    elif field == layout.F_UNINDEXED:
        # One of the additional items, with null for a value.
        put(
            s,
            layout.NOTES,
            get(s, layout.NOTES) | (0 if byte(start) == layout.LETTER_F else layout.NOTE_A),
        )
    elif field == layout.F_HEADER and depth == 1:
        put(s, layout.CLASS, layout.HEADER)
        put(s, layout.REASON, layout.R_HEADER)
    elif field == layout.F_CONTROLS:
        # A list of OIDs, or of objects with one each.
        note_controls(s, start, end if quoted else find(start, e, layout.BRACKET_END))
    elif field != layout.F_SKIP and depth <= get(s, layout.DEPTH):
        _take(s, start, end, field)
    if not quoted and (byte(p) == layout.BRACE or byte(p) == layout.BRACKET):
        return p
    return min(end + 1, e) if quoted else end


@inner
def _walk(s: int, p: int, e: int) -> int:
    """Read an object; returns how many braces were left open."""
    depth = 0
    while p < e:
        c = byte(p)
        if c == layout.QUOTE:
            end = string_end(p + 1, e)
            colon = end + 1
            while colon < e and byte(colon) <= layout.BLANK:
                colon += 1
            if colon < e and byte(colon) == layout.COLON:
                p = _pair(s, p + 1, end, colon + 1, e, depth)
            else:
                p = colon
            continue
        if c in (layout.BRACE, layout.BRACKET):
            depth += 1
        elif c in (layout.BRACE_END, layout.BRACKET_END):
            depth -= 1
        p += 1
    return depth


@inner
def _one_record(s: int) -> None:
    """An OpenDJ object is a whole operation: request, result and connection at once."""
    if get(s, layout.CLASS) != layout.REQUEST:
        return
    put(s, layout.CLASS, layout.RESULT)
    put(s, layout.HAS_REQUEST, 1)
    scale = 1_000_000 if get(s, layout.UNITS) != layout.NANO else 1
    put(s, layout.ETIME_DIGITS, 3 if scale != 1 else 9)
    for place in (layout.ETIME, layout.WTIME, layout.OPTIME):
        if get(s, place) != layout.ABSENT:
            put(s, place, get(s, place) * scale)


@inner
def object_line(s: int, p: int, e: int) -> int:
    """'{"local_time": ...}' or '{"eventName": ...}'; a classic line among them is read too."""
    start = p
    while p < e and byte(p) <= layout.BLANK:
        p += 1
    if p >= e or byte(p) != layout.BRACE:
        return bracket_line(s, start, e)
    put(s, layout.SCRATCH_USED, 0)
    depth = _walk(s, p, e)
    if get(s, layout.CLASS) == layout.NOT_KNOWN:
        if depth != 0:
            set_aside(s, layout.R_CUT)
        return e
    conn, op = get(s, layout.CONN), get(s, layout.OP)
    if conn > _FURTHEST or conn < -_FURTHEST or op >= 1 << 31 or op < -1:
        put(s, layout.CLASS, layout.NOT_KNOWN)
    elif get(s, layout.CLASS) != layout.HEADER and get(s, layout.TIME) == layout.ABSENT:
        set_aside(s, layout.R_NO_TIME)
    elif get(s, layout.CLASS) == layout.NOTED:
        noted(s, get(s, layout.KIND))
    elif get(s, layout.STYLE) == layout.RECORDS:
        _one_record(s)
    return e


@inner
def _depth_after(c: int, depth: int) -> int:
    if c == layout.BRACE:
        return depth + 1
    return max(0, depth - 1) if c == layout.BRACE_END else depth


@entry
def flatten(p: int, e: int, out: int) -> None:
    """Copy text that begins at the start of a line, newlines inside an object as JOIN.

    A brace or bracket at the start of a line begins a new record, whatever was cut before it.
    """
    depth, n = 0, 0
    inside, escaped, first = False, False, True
    while p < e:
        c = byte(p)
        if first and n > 0 and (c in (layout.BRACE, layout.BRACKET)):
            depth = 0
            put8(out, n - 1, layout.LF)
        first = c == layout.LF
        if first:
            inside, escaped = False, False
            c = layout.JOIN if depth > 0 else layout.LF
        elif inside:
            inside = escaped or c != layout.QUOTE
            escaped = not escaped and c == layout.BACKSLASH
        elif c == layout.QUOTE:
            inside = depth > 0
        else:
            depth = _depth_after(c, depth)
        put8(out, n, c)
        n += 1
        p += 1
