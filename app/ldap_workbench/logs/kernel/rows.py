"""What a line means: requests are remembered, results find theirs and become rows."""

from __future__ import annotations

from ldap_workbench.logs.kernel.compiled import inner
from ldap_workbench.logs.kernel.filters import contains, fingerprint
from ldap_workbench.logs.kernel.layout import (
    ABANDON,
    ABSENT,
    ASKED_AT,
    AT,
    AUDIT,
    BASE,
    BASE_END,
    BASE_INDEX,
    BASES,
    BIND,
    BIND_DNS,
    BIND_END,
    BIND_INDEX,
    BOOT,
    BOUND,
    CLASS,
    CLIENT,
    CLIENT_END,
    CLIENT_INDEX,
    CLIENTS,
    CLOSED,
    COLUMNS,
    COMBINED,
    CONN,
    CONN_MASK,
    CONN_TABLE,
    CONN_USED,
    COUNTS,
    DEREF,
    DEREF_SHIFT,
    EPOCH,
    ERR,
    ETIME,
    FILTER,
    FILTER_END,
    FINGERPRINTS,
    FINISHED,
    GARBAGE_OPTIME,
    GARBAGE_WTIME,
    HAS_REQUEST,
    HEADER,
    HEADER_SEEN,
    INDEX_IDS,
    INDEX_KEY,
    INDEX_KEY_END,
    INDEX_KEYS,
    INDEX_NS,
    INTERNAL_OP,
    IS_OWN,
    K_BIND,
    K_EXT,
    K_UNKNOWN,
    KEY_INDEX,
    KIND,
    MAX_CONN,
    MIDDLE_END,
    MSG_ID,
    N_BIND,
    N_CLIENT,
    N_CLOSED,
    N_CLOSED_AT,
    N_EPOCH,
    N_FLAGS,
    N_KEY,
    N_OPENED,
    N_OWN,
    NARROW_END,
    NESTING,
    NEWEST_BOOT,
    NONCE_COUNT,
    NONCE_ENDS,
    NONCES,
    NOTED,
    NOTES,
    O_AT,
    O_BASE,
    O_BIND,
    O_DEPTH,
    O_EXTRAS,
    O_FINGERPRINT,
    O_IDS,
    O_INDEX_IDS,
    O_INDEX_KEY,
    O_INDEX_NS,
    O_KEY,
    O_KIND,
    O_START,
    OP,
    OPEN_MASK,
    OPEN_TABLE,
    OPEN_USED,
    OPENED,
    OPTIME,
    ORPHANS,
    OWN,
    OWN_USED,
    R_GARBAGE_OPTIME,
    R_GARBAGE_WTIME,
    R_TWICE,
    REQUEST,
    RESULT,
    ROWS,
    SHAPE_INDEX,
    SLAPD,
    SMALLEST,
    STAT,
    STYLE,
    TAG,
    TAGS,
    TIME,
    UNPROCESSED,
    VLV,
    WIDE_END,
    WITH_VLV,
    WTIME,
    constant,
)
from ldap_workbench.logs.kernel.memory import get, put, put8, put32
from ldap_workbench.logs.kernel.tables import find_conn, find_open, intern, known_conn, remove_open

NONE = constant(-1)
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
    return (get(s, BOOT) << 42) + get(s, CONN) + (1 << 41)


@inner
def conn_entry(s: int) -> int:
    """Address of the line's connection, made if it is new (room is reserved)."""
    key = this_conn(s)
    place = find_conn(get(s, CONN_TABLE), get(s, CONN_MASK), key)
    if get(place, N_KEY) == 0:
        put(place, N_KEY, key)
        put(place, N_CLIENT, -1)
        put(place, N_BIND, -1)
        put(place, N_FLAGS, 0)
        put(place, N_EPOCH, get(s, EPOCH))
        add(s, CONN_USED)
    return place


@inner
def _restarted(s: int) -> bool:
    """Whether a connection that opens under this number belongs to a new start of the server."""
    newest = get(s, MAX_CONN)
    if get(s, CONN) > newest:
        return False
    if get(s, HEADER_SEEN) != 0 or get(s, CONN) + _SLACK <= newest:
        return True
    place = known_conn(s, this_conn(s))
    return place != 0 and (get(place, N_FLAGS) & N_OPENED) != 0


