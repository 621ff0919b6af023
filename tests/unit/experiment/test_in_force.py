"""What the settings of a change say now: read back, or recorded last, and never assumed."""

from contextlib import closing
from dataclasses import replace

import pytest

from ldap_workbench.experiment.in_force import (
    InForce,
    read_at_end,
    read_in_force,
    recorded_in_force,
)
from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.experiment import Experiment, State, Then
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests import sessions
from tests.unit.experiment.acting import LIMIT
from tests.unit.tuning.fakes import LDBM, FakeTarget

THREADS = Treatment((Setting("nsslapd-threadnumber", "24"),))


@pytest.fixture
def at_the_decision(stage):
    """What is read while the operator is asked; `meddle` comes before that."""

    def ask(design, meddle=lambda: None):
        answers = []

        def decide(_):
            meddle()
            now = read_in_force(stage.tuner, stage.experiment, deciding=True, now_s=0.0)
            stage.server.directory.broken = False
            answers.append([str(line) for line in now.lines])
            return Then.REVERT

        stage.run(stage.plan(design=design, then=Then.ASK), decide=decide)
        return answers[0]

    return ask


@pytest.mark.parametrize(("design", "value"), [("ab", "5000"), ("abba:1", "4000")])
def test_what_is_in_force_depends_on_the_last_window(at_the_decision, design, value):
    said, read = at_the_decision(design)
    assert (
        said == f"{LIMIT}: in force now: {value} IDs. Keep leaves 5000 IDs, Revert leaves 4000 IDs."
    )
    assert read.startswith("Read back from the server at 19"), "with its day, which is not today"
    assert read.endswith("(local time).")


def test_it_is_read_and_not_assumed(stage, at_the_decision):
    def meddle():
        stage.server.directory.entries[LDBM][LIMIT] = ("7777",)

    def mend():
        stage.server.directory.entries[LDBM][LIMIT] = ("4000",)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage.tuner, "revert", lambda *_, **__: mend() or [])
        said, _ = at_the_decision("ab", meddle)
    assert said.startswith(f"{LIMIT}: in force now: 7777 IDs.")


def test_a_server_that_does_not_answer_ends_nothing(stage, at_the_decision):
    def break_link():
        stage.server.directory.broken = True

    said, *_ = at_the_decision("ab", break_link)
    assert "The connection to the fake broke." in said
    assert stage.experiment.state is State.REVERTED


@pytest.fixture
def applied(monkeypatch, tmp_path):
    """A change that only a restart puts in force, as an experiment that has ended."""
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    target = FakeTarget()
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        group = tuner.apply(THREADS).group
        plan = replace(sessions._plan(sessions.np.random.default_rng(1), 6, 20, 1),
                       treatment=THREADS)  # fmt: skip
        yield tuner, Experiment(1, plan, State.KEPT, 12, change_groups=(group,))


def test_stored_and_in_force_are_two_things_before_a_restart(applied):
    said, _ = read_in_force(*applied, deciding=False).lines
    assert str(said) == (
        "nsslapd-threadnumber: in force now: 16 threads; stored: 24 threads. The change sets "
        "24 threads; before, it was 16 threads."
    )


def test_what_experiments_left_is_told_with_what_was_before_them(applied):
    tuner, _ = applied
    other = Setting("nsslapd-enable-upgrade-hash", "off")
    settings = (*THREADS.settings, other, *THREADS.settings)
    now = read_at_end(tuner, settings, {""}, now_ns=1_790_000_000 * 10**9)
    assert [str(line) for line in now.lines] == [
        "nsslapd-threadnumber: in force: 16 threads; stored: 24 threads. "
        "Before, it was 16 threads.",
        "Read back from the server at 2026-09-21 14:13:20.000 UTC.",
    ]
    assert read_at_end(tuner, settings, {"another"}, now_ns=0) == InForce()


def test_a_server_that_is_gone_at_the_end_is_said(applied, monkeypatch):
    tuner, _ = applied

    def gone(*_):
        raise ConnectError(Message("It is gone."))

    monkeypatch.setattr(tuner, "read", gone)
    [said] = read_at_end(tuner, THREADS.settings, {""}, now_ns=0).lines
    assert str(said) == "The values in force are not known: It is gone."


def test_an_experiment_that_wrote_nothing_has_nothing_to_say(applied):
    tuner, experiment = applied
    assert read_in_force(tuner, replace(experiment, change_groups=()), deciding=False) == InForce()
    assert recorded_in_force(replace(experiment, change_groups=()), [], None) == InForce()


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    path = sessions.build_experiment_session(
        tmp_path_factory.mktemp("recorded") / "e.ldapwb", seconds=2, per_second=10
    )
    with Session.open(path) as session:
        return session.experiments()[0], session.changes(), session.facts


def test_what_was_recorded_last_says_that_nobody_was_asked(recorded):
    cache, memory, read = map(str, recorded_in_force(*recorded).lines)
    assert cache == (
        "nsslapd-cache-autosize: recorded last: absent. The change sets 0 %; before, it was absent."
    )
    assert memory == (
        "nsslapd-cachememsize@userRoot: recorded last: 67108864 (64 MiB). The change sets "
        "268435456 (256 MiB); before, it was 67108864 (64 MiB)."
    )
    assert read.startswith("Recorded at 2026-11-20 08:")
    assert read.endswith(" UTC; the server was not asked.")


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (ChangeState.APPLIED, "recorded last: 0 %."),
        (ChangeState.KEPT, "recorded last: 0 %."),
        (ChangeState.REVERTING, "it was not recorded whether 0 % or absent is in force."),
        (ChangeState.CLOSED, "it was not recorded whether 0 % or absent is in force."),
    ],
)
def test_what_was_left_open_is_not_called_reverted(recorded, state, said):
    experiment, changes, facts = recorded
    last: Change = max(changes, key=lambda change: (change.updated_ns, -change.id))
    later = replace(last, state=state, updated_ns=last.updated_ns + 1)
    line = recorded_in_force(experiment, [*changes, later], facts, deciding=True).lines[0]
    assert str(line) == f"nsslapd-cache-autosize: {said} Keep leaves 0 %, Revert leaves absent."


def test_of_the_line_of_a_jvm_its_option_is_said(recorded):
    experiment, changes, facts = recorded
    setting = Setting("java-args.collector", "G1")
    plan = replace(experiment.plan, treatment=Treatment((setting,)))
    line = replace(
        changes[0],
        knob=setting.knob,
        dn="/ds/config/java.properties",
        attribute="start-ds.java-args",
        before=("-server -Dx=1",),
        asked=("-server -Dx=1 -XX:+UseG1GC",),
        got=("-server -Dx=1 -XX:+UseG1GC",),
        state=ChangeState.APPLIED,
    )
    said = recorded_in_force(
        replace(experiment, plan=plan), [line], replace(facts, product="OpenDJ")
    )
    assert str(said.lines[0]) == (
        "java-args.collector: recorded last: G1. The change sets G1; before, it was absent."
    )
