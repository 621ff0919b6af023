"""What a line means: requests are remembered, results find theirs and become rows."""

from __future__ import annotations

from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.logs.access.kernel.compiled import inner
from ldap_workbench.logs.access.kernel.fields import say
from ldap_workbench.logs.access.kernel.filters import contains, fingerprint
from ldap_workbench.logs.access.kernel.memory import get, put, put8, put32
from ldap_workbench.logs.access.kernel.tables import (
    find_conn,
    find_open,
    intern,
    known_conn,
    remove_open,
)

NONE = layout.constant(-1)
_SLACK = 4096
"""Connections may be logged a little out of order; a number this far back is a new start."""
_TOLERANCE = 1_000_000_000
"""optime may exceed etime a little (they are read one after the other), not by a second."""


@inner
def add(array: int, i: int) -> None:
    """Count one more."""
    put(array, i, get(array, i) + 1)


@inner
def this_conn(s: int) -> int:
    """One number, never 0, for the line's connection and server start; conn is within 2**40."""
    return (get(s, layout.BOOT) << 42) + get(s, layout.CONN) + (1 << 41)


@inner
def conn_entry(s: int) -> int:
    """Address of the line's connection, made if it is new (room is reserved)."""
    key = this_conn(s)
    place = find_conn(get(s, layout.CONN_TABLE), get(s, layout.CONN_MASK), key)
    if get(place, layout.N_KEY) == 0:
        put(place, layout.N_KEY, key)
        put(place, layout.N_CLIENT, -1)
        put(place, layout.N_BIND, -1)
        put(place, layout.N_FLAGS, 0)
        put(place, layout.N_EPOCH, get(s, layout.EPOCH))
        put(place, layout.N_OPENED_NS, layout.ABSENT)
        put(place, layout.N_CLOSED_NS, layout.ABSENT)
        add(s, layout.CONN_USED)
    return place


@inner
def _restarted(s: int) -> bool:
    """Whether a connection that opens under this number belongs to a new start of the server."""
    newest = get(s, layout.MAX_CONN)
    if get(s, layout.CONN) > newest:
        return False
    if get(s, layout.HEADER_SEEN) != 0 or get(s, layout.CONN) + _SLACK <= newest:
        return True
    place = known_conn(s, this_conn(s))
    return place != 0 and (get(place, layout.N_FLAGS) & layout.N_OPENED) != 0


@inner
def _new_boot(s: int) -> None:
    """The server started anew; other processes in the same text keep their own numbers."""
    add(s, layout.NEWEST_BOOT)
    put(s, layout.BOOT, get(s, layout.NEWEST_BOOT))


@inner
def _note_epoch(s: int) -> None:
    """A connection that began later than the known one of its number: the server started anew."""
    place = known_conn(s, this_conn(s))
    if place != 0 and 0 < get(place, layout.N_EPOCH) < get(s, layout.EPOCH):
        _new_boot(s)
        put(s, layout.MAX_CONN, get(s, layout.CONN))
        put(s, layout.HEADER_SEEN, 0)


@inner
def _opened(s: int) -> None:
    if _restarted(s):
        _new_boot(s)
        put(s, layout.MAX_CONN, get(s, layout.CONN))
    put(s, layout.HEADER_SEEN, 0)
    place = conn_entry(s)
    put(place, layout.N_FLAGS, get(place, layout.N_FLAGS) | layout.N_OPENED)
    put(place, layout.N_OPENED_NS, get(s, layout.TIME))
    if get(s, layout.CLIENT) != 0:
        put(
            place,
            layout.N_CLIENT,
            intern(s + 8 * layout.CLIENTS, get(s, layout.CLIENT), get(s, layout.CLIENT_END)),
        )


@inner
def _mark_own(s: int) -> None:
    """A connection that asks for one of our nonces is the workbench's own."""
    start = 0
    for i in range(get(s, layout.NONCE_COUNT)):
        end = get(get(s, layout.NONCE_ENDS), i)
        if contains(
            get(s, layout.BASE), get(s, layout.BASE_END), get(s, layout.NONCES) + start, end - start
        ):
            place = conn_entry(s)
            if get(place, layout.N_FLAGS) & layout.N_OWN == 0:
                put(place, layout.N_FLAGS, get(place, layout.N_FLAGS) | layout.N_OWN)
                used = get(s, layout.OWN_USED)
                put(get(s, layout.OWN), 2 * used, get(s, layout.BOOT))
                put(get(s, layout.OWN), 2 * used + 1, get(s, layout.CONN))
                put(s, layout.OWN_USED, used + 1)
            return
        start = end


@inner
def _depth(s: int) -> int:
    return get(s, layout.NESTING) | (get(s, layout.EPOCH) + get(s, layout.MSG_ID)) << 16


