"""What is said of the server when an experiment breaks off is true, whatever became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.experiment.aftermath import (
    IN_SESSION,
    NOT_IN_SESSION,
    Aftermath,
    kept_in_force,
    put_back,
)
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.model.change import AS_BEFORE, ChangeState
from ldap_workbench.model.errors import (
    CancelledError,
    ChangeError,
    ExperimentError,
    SessionError,
    WorkbenchError,
)
from ldap_workbench.model.experiment import Plan
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.progress import no_progress
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.tuning.fakes import CONFIG, FACTS, FakeTarget

HASH = "nsslapd-enable-upgrade-hash"


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeTarget:
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    return FakeTarget(facts=replace(FACTS, simulated=True))  # all that it shows is stored


@pytest.fixture
def tuner(target: FakeTarget) -> Iterator[Tuner]:
    """With the treatment in force."""
    journal = Journal()
    tuner = Tuner(target, journal)
    tuner.patience_s = 0.0
    tuner.apply(Treatment((Setting(HASH, "off"),)))
    yield tuner
    tuner.close()
    journal.close()


@pytest.fixture
def plan() -> Plan:
    treatment = Treatment((Setting(HASH, "off"),))
    return make_plan(treatment, parse_design("ab"), window_s=1, seed=1)


def after(tuner: Tuner, plan: Plan, restart: Callable[[], None] | None = None) -> Aftermath:
    return put_back(tuner, plan, "lab", progress=no_progress, restart=restart)


def in_force(target: FakeTarget) -> bool:
    return target.directory.entries[CONFIG][HASH] == ("off",)


def test_it_was_put_back(target: FakeTarget, tuner: Tuner, plan: Plan) -> None:
    told = after(tuner, plan)
    assert (told.server, told.as_before, in_force(target)) == (AS_BEFORE, True, False)
    assert [change.knob for change in told.changes] == [HASH]


def test_there_was_nothing_to_put_back(target: FakeTarget, tuner: Tuner, plan: Plan) -> None:
    tuner.put_back()
    told = after(tuner, plan)
    assert (told.server, told.as_before, told.changes) == (AS_BEFORE, True, [])


def test_the_journal_could_not_be_told(
    target: FakeTarget, tuner: Tuner, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise ChangeError("The journal cannot be used: disk full.")

    monkeypatch.setattr(tuner.journal, "update", full)
    told = after(tuner, plan)
    assert told.as_before
    assert not in_force(target)
    assert "the journal could not be written" in str(told.server)
    assert "ldap-workbench revert lab --all. It only closes the entries." in str(told.remedy)


def test_the_journal_cannot_even_be_read(
    target: FakeTarget, tuner: Tuner, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is to be put back is known from memory."""

    def gone(*_: object, **__: object) -> None:
        raise ChangeError("The journal cannot be used: input/output error.")

    for name in ("update", "open_changes"):
        monkeypatch.setattr(tuner.journal, name, gone)
    told = after(tuner, plan)
    assert told.as_before
    assert not in_force(target)
    assert "the journal could not be written" in str(told.server)


def test_the_server_does_not_answer(
    target: FakeTarget, tuner: Tuner, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(target, "reconnect", lambda: None)
    target.directory.broken = True
    told = after(tuner, plan)
    assert in_force(target)
    assert not told.as_before
    assert str(told.server).startswith(f"Whether {HASH}=off is still in force is not known")
    assert "revert lab --all" in str(told.remedy)
    target.directory.broken = False
    assert [change.state for change in tuner.open_changes()] == [ChangeState.APPLIED]


def test_somebody_else_has_set_it_since(target: FakeTarget, tuner: Tuner, plan: Plan) -> None:
    target.directory.entries[CONFIG][HASH] = ("perhaps",)
    told = after(tuner, plan)
    assert target.directory.entries[CONFIG][HASH] == ("perhaps",)
    assert not told.as_before
    assert "may still be in force, for it could not be put back" in str(told.server)
    assert "another administrator has changed it since" in str(told.server)


def test_a_fault_of_ours_is_no_promise(
    target: FakeTarget, tuner: Tuner, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble() -> None:
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(tuner, "open_changes", stumble)
    told = after(tuner, plan)
    assert in_force(target)
    assert not told.as_before
    assert "may still be in force" in str(told.server)


def test_it_works_until_the_next_restart(target: FakeTarget, tuner: Tuner, plan: Plan) -> None:
    def no_command() -> None:
        raise ExperimentError("There is no restart command.")

    told = after(tuner, plan, no_command)
    assert not in_force(target)
    assert not told.as_before
    assert "stays in force until the server is restarted: There is no" in str(told.server)
    assert str(told.remedy) == "Restart the server."


def test_it_was_kept(plan: Plan) -> None:
    assert str(kept_in_force(plan).server) == f"{HASH}=off was kept and is in force."


@pytest.mark.parametrize("session", [IN_SESSION, NOT_IN_SESSION])
def test_the_server_is_told_first_then_the_session_then_what_to_do(session: str) -> None:
    error = SessionError("No room.", safe="All is well.", remedy="Make room.")
    told = Aftermath("The server burns.", "Run.", as_before=False).explain(error, session)
    assert told is error
    assert str(told) == f"No room. The server burns. {session} Run. Make room."


def test_a_cancel_that_left_the_server_changed_is_no_cancel() -> None:
    """The window says of a cancelled experiment that its change was reverted."""
    cancelled = CancelledError("Cancelled.")
    assert Aftermath(AS_BEFORE).explain(cancelled, IN_SESSION) is cancelled
    told = Aftermath("It burns.", "Run.", as_before=False).explain(cancelled, IN_SESSION)
    assert isinstance(told, WorkbenchError)
    assert not isinstance(told, CancelledError)
    assert str(told) == f"Cancelled. It burns. {IN_SESSION} Run."


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), MemoryError(), RuntimeError("x")])
def test_what_is_no_error_of_ours_carries_it_as_a_note(fault: BaseException) -> None:
    assert Aftermath(AS_BEFORE).explain(fault, IN_SESSION) is fault
    assert fault.__notes__ == [f"{AS_BEFORE} {IN_SESSION}"]
