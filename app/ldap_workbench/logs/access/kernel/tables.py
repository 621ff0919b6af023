"""Open-addressing hash tables: strings seen, open requests, connections."""

from __future__ import annotations

from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.logs.access.kernel.compiled import entry, inner
from ldap_workbench.logs.access.kernel.memory import byte, get, mix, put, put8, word, word_at

_SEED = layout.constant(0x2545F4914F6CDD1D)


@inner
def text_hash(p: int, e: int) -> int:
    """A 64-bit hash of a text, never 0."""
    h = mix(e - p, _SEED)
    while p + 8 <= e:
        h = mix(h, word(p))
        p += 8
    if p < e:
        h = mix(h, word_at(p, e - p))
    h = mix(h, _SEED)
    return h if h != 0 else 1


@inner
def intern(table: int, p: int, e: int) -> int:
    """Index of a text in the string table at this address; a new one is added."""
    h = text_hash(p, e)
    hashes, mask = get(table, layout.S_HASHES), get(table, layout.S_MASK)
    slot = h & mask
    seen = get(hashes, slot)
    while seen != 0:
        if seen == h:
            return get(get(table, layout.S_INDEXES), slot)
        slot = (slot + 1) & mask
        seen = get(hashes, slot)
    return _add(table, slot, h, p, e)


@inner
def _add(table: int, slot: int, h: int, p: int, e: int) -> int:
    index, used = get(table, layout.S_COUNT), get(table, layout.S_BYTES)
    text = get(table, layout.S_TEXT) + used
    if text != p:
        for i in range(e - p):
            put8(text, i, byte(p + i))
    put(get(table, layout.S_HASHES), slot, h)
    put(get(table, layout.S_INDEXES), slot, index)
    put(get(table, layout.S_ENDS), index, used + e - p)
    put(table, layout.S_COUNT, index + 1)
    put(table, layout.S_BYTES, used + e - p)
    return index


@entry
def rehash_strings(
    hashes: int, indexes: int, slots: int, new_hashes: int, new_indexes: int, mask: int
) -> None:
    """Move the slots of a string table into larger, zeroed arrays."""
    for i in range(slots):
        h = get(hashes, i)
        if h != 0:
            slot = h & mask
            while get(new_hashes, slot) != 0:
                slot = (slot + 1) & mask
            put(new_hashes, slot, h)
            put(new_indexes, slot, get(indexes, i))


@inner
def _home(key: int, ids: int, depth: int, mask: int) -> int:
    return (mix(mix(key, depth), ids) >> 20) & mask


@inner
def find_open(table: int, mask: int, key: int, ids: int, depth: int) -> int:
    """Address of the open request with this key, or of the free slot where it would go."""
    slot = _home(key, ids, depth, mask)
    while True:
        place = table + slot * (layout.O_SIZE * 8)
        held = get(place, layout.O_KEY)
        if held == 0:
            return place
        if held == key and get(place, layout.O_IDS) == ids and get(place, layout.O_DEPTH) == depth:
            return place
        slot = (slot + 1) & mask


@inner
def remove_open(s: int, place: int) -> None:
    """Free a slot and close the gap, so that no search breaks off early."""
    table, mask = get(s, layout.OPEN_TABLE), get(s, layout.OPEN_MASK)
    hole = (place - table) // (layout.O_SIZE * 8)
    slot = hole
    while True:
        slot = (slot + 1) & mask
        place = table + slot * (layout.O_SIZE * 8)
        key = get(place, layout.O_KEY)
        if key == 0:
            break
        home = _home(key, get(place, layout.O_IDS), get(place, layout.O_DEPTH), mask)
        if ((slot - home) & mask) >= ((slot - hole) & mask):
            for i in range(layout.O_SIZE):
                put(table + hole * (layout.O_SIZE * 8), i, get(place, i))
            hole = slot
    put(table + hole * (layout.O_SIZE * 8), layout.O_KEY, 0)
    put(s, layout.OPEN_USED, get(s, layout.OPEN_USED) - 1)


@entry
def rehash_open(old: int, slots: int, new: int, mask: int) -> None:
    """Move every open request into a larger, zeroed table."""
    for i in range(slots):
        place = old + i * (layout.O_SIZE * 8)
        key = get(place, layout.O_KEY)
        if key != 0:
            free = find_open(new, mask, key, get(place, layout.O_IDS), get(place, layout.O_DEPTH))
            for j in range(layout.O_SIZE):
                put(free, j, get(place, j))


@inner
def find_conn(table: int, mask: int, key: int) -> int:
    """Address of the connection, or of the free slot where it would go."""
    slot = (mix(key, _SEED) >> 20) & mask
    while True:
        place = table + slot * (layout.N_SIZE * 8)
        held = get(place, layout.N_KEY)
        if held == key or held == 0:  # noqa: PLR1714 - numba compiles no set here
            return place
        slot = (slot + 1) & mask


@inner
def known_conn(s: int, key: int) -> int:
    """Address of the connection, 0 if it is not known."""
    place = find_conn(get(s, layout.CONN_TABLE), get(s, layout.CONN_MASK), key)
    return place if get(place, layout.N_KEY) != 0 else 0


@entry
def rehash_conns(old: int, slots: int, new: int, mask: int, oldest: int) -> int:
    """Move connections into another zeroed table and return how many.

    A result may come after its connection is closed, so only those closed before byte `oldest`
    are left out.
    """
    used = 0
    for i in range(slots):
        place = old + i * (layout.N_SIZE * 8)
        closed = (get(place, layout.N_FLAGS) & layout.N_CLOSED) != 0
        if get(place, layout.N_KEY) != 0 and not (
            closed and get(place, layout.N_CLOSED_AT) < oldest
        ):
            free = find_conn(new, mask, get(place, layout.N_KEY))
            for j in range(layout.N_SIZE):
                put(free, j, get(place, j))
            used += 1
    return used