@inner
def open_request(s: int) -> int:
    """Address of the open request of the line's operation, or where it would go."""
    key_ids = (get(s, layout.OP) << 32) | get(s, layout.INTERNAL_OP)
    table, mask = get(s, layout.OPEN_TABLE), get(s, layout.OPEN_MASK)
    return find_open(table, mask, this_conn(s), key_ids, _depth(s))


@inner
def _shape(s: int) -> int:
    """Fingerprint of the line's filter, or what kind of extended operation it asks for."""
    start, end = get(s, layout.FILTER), get(s, layout.FILTER_END)
    if start == 0:
        return NONE
    if get(s, layout.KIND) == layout.K_EXT:
        return intern(s + 8 * layout.FINGERPRINTS, start, end)
    return fingerprint(s + 8 * layout.FINGERPRINTS, start, end)


@inner
def _extras(s: int) -> int:
    """What a request or a further line about it says beside the rest, as O_EXTRAS has it."""
    extras = get(s, layout.NOTES)
    if get(s, layout.SAID) != 0:
        extras |= (get(s, layout.DEREF) + 1) << layout.DEREF_SHIFT
        extras |= layout.WITH_VLV if get(s, layout.VLV) != 0 else 0
    return extras


@inner
def _continued(s: int, place: int) -> None:
    """A further line of a request: attributes, or the DN a bind was mapped to."""
    start, end = get(s, layout.BASE), get(s, layout.BASE_END)
    if start != 0 and get(s, layout.KIND) == layout.K_BIND:
        put(place, layout.O_BIND, intern(s + 8 * layout.BIND_DNS, start, end))
        put(place, layout.O_BASE, intern(s + 8 * layout.BASES, start, end))


@inner
def _requested(s: int) -> None:
    """Remember a request until its result comes."""
    place = open_request(s)
    if get(place, layout.O_KEY) != 0:
        if get(s, layout.STYLE) == layout.SLAPD and get(place, layout.O_KIND) == get(
            s, layout.KIND
        ):
            _continued(s, place)
            return
        add(get(s, layout.COUNTS), layout.R_TWICE)
    elif (
        get(s, layout.STYLE) == layout.SLAPD
        and get(s, layout.BASE) == 0
        and get(s, layout.FILTER) == 0
    ):
        return
    else:
        add(s, layout.OPEN_USED)
    put(place, layout.O_KEY, this_conn(s))
    put(place, layout.O_IDS, (get(s, layout.OP) << 32) | get(s, layout.INTERNAL_OP))
    put(place, layout.O_DEPTH, _depth(s))
    put(place, layout.O_START, get(s, layout.TIME))
    put(place, layout.O_AT, get(s, layout.AT))
    kind = get(s, layout.KIND)
    put(place, layout.O_KIND, kind)
    put(place, layout.O_FINGERPRINT, _shape(s))
    base, bind = NONE, NONE
    start, end = get(s, layout.BASE), get(s, layout.BASE_END)
    if start != 0:
        base = intern(s + 8 * layout.BASES, start, end)
        if kind == layout.K_BIND:
            bind = intern(s + 8 * layout.BIND_DNS, start, end)
    put(place, layout.O_BASE, base)
    put(place, layout.O_BIND, bind)
    put(place, layout.O_EXTRAS, _extras(s))


@inner
def _noted(s: int) -> None:
    """A further line about an open request: sorted, a list view, or what an index was asked."""
    if get(s, layout.OP) < 0:
        return
    place = open_request(s)
    if get(place, layout.O_KEY) == 0:
        return
    if get(s, layout.CLASS) == layout.NOTED:
        put(place, layout.O_EXTRAS, get(place, layout.O_EXTRAS) | _extras(s))
        return
    if get(place, layout.O_EXTRAS) & layout.WITH_INDEX == 0:
        put(place, layout.O_EXTRAS, get(place, layout.O_EXTRAS) | layout.WITH_INDEX)
        put(place, layout.O_INDEX_NS, layout.ABSENT)
        put(place, layout.O_INDEX_IDS, layout.ABSENT)
        put(place, layout.O_INDEX_KEY, NONE)
    ids, ns, before = (
        get(s, layout.INDEX_IDS),
        get(s, layout.INDEX_NS),
        get(place, layout.O_INDEX_NS),
    )
    if ids == layout.ABSENT:
        put(place, layout.O_INDEX_NS, ns if ns != layout.ABSENT else before)
        return
    if ns != layout.ABSENT:
        put(place, layout.O_INDEX_NS, ns if before == layout.ABSENT else before + ns)
    if ids > get(place, layout.O_INDEX_IDS):
        put(place, layout.O_INDEX_IDS, ids)
        start, end = get(s, layout.INDEX_KEY), get(s, layout.INDEX_KEY_END)
        if start != 0:
            put(place, layout.O_INDEX_KEY, intern(s + 8 * layout.INDEX_KEYS, start, end))


