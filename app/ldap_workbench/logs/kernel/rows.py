"""What a line means: requests are remembered, results find theirs and become rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.kernel.compiled import compiled
from ldap_workbench.logs.kernel.filters import contains, fingerprint
from ldap_workbench.logs.kernel.layout import (
    ABANDON,
    ABSENT,
    BASE_FROM,
    BASE_TO,
    BIND_FROM,
    BIND_TO,
    BOOT,
    BOUND,
    C_BASE,
    C_BIND,
    C_BOOT,
    C_CLIENT,
    C_CONN,
    C_END,
    C_ERR,
    C_ETIME,
    C_FINGERPRINT,
    C_INTERNAL,
    C_INTERNAL_OP,
    C_KIND,
    C_NENTRIES,
    C_NESTING,
    C_NOTES,
    C_OP,
    C_OPTIME,
    C_OWN,
    C_REQUEST,
    C_RESULT,
    C_WTIME,
    CLASS,
    CLIENT_FROM,
    CLIENT_TO,
    CLOSED,
    CONN,
    CONN_USED,
    ERR,
    ETIME,
    FILTER_FROM,
    FILTER_TO,
    GARBAGE_OPTIME,
    GARBAGE_WTIME,
    HEADER,
    HEADER_SEEN,
    INTERNAL,
    INTERNAL_OP,
    K_ADD,
    K_BIND,
    K_CMP,
    K_DEL,
    K_EXT,
    K_MOD,
    K_MODRDN,
    K_SRCH,
    K_UNKNOWN,
    KIND,
    MAX_CONN,
    N_BIND,
    N_CLIENT,
    N_CLOSED,
    N_CLOSED_AT,
    N_FLAGS,
    N_KEY,
    N_OPENED,
    N_OWN,
    NENTRIES,
    NESTING,
    NOTES,
    O_AT,
    O_BASE,
    O_BIND,
    O_FINGERPRINT,
    O_K1,
    O_K2,
    O_K3,
    O_KIND,
    O_START,
    OP,
    OPEN_USED,
    OPENED,
    OPTIME,
    ORPHANS,
    OWN_CONNECTIONS,
    R_GARBAGE_OPTIME,
    R_GARBAGE_WTIME,
    R_TWICE,
    REQUEST,
    RESULT,
    ROWS,
    TAG,
    TIME,
    UNPROCESSED,
    WTIME,
)
from ldap_workbench.logs.kernel.tables import Strings, conn_slot, intern, open_remove, open_slot
from ldap_workbench.logs.kernel.words import Bytes

Int32 = NDArray[np.int32]
Int64 = NDArray[np.int64]

Tables = tuple[Strings, Strings, Strings, Strings]
"""Clients, fingerprints, bases, bind DNs."""
Columns = tuple[Int64, Int32, Bytes]

_SLACK = 4096
"""Connections may be logged a little out of order; a number this far back is a new start."""
_TOLERANCE = 1_000_000_000
"""optime may exceed etime a little (they are read one after the other), not by a second."""


@compiled
def kind_of_tag(tag: int) -> int:
    """The operation type that a result's LDAP tag tells."""
    if tag == 101:
        return K_SRCH
    if tag == 97:
        return K_BIND
    if tag == 103:
        return K_MOD
    if tag == 105:
        return K_ADD
    if tag == 107:
        return K_DEL
    if tag == 109:
        return K_MODRDN
    if tag == 111:
        return K_CMP
    if tag == 120:
        return K_EXT
    return K_UNKNOWN


@compiled
def conn_key(boot: int, conn: int) -> int:
    """One number for a connection of one server start; conn is within 2**40 either way."""
    return (boot << 42) + conn + (1 << 41)


@compiled
def _conn_entry(conns: Int64, state: Int64, key: int) -> int:
    """Slot of the connection, made if it is new (room is reserved)."""
    slot = conn_slot(conns, key)
    if slot < 0:
        slot = -slot - 1
        conns[slot, N_KEY] = key
        conns[slot, N_CLIENT] = -1
        conns[slot, N_BIND] = -1
        conns[slot, N_FLAGS] = 0
        state[CONN_USED] += 1
    return slot


@compiled
def _restarted(conns: Int64, state: Int64, conn: int) -> bool:
    """Whether a connection that opens under this number belongs to a new start of the server."""
    if conn > state[MAX_CONN]:
        return False
    if state[HEADER_SEEN] or conn + _SLACK <= state[MAX_CONN]:
        return True
    slot = conn_slot(conns, conn_key(state[BOOT], conn))
    return slot >= 0 and (conns[slot, N_FLAGS] & N_OPENED) != 0


