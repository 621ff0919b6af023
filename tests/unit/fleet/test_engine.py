"""Workers: what fails is tried again, named, and never missing in silence."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace

import pytest

from ldap_workbench import __version__
from ldap_workbench.connect.children import module_command
from ldap_workbench.connect.conversation import LocalConversation
from ldap_workbench.fleet import engine
from ldap_workbench.fleet.answers import Talker, Worker, local_worker
from ldap_workbench.fleet.engine import ATTEMPTS, Pool, run
from ldap_workbench.fleet.mapping import summarise
from ldap_workbench.fleet.summary import Summary
from ldap_workbench.fleet.units import plan
from ldap_workbench.logs.reading.archives import Opened
from ldap_workbench.model.errors import ConnectError, LogError
from ldap_workbench.model.message import Message
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


def logs_of(folders):
    return {name: Opened([folder]) for name, folder in folders.items()}


def test_workers_give_what_the_function_gives(servers, tmp_path):
    units = plan(logs_of(servers), size=4096).units
    assert len(units) > 4

    found = run([Pool(units, local_worker, 2)], tmp_path / "operations")

    assert found.failures == ()
    expected = Summary.total([summarise(unit) for unit in units])
    assert found.summary.to_bytes() == expected.to_bytes()
    assert {path.parent.name for path in tmp_path.glob("operations/*/*.parquet")} == {
        "host=ldap1",
        "host=ldap2",
    }


def test_a_file_that_fails_is_named_and_the_others_are_read(servers):
    units = plan(logs_of(servers)).units
    (servers["ldap2"] / "access").unlink()
    started = []

    def start() -> Worker:
        started.append(1)
        return local_worker()

    found = run([Pool(units, start, 1)])

    assert [failure.name for failure in found.failures] == [units[1].name]
    assert "No such file" in str(found.failures[0].why)
    assert [unit.host for unit in found.done] == ["ldap1"]
    assert list(found.summary.servers()) == ["ldap1"]
    assert len(started) == ATTEMPTS


def test_a_worker_that_dies_is_replaced(servers):
    commands = [[sys.executable, "-c", "import sys; sys.exit('out of memory')"]]

    def start() -> Worker:
        return Talker(LocalConversation(commands.pop())) if commands else local_worker()

    found = run([Pool(plan(logs_of(servers)).units, start, 1)])

    assert found.failures == ()
    assert sorted(unit.host for unit in found.done) == ["ldap1", "ldap2"]


def test_what_a_dying_worker_said_is_kept(servers):
    command = [sys.executable, "-c", "import sys; sys.exit('out of memory')"]

    found = run(
        [Pool(plan(logs_of(servers)).units[:1], lambda: Talker(LocalConversation(command)), 1)]
    )

    assert "out of memory" in str(found.failures[0].why)


def test_cancel_ends_workers_that_never_answer(servers):
    cancel = Cancel()
    cancel.set()
    command = [sys.executable, "-c", "import time; time.sleep(600)"]

    found = run(
        [Pool(plan(logs_of(servers)).units, lambda: Talker(LocalConversation(command)), 2)],
        cancel=cancel,
    )

    assert found.cancelled
    assert found.done == found.failures == ()


def test_a_whole_unit_has_no_end(servers):
    whole = plan(logs_of(servers)).units[0]
    assert (whole.host, whole.begin, whole.end, whole.whole) == ("ldap1", 0, -1, True)


@pytest.fixture
def soon(monkeypatch):
    monkeypatch.setattr(engine, "PAUSE_S", 0.01)


def refuse() -> Worker:
    raise ConnectError(Message("ldap2 cannot be reached."))


def test_a_host_that_is_down_is_named_and_the_others_are_read(servers, soon):
    first, second = plan(logs_of(servers)).units
    units = [replace(second, place=place) for place in range(50)]

    found = run([Pool([first], local_worker, 1), Pool(units, refuse, 3)])

    assert {str(failure.why) for failure in found.failures} == {"ldap2 cannot be reached."}
    assert len(found.failures) == 50
    assert found.done == (first,)


def test_a_host_that_restarts_its_sshd_is_tried_again(servers, soon):
    starts = [refuse]

    def start() -> Worker:
        return starts.pop()() if starts else local_worker()

    found = run([Pool(plan(logs_of(servers)).units, start, 1)])

    assert found.failures == ()
    assert len(found.done) == 2


def test_workers_that_start_do_the_work_of_those_that_do_not(servers, soon):
    allowed = [local_worker]
    lock = threading.Lock()

    def start() -> Worker:
        with lock:
            chosen = allowed.pop() if allowed else refuse
        return chosen()

    units = plan(logs_of(servers), size=4096).units
    found = run([Pool(units, start, 3)])

    assert found.failures == ()
    assert sorted(each.name for each in found.done) == sorted(each.name for each in units)


def test_a_fault_of_ours_is_no_failure_of_a_log(servers):
    def start() -> Worker:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run([Pool(plan(logs_of(servers)).units, start, 1)])


def test_cancel_does_not_wait_for_a_login(servers):
    cancel, began, seen = Cancel(), threading.Event(), threading.Event()
    waited_for = []

    def start() -> Worker:
        began.set()
        waited_for.append(not seen.wait(60))
        raise ConnectError(Message("ldap1 cannot be reached."))

    threading.Thread(target=lambda: began.wait() and cancel.set()).start()
    found = run([Pool(plan(logs_of(servers)).units, start, 1)], cancel=cancel)
    assert waited_for == [], "the login was over before the cancelled run"
    seen.set()
    assert found.cancelled


def test_every_part_is_told(servers):
    told = []
    run([Pool(plan(logs_of(servers)).units, local_worker, 1)], progress=told.append)
    assert [each.fraction for each in told] == [0.5, 1.0]
    assert "ldap" in str(told[0].text)


BUSY = """
import sys
input()
for _ in range(3):
    print("{}", flush=True)
print('{"version": "VERSION", "why": {"template": "The disk is gone."}}', flush=True)
""".replace("VERSION", __version__)


def test_a_worker_that_is_at_work_is_waited_for(servers):
    command = [sys.executable, "-c", BUSY]
    units = plan(logs_of(servers)).units[:1]
    found = run([Pool(units, lambda: Talker(LocalConversation(command)), 1)])
    assert [str(each.why) for each in found.failures] == ["The disk is gone."]


def test_a_worker_of_another_version_is_named(servers):
    command = [sys.executable, "-c", BUSY.replace(__version__, "0.0.9")]
    units = plan(logs_of(servers)).units[:1]
    found = run([Pool(units, lambda: Talker(LocalConversation(command)), 1)])
    assert "has version 0.0.9" in str(found.failures[0].why)


def test_a_worker_ends_with_who_asked(servers):
    conversation = LocalConversation(module_command("ldap_workbench.fleet.worker"))
    conversation._input.close()
    assert conversation._process.wait(60) == 0
    conversation.end()


def test_a_worker_that_ended_before_it_was_asked_is_named_by_what_it_said():
    conversation = LocalConversation(["/bin/echo", "no such command"])
    conversation._process.wait()
    with pytest.raises(LogError, match="The worker ended: no such command"):
        Talker(conversation).ask(b"a request\n")
    conversation.end()


def test_a_worker_that_takes_no_request_is_silent(monkeypatch):
    conversation = LocalConversation(["true"])

    def full(_):
        raise TimeoutError

    monkeypatch.setattr(conversation, "send", full)
    with pytest.raises(LogError, match="The worker ended: it is silent"):
        Talker(conversation).ask(b"a request\n")
    assert conversation._process.poll() is not None