@inner
def _new_boot(s: int) -> None:
    """The server started anew; other processes in the same text keep their own numbers."""
    add(s, NEWEST_BOOT)
    put(s, BOOT, get(s, NEWEST_BOOT))


@inner
def _note_epoch(s: int) -> None:
    """A connection that began later than the known one of its number: the server started anew."""
    place = known_conn(s, this_conn(s))
    if place != 0 and 0 < get(place, N_EPOCH) < get(s, EPOCH):
        _new_boot(s)
        put(s, MAX_CONN, get(s, CONN))
        put(s, HEADER_SEEN, 0)


@inner
def _opened(s: int) -> None:
    if _restarted(s):
        _new_boot(s)
        put(s, MAX_CONN, get(s, CONN))
    put(s, HEADER_SEEN, 0)
    place = conn_entry(s)
    put(place, N_FLAGS, get(place, N_FLAGS) | N_OPENED)
    if get(s, CLIENT) != 0:
        put(place, N_CLIENT, intern(s + 8 * CLIENTS, get(s, CLIENT), get(s, CLIENT_END)))


@inner
def _mark_own(s: int) -> None:
    """A connection that asks for one of our nonces is the workbench's own."""
    start = 0
    for i in range(get(s, NONCE_COUNT)):
        end = get(get(s, NONCE_ENDS), i)
        if contains(get(s, BASE), get(s, BASE_END), get(s, NONCES) + start, end - start):
            place = conn_entry(s)
            if get(place, N_FLAGS) & N_OWN == 0:
                put(place, N_FLAGS, get(place, N_FLAGS) | N_OWN)
                used = get(s, OWN_USED)
                put(get(s, OWN), 2 * used, get(s, BOOT))
                put(get(s, OWN), 2 * used + 1, get(s, CONN))
                put(s, OWN_USED, used + 1)
            return
        start = end


@inner
def _depth(s: int) -> int:
    return get(s, NESTING) | (get(s, EPOCH) + get(s, MSG_ID)) << 16


@inner
def open_request(s: int) -> int:
    """Address of the open request of the line's operation, or where it would go."""
    key_ids = (get(s, OP) << 32) | get(s, INTERNAL_OP)
    table, mask = get(s, OPEN_TABLE), get(s, OPEN_MASK)
    return find_open(table, mask, this_conn(s), key_ids, _depth(s))


@inner
def _shape(s: int) -> int:
    """Fingerprint of the line's filter, or what kind of extended operation it asks for."""
    start, end = get(s, FILTER), get(s, FILTER_END)
    if start == 0:
        return NONE
    if get(s, KIND) == K_EXT:
        return intern(s + 8 * FINGERPRINTS, start, end)
    return fingerprint(s + 8 * FINGERPRINTS, start, end)


@inner
def _continued(s: int, place: int) -> None:
    """A further line of a request: attributes, or the DN a bind was mapped to."""
    start, end = get(s, BASE), get(s, BASE_END)
    if start != 0 and get(s, KIND) == K_BIND:
        put(place, O_BIND, intern(s + 8 * BIND_DNS, start, end))
        put(place, O_BASE, intern(s + 8 * BASES, start, end))


@inner
def _requested(s: int) -> None:
    """Remember a request until its result comes."""
    place = open_request(s)
    if get(place, O_KEY) != 0:
        if get(s, STYLE) == SLAPD and get(place, O_KIND) == get(s, KIND):
            _continued(s, place)
            return
        add(get(s, COUNTS), R_TWICE)
    elif get(s, STYLE) == SLAPD and get(s, BASE) == 0 and get(s, FILTER) == 0:
        return
    else:
        add(s, OPEN_USED)
    put(place, O_KEY, this_conn(s))
    put(place, O_IDS, (get(s, OP) << 32) | get(s, INTERNAL_OP))
    put(place, O_DEPTH, _depth(s))
    put(place, O_START, get(s, TIME))
    put(place, O_AT, get(s, AT))
    kind = get(s, KIND)
    put(place, O_KIND, kind)
    put(place, O_FINGERPRINT, _shape(s))
    base, bind = NONE, NONE
    start, end = get(s, BASE), get(s, BASE_END)
    if start != 0:
        base = intern(s + 8 * BASES, start, end)
        if kind == K_BIND:
            bind = intern(s + 8 * BIND_DNS, start, end)
    put(place, O_BASE, base)
    put(place, O_BIND, bind)
    extras = (get(s, DEREF) + 1) << DEREF_SHIFT | get(s, NOTES)
    put(place, O_EXTRAS, extras | (WITH_VLV if get(s, VLV) != 0 else 0))
    put(place, O_INDEX_NS, ABSENT)
    put(place, O_INDEX_IDS, ABSENT)
    put(place, O_INDEX_KEY, NONE)