@inner
def _bind(s: int, asked: int) -> None:
    """Who a connection is after the result of a BIND; a failed one leaves it anonymous."""
    err = get(s, layout.ERR)
    if err == 14:
        return
    place = conn_entry(s)
    start, end = s, s  # nobody
    if err == 0:
        start, end = get(s, layout.BIND), get(s, layout.BIND_END)
        if start == 0:
            start, end = get(s, layout.BASE), get(s, layout.BASE_END)
    if start != 0:
        asked = intern(s + 8 * layout.BIND_DNS, start, end)
    put(place, layout.N_BIND, asked)


@inner
def _parts(s: int) -> None:
    """Set garbage wtime and optime aside: start times that were never initialised."""
    longest = get(s, layout.ETIME) + _TOLERANCE
    if get(s, layout.GARBAGE_OPTIME) != 0 or get(s, layout.OPTIME) > longest:
        put(s, layout.OPTIME, layout.ABSENT)
        add(get(s, layout.COUNTS), layout.R_GARBAGE_OPTIME)
    if get(s, layout.GARBAGE_WTIME) != 0 or get(s, layout.WTIME) > longest:
        put(s, layout.WTIME, layout.ABSENT)
        add(get(s, layout.COUNTS), layout.R_GARBAGE_WTIME)


@inner
def _emit_rare(s: int, r: int) -> None:
    """Write what few lines say into row r, and which row that is."""
    said = get(s, layout.RARE_ROWS)
    put(s, layout.RARE_ROWS, said + 1)
    put(get(s, layout.RARE_AT), said, r)
    for i in range(layout.RARE_WIDE_END):
        put(get(s, layout.RARE_COLUMNS + i), r, get(s, layout.WQTIME + i))
    for i in range(layout.RARE_WIDE_END, layout.RARE_MIDDLE_END):
        put32(get(s, layout.RARE_COLUMNS + i), r, get(s, layout.WQTIME + i))
    for i in range(layout.RARE_MIDDLE_END, layout.RARE_END):
        put8(get(s, layout.RARE_COLUMNS + i), r, get(s, layout.WQTIME + i))


@inner
def _emit(s: int) -> None:
    """Write the row of a finished operation: the line's numbers are in the order of columns."""
    place = known_conn(s, this_conn(s))
    if place != 0:
        put(s, layout.CLIENT_INDEX, get(place, layout.N_CLIENT))
        put(s, layout.BIND_INDEX, get(place, layout.N_BIND))
        put(s, layout.IS_OWN, (get(place, layout.N_FLAGS) & layout.N_OWN) >> 2)
        opened = get(place, layout.N_OPENED_NS)
        if opened != layout.ABSENT and get(s, layout.INTERNAL) == 0:
            say(s, layout.OPENED_NS, opened)
            put(place, layout.N_OPENED_NS, layout.ABSENT)
        closed = get(place, layout.N_CLOSED_NS)
        if closed != layout.ABSENT and get(s, layout.INTERNAL) == 0:
            say(s, layout.CLOSED_NS, closed)
    if get(s, layout.CLIENT) != 0 and get(s, layout.CLIENT_INDEX) < 0:
        put(
            s,
            layout.CLIENT_INDEX,
            intern(s + 8 * layout.CLIENTS, get(s, layout.CLIENT), get(s, layout.CLIENT_END)),
        )
    add(s, layout.FINISHED)
    put(s, layout.SMALLEST, min(get(s, layout.SMALLEST), get(s, layout.ETIME)))
    r = get(s, layout.ROWS)
    put(s, layout.ROWS, r + 1)
    for i in range(layout.WIDE_END):
        put(get(s, layout.COLUMNS + i), r, get(s, layout.TIME + i))
    for i in range(layout.WIDE_END, layout.MIDDLE_END):
        put32(get(s, layout.COLUMNS + i), r, get(s, layout.TIME + i))
    for i in range(layout.MIDDLE_END, layout.NARROW_END):
        put8(get(s, layout.COLUMNS + i), r, get(s, layout.TIME + i))
    if get(s, layout.SAID) != 0:
        _emit_rare(s, r)