@compiled
def _opened(buf: Bytes, line: Int64, state: Int64, conns: Int64, tables: Tables) -> None:
    if _restarted(conns, state, line[CONN]):
        state[BOOT] += 1
        state[MAX_CONN] = line[CONN]
    state[HEADER_SEEN] = 0
    slot = _conn_entry(conns, state, conn_key(state[BOOT], line[CONN]))
    conns[slot, N_FLAGS] |= N_OPENED
    if line[CLIENT_FROM] >= 0:
        conns[slot, N_CLIENT] = intern(tables[0], buf, line[CLIENT_FROM], line[CLIENT_TO])


@compiled
def _mark_own(
    buf: Bytes,
    line: Int64,
    state: Int64,
    conns: Int64,
    nonces: Bytes,
    nonce_ends: Int64,
    own: Int64,
) -> None:
    """A connection that asks for one of our nonces is the workbench's own."""
    start = 0
    for i in range(len(nonce_ends)):
        end = nonce_ends[i]
        if contains(buf, line[BASE_FROM], line[BASE_TO], nonces, start, end):
            slot = _conn_entry(conns, state, conn_key(state[BOOT], line[CONN]))
            if not conns[slot, N_FLAGS] & N_OWN:
                conns[slot, N_FLAGS] |= N_OWN
                own[state[OWN_CONNECTIONS], 0] = state[BOOT]
                own[state[OWN_CONNECTIONS], 1] = line[CONN]
                state[OWN_CONNECTIONS] += 1
            return
        start = end


@compiled
def _requested(
    buf: Bytes,
    line: Int64,
    state: Int64,
    reasons: Int64,
    opens: Int64,
    tables: Tables,
    at: int,
) -> None:
    """Remember a request until its result comes."""
    k1 = conn_key(state[BOOT], line[CONN])
    k2 = (line[OP] << 32) | line[INTERNAL_OP]
    slot = open_slot(opens, k1, k2, line[NESTING])
    if slot >= 0:
        reasons[R_TWICE] += 1
    else:
        slot = -slot - 1
        state[OPEN_USED] += 1
    opens[slot, O_K1], opens[slot, O_K2], opens[slot, O_K3] = k1, k2, line[NESTING]
    opens[slot, O_START], opens[slot, O_AT], opens[slot, O_KIND] = line[TIME], at, line[KIND]
    opens[slot, O_BASE], opens[slot, O_FINGERPRINT], opens[slot, O_BIND] = -1, -1, -1
    start, end = line[BASE_FROM], line[BASE_TO]
    if start >= 0:
        opens[slot, O_BASE] = intern(tables[2], buf, start, end)
        if line[KIND] == K_BIND:
            opens[slot, O_BIND] = intern(tables[3], buf, start, end)
    start, end = line[FILTER_FROM], line[FILTER_TO]
    if start >= 0 and line[KIND] == K_EXT:
        opens[slot, O_FINGERPRINT] = intern(tables[1], buf, start, end)
    elif start >= 0:
        opens[slot, O_FINGERPRINT] = fingerprint(tables[1], buf, start, end)


@compiled
def _bind(buf: Bytes, line: Int64, state: Int64, conns: Int64, tables: Tables, asked: int) -> None:
    """Who a connection is after the result of a BIND; a failed one leaves it anonymous."""
    if line[ERR] == 14:
        return
    slot = _conn_entry(conns, state, conn_key(state[BOOT], line[CONN]))
    if line[ERR] != 0:
        conns[slot, N_BIND] = intern(tables[3], buf, 0, 0)
    elif line[BASE_FROM] >= 0:
        conns[slot, N_BIND] = intern(tables[3], buf, line[BASE_FROM], line[BASE_TO])
    else:
        conns[slot, N_BIND] = asked


@compiled
def _parts(line: Int64, reasons: Int64) -> None:
    """Set garbage wtime and optime aside: start times that were never initialised."""
    if line[OPTIME] > line[ETIME] + _TOLERANCE:
        line[GARBAGE_OPTIME] = 1
    if line[WTIME] > line[ETIME] + _TOLERANCE:
        line[GARBAGE_WTIME] = 1
    if line[GARBAGE_OPTIME]:
        line[OPTIME] = ABSENT
        reasons[R_GARBAGE_OPTIME] += 1
    if line[GARBAGE_WTIME]:
        line[WTIME] = ABSENT
        reasons[R_GARBAGE_WTIME] += 1


