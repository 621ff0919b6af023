"""Workers: what fails is tried again, named, and never missing in silence."""

from __future__ import annotations

import sys

import pytest

from ldap_workbench.fleet.engine import ATTEMPTS, Worker, local_worker, run
from ldap_workbench.fleet.mapping import summarise
from ldap_workbench.fleet.summary import Summary
from ldap_workbench.fleet.units import plan
from ldap_workbench.model.progress import Cancel
from tests.unit.fleet.logs import log_of


@pytest.fixture
def servers(tmp_path):
    """Two servers, the log of one of which cannot be read to its end."""
    folders = {name: tmp_path / name for name in ("ldap1", "ldap2")}
    for folder in folders.values():
        folder.mkdir()
    log = log_of([17, 3, 9] * 40)
    (folders["ldap1"] / "access").write_bytes(log)
    (folders["ldap2"] / "access").write_bytes(log)
    return folders


def test_workers_give_what_the_function_gives(servers, tmp_path):
    units = plan(servers, size=4096).units
    assert len(units) > 4

    found = run(units, local_worker, 2, tmp_path / "operations")

    assert found.failures == ()
    expected = Summary.total([summarise(unit) for unit in units])
    assert found.summary.to_bytes() == expected.to_bytes()
    assert {path.parent.name for path in tmp_path.glob("operations/*/*.parquet")} == {
        "host=ldap1",
        "host=ldap2",
    }


def test_a_file_that_fails_is_named_and_the_others_are_read(servers):
    units = plan(servers).units
    (servers["ldap2"] / "access").unlink()
    started = []

    def start() -> Worker:
        started.append(1)
        return local_worker()

    found = run(units, start, 1)

    assert [failure.unit.host for failure in found.failures] == ["ldap2"]
    assert "No such file" in str(found.failures[0].why)
    assert [unit.host for unit in found.done] == ["ldap1"]
    assert list(found.summary.servers()) == ["ldap1"]
    assert len(started) == ATTEMPTS


def test_a_worker_that_dies_is_replaced(servers):
    commands = [[sys.executable, "-c", "import sys; sys.exit('out of memory')"]]

    def start() -> Worker:
        return Worker(commands.pop()) if commands else local_worker()

    found = run(plan(servers).units, start, 1)

    assert found.failures == ()
    assert sorted(unit.host for unit in found.done) == ["ldap1", "ldap2"]


def test_what_a_dying_worker_said_is_kept(servers):
    command = [sys.executable, "-c", "import sys; sys.exit('out of memory')"]

    found = run(plan(servers).units[:1], lambda: Worker(command), 1)

    assert "out of memory" in str(found.failures[0].why)


def test_cancel_ends_workers_that_never_answer(servers):
    cancel = Cancel()
    cancel.set()
    command = [sys.executable, "-c", "import time; time.sleep(600)"]

    found = run(plan(servers).units, lambda: Worker(command), 2, cancel=cancel)

    assert found.cancelled
    assert found.done == found.failures == ()


def test_a_whole_unit_has_no_end(servers):
    whole = plan(servers).units[0]
    assert (whole.host, whole.begin, whole.end, whole.whole) == ("ldap1", 0, -1, True)
