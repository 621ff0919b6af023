"""A session that is opened again: its verdict, its plan, and a change it has left in force."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import zstandard
from PySide6.QtCore import Qt

from ldap_workbench.figures.forms.experiment import ExperimentForm
from ldap_workbench.figures.overview.session_summary import describe_server
from ldap_workbench.gui.parts.widgets.consent import ConsentBox
from ldap_workbench.gui.screens.experiment.screen import CHANGE, DESIGN, VERDICT
from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.inference.significance.paired import pairs_asked_for, takes
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.experiment import State, Then
from ldap_workbench.model.knob import Setting
from ldap_workbench.model.message import Message
from ldap_workbench.model.verdict import Settling
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.locks import ServerTakenError
from ldap_workbench.tuning.tuner import Tuner
from tests import sessions
from tests.gui.conftest import idle, opened
from tests.unit.tuning.fakes import BDB, FakeTarget


@pytest.fixture
def screen(qtbot, window, session_file):
    return opened(qtbot, window, session_file, "experiment")


def go_to(qtbot, screen, step):
    qtbot.mouseClick(screen.stepper.bar.button(step), Qt.MouseButton.LeftButton)
    idle(qtbot, screen)
    assert screen.stepper.pages.currentIndex() == step


@pytest.mark.one_window
def test_the_verdict_is_there_again_with_its_chart(qtbot, screen):
    assert screen.stepper.bar.button(VERDICT).isEnabled()
    assert screen.stepper.step() == VERDICT, "what the session has to tell comes first"
    assert screen.verdict._verdict.heading.text().startswith(
        "Operations are 2.1 times faster: p50 "
    )
    assert "p50 fell" in screen.verdict.chart.reading()
    assert screen.verdict._metrics.rowCount() > 4
    table = screen.verdict._table
    told = range(screen.verdict._metrics.columnCount() - 1)
    assert all(table.columnWidth(c) >= table.sizeHintForColumn(c) for c in told), "all is read"
    assert "reverted" in screen.verdict._bar.heading.text()
    assert screen.verdict._again.isVisible()
    assert not screen.verdict._keep.isVisible()
    assert not screen.verdict._revert.isVisible()


@pytest.mark.one_window
def test_the_design_is_that_of_the_experiment(qtbot, window, screen):
    go_to(qtbot, screen, DESIGN)
    plan = window.workbench.opened.summary.experiment.plan
    form = screen.design.form()
    assert (form.design, form.pairs, form.window_s) == ("pairs", 6, 10.0)
    assert (form.primary, form.kind, form.load) == ("p50", "ALL", plan.load)
    assert form.max_error_percent == 1.0
    assert screen.design.plan().treatment == plan.treatment
    assert not screen.stepper.footer.start.isEnabled(), "nothing is connected"
    assert not screen.stepper.footer.back.isEnabled()
    assert screen.stepper.footer.why.text().startswith("Connect to a server")
    assert describe_server(window.workbench.opened.summary.facts) in screen._subtitle.toolTip()
    assert not window.undo.stack.canUndo(), "nobody has edited anything"


@pytest.mark.one_window
def test_a_session_without_an_experiment_has_no_verdict(qtbot, window, screen, capture_file):
    go_to(qtbot, screen, VERDICT)
    window.open_paths([capture_file])
    idle(qtbot, window)
    assert not screen.stepper.bar.button(VERDICT).isEnabled()
    assert not screen.stepper.bar.button(DESIGN).isEnabled()
    assert screen.stepper.step() == CHANGE
    assert screen._empty.isVisible(), "no server, and no experiment to look at"


@pytest.mark.one_window
def test_run_again_without_a_server_says_what_it_needs(qtbot, screen):
    go_to(qtbot, screen, VERDICT)
    with qtbot.waitSignal(screen.workbench.statusChanged) as told:
        qtbot.mouseClick(screen.verdict._again, Qt.MouseButton.LeftButton)
    assert "Connect to the server first" in told.args[0]


@pytest.fixture
def server(window):
    """A server that is none, connected to the window."""
    made = FakeTarget()
    bench = window.workbench
    bench.connection = Connection(made, Tuner(made, bench.journal.file(), load_catalogue()))
    made.close = made.directory.close
    made.now_ns = lambda: sessions.START_NS
    bench.connectionChanged.emit()
    return made


def test_run_again_takes_the_plan_but_not_the_coin(qtbot, window, server, session_file):
    screen = opened(qtbot, window, session_file, "experiment")
    run = window.workbench.opened.summary.experiment.plan
    screen.design._pairs.setValue(3)
    go_to(qtbot, screen, VERDICT)
    qtbot.mouseClick(screen.verdict._again, Qt.MouseButton.LeftButton)
    idle(qtbot, screen)
    assert screen.stepper.pages.currentIndex() == DESIGN
    again = screen.design.plan()
    assert again.treatment == run.treatment == screen.change.planned.treatment
    assert (again.primary, again.slo_ns, again.guards) == (run.primary, run.slo_ns, run.guards)
    assert len(again.steps) == len(run.steps)
    assert again.seed != run.seed
    assert screen.stepper.footer.start.isEnabled()


def test_a_plan_that_is_being_made_is_not_lost(qtbot, window, server, session_file):
    window.experiment.add_setting(Setting("nsslapd-idlistscanlimit", "8000"))
    idle(qtbot, window)
    window.experiment.design._pairs.setValue(11)
    screen = opened(qtbot, window, session_file, "experiment")
    assert screen.change.settings() == (Setting("nsslapd-idlistscanlimit", "8000"),)
    assert screen.design.form().pairs == 11
    assert screen.stepper.bar.button(VERDICT).isEnabled()


@pytest.fixture
def left_open(window, server, tmp_path):
    """A session whose experiment was left at its decision, with the change in force."""
    path = sessions.build_experiment_session(tmp_path / "open.ldapwb", seconds=10, per_second=60)
    group = window.workbench.connection.tuner.apply(sessions.TREATMENT).group
    with Session.open(path) as session:
        [experiment] = session.experiments()
    with SessionWriter.append(path) as writer:
        writer.put_experiment(replace(experiment, state=State.DECIDING, change_groups=(group,)))
    return path


def at_the_decision(qtbot, window, path):
    window.workbench.journal.reload()
    idle(qtbot, window)
    screen = opened(qtbot, window, path, "experiment")
    go_to(qtbot, screen, VERDICT)
    assert "Keep nsslapd-cache-autosize=0" in screen.verdict._bar.heading.text()
    return screen


@pytest.mark.one_window
def test_offline_the_last_values_are_recorded_ones_and_say_so(qtbot, screen):
    go_to(qtbot, screen, VERDICT)
    cache, memory, read = screen.verdict._in_force.text().splitlines()
    assert cache.startswith("nsslapd-cache-autosize: recorded last: absent.")
    assert memory.startswith("nsslapd-cachememsize@userRoot: recorded last: 67108864 (64 MiB).")
    assert read.endswith("the server was not asked.")


def test_the_values_of_an_open_change_are_read_from_its_server(qtbot, window, server, left_open):
    """Also what another administrator has made of them meanwhile."""
    server.directory.entries[BDB]["nsslapd-cache-autosize"] = ("10",)
    screen = at_the_decision(qtbot, window, left_open)
    idle(qtbot, window)
    cache, _, read = screen.verdict._in_force.text().splitlines()
    assert cache == (
        "nsslapd-cache-autosize: stored now: 10 %; what is in force cannot be read. "
        "Keep leaves 0 %, Revert leaves 25 %."
    )
    assert read.startswith("Read back from the server at ")


@pytest.mark.one_window
def test_a_run_that_asks_keeps_the_page_whatever_the_journal_says(qtbot, window, screen):
    """The session that is open has an experiment of its own, which has ended."""
    go_to(qtbot, screen, VERDICT)
    bench = window.workbench
    plan = bench.opened.summary.experiment.plan
    run = SimpleNamespace(experiment=None, plan=plan, path=None, sessions=frozenset())
    bench.running.begin(run, None, "lab", bench)
    screen.verdict.show_open(plan)
    bench.journal.changed.emit()
    assert screen.verdict._keep.isVisible()
    bench.running.end()
    idle(qtbot, window)
    assert not screen.verdict._keep.isVisible()


@pytest.fixture
def open_question(tmp_path):
    """A session of this very server whose verdict asks for more pairs, and how many."""
    path = sessions.build_experiment_session(tmp_path / "first.ldapwb", seconds=10, per_second=60)
    line = takes(np.array([0.3, -0.1, 0.25, 0.05, -0.2, 0.35]), 0.05)
    with Session.open(path) as session:
        [experiment] = session.experiments()
    primary = replace(experiment.verdict.primary, verdict="inconclusive", takes=line)
    verdict = replace(experiment.verdict, primary=primary)
    with SessionWriter.append(path) as writer:
        writer.put_experiment(replace(experiment, verdict=verdict))
    return path, pairs_asked_for(line, "p50")


def test_an_open_verdict_offers_more_pairs_with_how_long_they_take(
    qtbot, window, server, open_question
):
    path, pairs = open_question
    screen = opened(qtbot, window, path, "experiment")
    seed = window.workbench.opened.summary.experiment.plan.seed
    further = screen.verdict._further
    assert further.isVisible()
    assert further.text().replace("&", "") == f"Measure {pairs} more pairs ({pairs} min) …"
    qtbot.mouseClick(further, Qt.MouseButton.LeftButton)
    idle(qtbot, screen)
    assert screen.stepper.pages.currentIndex() == DESIGN
    plan = screen.design.plan()
    assert len(plan.steps) == 2 * pairs
    assert plan.seed != seed
    assert plan.treatment == screen.change.planned.treatment == sessions.TREATMENT
    assert str(plan.earlier[0]).startswith("Measured before in first.ldapwb, 6 pairs:")
    assert str(plan.earlier[0]) in screen.design.summary.text()
    assert screen.stepper.footer.start.isEnabled()
    screen.change.take((Setting("nsslapd-idlistscanlimit", "8000"),))
    idle(qtbot, screen)
    assert screen.design.plan().earlier == (), "of another change nothing was seen before"


@pytest.mark.one_window
def test_more_pairs_without_a_server_say_what_they_need(qtbot, window, open_question):
    screen = opened(qtbot, window, open_question[0], "experiment")
    with qtbot.waitSignal(screen.workbench.statusChanged) as told:
        qtbot.mouseClick(screen.verdict._further, Qt.MouseButton.LeftButton)
    assert "Connect to the server first" in told.args[0]


@pytest.mark.one_window
def test_a_verdict_that_answers_offers_no_more_pairs(screen):
    assert not screen.verdict._further.isVisible()


def test_a_change_whose_run_is_alive_elsewhere_is_nobodys_to_decide(qtbot, window, left_open):
    """Neither Keep nor Revert is offered; the page names the process."""
    screen = at_the_decision(qtbot, window, left_open)
    journal = window.workbench.journal
    change, *_ = journal.open_changes()
    taken = ServerTakenError(Message("Another workbench is running on it (process 7)."))
    journal.show_changes(journal.changes, {change.server: taken})
    page = screen.verdict
    assert not page._keep.isEnabled()
    assert not page._revert.isEnabled()
    assert page._bar.sentence.text() == (
        "Another workbench is running on it (process 7). It reverts its own changes when it ends."
    )
    journal.show_changes(journal.changes, {})
    assert page._revert.isEnabled()
    idle(qtbot, window)


def test_a_change_that_is_still_open_can_be_kept(qtbot, window, left_open):
    screen = at_the_decision(qtbot, window, left_open)
    qtbot.mouseClick(screen.verdict._keep, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    assert {change.state for change in window.workbench.journal.changes} == {ChangeState.KEPT}
    assert not screen.verdict._keep.isVisible()
    assert "no change is left open" in screen.verdict._bar.heading.text()


def test_a_change_that_is_still_open_can_be_reverted(qtbot, window, server, left_open, monkeypatch):
    monkeypatch.setattr(ConsentBox, "agreed", lambda self: True)
    screen = at_the_decision(qtbot, window, left_open)
    qtbot.mouseClick(screen.verdict._revert, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    assert server.directory.entries[BDB]["nsslapd-cache-autosize"] == ("25",)
    assert {change.state for change in window.workbench.journal.changes} == {ChangeState.REVERTED}
    assert not screen.verdict._revert.isVisible()


def test_without_its_server_an_open_change_waits(qtbot, window, left_open):
    window.workbench.disconnect_server()
    screen = at_the_decision(qtbot, window, left_open)
    assert not screen.verdict._keep.isEnabled()
    assert not screen.verdict._revert.isEnabled()
    assert "Connect to fake first" in screen.verdict._bar.sentence.text()


def test_a_form_of_a_plan_makes_that_plan_again():
    form = ExperimentForm(
        design="abba", pairs=8, window_s=400, trim_auto=True, kind="BIND", primary="p99",
        slo_ms=20, max_error_percent=2, max_p99_ms=500, then=Then.REVERT, seed=7, load="x",
        load_on_host=True, cold=True,
    )  # fmt: skip
    assert ExperimentForm.of(form.plan(sessions.TREATMENT, restart=True)) == form
    looks = ExperimentForm(pairs=9, looks="6, 8")
    assert ExperimentForm.of(looks.plan(sessions.TREATMENT, restart=False)) == looks


def test_the_parts_of_verdict_and_run_stay_as_they_were_shared(qtbot, window):
    verdict, run = window.experiment.verdict, window.experiment.run
    for split in (*verdict.splits, run.split):
        split.resize(800, 800)
        split.setSizes([500, 300])
        split.splitterMoved.emit(500, 1)
        kept = f"splitter {split.objectName()}"
        state = split.saveState()
        qtbot.waitUntil(
            lambda kept=kept, state=state: window.workbench.settings.bytes(kept) == state
        )
    window.actions_["reset"].trigger()
    assert window.workbench.settings.bytes("splitter run parts") != state


def test_each_step_is_dressed_when_it_is_first_seen(qtbot, session_file, window):
    screen = opened(qtbot, window, session_file, "experiment")
    pages = (screen.change, screen.design, screen.run, screen.verdict)
    seen = {screen.stepper.step()}
    for step in (DESIGN, VERDICT):
        go_to(qtbot, screen, step)
        seen.add(step)
        dressed = {n for n, page in enumerate(pages) if page.property("dressed_dark") is not None}
        assert dressed == seen


@pytest.fixture
def not_settled(tmp_path):
    """A session whose verdict asks for a longer wait."""
    path = sessions.build_experiment_session(tmp_path / "late.ldapwb", seconds=10, per_second=60)
    with Session.open(path) as session:
        [experiment] = session.experiments()
    settling = Settling(2.0, 0.9, 0.01, wait_s=180.0, trim_s=5.0)
    verdict = replace(
        experiment.verdict,
        primary=replace(experiment.verdict.primary, verdict="not settled"),
        details=replace(experiment.verdict.details, settling=settling),
    )
    with SessionWriter.append(path) as writer:
        writer.put_experiment(replace(experiment, verdict=verdict))
    return path


def test_run_again_after_a_verdict_that_had_not_settled_waits_as_it_asks(
    qtbot, not_settled, window, server
):
    screen = opened(qtbot, window, not_settled, "experiment")
    go_to(qtbot, screen, VERDICT)
    page = screen.verdict
    assert page._again.text() == "Rer&un with a longer wait …"
    assert page._again.property("role") == "primary"
    assert page._report.property("role") != "primary"
    assert not page._further.isVisible(), "more pairs would end too early again"
    qtbot.mouseClick(screen.verdict._again, Qt.MouseButton.LeftButton)
    idle(qtbot, screen)
    again = screen.design.plan()
    assert (again.settle_s, again.trim_s) == (180.0, 5.0)
    assert again.window_s == window.workbench.opened.summary.experiment.plan.window_s


@pytest.fixture
def judged_before(tmp_path):
    """A session that 0.1 called better, and that by today's rules has not settled."""
    path = tmp_path / "before.ldapwb"
    packed = (Path(__file__).parents[3] / "unit/packaging/from_0_1/experiment.ldapwb.zst").open(
        "rb"
    )
    with packed, path.open("wb") as file:
        zstandard.ZstdDecompressor().copy_stream(packed, file)
    return path


def test_a_verdict_of_earlier_rules_is_judged_again_and_says_what_it_was(
    qtbot, judged_before, window
):
    screen = opened(qtbot, window, judged_before, "experiment")
    go_to(qtbot, screen, VERDICT)
    band = screen.verdict._verdict
    assert band.heading.text() == "Not settled"
    assert "Judged better by ldap-workbench 0.1.0 when it was measured" in band.sentence.text()
    assert screen.verdict._again.text() == "Rer&un with a longer wait …"
    assert not screen.verdict._further.isVisible(), "more pairs would end as early"
    latency = opened(qtbot, window, judged_before, "tails")
    assert latency._band.heading.text() == "Not settled"
    assert "when it was measured" in latency._band.sentence.text()