@inner
def _noted(s: int) -> None:
    """A further line about an open request: sorted, a list view, or what an index was asked."""
    if get(s, OP) < 0:
        return
    place = open_request(s)
    if get(place, O_KEY) == 0:
        return
    if get(s, CLASS) == NOTED:
        extras = get(s, NOTES) | (WITH_VLV if get(s, VLV) != 0 else 0)
        put(place, O_EXTRAS, get(place, O_EXTRAS) | extras)
        return
    ids, ns, before = get(s, INDEX_IDS), get(s, INDEX_NS), get(place, O_INDEX_NS)
    if ids == ABSENT:
        put(place, O_INDEX_NS, ns if ns != ABSENT else before)
        return
    if ns != ABSENT:
        put(place, O_INDEX_NS, ns if before == ABSENT else before + ns)
    if ids > get(place, O_INDEX_IDS):
        put(place, O_INDEX_IDS, ids)
        start, end = get(s, INDEX_KEY), get(s, INDEX_KEY_END)
        if start != 0:
            put(place, O_INDEX_KEY, intern(s + 8 * INDEX_KEYS, start, end))


@inner
def _bind(s: int, asked: int) -> None:
    """Who a connection is after the result of a BIND; a failed one leaves it anonymous."""
    err = get(s, ERR)
    if err == 14:
        return
    place = conn_entry(s)
    start, end = s, s  # nobody
    if err == 0:
        start, end = get(s, BIND), get(s, BIND_END)
        if start == 0:
            start, end = get(s, BASE), get(s, BASE_END)
    if start != 0:
        asked = intern(s + 8 * BIND_DNS, start, end)
    put(place, N_BIND, asked)


@inner
def _parts(s: int) -> None:
    """Set garbage wtime and optime aside: start times that were never initialised."""
    longest = get(s, ETIME) + _TOLERANCE
    if get(s, GARBAGE_OPTIME) != 0 or get(s, OPTIME) > longest:
        put(s, OPTIME, ABSENT)
        add(get(s, COUNTS), R_GARBAGE_OPTIME)
    if get(s, GARBAGE_WTIME) != 0 or get(s, WTIME) > longest:
        put(s, WTIME, ABSENT)
        add(get(s, COUNTS), R_GARBAGE_WTIME)


@inner
def _emit(s: int) -> None:
    """Write the row of a finished operation: the line's numbers are in the order of columns."""
    place = known_conn(s, this_conn(s))
    if place != 0:
        put(s, CLIENT_INDEX, get(place, N_CLIENT))
        put(s, BIND_INDEX, get(place, N_BIND))
        put(s, IS_OWN, (get(place, N_FLAGS) & N_OWN) >> 2)
    if get(s, CLIENT) != 0 and get(s, CLIENT_INDEX) < 0:
        put(s, CLIENT_INDEX, intern(s + 8 * CLIENTS, get(s, CLIENT), get(s, CLIENT_END)))
    add(s, FINISHED)
    put(s, SMALLEST, min(get(s, SMALLEST), get(s, ETIME)))
    r = get(s, ROWS)
    put(s, ROWS, r + 1)
    for i in range(WIDE_END):
        put(get(s, COLUMNS + i), r, get(s, TIME + i))
    for i in range(WIDE_END, MIDDLE_END):
        put32(get(s, COLUMNS + i), r, get(s, TIME + i))
    for i in range(MIDDLE_END, NARROW_END):
        put8(get(s, COLUMNS + i), r, get(s, TIME + i))


