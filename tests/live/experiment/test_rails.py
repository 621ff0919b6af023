"""What ends an experiment before its plan does: too many errors, a bad tail, a server that is gone.

Whatever it was, the server is left as it was before, or the journal says what is still open.
"""

from __future__ import annotations

import math
import shlex
import sys
from contextlib import closing

import numpy as np
import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.experiment.run import ExperimentRun
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import ExperimentError
from ldap_workbench.model.experiment import State, Then
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.lessons import lesson
from tests.live.lab.steps import configured, workbench
from tests.unit.practice.simulated import simulate

SEARCHES = """
import sys
import ldap3
host, port, text = sys.argv[1:]
link = ldap3.Connection(ldap3.Server(host, int(port), get_info=ldap3.NONE), auto_bind=True)
while True:
    link.search("dc=example,dc=com", text, attributes=["1.1"])
"""
UPGRADE = "nsslapd-enable-upgrade-hash"
INTERVAL = Treatment((Setting("nsslapd-db-checkpoint-interval", "15"),))


@pytest.fixture
def unbuffered(served):
    """Each window is complete at once, so that an experiment takes seconds."""
    with configured(served, nsslapd_accesslog_logbuffering="off"):
        yield


@pytest.fixture
def practice(tmp_path):
    """Quick binds, which the change in question makes slow."""
    with lesson("rehash", 40, tmp_path / "home", settings={UPGRADE: "off"}) as taken:
        yield taken


@pytest.mark.clock("the window has to hold so many operations of a real load")
def test_too_many_errors_end_it_and_the_change_is_taken_back(server, served, unbuffered, tmp_path):
    """A size limit of 5 makes every search for ten people fail."""
    ProfileStore().add(server.profile)
    path, before = tmp_path / "s.ldapwb", server.ldif_of_config()
    searches = [sys.executable, "-c", SEARCHES, "127.0.0.1", str(server.port), server.ten_users]
    window = f"{2 * served.facts.clock_rate:g}"
    done = workbench(
        *("experiment", server.profile.name, "-o", str(path), "--set", "nsslapd-sizelimit=5"),
        *("--design", "ab", "--window", window, "--settle", "0", "--then", "keep", "--yes"),
        *("--load", shlex.join(searches), "--max-error-share", "0.005"),
    )
    assert done.returncode == 1, done.stdout
    assert "of the operations failed" in done.stderr
    assert "Traceback" not in done.stderr
    assert server.ldif_of_config() == before
    with closing(Journal()) as journal:
        assert [change.state for change in journal.changes()] == [ChangeState.REVERTED]
    with Session.open(path) as session:
        (ended,) = session.experiments()
        assert [session.window(n).arm for n in ended.windows] == ["A", "B"]
    assert ended.state is State.ABORTED
    assert "window B1" in str(ended.why)


@pytest.mark.clock("a measured p99 is compared with a limit")
def test_a_tail_beyond_its_limit_ends_it_in_the_first_treated_window(practice, tmp_path):
    """The limit lies between the two p99 the model has, so A must pass and B must not."""
    quick, slow = (p99_ns(switch) for switch in ("off", "on"))
    assert quick < slow / 2
    before = practice.configuration()
    limit = {"p99_ns": math.sqrt(quick * slow)}
    plan = practice.plan("abba:3", 20, f"{UPGRADE}=on", then=Then.KEEP, guards=limit)
    with pytest.raises(ExperimentError, match="p99 was"):
        practice.run(plan, tmp_path / "s.ldapwb")
    assert practice.configuration() == before
    with Session.open(tmp_path / "s.ldapwb") as session:
        (ended,) = session.experiments()
    assert ended.state is State.ABORTED
    assert len(ended.windows) == 2 < len(plan.steps)


def p99_ns(switch):
    return float(np.quantile(simulate("rehash", {UPGRADE: switch}, 300, seed=3).etime_ns, 0.99))


@pytest.fixture
def breaking(server, served, unbuffered, tmp_path):
    """An experiment in whose treated window the server breaks down."""

    def run(journal, started_again):
        def break_down(report):
            if "Measuring" in str(report.text) and not broken:
                broken.append(report)
                server.stop_server()
                if started_again:
                    server.start_server()

        broken = []
        window_s = 3 * served.facts.clock_rate
        plan = treated_first(window_s=window_s, repeats=0, patience_s=5)
        with SessionWriter.create(tmp_path / "s.ldapwb", served.facts) as writer:
            tuner = Tuner(served, journal)
            run = ExperimentRun(served, tuner, writer, plan, progress=break_down)
            with pytest.raises(ExperimentError, match="monitor broke off") as raised:
                run.run()
        assert run.experiment.state is State.ABORTED
        assert "window B1" in str(run.experiment.why)
        return tuner, raised.value

    return run


def treated_first(**options):
    """Six pairs whose coin begins with the treated window."""
    for seed in range(20):
        plan = make_plan(
            INTERVAL, parse_design("pairs:6"), seed=seed, settle_s=0, then=Then.KEEP, **options
        )
        if plan.steps[0].arm == "B":
            return plan
    raise AssertionError("no coin of twenty begins with B")


def test_a_server_that_broke_down_and_is_back_gets_its_value_back(server, breaking):
    before = server.ldif_of_config()
    with closing(Journal()) as journal:
        breaking(journal, started_again=True)
        assert [change.state for change in journal.changes()] == [ChangeState.REVERTED]
    assert server.ldif_of_config() == before


def test_a_server_that_is_gone_gets_its_value_back_when_it_answers_again(server, served, breaking):
    before = server.ldif_of_config()
    with closing(Journal()) as journal:
        try:
            tuner, said = breaking(journal, started_again=False)
            assert "is still in force is not known" in str(said.safe)
            assert "The journal keeps the change open" in str(said.safe)
            assert "What was measured so far is in the session." in str(said.safe)
            assert "revert" in str(said.remedy)
            assert len(journal.open_changes(server.profile.ldap_url)) == 1
        finally:
            server.start_server()
        served.reconnect()
        assert [change.state for change in tuner.recover()] == [ChangeState.REVERTED]
        assert journal.open_changes(server.profile.ldap_url) == []
    assert server.ldif_of_config() == before
