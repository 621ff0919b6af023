"""The practice server at work: clock, model, configuration, counters and logs in step.

Nothing runs ahead: whoever asks first brings the model up to now, so a change works from the very
moment it was made. A slow ticker keeps the logs flowing when nobody asks. On a machine too slow for
the speed the model falls behind the clock, in short steps that let everybody have a turn.

Logs are written as 389 DS writes them: buffered, in one go, rotated and deleted in time.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.practice.model.accesslog import (
    INTERNAL_REQUEST,
    LINE,
    lines_of,
    opening,
    text_of,
)
from ldap_workbench.practice.model.caches import Caches
from ldap_workbench.practice.model.configuration import VERSION, Answer, Configuration
from ldap_workbench.practice.model.costs import Rows
from ldap_workbench.practice.model.counters import Counters, Device
from ldap_workbench.practice.model.knobs import Knobs
from ldap_workbench.practice.model.operations import Connections, Model
from ldap_workbench.practice.model.scenario import Scenario
from ldap_workbench.practice.model.stalls import LOG_BUFFER
from ldap_workbench.practice.model.tree import Entry, People


class PracticeClock:
    """Practice time starts at the wall's time and runs `speed` times as fast."""

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed
        self.epoch_ns = time.time_ns()
        self._began_ns = time.monotonic_ns()

    def seconds(self) -> float:
        """Practice seconds since the start."""
        return (time.monotonic_ns() - self._began_ns) * self.speed / NS_PER_S

    def now_ns(self) -> int:
        """Practice time, ns since 1970 UTC."""
        return self.epoch_ns + int((time.monotonic_ns() - self._began_ns) * self.speed)

    def wall_seconds(self, practice_seconds: float) -> float:
        """How long a person waits for so many practice seconds."""
        return practice_seconds / self.speed


TICK_S = 0.1
"""Wall seconds between two looks of the ticker."""
STEP_OPERATIONS = 8_000
"""Made up at most before others have their turn: some 30 ms of work."""
CATCH_UP_STEPS = 20
TURN_S = 0.002


@dataclass
class Link:
    """A real connection of a client."""

    conn: int
    opened_ns: int
    operations: int = 0
    bound: str = ""


