"""How far servers are behind each other, watched while one is changed or measured."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from types import TracebackType

from ldap_workbench.connect.directory import Directory
from ldap_workbench.model.errors import (
    ConnectError,
    DirectoryError,
    ExperimentError,
    UsageError,
    WorkbenchError,
)
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.servers.monitor import MonitorEntry
from ldap_workbench.servers.replication import csn_entries, csns
from ldap_workbench.servers.target import Target
from ldap_workbench.tuning.journal import server_name

Connect = Callable[[str], AbstractContextManager[Target]]
"""Connects to the server of a profile, for as long as the context lasts."""
_INTERVAL_S = 1.0
_FIRST_S = 10.0
"""How long the first reading of every server is waited for."""
_END_S = 2.0
"""How long the end of a reading is waited for; a server that hangs answers none."""


class LagWatch:
    """Reads the changes that each of several servers has come to, while the context lasts.

    Each in a thread and over a link of its own: one that hangs delays no other. A change counts as
    known from the moment it was first seen on any of them (lag.py); only suppliers that all of them
    show at the start count.
    """

    def __init__(self, targets: Mapping[str, Target], limit_s: float) -> None:
        self._limit_s = limit_s
        self._clock = _Clock()
        self._lock = threading.Lock()
        self._known: dict[str, deque[tuple[int, float]]] = {}
        """By supplier the changes that a server lacks: when first seen (ns), and the CSN (s)."""
        self._readers = {name: _Csns(target) for name, target in targets.items()}
        self._behind = NOTHING
        self._error: Exception | None = None
        self._over = threading.Event()
        self._threads = [
            threading.Thread(
                target=self._run, args=(name, reader), name=f"lag of {name}", daemon=True
            )
            for name, reader in self._readers.items()
        ]
        self.common: frozenset[str] = frozenset()
        """The suppliers that every server showed at the start."""

    @property
    def unread(self) -> tuple[str, ...]:
        """The servers on which no change of a supplier has been seen yet."""
        return tuple(name for name, reader in self._readers.items() if not reader.newest)

    def begin(self) -> None:
        """Forget what has been crossed: `crossed` is of the newest readings and what comes."""
        with self._lock:
            self._behind = NOTHING
            for name, reader in self._readers.items():
                self._look(name, reader)

    def crossed(self) -> Message:
        """Which server is too far behind, or was since `begin`; NOTHING where none.

        Another thread may ask. Raises ExperimentError where the lag is not known: a server was not
        read for longer than the limit, or the watch itself failed; AnotherServerError.
        """
        if isinstance(self._error, WorkbenchError):  # another server answers by now, for one
            raise self._error
        if self._error:
            raise ExperimentError(
                Message("A defect in the workbench: {error}.", error=repr(self._error)),
                safe=Message("Without its lag being known no server is changed."),
                remedy=Message("Report it, and repeat without the limit of the lag."),
            ) from self._error
        with self._lock:
            self._check_read()
            return self._behind

    @contextmanager
    def on_purpose(self) -> Iterator[None]:
        """While a server is stopped on purpose, and as long again, no lag grows."""
        self._clock.stop()
        try:
            yield
        finally:
            self._clock.go_on()

    def __enter__(self) -> LagWatch:
        for thread in self._threads:
            thread.start()
        end = time.monotonic() + _FIRST_S
        for reader in self._readers.values():
            reader.tried.wait(max(0.0, end - time.monotonic()))
        with self._lock:
            shown = [frozenset(reader.newest) for reader in self._readers.values()]
            self.common = frozenset.intersection(*shown)
            for name in self.common:
                newest = max(reader.newest[name] for reader in self._readers.values())
                self._known[name] = deque([(self._clock.now_ns(), newest)])
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._over.set()
        end = time.monotonic() + _END_S
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _run(self, name: str, reader: _Csns) -> None:
        try:
            while not self._over.is_set():
                if newest := reader.read():
                    self._note(name, reader, newest)
                reader.tried.set()
                self._over.wait(_INTERVAL_S)
        except Exception as error:  # noqa: BLE001 - a lag that nobody watches is no limit
            self._error = error
        finally:
            reader.tried.set()
            reader.close()

    def _note(self, name: str, reader: _Csns, newest: dict[str, float]) -> None:
        with self._lock:
            reader.newest, reader.read_ns = newest, self._clock.now_ns()
            for supplier, known in self._known.items():
                if newest[supplier] > known[-1][1]:
                    known.append((reader.read_ns, newest[supplier]))
                least = min(other.newest[supplier] for other in self._readers.values())
                while len(known) > 1 and known[0][1] <= least:  # all have it: it makes none late
                    known.popleft()
            self._look(name, reader)

    def _look(self, name: str, reader: _Csns) -> None:
        lag_s = 0.0
        for supplier, known in self._known.items():
            has = reader.newest[supplier]
            since = next((at for at, value in known if value > has), reader.read_ns)
            lag_s = max(lag_s, (reader.read_ns - since) / NS_PER_S)
        if lag_s > self._limit_s and not self._behind:
            self._behind = Message(
                "{replica} was {lag:.1f} s behind the others", replica=name, lag=lag_s
            )

    def _check_read(self) -> None:
        """Raises ExperimentError where one that was read at the start is not read any more."""
        for name, reader in self._readers.items():
            silent_s = (self._clock.now_ns() - reader.read_ns) / NS_PER_S
            if reader.newest and silent_s > self._limit_s:
                raise ExperimentError(
                    Message(
                        "How far {replica} is behind has not been known for {seconds:.0f} s: its "
                        "replication state could not be read.",
                        replica=name,
                        seconds=silent_s,
                    ),
                    remedy=Message("Check that {replica} runs and answers.", replica=name),
                )


@contextmanager
def watch_replicas(
    target: Target, names: Sequence[str], limit_s: float | None, connect: Connect
) -> Iterator[LagWatch | None]:
    """The lag of a server and its replicas, by the profiles of those; None where there is no limit.

    Raises UsageError where there is a limit and no other replica, or the other way round, and
    where a replica shows no change of a supplier.
    """
    if (limit_s is None) != (not names):
        raise UsageError(
            Message("A limit of the lag needs a replica, and a replica needs a limit."),
            safe=Message("Nothing was changed."),
            remedy=Message(
                "Name both or neither: --max-lag 30 --replica PROFILE. With --resume and --again "
                "the file says the limit: only --replica is added or left out."
            ),
        )
    if limit_s is None:
        yield None
        return
    with ExitStack() as stack:
        replicas = {name: stack.enter_context(connect(name)) for name in names}
        refuse_one_server_twice([target, *replicas.values()])
        watch = stack.enter_context(LagWatch({target.profile.name: target, **replicas}, limit_s))
        if watch.unread:
            raise UsageError(
                Message("The replication state of {names:and} cannot be read.", names=watch.unread),
                safe=Message("Nothing was changed."),
                remedy=Message(
                    "Name replicas of one suffix, and bind as one who may read nsds50ruv (389 DS) "
                    "or contextCSN (OpenLDAP)."
                ),
            )
        if not watch.common:
            raise UsageError(
                Message(
                    "{names:and} have no supplier of changes in common.",
                    names=(target.profile.name, *replicas),
                ),
                safe=Message("Nothing was changed."),
                remedy=Message("Name replicas of one suffix, which replicate to each other."),
            )
        yield watch


def refuse_one_server_twice(targets: Sequence[Target]) -> None:
    """Raises UsageError where two of them lead to one server, by its identity or its URL."""
    known = [target.facts.identity or server_name(target.directory.url) for target in targets]
    if len({*known}) < len(known):
        raise UsageError(
            Message("Two of the profiles are of the same server."),
            safe=Message("Nothing was changed."),
            remedy=Message("Name each server once."),
        )


class _Clock:
    """Nanoseconds that stand still while a server is stopped on purpose, and as long again.

    It catches up in that time: its suppliers wait the longer to try again the longer it was away.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left_out = 0
        self._stands_from: int | None = None
        self._stopped_at: int | None = None
        self._depth = 0
        self._until = 0

    def now_ns(self) -> int:
        with self._lock:
            return self._now(time.monotonic_ns())

    def stop(self) -> None:
        with self._lock:
            now = time.monotonic_ns()
            self._now(now)
            self._depth += 1
            if self._stopped_at is None:
                self._stopped_at = now
            if self._stands_from is None:
                self._stands_from = now

    def go_on(self) -> None:
        with self._lock:
            self._depth -= 1
            if self._stopped_at is not None and not self._depth:
                now = time.monotonic_ns()
                self._until = max(self._until, now + (now - self._stopped_at))
                self._stopped_at = None

    def _now(self, now: int) -> int:
        if self._stands_from is None:
            return now - self._left_out
        if self._stopped_at is not None or now < self._until:
            return self._stands_from - self._left_out
        self._left_out += self._until - self._stands_from
        self._stands_from = None
        return now - self._left_out


class _Csns:
    """The changes one server has come to, by supplier. `read` and `close` are of one thread."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._link: Directory | None = None
        self._entries: list[MonitorEntry] = []
        """Looked for until they are there once: a server that is busy seems to lack them."""
        self.newest: dict[str, float] = {}
        """By supplier the newest CSN, s since 1970, when it was last read; {} before that."""
        self.read_ns = 0
        self.tried = threading.Event()

    def read(self) -> dict[str, float]:
        """The newest CSN of each supplier; {} where it could not be read, and a new link is due."""
        newest: dict[str, float] = {}
        try:
            if self._link is None:
                self._link = self._target.another_directory()
            self._entries = self._entries or csn_entries(self._link, self._target.facts)
            for entry in self._entries:
                answers = self._link.search(
                    entry.dn, scope=entry.scope, filter=entry.filter, attributes=entry.attributes
                )
                newest |= dict(pair for answer in answers for pair in csns(entry.dn, answer))
        except (ConnectError, DirectoryError):
            newest = {}
        if not newest.keys() >= self.newest.keys():
            newest = {}
        if not newest:
            self.close()
        return newest

    def close(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None
