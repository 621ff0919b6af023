"""What reading logs of many servers costs, by engine: python -m tests.bench.fleet_scale [--size MB]

Three servers with a log of so many MB each: read by processes of this machine, by three hosts over
SSH on loopback, and by a Dask cluster of two workers where Dask is installed. For each: processor
seconds a GB of log, of the workers and of who asks; bytes of requests and answers; the most
memory that one worker had. That the counts are the same bytes is checked. Prints the rows of
docs/scale.md.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import resource
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ldap_workbench.connect.conversation import LocalConversation, RemoteConversation
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.fleet import cluster as dask_engine
from ldap_workbench.fleet.excerpts import Hour
from ldap_workbench.fleet.hosts import Host, read_hosts
from ldap_workbench.fleet.importing import Imported, import_here, import_on_hosts
from ldap_workbench.fleet.remote import fetch_hour
from ldap_workbench.fleet.summary import joined_bytes
from ldap_workbench.fleet.units import RANGE, logs_of
from ldap_workbench.logs.reading.archives import Opened
from ldap_workbench.model.progress import Cancel, no_progress
from ldap_workbench.model.units import NS_PER_S
from tests.bench.dialect_speed import CORPUS, MATERIAL, repeated
from tests.bench.import_speed import machine
from tests.live.lab.fleet import FleetHost, fleet_hosts, write_hosts

NAMES = ("ldap1", "ldap2", "ldap3")
_TICK = os.sysconf("SC_CLK_TCK")


@dataclass
class Watched:
    """Processes that are workers, as they were last seen; bytes there and back."""

    pids: Callable[[], list[int]]
    cpu_s: dict[int, float] = field(default_factory=dict)
    memory: int = 0
    wire: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    def look(self) -> None:
        """Until it has ended."""
        while not self.ended.wait(0.05):
            for pid in self.pids():
                self.note(pid)

    def note(self, pid: int) -> None:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            return
        self.cpu_s[pid] = (int(stat[11]) + int(stat[12])) / _TICK
        peak = next((line for line in status.splitlines() if line.startswith("VmHWM")), "")
        self.memory = max(self.memory, int(peak.split()[1]) << 10 if peak else 0)


@contextmanager
def watched(pids: Callable[[], list[int]]) -> Iterator[Watched]:
    """Looks at them as long as the block runs."""
    seen = Watched(pids)
    thread = threading.Thread(target=seen.look)
    thread.start()
    try:
        with counted(seen):
            yield seen
    finally:
        seen.ended.set()
        thread.join()


@contextmanager
def counted(seen: Watched) -> Iterator[None]:
    """Counts what is sent and read in conversations, and in answers of a cluster."""
    kept = [(kind, name, getattr(kind, name)) for kind in (LocalConversation, RemoteConversation)
            for name in ("send", "line", "read")]  # fmt: skip
    whole = dask_engine.answer_from

    def counting(method):
        def call(self, given):
            found = method(self, given)
            seen.wire += len(found if found is not None else given)
            return found

        return call

    def of_cluster(line, read):
        body = whole(line, read)
        seen.wire += len(body)
        return body

    for kind, name, method in kept:
        setattr(kind, name, counting(method))
    dask_engine.answer_from = of_cluster
    try:
        yield
    finally:
        dask_engine.answer_from = whole
        for kind, name, method in kept:
            setattr(kind, name, method)


def children() -> list[int]:
    """Processes that this one has started."""
    tasks = Path("/proc/self/task").glob("*/children")
    return [int(pid) for task in tasks for pid in task.read_text().split()]


def row(
    name: str, size: int, seen: Watched, times_s: tuple[float, float, float], read: Imported
) -> str:
    """One of the table; which bytes were found stands beside it."""
    assert not read.outcome.failures, read.outcome.failures
    servers = read.outcome.summary.servers()
    digest = hashlib.sha256(b"".join(joined_bytes(servers[n]) for n in sorted(servers)))
    print(f"# {name}: {len(read.outcome.done)} parts, {digest.hexdigest()[:16]}", flush=True)
    gb = size / 1e9
    times = " | ".join(f"{each / gb:.2f}" for each in times_s)
    return f"| {name} | {times} | {seen.wire / gb / 1e3:.0f} | {seen.memory / 2**20:.0f} |"


def measured(
    name: str, size: int, pids: Callable[[], list[int]], read: Callable[[], Imported]
) -> str:
    """Read once, watched."""
    began, own = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF)
    before = Watched(pids)
    for pid in pids():  # workers of a cluster have run for a while
        before.note(pid)
    with watched(pids) as seen:
        found = read()
        for pid in pids():
            seen.note(pid)
    wall = time.perf_counter() - began
    now = resource.getrusage(resource.RUSAGE_SELF)
    asked = now.ru_utime + now.ru_stime - own.ru_utime - own.ru_stime
    workers = sum(seen.cpu_s.values()) - sum(before.cpu_s.values())
    return row(name, size, seen, (workers, asked, wall), found)


def fetched(hosts: Sequence[Host], host: FleetHost, pids: Callable[[], list[int]]) -> str:
    """What it costs to fetch a part of a log from its host, as the session of an hour does."""
    [(file, _)] = logs_of(host.name, Opened([host.logs]))[0].stretches
    begins = file.first_ns or 0
    hour = Hour(host.name, begins + 60 * NS_PER_S, begins + 90 * NS_PER_S)
    with tempfile.TemporaryDirectory() as folder, watched(pids) as seen:
        paths = fetch_hour(hosts, hour, Path(folder), Secrets())
        size = sum(path.stat().st_size for path in paths)
    return (
        f"30 s of a log: {size / 1e6:.1f} MB of lines as {seen.wire / 1e6:.1f} MB, "
        f"{sum(seen.cpu_s.values()):.2f} processor s, {seen.memory >> 20} MiB"
    )


def on_cluster(logs: dict[str, list[Path]], size: int, rows: list[str]) -> None:
    try:
        from distributed import LocalCluster
    except ImportError:
        print("# Dask is not installed")
        return
    os.environ["DASK_DISTRIBUTED__WORKER__DAEMON"] = "False"
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as running:
        workers = [worker.pid for worker in running.workers.values()]
        address = running.scheduler_address.replace("tcp", "dask")

        def read() -> Imported:
            return import_here(address, logs, 1, None, no_progress, Cancel())

        rows.append(measured("Dask, 2 workers", size, lambda: workers, read))


def main() -> None:
    """Measure each engine once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=600, help="MB of each server's log")
    each = parser.parse_args().size * 10**6
    rows: list[str] = []
    with fleet_hosts(NAMES) as hosts:
        for place, host in enumerate(hosts):
            log = host.logs / "access"
            if place:
                shutil.copyfile(hosts[0].logs / "access", log)
            else:
                with log.open("wb") as out:
                    out.writelines(repeated(CORPUS / MATERIAL["389 DS 2.3"], each))
            log.chmod(0o644)
        logs = {host.name: [host.logs] for host in hosts}
        size = sum((host.logs / "access").stat().st_size for host in hosts)
        print(
            f"# {machine()}; 3 logs, {size / 1e9:.2f} GB, ranges of {RANGE >> 20} MiB", flush=True
        )

        def here() -> Imported:
            return import_here("local", logs, 2, None, no_progress, Cancel())

        rows.append(measured("this machine, 2 processes", size, children, here))
        with tempfile.TemporaryDirectory() as home:
            os.environ["LDAP_WORKBENCH_HOME"] = home
            file = write_hosts(Path(home) / "hosts.toml", hosts)

            def there() -> Imported:
                return import_on_hosts(read_hosts(file), Secrets(), no_progress, Cancel())

            pids = lambda: [pid for host in hosts for pid in host.workers()]  # noqa: E731
            rows.append(measured("3 hosts over SSH, 1 process each", size, pids, there))
            print(f"# {fetched(read_hosts(file), hosts[0], pids)}", flush=True)
        on_cluster(logs, size, rows)
    print("| engine | workers, s/GB | who asks, s/GB | wall, s/GB | kB/GB sent | MiB a worker |")
    print("|---|---:|---:|---:|---:|---:|")
    print("\n".join(rows))


if __name__ == "__main__":
    main()