@compiled
def _emit(line: Int64, state: Int64, conns: Int64, columns: Columns, at: int) -> int:
    """Write the row of a result, as far as the result line knows it; returns its index."""
    wide, middle, narrow = columns
    r = state[ROWS]
    state[ROWS] = r + 1
    wide[C_END, r] = line[TIME]
    wide[C_ETIME, r] = line[ETIME]
    wide[C_WTIME, r] = line[WTIME]
    wide[C_OPTIME, r] = line[OPTIME]
    wide[C_NENTRIES, r] = line[NENTRIES]
    wide[C_CONN, r] = line[CONN]
    wide[C_REQUEST, r] = -1
    wide[C_RESULT, r] = at
    middle[C_ERR, r] = line[ERR]
    middle[C_BOOT, r] = state[BOOT]
    middle[C_OP, r] = line[OP]
    middle[C_INTERNAL_OP, r] = line[INTERNAL_OP]
    middle[C_NESTING, r] = line[NESTING]
    middle[C_FINGERPRINT, r] = -1
    middle[C_BASE, r] = -1
    narrow[C_KIND, r] = line[KIND]
    narrow[C_INTERNAL, r] = line[INTERNAL]
    narrow[C_NOTES, r] = line[NOTES]
    slot = conn_slot(conns, conn_key(state[BOOT], line[CONN]))
    if slot >= 0:
        middle[C_CLIENT, r] = conns[slot, N_CLIENT]
        middle[C_BIND, r] = conns[slot, N_BIND]
        narrow[C_OWN, r] = (conns[slot, N_FLAGS] & N_OWN) != 0
    else:
        middle[C_CLIENT, r] = -1
        middle[C_BIND, r] = -1
        narrow[C_OWN, r] = 0
    return r


@compiled
def _answered(
    buf: Bytes,
    line: Int64,
    state: Int64,
    reasons: Int64,
    opens: Int64,
    conns: Int64,
    tables: Tables,
    columns: Columns,
    at: int,
) -> None:
    """A result: find its request, free it, write the row."""
    _parts(line, reasons)
    k1 = conn_key(state[BOOT], line[CONN])
    slot = -1
    if line[OP] >= 0:
        slot = open_slot(opens, k1, (line[OP] << 32) | line[INTERNAL_OP], line[NESTING])
    line[KIND] = kind_of_tag(line[TAG])
    if slot >= 0 and opens[slot, O_KIND] != K_UNKNOWN:
        line[KIND] = opens[slot, O_KIND]
    if line[KIND] == K_BIND:
        _bind(buf, line, state, conns, tables, opens[slot, O_BIND] if slot >= 0 else -1)
    r = _emit(line, state, conns, columns, at)
    if slot >= 0:
        columns[0][C_REQUEST, r] = opens[slot, O_AT]
        columns[1][C_FINGERPRINT, r] = opens[slot, O_FINGERPRINT]
        columns[1][C_BASE, r] = opens[slot, O_BASE]
        open_remove(opens, state, slot)
    elif line[OP] >= 0:
        state[ORPHANS] += 1


@compiled
def act(
    buf: Bytes,
    line: Int64,
    state: Int64,
    reasons: Int64,
    opens: Int64,
    conns: Int64,
    tables: Tables,
    columns: Columns,
    nonces: Bytes,
    nonce_ends: Int64,
    own: Int64,
    at: int,
) -> None:
    """Do what an understood line asks for."""
    what = line[CLASS]
    if what == RESULT:
        _answered(buf, line, state, reasons, opens, conns, tables, columns, at)
    elif what == REQUEST:
        # Old servers give all internal operations one number: those can never be told apart.
        if line[OP] >= 0:
            _requested(buf, line, state, reasons, opens, tables, at)
        if len(nonce_ends) and line[BASE_FROM] >= 0:
            _mark_own(buf, line, state, conns, nonces, nonce_ends, own)
    elif what == OPENED:
        _opened(buf, line, state, conns, tables)
    elif what == CLOSED:
        slot = conn_slot(conns, conn_key(state[BOOT], line[CONN]))
        if slot >= 0:
            conns[slot, N_FLAGS] |= N_CLOSED
            conns[slot, N_CLOSED_AT] = at
    elif what == ABANDON:
        line[ERR] = 0
        _emit(line, state, conns, columns, at)
    elif what == UNPROCESSED:
        line[KIND] = K_UNKNOWN
        _requested(buf, line, state, reasons, opens, tables, at)
    elif what == BOUND:
        slot = _conn_entry(conns, state, conn_key(state[BOOT], line[CONN]))
        if line[BIND_FROM] >= 0:
            conns[slot, N_BIND] = intern(tables[3], buf, line[BIND_FROM], line[BIND_TO])
    elif what == HEADER:
        state[HEADER_SEEN] = 1
    if line[CONN] > state[MAX_CONN]:
        state[MAX_CONN] = line[CONN]