@inner
def _answered(s: int) -> None:
    """A result: find its request, free it, write the row."""
    _parts(s)
    if get(s, KIND) == K_UNKNOWN:
        tag = get(s, TAG)
        put(s, KIND, get(get(s, TAGS), tag) if 0 <= tag < 128 else K_UNKNOWN)
        if tag < 0 and get(s, FILTER) != 0:
            put(s, KIND, K_EXT)
    bind = NONE
    # Old servers give all internal operations one number: those can never be told apart.
    numbered = get(s, OP) >= 0
    place = open_request(s)
    if numbered and get(place, O_KEY) != 0:
        bind = get(place, O_BIND)
        _take_request(s, place)
    elif get(s, HAS_REQUEST) != 0:
        add(s, COMBINED)
        put(s, ASKED_AT, get(s, AT))
        put(s, SHAPE_INDEX, _shape(s))
        if get(s, BASE) != 0:
            put(s, BASE_INDEX, intern(s + 8 * BASES, get(s, BASE), get(s, BASE_END)))
    elif numbered:
        add(s, ORPHANS)
    if get(s, STYLE) == AUDIT and get(s, BIND) != 0:
        put(conn_entry(s), N_BIND, intern(s + 8 * BIND_DNS, get(s, BIND), get(s, BIND_END)))
    if get(s, KIND) == K_BIND:
        _bind(s, bind)
    _emit(s)


@inner
def dismiss(s: int) -> None:
    """A result without a latency makes no row, but its operation is over."""
    if get(s, OP) < 0:
        return
    place = open_request(s)
    if get(place, O_KEY) != 0:
        if get(place, O_KIND) == K_BIND and get(s, ERR) != NONE:
            _bind(s, get(place, O_BIND))
        remove_open(s, place)


@inner
def _take_request(s: int, place: int) -> None:
    """Move what the request said into the line of its result, and free its slot."""
    put(s, ASKED_AT, get(place, O_AT))
    put(s, BASE_INDEX, get(place, O_BASE))
    put(s, SHAPE_INDEX, get(place, O_FINGERPRINT))
    if get(place, O_KIND) != K_UNKNOWN:
        put(s, KIND, get(place, O_KIND))
    extras = get(place, O_EXTRAS)
    put(s, NOTES, get(s, NOTES) | extras & 255)
    put(s, VLV, get(s, VLV) | (1 if extras & WITH_VLV != 0 else 0))
    if get(s, DEREF) < 0:
        put(s, DEREF, (extras >> DEREF_SHIFT) - 1)
    put(s, INDEX_NS, get(place, O_INDEX_NS))
    put(s, INDEX_IDS, get(place, O_INDEX_IDS))
    put(s, KEY_INDEX, get(place, O_INDEX_KEY))
    remove_open(s, place)


@inner
def _closed(s: int) -> None:
    place = known_conn(s, this_conn(s))
    if place != 0:
        put(place, N_FLAGS, get(place, N_FLAGS) | N_CLOSED)
        put(place, N_CLOSED_AT, get(s, AT))


@inner
def act(s: int) -> None:
    """Do what an understood line asks for."""
    what = get(s, CLASS)
    if get(s, EPOCH) != 0:
        _note_epoch(s)
    if what == RESULT:
        _answered(s)
    elif what == REQUEST:
        if get(s, OP) >= 0:
            _requested(s)
        if get(s, NONCE_COUNT) != 0 and get(s, BASE) != 0:
            _mark_own(s)
    elif what == OPENED:
        _opened(s)
    elif what == CLOSED:
        _closed(s)
    elif what in (NOTED, STAT):
        _noted(s)
    elif what == ABANDON:
        put(s, ERR, 0)
        _emit(s)
    elif what == UNPROCESSED:
        put(s, KIND, K_UNKNOWN)
        _requested(s)
    elif what == BOUND and get(s, BASE) != 0:
        put(conn_entry(s), N_BIND, intern(s + 8 * BIND_DNS, get(s, BASE), get(s, BASE_END)))
    elif what == HEADER:
        put(s, HEADER_SEEN, 1)
    if get(s, CONN) > get(s, MAX_CONN):
        put(s, MAX_CONN, get(s, CONN))
