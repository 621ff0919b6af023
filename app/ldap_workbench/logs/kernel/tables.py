"""Open-addressing hash tables: strings seen, open requests, connections."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.kernel.compiled import compiled
from ldap_workbench.logs.kernel.layout import (
    CONN_USED,
    N_CLOSED,
    N_CLOSED_AT,
    N_FLAGS,
    N_KEY,
    N_SIZE,
    O_K1,
    O_K2,
    O_K3,
    O_SIZE,
    OPEN_USED,
)
from ldap_workbench.logs.kernel.words import Bytes, load64, word_at

Int64 = NDArray[np.int64]
Int32 = NDArray[np.int32]
UInt64 = NDArray[np.uint64]

Strings = tuple[UInt64, Int32, Bytes, Int64, Int64]
"""(hash of each slot, index of each slot or -1, text of all strings, end of each, [count, bytes])"""


@compiled
def _mix(h: np.uint64, word: np.uint64) -> np.uint64:
    h = (h ^ word) * np.uint64(0x9E3779B97F4A7C15)
    return h ^ (h >> np.uint64(29))


@compiled
def text_hash(buf: Bytes, start: int, end: int) -> np.uint64:
    """A 64-bit hash of buf[start:end], never 0."""
    h = np.uint64(end - start + 1) * np.uint64(0xD6E8FEB86659FD93)
    while start + 8 <= end:
        h = _mix(h, load64(buf, start))
        start += 8
    if start < end:
        h = _mix(h, word_at(buf, start, end - start))
    h = _mix(h, np.uint64(0x2545F4914F6CDD1D))
    return h if h != 0 else np.uint64(1)


@compiled
def intern(table: Strings, buf: Bytes, start: int, end: int) -> int:
    """Index of the text buf[start:end] in `table`; a new text is added (room is reserved)."""
    hashes, indexes, text, ends, meta = table
    h = text_hash(buf, start, end)
    mask = np.uint64(len(hashes) - 1)
    slot = h & mask
    while hashes[slot] != 0:
        if hashes[slot] == h:
            return np.int64(indexes[slot])
        slot = (slot + np.uint64(1)) & mask
    used = meta[1]
    for i in range(end - start):
        text[used + i] = buf[start + i]
    return _added(hashes, indexes, ends, meta, slot, h, used + end - start)


@compiled
def intern_own(table: Strings, length: int) -> int:
    """Like `intern` for `length` bytes that were written behind the last text of `table`."""
    hashes, indexes, text, ends, meta = table
    used = meta[1]
    h = text_hash(text, used, used + length)
    mask = np.uint64(len(hashes) - 1)
    slot = h & mask
    while hashes[slot] != 0:
        if hashes[slot] == h:
            return np.int64(indexes[slot])
        slot = (slot + np.uint64(1)) & mask
    return _added(hashes, indexes, ends, meta, slot, h, used + length)


@compiled
def _added(
    hashes: UInt64,
    indexes: Int32,
    ends: Int64,
    meta: Int64,
    slot: np.uint64,
    h: np.uint64,
    end: int,
) -> int:
    index = meta[0]
    hashes[slot] = h
    indexes[slot] = index
    ends[index] = end
    meta[0] = index + 1
    meta[1] = end
    return np.int64(index)


@compiled
def rehash_strings(old: Strings, hashes: UInt64, indexes: Int32) -> None:
    """Move the slots of `old` into larger, zeroed arrays."""
    mask = np.uint64(len(hashes) - 1)
    for i in range(len(old[0])):
        h = old[0][i]
        if h != 0:
            slot = h & mask
            while hashes[slot] != 0:
                slot = (slot + np.uint64(1)) & mask
            hashes[slot] = h
            indexes[slot] = old[1][i]


@compiled
def _home(k1: int, k2: int, k3: int, mask: np.uint64) -> np.uint64:
    h = np.uint64(k1) * np.uint64(0x9E3779B97F4A7C15)
    h ^= np.uint64(k2) * np.uint64(0xC2B2AE3D27D4EB4F)
    h ^= np.uint64(k3) * np.uint64(0x165667B19E3779F9)
    return ((h ^ (h >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93) >> np.uint64(20)) & mask


@compiled
def open_slot(table: Int64, k1: int, k2: int, k3: int) -> int:
    """Slot of the open request with this key, or -(free slot) - 1 where it would go."""
    mask = np.uint64(len(table) - 1)
    slot = _home(k1, k2, k3, mask)
    while table[slot, O_K1] != 0:
        if table[slot, O_K1] == k1 and table[slot, O_K2] == k2 and table[slot, O_K3] == k3:
            return np.int64(slot)
        slot = (slot + np.uint64(1)) & mask
    return -np.int64(slot) - 1


@compiled
def open_remove(table: Int64, state: Int64, gone: int) -> None:
    """Free a slot and close the gap, so that no search breaks off early."""
    mask = np.uint64(len(table) - 1)
    hole = np.uint64(gone)
    slot = hole
    while True:
        slot = (slot + np.uint64(1)) & mask
        if table[slot, O_K1] == 0:
            break
        home = _home(table[slot, O_K1], table[slot, O_K2], table[slot, O_K3], mask)
        if ((slot - home) & mask) >= ((slot - hole) & mask):
            for i in range(O_SIZE):
                table[hole, i] = table[slot, i]
            hole = slot
    table[hole, O_K1] = 0
    state[OPEN_USED] -= 1


@compiled
def rehash_open(old: Int64, new: Int64) -> None:
    """Move every open request into a larger, zeroed table."""
    for i in range(len(old)):
        if old[i, O_K1] != 0:
            slot = -open_slot(new, old[i, O_K1], old[i, O_K2], old[i, O_K3]) - 1
            for j in range(O_SIZE):
                new[slot, j] = old[i, j]


@compiled
def conn_slot(table: Int64, key: int) -> int:
    """Slot of the connection, or -(free slot) - 1 where it would go."""
    mask = np.uint64(len(table) - 1)
    slot = _home(key, 0, 0, mask)
    while table[slot, N_KEY] != 0:
        if table[slot, N_KEY] == key:
            return np.int64(slot)
        slot = (slot + np.uint64(1)) & mask
    return -np.int64(slot) - 1


@compiled
def rehash_conns(old: Int64, new: Int64, state: Int64, oldest: int) -> None:
    """Move connections into another zeroed table, but those closed before byte `oldest`.

    A result may come after its connection is closed, so closed ones are kept for a while.
    """
    used = 0
    for i in range(len(old)):
        closed = (old[i, N_FLAGS] & N_CLOSED) != 0
        if old[i, N_KEY] != 0 and not (closed and old[i, N_CLOSED_AT] < oldest):
            slot = -conn_slot(new, old[i, N_KEY]) - 1
            for j in range(N_SIZE):
                new[slot, j] = old[i, j]
            used += 1
    state[CONN_USED] = used