class Engine:
    """All state of one practice server, behind one lock; `logs` is a real folder."""

    def __init__(self, scenario: Scenario, clock: PracticeClock, seed: int, logs: Path) -> None:
        self.scenario, self.clock = scenario, clock
        self.lock = threading.RLock()
        self.people = People(scenario.workload.users)
        self.links: list[Link] = []
        self._own: list[tuple[int, bytes]] = []
        self._own_lock = threading.Lock()
        self.running = True
        self.started_ns = clock.now_ns()
        self.configuration = Configuration(
            scenario.settings, scenario.host.ram_bytes, scenario.workload.users
        )
        self._model = Model(scenario, self.configuration.knobs(), seed)
        self.counters, self.device = Counters(), Device()
        self._pending = opening(self.connections, 0.0, clock.epoch_ns)
        header = f"\t{VERSION}\n\tlocalhost:389 (/etc/dirsrv/slapd-practice)\n\n"
        self.access = LogFile(logs / "access", header)
        self.errors = LogFile(logs / "errors", header)
        self._say_started([])
        self._ended = threading.Event()
        self._ticker = threading.Thread(target=self._tick, name="practice-ticker", daemon=True)
        self._ticker.start()

    @property
    def knobs(self) -> Knobs:
        return self._model.knobs

    @property
    def caches(self) -> Caches:
        return self._model.caches

    @property
    def connections(self) -> Connections:
        return self._model.connections

    def listens_on(self, port: int) -> None:
        """The port cn=config is to show."""
        self.configuration.set_port(port)

    def close(self) -> None:
        """End the ticker; the logs stay as they are."""
        self._ended.set()
        self._ticker.join()

    def advance(self) -> None:
        """Bring everything up to now, or a step nearer where much is left to do."""
        with self.lock:
            step = STEP_OPERATIONS / self.scenario.workload.rate
            now = min(self.clock.seconds(), self._model.now + step)
            if self.configuration.end_builds(now):
                self._apply()
            if not self.running or now <= self._model.now:
                return
            batch = self._model.advance(now)
            self.counters.add(batch)
            self.device.add(batch, self.scenario.host)
            lines = np.concatenate([self._pending, lines_of(batch, self.clock.epoch_ns)])
            self._write(lines, self.clock.epoch_ns + int(now * NS_PER_S))

    @property
    def reached(self) -> float:
        """The practice second everything has been brought up to."""
        return self._model.now

    def _write(self, lines: Rows, now_ns: int) -> None:
        """Write the lines before now, those of real clients at their places among the model's."""
        due = lines["time"] < now_ns
        self._pending, lines = lines[~due], lines[due]
        lines = lines[np.argsort(lines["time"], kind="stable")]
        level = int(self.configuration.in_force("nsslapd-accesslog-level"))
        if not level & 256:
            lines = lines[lines["what"] >= INTERNAL_REQUEST]
        own = self._own_before(now_ns)
        pieces = np.split(lines, np.searchsorted(lines["time"], [at for at, _ in own]))
        texts = [text_of(piece, internal=bool(level & 4)) for piece in pieces]
        for n, (_, text) in enumerate(own if level & 256 else []):
            texts.insert(2 * n + 1, text)
        if self.configuration.in_force("nsslapd-accesslog-logging-enabled") == "on":
            self._append(b"".join(texts), now_ns)

    def _own_before(self, now_ns: int) -> list[tuple[int, bytes]]:
        with self._own_lock:
            own = [line for line in self._own if line[0] < now_ns]
            self._own = self._own[len(own) :]
        return own

    def _append(self, text: bytes, now_ns: int) -> None:
        self.access.write(text, now_ns, buffering=self.knobs.log_buffering)
        value = self.configuration.in_force
        self.access.rotate(
            now_ns,
            megabytes=int(value("nsslapd-accesslog-maxlogsize")),
            files=int(value("nsslapd-accesslog-maxlogsperdir")),
            disk_megabytes=int(value("nsslapd-accesslog-logmaxdiskspace")),
        )

    def log(self, text: str) -> None:
        """One access-log line of a real client; it is written when everything before it is."""
        with self._own_lock:
            now = self.clock.now_ns()
            self._own.append((now, f"{stamp(now)} {text}\n".encode()))

    def count(self, link: Link) -> None:
        """A real client has had its answer."""
        with self._own_lock:
            link.operations += 1
            self.counters.own_operations += 1

    def error(self, text: str) -> None:
        """One line of the errors log: SEVERITY - function - message."""
        with self.lock:
            now = self.clock.now_ns()
            self.errors.write(f"{stamp(now)} - {text}\n".encode(), now, buffering=False)

    def replace(self, dn: str, name: str, values: list[str]) -> Answer:
        """A change of the configuration; what of it is live works from now on."""
        with self.lock:
            self.advance()
            answer = self.configuration.replace(dn, name, values)
            if answer.log:
                self.error(answer.log)
            if answer.code:
                self.error(f"ERR - config_set - {answer.message.strip()}")
            self._apply()
            return answer

    def add(self, dn: str, entry: Entry) -> Answer:
        """An index, or a task that builds one."""
        with self.lock:
            self.advance()
            answer = self.configuration.add(dn, entry, self.clock.seconds())
            self._apply()
            return answer

    def delete(self, dn: str) -> Answer:
        """An index goes."""
        with self.lock:
            self.advance()
            answer = self.configuration.delete(dn)
            self._apply()
            return answer

    def set_host(self, name: str, value: str) -> None:
        """A change of the kernel's own files."""
        with self.lock:
            self.advance()
            self.configuration.host[name] = value
            self._apply()

    def _apply(self) -> None:
        knobs = self.configuration.knobs()
        if knobs.log_buffering != self.knobs.log_buffering:
            self.access.flush(self.clock.now_ns())
        if knobs != self.knobs:
            self._model.change(knobs)

    def connect(self) -> Link:
        """A client has opened a connection."""
        with self.lock:
            link = Link(self.connections.another(), self.clock.now_ns())
            self.links.append(link)
            fd = 400 + link.conn % 500
            self.log(f"conn={link.conn} fd={fd} slot={fd} connection from 127.0.0.1 to 127.0.0.1")
            return link

    def stop(self) -> None:
        """The server goes down: open connections and unanswered operations are lost."""
        with self.lock:
            self._catch_up()
            self.running = False
            self.links.clear()
            self._pending = np.zeros(0, LINE)
            self.access.flush(self.clock.now_ns())
            self.error("INFO - main - slapd stopped.")

    def start(self) -> None:
        """The server comes up with the values its configuration has now."""
        with self.lock:
            lines = self.configuration.start()
            now = self.clock.seconds()
            self._model.restart(now, self.configuration.knobs())
            self.started_ns = self.clock.now_ns()
            self.counters = Counters()
            self._pending = opening(self.connections, now, self.clock.epoch_ns)
            self._say_started(lines)
            self.running = True

    def _say_started(self, lines: list[str]) -> None:
        self.error(f"INFO - main - {VERSION} starting up (practice simulation)")
        for line in lines:
            self.error(line)
        self.error("INFO - slapd_daemon - slapd started.  Listening on Loopback for LDAP requests")

    def _catch_up(self) -> None:
        """Bring everything up to the moment of the call, unless that is hopeless."""
        now = self.clock.seconds()
        for _ in range(CATCH_UP_STEPS):
            if self.running and self.reached < now:
                self.advance()

    def _tick(self) -> None:
        while not self._ended.wait(TICK_S):
            now = self.clock.seconds()
            while self.running and self.reached < now and not self._ended.wait(TURN_S):
                self.advance()


