"""The thread-pool file of 389 DS 3.3.1 and later: what every worker does, without asking a worker.

The layout is that of the server's threadpool_stats.h, version 1: a header of 4096 bytes, then a
slot of 64 bytes for each worker, in the byte order of the host.
"""

from __future__ import annotations

import struct

MAGIC = 0x54504F4F4C535431
"""'TPOOLST1'."""
SLOT = 64
_FIRST = struct.calcsize("QHHIIIQQQQII")
_MOST_WORKERS = 4096
_BUSY = 2
_TAGS = {
    0x60: "BIND", 0x63: "SRCH", 0x66: "MOD", 0x68: "ADD", 0x4A: "DEL", 0x6C: "MODRDN", 0x6E: "CMP",
    0x77: "EXT",
}  # fmt: skip
"""Tags of LDAP requests (RFC 4511)."""


def read_pool(data: bytes) -> dict[str, float]:
    """Gauges of one copy of the file.

    'threadpool:busy', ':queue', ':longest_ms' and how many workers do what, ':busy:SRCH'. {} for
    anything else than such a file.

    A slot is written without a lock: one with nothing in flight, or that began after the header's
    heartbeat, is not counted as running long.
    """
    order = _order(data)
    if not order or len(data) < _FIRST + 56:
        return {}
    header = struct.unpack_from(f"{order}QHHIIIQQQQII", data)
    size, slot, workers, beat = header[3], header[4], header[5], header[8]
    if header[1] != 1 or slot != SLOT or workers > _MOST_WORKERS or size > len(data):
        return {}
    queue, _, busy, _, begun, done, connections = struct.unpack_from(f"{order}7Q", data, _FIRST)
    pool = {
        "threadpool:queue": float(queue),
        "threadpool:busy": float(busy),
        "threadpool:workers": float(workers),
        "threadpool:in_flight": float(max(begun - done, 0)),
        "threadpool:connections": float(connections),
    }
    return pool | _slots(data[size:], order, workers, beat)


def _order(data: bytes) -> str:
    """'<' or '>' by the magic; '' where it is another file."""
    return next(
        (o for o in "<>" if len(data) >= 8 and struct.unpack_from(f"{o}Q", data)[0] == MAGIC), ""
    )


def _slots(data: bytes, order: str, workers: int, beat_ns: int) -> dict[str, float]:
    slots: dict[str, float] = {}
    longest = 0
    for place in range(min(workers, len(data) // SLOT)):
        state, tag, _, _, start = struct.unpack_from(f"{order}IIQQQ", data, place * SLOT)
        if state != _BUSY or not start:
            continue
        name = f"threadpool:busy:{_TAGS.get(tag, 'other')}"
        slots[name] = slots.get(name, 0.0) + 1
        longest = max(longest, beat_ns - start)
    slots["threadpool:longest_ms"] = longest / 1e6
    return slots
