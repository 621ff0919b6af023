"""A server under load, as far as a capture sees one: a log that grows, counters, a host."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from ldap_workbench.capture.live.host_state import PROC
from ldap_workbench.connect.directory import Entry
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.progress import Cancel
from ldap_workbench.servers.target import ServerClock, same_clock
from ldap_workbench.tuning.catalogue import load_catalogue
from tests.sessions import FACTS

_BEAT_S = 0.1
_ETIMES_US = (180, 240, 310, 420, 900, 1500, 4200, 260)


class AccessLog:
    """Operations appended to a file, so many a second, by a thread of their own."""

    def __init__(self, path: Path, per_second: int) -> None:
        self.path = path
        self.per_second = per_second
        self.written = 0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._own = itertools.count(1)
        path.write_bytes(b"")
        self._thread = threading.Thread(target=self._run, name="load")

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def search(self, base: str) -> None:
        """A search of the workbench's own."""
        stamp, op = _stamp(time.time_ns()), next(self._own)
        asked = f'{stamp} conn=1 op={op} SRCH base="{base}" scope=0 filter="(objectClass=*)"'
        self._append(f"{asked}\n{stamp} conn=1 op={op} {_result(200)}\n")

    def _run(self) -> None:
        began, beat = time.monotonic(), 0
        while not self._stop.is_set():
            beat += 1
            many = round(self.per_second * _BEAT_S)
            self._append("".join(self._operation(self.written + i) for i in range(many)))
            self.written += many
            self._stop.wait(max(0.0, began + beat * _BEAT_S - time.monotonic()))

    def _operation(self, number: int) -> str:
        now, spent = time.time_ns(), _ETIMES_US[number % len(_ETIMES_US)]
        where = f"conn={100 + number % 50} op={number // 50}"
        asked = f'SRCH base="dc=example,dc=com" scope=2 filter="(uid=u{number % 99})" attrs=ALL'
        begun = _stamp(now - spent * 1000)
        return f"{begun} {where} {asked}\n{_stamp(now)} {where} {_result(spent)}\n"

    def _append(self, text: str) -> None:
        with self._lock, self.path.open("a") as file:
            file.write(text)


class BusyDirectory:
    """Its counters follow the log; what the workbench asks stands in the log, too."""

    url = "ldap://busy.example"

    def __init__(self, log: AccessLog) -> None:
        self._log = log

    def search(
        self, base: str, *, scope: str = "base", attributes: Sequence[str] = (), **_: object
    ) -> list[Entry]:
        self._log.search(base)
        done = self._log.written
        counters = {
            "cn=monitor": {"opsinitiated": done + 1, "opscompleted": done},
            "cn=snmp,cn=monitor": {"inops": done, "connections": 50},
        }
        found = counters.get(base, {})
        return [Entry(base, {n: (str(value),) for n, value in found.items()})] if found else []

    def close(self) -> None:
        """Nothing to close."""


class BareHost(LocalShell):
    """This machine without sysstat and without /proc/diskstats."""

    def stream(
        self, argv: Sequence[str], on_bytes: Callable[[bytes], None], *, cancel: Cancel,
        sudo: bool = False,
    ) -> CommandResult:  # fmt: skip
        if "iostat" not in argv and tuple(argv) != PROC:
            return super().stream(argv, on_bytes, cancel=cancel, sudo=sudo)
        return CommandResult(127, b"", b"iostat: not found")


class BusyTarget:
    """What a capture asks of servers.Target."""

    def __init__(self, folder: Path, per_second: int) -> None:
        self.log = AccessLog(folder / "access", per_second)
        (folder / "errors").write_text("")
        self.profile = Profile("busy", "ldap://busy.example", local=True)
        paths = {"access_log": str(self.log.path), "error_log": str(folder / "errors")}
        self.facts = replace(FACTS, profile="busy", **paths)
        self.directory = BusyDirectory(self.log)
        self.clock = same_clock()

    def now_ns(self) -> int:
        return self.clock.now_ns()

    def set_clock(self, clock: ServerClock) -> None:
        self.clock = clock

    def another_directory(self) -> BusyDirectory:
        return BusyDirectory(self.log)

    def another_shell(self) -> BareHost:
        return BareHost()

    def close(self) -> None:
        """Nothing to close."""


class NoKnobs:
    """A tuner that knows every knob and reads none."""

    def __init__(self, directory: BusyDirectory) -> None:
        self.directory = directory
        self.catalogue = load_catalogue()

    def readings(self) -> list[object]:
        return []

    def close(self) -> None:
        """Nothing to close."""


def _stamp(time_ns: int) -> str:
    second, part = divmod(time_ns, 10**9)
    return f"[{_second(second)}.{part:09d} +0000]"


_SECONDS: dict[int, str] = {}


def _second(second: int) -> str:
    if second not in _SECONDS:
        _SECONDS[second] = f"{datetime.fromtimestamp(second, UTC):%d/%b/%Y:%H:%M:%S}"
    return _SECONDS[second]


def _result(spent_us: int) -> str:
    spent = f"0.{spent_us * 1000:09d}"
    return f"RESULT err=0 tag=101 nentries=1 wtime=0.000010000 optime={spent} etime={spent}"