@inner
def _answered(s: int) -> None:
    """A result: find its request, free it, write the row."""
    _parts(s)
    if get(s, layout.KIND) == layout.K_UNKNOWN:
        tag = get(s, layout.TAG)
        put(s, layout.KIND, get(get(s, layout.TAGS), tag) if 0 <= tag < 128 else layout.K_UNKNOWN)
        if tag < 0 and get(s, layout.FILTER) != 0:
            put(s, layout.KIND, layout.K_EXT)
    bind = NONE
    # Old servers give all internal operations one number: those can never be told apart.
    numbered = get(s, layout.OP) >= 0
    place = open_request(s)
    if numbered and get(place, layout.O_KEY) != 0:
        bind = get(place, layout.O_BIND)
        _take_request(s, place)
    elif get(s, layout.HAS_REQUEST) != 0:
        add(s, layout.COMBINED)
        _mark_own(s)
        put(s, layout.ASKED_AT, get(s, layout.AT))
        put(s, layout.SHAPE_INDEX, _shape(s))
        if get(s, layout.BASE) != 0:
            put(
                s,
                layout.BASE_INDEX,
                intern(s + 8 * layout.BASES, get(s, layout.BASE), get(s, layout.BASE_END)),
            )
    elif numbered:
        add(s, layout.ORPHANS)
    if get(s, layout.STYLE) == layout.AUDIT and get(s, layout.BIND) != 0:
        put(
            conn_entry(s),
            layout.N_BIND,
            intern(s + 8 * layout.BIND_DNS, get(s, layout.BIND), get(s, layout.BIND_END)),
        )
    if get(s, layout.KIND) == layout.K_BIND:
        _bind(s, bind)
    _emit(s)


@inner
def dismiss(s: int) -> None:
    """A result without a latency makes no row, but its operation is over."""
    if get(s, layout.OP) < 0:
        return
    place = open_request(s)
    if get(place, layout.O_KEY) != 0:
        if get(place, layout.O_KIND) == layout.K_BIND and get(s, layout.ERR) != NONE:
            _bind(s, get(place, layout.O_BIND))
        remove_open(s, place)


@inner
def _take_extras(s: int, place: int) -> None:
    """Move what a request said beside the rest into the line of its result."""
    extras = get(place, layout.O_EXTRAS)
    put(s, layout.NOTES, get(s, layout.NOTES) | extras & 255)
    if extras & layout.WITH_VLV != 0:
        say(s, layout.VLV, 1)
    deref = (extras >> layout.DEREF_SHIFT) & 7
    if deref != 0 and get(s, layout.DEREF) < 0:
        say(s, layout.DEREF, deref - 1)
    if extras & layout.WITH_INDEX != 0:
        say(s, layout.INDEX_NS, get(place, layout.O_INDEX_NS))
        put(s, layout.INDEX_IDS, get(place, layout.O_INDEX_IDS))
        put(s, layout.KEY_INDEX, get(place, layout.O_INDEX_KEY))


@inner
def _take_request(s: int, place: int) -> None:
    """Move what the request said into the line of its result, and free its slot."""
    put(s, layout.ASKED_AT, get(place, layout.O_AT))
    put(s, layout.BASE_INDEX, get(place, layout.O_BASE))
    put(s, layout.SHAPE_INDEX, get(place, layout.O_FINGERPRINT))
    if get(place, layout.O_KIND) != layout.K_UNKNOWN:
        put(s, layout.KIND, get(place, layout.O_KIND))
    if get(place, layout.O_EXTRAS) != 0:
        _take_extras(s, place)
    remove_open(s, place)


@inner
def _closed(s: int) -> None:
    place = known_conn(s, this_conn(s))
    if place != 0:
        put(place, layout.N_FLAGS, get(place, layout.N_FLAGS) | layout.N_CLOSED)
        put(place, layout.N_CLOSED_AT, get(s, layout.AT))
        put(place, layout.N_CLOSED_NS, get(s, layout.TIME))


@inner
def act(s: int) -> None:
    """Do what an understood line asks for."""
    what = get(s, layout.CLASS)
    if get(s, layout.EPOCH) != 0:
        _note_epoch(s)
    if what == layout.RESULT:
        _answered(s)
    elif what == layout.REQUEST:
        if get(s, layout.OP) >= 0:
            _requested(s)
        if get(s, layout.NONCE_COUNT) != 0 and get(s, layout.BASE) != 0:
            _mark_own(s)
    elif what == layout.OPENED:
        _opened(s)
    elif what == layout.CLOSED:
        _closed(s)
    elif what in (layout.NOTED, layout.STAT):
        _noted(s)
    elif what == layout.ABANDON:
        put(s, layout.ERR, 0)
        _emit(s)
    elif what == layout.UNPROCESSED:
        put(s, layout.KIND, layout.K_UNKNOWN)
        _requested(s)
    elif what == layout.BOUND and get(s, layout.BASE) != 0:
        put(
            conn_entry(s),
            layout.N_BIND,
            intern(s + 8 * layout.BIND_DNS, get(s, layout.BASE), get(s, layout.BASE_END)),
        )
    elif what == layout.HEADER:
        put(s, layout.HEADER_SEEN, 1)
    if get(s, layout.CONN) > get(s, layout.MAX_CONN):
        put(s, layout.MAX_CONN, get(s, layout.CONN))
