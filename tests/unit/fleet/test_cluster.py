"""The same function on a Dask cluster of this machine, where Dask is installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
import tomli_w

from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.fleet.excerpts import Hour
from ldap_workbench.fleet.hosts import read_hosts
from ldap_workbench.fleet.hour import HourSource, read_hour
from ldap_workbench.fleet.importing import import_here, import_on_hosts
from ldap_workbench.fleet.summary import joined_bytes
from ldap_workbench.model.errors import ConnectError, LogError, UsageError
from ldap_workbench.model.progress import Cancel, no_progress
from tests.unit.fleet.logs import log_of

LOG = log_of([17, *[3, 9, 5, 11, 14, 1, 6, 25] * 60])
HOUR_NS = 3600 * 10**9
TWO = 20_778 * 24 * HOUR_NS + 2 * HOUR_NS
"""21 November 2026, two o'clock UTC, when the log was written."""


@pytest.fixture
def logs(tmp_path):
    for name in ("ldap1", "ldap2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "access").write_bytes(LOG)
    return {name: [tmp_path / name] for name in ("ldap1", "ldap2")}


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: extra [dask]")
    os.environ["DASK_DISTRIBUTED__WORKER__DAEMON"] = "False"
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, protocol="tcp"
    ) as running:
        yield running


def address_of(cluster) -> str:
    return cluster.scheduler_address.replace("tcp://", "dask://")


def joined(imported) -> dict[str, bytes]:
    servers = imported.outcome.summary.servers()
    return {name: joined_bytes(server) for name, server in servers.items()}


def read(engine, logs, parts=None, size=2000, cancel=None):
    return import_here(
        engine, logs, 1, parts, no_progress, Cancel() if cancel is None else cancel, size
    )


@pytest.fixture
def apart(cluster, logs, tmp_path):
    """The same logs where the workers see them and this machine does not; the file of hosts."""
    cluster.get_client().run(os.chdir, str(tmp_path))
    tables = {
        name: {"cluster": address_of(cluster), "logs": f"/proc/self/cwd/{name}"} for name in logs
    }
    assert not any(Path(table["logs"]).exists() for table in tables.values())
    (tmp_path / "hosts.toml").write_text(tomli_w.dumps({"hosts": tables}))
    return tmp_path / "hosts.toml"


def test_logs_that_only_the_workers_see_are_read_by_them(logs, apart):
    found = import_on_hosts(read_hosts(apart), Secrets(), no_progress, Cancel(), 7001)
    assert found.outcome.failures == ()
    assert joined(found) == joined(read("local", logs))


def test_an_hour_of_such_logs_opens_as_a_session(logs, apart, tmp_path):
    assert LOG.count(b"[21/Nov/2026:02:") > 100
    hour = Hour("ldap2", TWO, TWO + HOUR_NS)
    done = [
        read_hour(source, tmp_path / f"{name}.ldapwb", Secrets(), no_progress, Cancel())
        for name, source in (
            ("here", HourSource(hour, logs["ldap2"])),
            ("there", HourSource(hour, hosts=apart)),
        )
    ]
    here, there = ([each.samples for each in imported.sources] for imported in done)
    assert here == there != [0]


def test_an_hour_of_which_nothing_is_there_says_why(apart, tmp_path):
    source = HourSource(Hour("ldap2", 0, HOUR_NS), hosts=apart)
    with pytest.raises(LogError, match="holds nothing of this hour"):
        read_hour(source, tmp_path / "none.ldapwb", Secrets(), no_progress, Cancel())
    assert not (tmp_path / "none.ldapwb").exists()


FULL = pytest.mark.full


@pytest.mark.parametrize(
    "size", [pytest.param(1 << 30, marks=FULL), 7001, pytest.param(1009, marks=FULL)]
)
def test_a_cluster_gives_the_bytes_that_this_machine_gives(cluster, logs, tmp_path, size):
    found = read(address_of(cluster), logs, tmp_path / "operations", size)
    assert found.outcome.failures == ()
    assert joined(found) == joined(read("local", logs, size=20_011))
    assert list((tmp_path / "operations").glob("host=ldap2/*.parquet"))


def test_a_file_that_fails_there_is_named(cluster, logs):
    def lost(report):
        Path(logs["ldap2"][0] / "access").unlink(missing_ok=True)

    Path(logs["ldap1"][0] / "access").write_bytes(LOG * 3)
    found = import_here(address_of(cluster), logs, 1, None, lost, Cancel(), 2000)
    assert found.outcome.failures
    assert all("ldap2" in failure.name for failure in found.outcome.failures)
    assert "No such file" in str(found.outcome.failures[0].why)


@pytest.mark.full  # five seconds to start another; the local engine's has a test in every run
def test_a_worker_that_dies_is_survived(cluster, logs):
    killed = []

    def kill(report):
        if not killed:
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], 9)

    found = import_here(address_of(cluster), logs, 1, None, kill, Cancel(), 2000)
    assert found.outcome.failures == ()
    assert killed


def test_cancel(cluster, logs):
    cancel = Cancel()
    stop = lambda _: cancel.set()  # noqa: E731
    found = import_here(address_of(cluster), logs, 1, None, stop, cancel, 300)
    assert found.outcome.cancelled
    assert found.outcome.failures == ()


def test_a_scheduler_that_is_not_there_is_named(cluster, logs, monkeypatch):
    monkeypatch.setattr("ldap_workbench.fleet.cluster._PATIENCE_S", 1)
    with pytest.raises(ConnectError, match="cannot be used"):
        read("dask://127.0.0.1:1", logs)


def test_without_dask_the_extra_is_named(logs, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"ldap-tuning-workbench\[dask\]"):
        read("dask://127.0.0.1:8786", logs)
