"""How far servers are behind each other, watched while one is changed or measured."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType

import numpy as np

from ldap_workbench.connect.directory import Directory
from ldap_workbench.experiment.lag import Series, lags
from ldap_workbench.model.errors import ConnectError, DirectoryError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.servers.replication import csn_entries, csns
from ldap_workbench.servers.target import Target

_INTERVAL_S = 1.0
_REMEMBERED = 3600
"""Readings of each supplier that are remembered: an hour."""


class LagWatch:
    """Reads the changes that each of several servers has come to, while the context lasts.

    In a thread and over links of its own: that of a server's thread waits. What a server that does
    not answer has meanwhile come to is not known, and it is asked again.
    """

    def __init__(self, targets: Mapping[str, Target], limit_s: float) -> None:
        self._limit_s = limit_s
        self._readers = {name: _Csns(target) for name, target in targets.items()}
        self._behind = NOTHING
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lag", daemon=True)

    @property
    def behind(self) -> Message:
        """Which server came too far behind, and how far; another thread may ask."""
        return self._behind

    @property
    def unread(self) -> tuple[str, ...]:
        """The servers on which no change of a supplier has been seen yet."""
        return tuple(name for name, reader in self._readers.items() if not reader.seen)

    def __enter__(self) -> LagWatch:
        self._look()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()
        for reader in self._readers.values():
            reader.close()

    def _run(self) -> None:
        try:
            while not self._over.wait(_INTERVAL_S):
                self._look()
        except Exception as error:  # noqa: BLE001 - a lag that nobody watches is no limit
            self._behind = Message("the lag could not be read: {error}", error=repr(error))

    def _look(self) -> None:
        series = [reader.look() for reader in self._readers.values()]
        for name, lag in zip(self._readers, lags(series), strict=True):
            if lag.largest_s > self._limit_s and not self._behind:
                self._behind = Message(
                    "{replica} was {lag:.1f} s behind the others", replica=name, lag=lag.largest_s
                )


class _Csns:
    """The changes one server has come to, by supplier."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._link: Directory | None = None
        self.seen: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self._open()

    def look(self) -> dict[str, Series]:
        """All that was read until now, by supplier."""
        with suppress(ConnectError, DirectoryError):
            if self._link is None:
                self._open()
            self._read()
        return {
            name: (np.array([at for at, _ in seen]), np.array([value for _, value in seen]))
            for name, seen in self.seen.items()
        }

    def close(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None

    def _open(self) -> None:
        self._link = link = self._target.another_directory()
        self._entries = csn_entries(link, self._target.facts)

    def _read(self) -> None:
        assert self._link is not None
        try:
            for entry in self._entries:
                answers = self._link.search(
                    entry.dn, scope=entry.scope, filter=entry.filter, attributes=entry.attributes
                )
                now_ns = time.time_ns()
                for answer in answers:
                    for name, value in csns(entry.dn, answer):
                        self.seen[name].append((now_ns, value))
                        del self.seen[name][:-_REMEMBERED]
        except (ConnectError, DirectoryError):
            self.close()
            raise
