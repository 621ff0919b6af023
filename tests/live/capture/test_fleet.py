"""Logs that servers' own hosts read over SSH: the same bytes, nothing missing in silence."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import random
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import zstandard
from typer.testing import CliRunner

from ldap_workbench.cli.fleet import commands
from ldap_workbench.connect.folders import state_folder
from ldap_workbench.connect.host_keys import known_hosts_path
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.fleet import engine
from ldap_workbench.fleet.excerpts import Hour
from ldap_workbench.fleet.hosts import read_hosts
from ldap_workbench.fleet.hour import HourSource, read_hour
from ldap_workbench.fleet.importing import Imported, import_here, import_on_hosts
from ldap_workbench.fleet.remote import start
from ldap_workbench.fleet.reviewing import days_to_review, review_hours
from ldap_workbench.fleet.store import fleet_of
from ldap_workbench.fleet.summary import joined_bytes
from ldap_workbench.fleet.tables import tails
from ldap_workbench.fleet.worker import plan_request
from ldap_workbench.model.errors import UnknownHostKeyError
from ldap_workbench.model.progress import Cancel, no_progress
from ldap_workbench.servers.entry import digest_of_machine
from ldap_workbench.session.reader import Session
from tests.live.lab.fleet import FleetHost, fleet_hosts, write_hosts
from tests.unit.fleet.logs import log_of

NAMES = ("ldap1", "ldap2", "ldap3")
_MACHINE = Path("/etc/machine-id")
LOG = log_of(random.Random(1).choices(range(1, 16 * 500), k=3000))


@pytest.fixture(scope="module")
def running() -> Iterator[list[FleetHost]]:
    with fleet_hosts(NAMES) as hosts:
        for place, host in enumerate(hosts):
            cut = LOG.index(b"\n", len(LOG) * (place + 1) // 5) + 1
            _put(host, "access.20261121-000000", LOG[:cut])
            _put(host, "access", LOG[cut:])
        yield hosts


def _put(host: FleetHost, name: str, text: bytes) -> None:
    path = host.logs / name
    path.write_bytes(text)
    path.chmod(0o644)


@pytest.fixture
def hosts(
    running: list[FleetHost], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> list[FleetHost]:
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(engine, "PAUSE_S", 0.1)
    return running


def over_ssh(path: Path, size: int = 1 << 20, cancel: Cancel | None = None) -> Imported:
    return import_on_hosts(
        read_hosts(path), Secrets(), no_progress, Cancel() if cancel is None else cancel, size
    )


def joined(imported: Imported) -> dict[str, bytes]:
    servers = imported.outcome.summary.servers()
    return {name: joined_bytes(server) for name, server in servers.items()}


@pytest.mark.parametrize(
    ("size", "workers"),
    [
        pytest.param(1 << 30, 1, marks=pytest.mark.full),
        pytest.param(10_007, 1, marks=pytest.mark.full),
        (2_003, 3),
    ],
)
def test_hosts_give_the_bytes_that_this_machine_gives(
    hosts: list[FleetHost], tmp_path: Path, size: int, workers: int
) -> None:
    logs = {host.name: [host.logs] for host in hosts}
    here = import_here("local", logs, 2, None, no_progress, Cancel(), size=30_011)
    more = {host.name: {"workers": workers} for host in hosts}

    there = over_ssh(write_hosts(tmp_path / "hosts.toml", hosts, **more), size=size)

    assert there.outcome.failures == ()
    assert len(there.outcome.done) != len(here.outcome.done)
    assert joined(there) == joined(here)
    assert sorted(joined(there)) == sorted(NAMES)


def test_the_command(hosts: list[FleetHost], tmp_path: Path) -> None:
    path = write_hosts(tmp_path / "hosts.toml", hosts, ldap2={"port": 1})
    words = ["import", "--engine", f"ssh:{path}", "-o", str(tmp_path / "fleet"), "--json"]
    done = CliRunner().invoke(commands, [*words, "--yes"])
    assert done.exit_code == 1
    printed = json.loads(done.stdout)
    assert [each["server"] for each in printed["servers"]] == ["ldap1", "ldap3"]
    [missing] = printed["missing"]
    assert missing["what"] == "ldap2"
    assert "cannot be reached over SSH" in missing["why"]
    assert not (tmp_path / "fleet" / "operations").exists()


def test_a_key_that_nobody_vouches_for_is_refused(hosts: list[FleetHost], tmp_path: Path) -> None:
    path = write_hosts(tmp_path / "hosts.toml", hosts[:1], ldap1={"host_key": "SHA256:AAAA"})
    with pytest.raises(UnknownHostKeyError):
        start(read_hosts(path)[0], Secrets())
    found = over_ssh(path).outcome
    assert [failure.name for failure in found.failures] == ["ldap1"]
    assert "host key that is not known" in str(found.failures[0].why)
    assert not known_hosts_path().exists()


@pytest.mark.skipif(not _MACHINE.exists(), reason="this machine has no /etc/machine-id")
def test_a_host_that_is_another_machine_than_agreed_to_is_named(
    hosts: list[FleetHost], tmp_path: Path
) -> None:
    path = write_hosts(tmp_path / "hosts.toml", hosts[:2], ldap1={"machine": "machine:0123"})
    found = over_ssh(path).outcome
    assert [failure.name for failure in found.failures] == ["ldap1"]
    this = digest_of_machine(_MACHINE.read_text().strip())
    why = str(found.failures[0].why)
    assert (
        f"leads to another machine now, and its logs were not read: the host has the id {this}"
        in why
    )
    assert f"add machine = '{this}' to its table" in why
    assert {unit.host for unit in found.done} == {"ldap2"}
    assert this in (state_folder() / "fleet-machines").read_text()


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("/opt/nothing/ldap-workbench", "No such file"),
        pytest.param("/bin/true", "The worker ended: no reason given", marks=pytest.mark.full),
        pytest.param("/bin/echo", "The worker ended: fleet worker", marks=pytest.mark.full),
    ],
)
def test_a_host_without_the_program_is_named(
    hosts: list[FleetHost], tmp_path: Path, program: str, why: str
) -> None:
    path = write_hosts(tmp_path / "hosts.toml", hosts[:2], ldap1={"program": program})
    found = over_ssh(path).outcome
    assert [failure.name for failure in found.failures] == ["ldap1"]
    assert why in str(found.failures[0].why)
    assert {unit.host for unit in found.done} == {"ldap2"}


def test_logs_that_are_not_there_are_named(hosts: list[FleetHost], tmp_path: Path) -> None:
    path = write_hosts(tmp_path / "hosts.toml", hosts[:2], ldap1={"logs": ["/no/logs"]})
    found = over_ssh(path).outcome
    assert [str(failure.why) for failure in found.failures] == ["/no/logs does not exist."]


def test_the_worker_is_niced(hosts: list[FleetHost], tmp_path: Path) -> None:
    [host] = read_hosts(write_hosts(tmp_path / "hosts.toml", hosts[:1]))
    worker = start(host, Secrets())
    worker.ask(plan_request("ldap1", host.logs, 1 << 20))
    [process] = hosts[0].workers()
    assert os.getpriority(os.PRIO_PROCESS, process) == 19
    if shutil.which("ionice"):
        assert "idle" in subprocess.check_output(["ionice", "-p", str(process)], text=True)
    worker.close()
    _until(lambda: not hosts[0].workers())


def test_a_link_that_breaks_is_taken_up_again(hosts: list[FleetHost], tmp_path: Path) -> None:
    path = write_hosts(tmp_path / "hosts.toml", hosts[:1])
    expected = joined(over_ssh(path))

    broken = threading.Event()

    def breaks() -> None:
        _until(lambda: bool(hosts[0].workers()))
        hosts[0].sshd.drop_newest_link()
        broken.set()

    thread = threading.Thread(target=breaks)
    thread.start()
    found = over_ssh(path)
    thread.join()
    assert broken.is_set()
    assert found.outcome.failures == ()
    assert joined(found) == expected


@pytest.mark.parametrize(
    "ending", [".gz", *(pytest.param(e, marks=pytest.mark.full) for e in ("", ".xz", ".zst"))]
)
def test_an_hour_is_fetched_from_its_host(
    hosts: list[FleetHost], tmp_path: Path, ending: str
) -> None:
    packers = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": zstandard.compress}
    early, late = (LOG.replace(b"2026:02", b"2026:%02d" % hour) for hour in (11, 12))
    logs = tmp_path / "logs"
    logs.mkdir()
    _put(FleetHost("", hosts[0].sshd, logs), "access", early + late)
    _put(hosts[0], f"access.20261121-120000{ending}", packers.get(ending, bytes)(early + late))
    try:
        path = write_hosts(tmp_path / "hosts.toml", hosts)
        start_ns = 20_778 * 86_400 * 10**9 + 12 * 3600 * 10**9
        hour = Hour(hosts[0].name, start_ns, start_ns + 3600 * 10**9)
        made = []
        for place, source in enumerate(
            (HourSource(hour, hosts=path), HourSource(hour, [logs / "access"]))
        ):
            output = tmp_path / f"{place}.ldapwb"
            read_hour(source, output, Secrets(), no_progress, Cancel())
            with Session.open(output) as session:
                [window] = session.windows()
                made.append(session.operations(window).end_ns.tolist())
        assert made[0] == made[1]
        assert made[0]
        _until(lambda: not hosts[0].workers())
    finally:
        (hosts[0].logs / f"access.20261121-120000{ending}").unlink()


def test_cancel_ends_what_runs_on_the_hosts(hosts: list[FleetHost], tmp_path: Path) -> None:
    path = write_hosts(tmp_path / "hosts.toml", hosts)
    cancel = Cancel()
    thread = threading.Thread(
        target=lambda: (_until(lambda: bool(hosts[2].workers())), cancel.set())
    )
    thread.start()
    found = over_ssh(path, size=200, cancel=cancel)
    thread.join()
    assert found.outcome.cancelled
    for host in hosts:
        _until(lambda host=host: not host.workers())


def _until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_worst_hours_are_looked_at_over_ssh(hosts: list[FleetHost], tmp_path: Path) -> None:
    path = write_hosts(tmp_path / "hosts.toml", hosts)
    imported = over_ssh(path)
    fleet = fleet_of(imported.outcome, {}, here=False)
    rows = tails({name: server.counts for name, server in fleet.servers.items()})
    wanted = days_to_review(rows)
    done = review_hours(fleet, wanted, path, Secrets(), no_progress, Cancel())
    assert done.failures == ()
    assert sorted(review.server for review in done.reviews) == list(NAMES)
    assert any(review.findings for review in done.reviews)
    _until(lambda: not hosts[0].workers())
