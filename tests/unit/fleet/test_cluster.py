"""The same function on a Dask cluster of this machine, where Dask is installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ldap_workbench.fleet.importing import import_here
from ldap_workbench.fleet.summary import joined_bytes
from ldap_workbench.model.errors import ConnectError, UsageError
from ldap_workbench.model.progress import Cancel, no_progress
from tests.unit.fleet.logs import log_of

LOG = log_of([17, *[3, 9, 5, 11, 14, 1, 6, 25] * 60])


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


@pytest.mark.parametrize("size", [1 << 30, 7001, 1009])
def test_a_cluster_gives_the_bytes_that_this_machine_gives(cluster, logs, tmp_path, size):
    found = read(address_of(cluster), logs, tmp_path / "operations", size)
    assert found.outcome.failures == ()
    assert joined(found) == joined(read("local", logs, size=20_011))
    assert list((tmp_path / "operations").glob("host=ldap2/*.parquet"))


def test_a_file_that_fails_there_is_named(cluster, logs):
    def lost(report):
        Path(logs["ldap2"][0] / "access").unlink(missing_ok=True)

    Path(logs["ldap1"][0] / "access").write_bytes(LOG * 3)
    found = import_here(address_of(cluster), logs, 1, None, lost, Cancel(), 500)
    assert found.outcome.failures
    assert all("ldap2" in failure.name for failure in found.outcome.failures)
    assert "No such file" in str(found.outcome.failures[0].why)


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
