"""A canary in the window: checked, run, paused, decided, stopped, interrupted and gone on with."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox

from ldap_workbench.campaign import canary_run
from ldap_workbench.campaign.canary import CANARIES, Outcome
from ldap_workbench.gui.parts.widgets.consent import ConsentBox, PlainBox
from ldap_workbench.gui.screens.experiment.screen import VERDICT
from ldap_workbench.gui.screens.series.screen import PLAN, RESULT, RUN
from ldap_workbench.model.message import Message
from ldap_workbench.servers.replication import Agreement
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.gui.acting_replicas import act
from tests.gui.answers import BUTTONS_AND_ANSWERS
from tests.gui.conftest import idle, opened


@pytest.fixture
def play(qtbot, window, monkeypatch):
    """Two servers with profiles; every question whether to start is answered with yes."""
    window.asked = []
    monkeypatch.setattr(ConsentBox, "agreed", lambda box: bool(window.asked.append(box)) or True)
    return act(monkeypatch, window.workbench.profiles)


@pytest.fixture
def screen(qtbot, window, play, tmp_path):
    """The plan of a canary on both, not checked yet."""
    window.show_screen("canary")
    idle(qtbot, window)
    found = window.canary
    found.plan.replicas.tick("ds1", "ds2")
    found.plan.change.add("nsslapd-db-checkpoint-interval", "15")
    found.plan.blocks.setValue(6)
    found.plan.window_length.setValue(10)
    found.plan.set_path(tmp_path / "c.ldapwb")
    return found


def check(qtbot, window):
    window.canary.check()
    idle(qtbot, window)


def begin(qtbot, window, play, *, at=-1):
    """Start it, and wait until it waits in a window, or for a decision."""
    check(qtbot, window)
    play.waits_at = at
    window.canary.start()
    if at >= 0:
        qtbot.waitUntil(play.waiting.is_set)
        window.canary.execution._on_beat()


def told(page):
    return page._band.heading.text(), page._band.sentence.text()


def decide_next(qtbot, window):
    """Wait until somebody has to decide; whatever ended the run instead is told."""
    canary = window.canary.execution
    qtbot.waitUntil(lambda: canary.waits() or not canary.at_work())
    assert canary.waits(), window.error_bar.details()


def intervals(play):
    return [play.interval(name) for name in ("ds1", "ds2")]


def test_the_plan_names_what_is_missing_and_refuses_what_finds_nothing(qtbot, window, screen):
    page = screen.plan
    assert told(page)[0] == "Next: check the replicas"
    assert "6 blocks of 2 windows of 10 s" in told(page)[1]
    assert "The smallest change it detects in 8 of 10 canaries" in told(page)[1]
    assert not page.start.isEnabled()
    page.blocks.setValue(5)
    assert told(page)[0] == "This canary cannot start"
    assert "too few for a verdict with 2 replicas" in told(page)[1]
    page.blocks.setValue(6)
    page.replicas.tick("ds1")
    assert told(page)[0] == "Tick two replicas or more"
    assert not page.check.isEnabled()
    page.replicas.tick("ds1", "ds2")
    page.change.clear()
    assert told(page)[0] == "Choose what to try"


def test_a_check_tells_the_topology_and_what_would_change(qtbot, window, play, screen, monkeypatch):
    arrows = (
        Agreement("to-2", "dc=example", "ds2.example", 389),
        Agreement("to-3", "dc=example", "ds3.example", 636),
    )
    monkeypatch.setattr("ldap_workbench.campaign.canary.read_agreements", lambda *_: arrows)
    check(qtbot, window)
    page = screen.plan
    assert page.start.isEnabled()
    cells = page.replicas.table.model()
    assert cells.index(0, 2).data() == "to ds2.example:389, to ds3.example:636"
    assert "ds3.example:636 (no profile)" in page.replicas._others.text()
    page.change.add("nsslapd-db-checkpoint-interval", "20")  # what was checked is another change
    assert not page.start.isEnabled()


def test_a_baseline_that_shows_the_plan_hopeless_stands_against_it(
    qtbot, window, screen, monkeypatch
):
    from ldap_workbench.gui.screens.canary import plan_page
    from ldap_workbench.model.errors import UsageError

    def hopeless(*_):
        raise UsageError(Message("Found in 3 % of such canaries."), remedy=Message("More blocks."))

    check(qtbot, window)
    page = screen.plan
    assert page.start.isEnabled()
    monkeypatch.setattr(plan_page, "foresee_canary", hopeless)
    page.baseline.setText("base.ldapwb")
    page.baseline.editingFinished.emit()
    qtbot.waitUntil(lambda: told(page)[0] == "This canary cannot start")
    assert "Found in 3 % of such canaries." in told(page)[1]
    assert not page.start.isEnabled()


def test_a_canary_runs_to_its_verdict_and_is_kept_on_all_replicas(
    qtbot, window, play, screen, tmp_path, monkeypatch
):
    begin(qtbot, window, play)
    decide_next(qtbot, window)
    [box] = window.asked
    assert "ds1: nsslapd-db-checkpoint-interval: 60 s → 15 s" in box.informativeText()
    assert "ds2: nsslapd-db-checkpoint-interval: 60 s → 15 s" in box.informativeText()
    for index in range(12):  # in every window one of them has the change, and one only
        assert sum(treated for i, _, treated in play.measured if i == index) == 1
    assert screen.step() == RESULT
    assert "48 % less time" in screen.result.verdict.heading.text()
    assert screen.result.bars.isVisible()
    assert screen.result.keep.isVisible()
    in_force = screen.result.in_force
    assert in_force.isVisible()
    assert in_force.text().count("Read back from the server at ") == 2
    qtbot.keyClick(screen.result.keep, Qt.Key.Key_Space)
    idle(qtbot, window)
    assert intervals(play) == ["15", "15"]
    assert CANARIES.of(tmp_path / "c.ldapwb").outcome is Outcome.KEPT
    said = "nsslapd-db-checkpoint-interval: in force: 15 s. Before, it was 60 s. Read back from "
    assert [line[: len(said) + 5] for line in in_force.text().split("\n")] == [
        f"ds1: {said}", f"ds2: {said}",
    ]  # fmt: skip
    assert "in force on all replicas" in screen.result.band.heading.text()
    assert "| ds2 | ldap://ds2.example:389 |" in (tmp_path / "c.md").read_text().replace("\\", "")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "again.md"), ""))
    screen.result.report.click()
    idle(qtbot, window)
    assert (tmp_path / "again.md").read_text() == (tmp_path / "c.md").read_text()


def test_an_answer_of_revert_puts_every_replica_back(qtbot, window, play, screen):
    begin(qtbot, window, play)
    decide_next(qtbot, window)
    screen.result.undo.click()
    idle(qtbot, window)
    assert intervals(play) == ["60", "60"]
    assert "ds2: nsslapd-db-checkpoint-interval: in force: 60 s." in screen.result.in_force.text()
    assert "The change was reverted" in screen.result.band.heading.text()
    assert not screen.result.keep.isVisible()


def test_the_run_shows_each_replica_its_arm_and_how_far_it_is_behind(qtbot, window, play, screen):
    begin(qtbot, window, play, at=2)
    page = screen.run
    assert screen.step() == RUN
    canary = screen.execution.latest.canary.plan.windows[2][1]
    assert f"Window 3 of 12, block 2 of 6: ds{canary + 1}" in page.band.heading.text()
    assert "Ends at about" in page.band.sentence.text()
    assert "p = 0.4 after the last block" in page.band.sentence.text()
    rows = screen.execution.latest.replicas()
    assert [row.treated for row in rows] == [canary == 0, canary == 1]
    assert (rows[0].lag_s, rows[1].lag_s, rows[1].distance_s) == (0.0, 2.0, 3.0)
    lag, distance, peak = screen.execution.latest.feed.strips()
    assert [str(line.label) for line in lag.lines] == ["ds1", "ds2"]
    assert (str(distance.title), peak.duration) == ("CSN distance", True)
    assert len(page.table.model().rows) == 2
    play.go_on.set()


def test_a_pause_rests_with_all_replicas_as_they_were(qtbot, window, play, screen):
    begin(qtbot, window, play, at=1)
    screen.run._pause.click()
    assert "Pauses after this window" in screen.run.band.sentence.text()
    play.go_on.set()
    pause = screen.execution.latest.pause
    qtbot.waitUntil(lambda: pause.resting)
    screen.execution._on_beat()
    assert screen.run.band.heading.text() == "Paused"
    assert intervals(play) == ["60", "60"]
    assert len(screen.execution.latest.canary.windows) == 2
    screen.run._pause.click()
    decide_next(qtbot, window)
    screen.result.undo.click()
    idle(qtbot, window)


def agreeing(box):
    """The button that stops."""
    return next(each for each in box.buttons() if "Stop" in each.text())


@pytest.mark.parametrize("way", ["page", "journal", "status bar"])
def test_whoever_stops_it_is_asked_and_all_replicas_are_put_back(
    qtbot, window, play, screen, tmp_path, monkeypatch, way
):
    begin(qtbot, window, play, at=3)
    assert "15" in intervals(play)
    idle_but_canary(qtbot, window)
    boxes = []
    monkeypatch.setattr(PlainBox, "exec", lambda box: boxes.append(box))
    monkeypatch.setattr(QMessageBox, "clickedButton", agreeing)
    if way == "page":
        screen.run._stop.click()
    elif way == "journal":
        window.navigation.revert_all()
    else:
        window.statusBar().jobs._on_cancel()
    idle(qtbot, window)
    [box] = boxes
    assert "The canary on ds1, ds2 is running" in box.text()
    assert intervals(play) == ["60", "60"]
    assert CANARIES.of(tmp_path / "c.ldapwb").outcome is Outcome.ABORTED
    assert "aborted" in screen.result.band.heading.text()


def test_a_harmful_canary_only_suggests_that_it_is_worse(qtbot, window, play, screen):
    play.harm_p, play.word = 0.01, "suggests worse"
    begin(qtbot, window, play)
    decide_next(qtbot, window)
    assert len(screen.execution.latest.canary.windows) == 2
    assert "suggests" in screen.result.verdict.heading.text().lower()
    screen.result.undo.click()
    idle(qtbot, window)
    assert intervals(play) == ["60", "60"]


def crashed(qtbot, window, play, monkeypatch):
    """As after kill -9 in a window: a change in force, the state as it was last stored."""
    begin(qtbot, window, play, at=3)
    with monkeypatch.context() as killed:  # nothing of ours runs any more
        killed.setattr(canary_run.CanaryRun, "_abort", lambda self, error: error)
        window.canary.execution._job.cancel()
        idle(qtbot, window)
    play.waits_at = -1
    play.measured.clear()
    window.show_screen("tests")
    window.show_screen("canary")
    idle(qtbot, window)


def test_an_interrupted_canary_goes_on_with_the_window_it_was_in(
    qtbot, window, play, screen, tmp_path, monkeypatch
):
    crashed(qtbot, window, play, monkeypatch)
    assert "15" in intervals(play)
    screen.go_to(RESULT)
    assert "interrupted after 3 of 12 windows" in screen.result.band.sentence.text()
    screen.result.resume.click()
    decide_next(qtbot, window)
    assert min(index for index, _, _ in play.measured) == 3
    screen.result.undo.click()
    idle(qtbot, window)
    assert intervals(play) == ["60", "60"]


def test_an_interrupted_canary_can_be_ended_with_all_replicas_as_before(
    qtbot, window, play, screen, tmp_path, monkeypatch
):
    crashed(qtbot, window, play, monkeypatch)
    screen.go_to(RESULT)
    screen.result.revert.click()
    idle(qtbot, window)
    assert intervals(play) == ["60", "60"]
    assert CANARIES.of(tmp_path / "c.ldapwb").outcome is Outcome.ABORTED
    assert not screen.result.resume.isVisible()


@BUTTONS_AND_ANSWERS
def test_whoever_goes_on_is_asked_about_replicas_that_do_not_say_who_they_are(
    qtbot, window, play, screen, monkeypatch, button, yes
):
    """With the words of the command, for each; what is in force stays where the answer is no."""
    for server in play.servers.values():
        server.facts = replace(server.facts, identity="")
    crashed(qtbot, window, play, monkeypatch)
    asked = []

    def agreed(box):
        asked.append(box.text())
        return yes or "still the server" not in box.text()

    monkeypatch.setattr(ConsentBox, "agreed", agreed)
    screen.go_to(RESULT)
    getattr(screen.result, button).click()
    if yes and button == "resume":
        decide_next(qtbot, window)
        screen.result.undo.click()
    idle(qtbot, window)
    questions = [text for text in asked if "still the server" in text]
    first = "Is ldap://ds1.example:389 still the server it was begun on?"
    assert questions == ([first, first.replace("ds1", "ds2")] if yes else [first])
    assert ("15" in intervals(play)) is not yes
    refused = "Only the URL says which server was changed" in window.error_bar.heading.text()
    assert refused is not yes


def test_in_read_only_mode_nothing_starts(qtbot, window, play, screen, monkeypatch):
    check(qtbot, window)
    window.workbench.set_read_only(True)
    assert not screen.plan.start.isEnabled()
    assert "Read-only mode is on" in told(screen.plan)[1]
    screen.start()
    idle(qtbot, window)
    assert not window.asked
    assert not screen.running()
    assert not play.measured
    window.workbench.set_read_only(False)
    assert screen.plan.start.isEnabled()


def test_a_server_that_is_another_one_by_now_is_refused(qtbot, window, play, screen):
    check(qtbot, window)
    other = play.servers["ds2"]
    other.facts = replace(other.facts, identity="389ds:elsewhere")
    screen.start()
    idle(qtbot, window)
    assert "leads to another server now" in window.error_bar.heading.text()
    assert not play.measured


def test_without_two_servers_the_screen_says_what_it_needs(qtbot, window):
    window.show_screen("canary")
    idle(qtbot, window)
    assert window.canary._empty.isVisible()


def test_its_own_key_leads_to_the_screen(qtbot, window, play):
    window.navigation.refresh()
    window.actions_["show canary"].trigger()
    idle(qtbot, window)
    assert window.current_screen().name == "canary"
    assert window.canary.step() == PLAN


def test_the_band_of_open_changes_is_silent_about_what_the_canary_reverts(
    qtbot, window, play, screen
):
    begin(qtbot, window, play, at=3)
    window.workbench.journal.reload()
    idle_but_canary(qtbot, window)
    assert window.workbench.journal.open_changes()
    assert not window.bands.alert.isVisible()
    play.go_on.set()


@pytest.fixture
def replica_file(session_file, tmp_path):
    """The session of one replica of a finished canary."""
    path = tmp_path / "c-ds2.ldapwb"
    path.write_bytes(session_file.read_bytes())
    with Session.open(path) as session:
        stored = session.experiments()[-1]
    plan = replace(stored.plan, design=replace(stored.plan.design, kind="canary"))
    verdict = replace(stored.verdict, design="crossover:2x6")
    with SessionWriter.append(path) as writer:
        writer.put_experiment(replace(stored, plan=plan, verdict=verdict))
    return path


def test_the_session_of_a_replica_shows_the_verdict_without_a_server(replica_file, qtbot, window):
    found = opened(qtbot, window, replica_file, "experiment")
    assert found.stepper.step() == VERDICT
    assert "times faster" in found.verdict._verdict.heading.text()
    bars = found.verdict.bars.numbers()
    assert {"A, controls", "B, canary"} <= {str(row[0]) for row in bars.rows}


def idle_but_canary(qtbot, window):
    qtbot.waitUntil(lambda: [job.key for job in window.workbench.runner.jobs] == ["canary"])
