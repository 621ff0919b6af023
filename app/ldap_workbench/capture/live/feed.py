"""What comes in while a window lasts, told to whoever watches; complete or not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ldap_workbench.capture.live.source import RunningSource
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.window import LiveBatch, Sample, Source, SourceKind

OnLive = Callable[[LiveBatch], None]


class LiveFeed:
    """Hands batches on, one at a time, from the threads of all sources."""

    def __init__(self, on_live: OnLive | None, now_ns: Callable[[], int]) -> None:
        self._on_live = on_live or (lambda _: None)
        self._now_ns = now_ns
        self._lock = threading.Lock()
        self._notes: dict[SourceKind, Message] = {}
        self._ended: set[SourceKind] = set()

    @property
    def notes(self) -> list[Message]:
        """What to know of the sources at work."""
        return [
            Message("{source}: {note}", source=kind.label, note=note)
            for kind, note in self._notes.items()
            if note
        ]

    def started(self, source: Source) -> None:
        self._send(source=source.kind)

    def ended(self, source: Source) -> None:
        """A source that could not be started, or works no longer."""
        self._send(source=source.kind, state=source.state, why=source.why)

    def see_ended(self, running: RunningSource) -> None:
        """Tell once of a source that has ended by itself: in a window, one that broke."""
        if not running.alive and running.source.kind not in self._ended:
            self._ended.add(running.source.kind)
            self.ended(running.source)

    def see_note(self, kind: SourceKind, note: Message) -> None:
        """Tell of a note of a source where it is another than before."""
        if str(note) != str(self._notes.get(kind, NOTHING)):
            self._notes[kind] = note
            self._send(source=kind, note=note)

    def operations(self, count: int, worst_ns: int, size: int) -> None:
        kind = SourceKind.ACCESS_LOG
        self._send(source=kind, operations=count, worst_ns=worst_ns, bytes_read=size)

    def errors(self, size: int) -> None:
        self._send(source=SourceKind.ERROR_LOG, bytes_read=size)

    def samples(self, kind: SourceKind, samples: list[Sample]) -> None:
        if samples:
            self._send(samples[-1].time_ns, source=kind, samples=tuple(samples))

    def _send(self, time_ns: int | None = None, **what: Any) -> None:
        with self._lock:
            self._on_live(LiveBatch(self._now_ns() if time_ns is None else time_ns, **what))