def stamp(ns: int) -> str:
    """A time as the access log prints it: [21/Nov/2026:02:19:59.903111192 +0000]."""
    whole, fraction = divmod(ns, NS_PER_S)
    return f"{time.strftime('[%d/%b/%Y:%H:%M:%S', time.gmtime(whole))}.{fraction:09d} +0000]"


MIB = 1024 * 1024
FLUSH_EVERY_NS = 30 * NS_PER_S


class LogFile:
    """One log and its rotated files; times are practice ns."""

    def __init__(self, path: Path, header: str) -> None:
        self.path = path
        self._header = header.encode()
        self._buffer: list[bytes] = []
        self._buffered = 0
        self._flushed_ns = 0
        self._created_ns = 0
        self._size = 0
        self._rotated: list[tuple[Path, int]] = []

    def write(self, text: bytes, now_ns: int, *, buffering: bool) -> None:
        """Append whole lines; they reach the file at 512 KiB, after 30 s, or unbuffered at once."""
        if not self._created_ns:
            self._create(now_ns)
        self._buffer.append(text)
        self._buffered += len(text)
        late = now_ns - self._flushed_ns >= FLUSH_EVERY_NS
        if not buffering or late or self._buffered >= LOG_BUFFER:
            self.flush(now_ns)

    def flush(self, now_ns: int) -> None:
        """Write out what is buffered."""
        self._flushed_ns = now_ns
        if not self._buffered:
            return
        with self.path.open("ab") as file:
            for text in self._buffer:
                file.write(text)
        self._size += self._buffered
        self._buffer, self._buffered = [], 0

    def rotate(self, now_ns: int, *, megabytes: int, files: int, disk_megabytes: int) -> None:
        """Begin another file once this one is full, and delete the oldest beyond the limits.

        -1 megabytes is no limit. Like the server's own check this runs after a flush.
        """
        if self._created_ns and 0 <= megabytes * MIB <= self._size:
            stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(self._created_ns // NS_PER_S))
            target = self.path.with_name(f"{self.path.name}.{stamp}")
            self.path.replace(target)
            self._rotated.append((target, self._size))
            self._create(now_ns)
        while self._rotated and self._beyond(files, disk_megabytes):
            self._rotated.pop(0)[0].unlink(missing_ok=True)

    @property
    def rotated(self) -> list[str]:
        """Names of the rotated files, oldest first."""
        return [path.name for path, _ in self._rotated]

    def _beyond(self, files: int, disk_megabytes: int) -> bool:
        everything = self._size + sum(size for _, size in self._rotated)
        return len(self._rotated) + 1 > files or everything > disk_megabytes * MIB

    def _create(self, now_ns: int) -> None:
        self._created_ns = self._flushed_ns = now_ns
        self.path.write_bytes(self._header)
        self._size = len(self._header)
        stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime(now_ns // NS_PER_S))
        lines = [f"LOGINFO:Log file created at: {stamp} ({now_ns // NS_PER_S})\n"]
        lines += [f"LOGINFO:Previous Log File:{path} ({size})\n" for path, size in self._rotated]
        self.path.with_name(f"{self.path.name}.rotationinfo").write_bytes("".join(lines).encode())
