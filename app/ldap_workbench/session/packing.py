"""Raw text on its way into a session: cut into frames, packed beside the thread that writes."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import zstandard

RAW_CHUNK = 1 << 20
"""Bytes of raw text in one zstd frame: small to unpack for one line, large enough to pack."""


def _parameters(
    strategy: int, hash_log: int, min_match: int
) -> zstandard.ZstdCompressionParameters:
    return zstandard.ZstdCompressionParameters(
        strategy=strategy,
        window_log=20,
        hash_log=hash_log,
        chain_log=hash_log - 1,
        search_log=1,
        min_match=min_match,
        target_length=0,
    )


QUICK = _parameters(zstandard.STRATEGY_FAST, 9, 7)
"""Logs repeat whole phrases: longer matches, and a table so small that it holds little but the last
lines, pack them half as fast again as zstd's level 1, and tighter than its level 3."""
_TIGHT = tuple(_parameters(zstandard.STRATEGY_LAZY, size, 5) for size in (9, 12, 14, 17))
"""A quarter as fast, and up to four tenths smaller: how large a table serves best, differs between
dialects by as much (see docs/benchmarks.md)."""
TIGHT_BYTES = 16 << 20
"""So much text of a source is packed tightly: it makes small sessions smaller, and costs the import
of a large log nothing that is noticed."""
_AT_ONCE = 16
"""Frames waiting to be packed; whoever brings more waits."""

Frame = tuple[int, int, int, bytes]
"""Source, offset of its first byte in the text of that source, bytes of text, zstd frame."""


class RawPacker:
    """Takes text of several sources in pieces of any size, gives frames in their order.

    Anybody may bring text; one thread takes the frames.
    """

    def __init__(self) -> None:
        self._rest: dict[int, tuple[int, bytes]] = {}
        self._lock = threading.Lock()
        self._quick, *self._tight = (
            zstandard.ZstdCompressor(compression_params=parameters)
            for parameters in (QUICK, *_TIGHT)
        )
        self._tightest: dict[int, zstandard.ZstdCompressor] = {}
        self._thread = ThreadPoolExecutor(
            1, thread_name_prefix="session-packer", initializer=_stand_back
        )
        self._room = threading.BoundedSemaphore(_AT_ONCE)
        self._coming: deque[tuple[int, int, int, Future[bytes]]] = deque()

    def add(self, source: int, data: bytes) -> None:
        """Append to the text of a source; what is no whole frame waits for more."""
        with self._lock:
            at, rest = self._rest.get(source, (0, b""))
            first = 0
            if rest and len(rest) + len(data) >= RAW_CHUNK:
                first = RAW_CHUNK - len(rest)
                self._pack(source, at, rest + data[:first])
                at, rest = at + RAW_CHUNK, b""
            if not rest:
                text = memoryview(data)  # a slice of it is no copy
                while len(data) - first >= RAW_CHUNK:
                    self._pack(source, at, text[first : first + RAW_CHUNK])
                    at, first = at + RAW_CHUNK, first + RAW_CHUNK
            self._rest[source] = (at, rest + data[first:])

    def finish(self) -> None:
        """Let what waits for more become frames, shorter than others."""
        with self._lock:
            for source, (at, rest) in self._rest.items():
                if rest:
                    self._pack(source, at, rest)
                    self._rest[source] = (at + len(rest), b"")

    def frames(self, *, wait: bool = False) -> list[Frame]:
        """The frames that are packed, in their order; with `wait`, all there are."""
        ready = []
        while self._coming and (wait or self._coming[0][3].done()):
            source, at, size, work = self._coming.popleft()
            ready.append((source, at, size, work.result()))
        return ready

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(wait=True)

    def _pack(self, source: int, at: int, text: bytes | memoryview) -> None:
        self._room.acquire()
        pack = partial(self._pack_tight, source) if at < TIGHT_BYTES else self._quick.compress
        work = self._thread.submit(pack, text)
        work.add_done_callback(lambda _: self._room.release())
        self._coming.append((source, at, len(text), work))

    def _pack_tight(self, source: int, text: bytes | memoryview) -> bytes:
        """With what packs the first frame of the source best."""
        if source not in self._tightest:
            tried = [(packer.compress(text), packer) for packer in (self._quick, *self._tight)]
            packed, self._tightest[source] = min(tried, key=lambda attempt: len(attempt[0]))
            return packed
        return self._tightest[source].compress(text)


def _stand_back() -> None:
    """Let this thread have what others leave.

    On few processors the database is what all wait for, and it waits for frames last of all.
    """
    if sys.platform == "linux":  # where a thread has a priority of its own
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
