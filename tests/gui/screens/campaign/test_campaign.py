"""A campaign in the window: its plan, its run, stopped, interrupted and gone on with."""

import threading
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from PySide6.QtWidgets import QFileDialog

from ldap_workbench.campaign.run import CampaignRun
from ldap_workbench.campaign.state import CAMPAIGNS, Fate, Stage, new_campaign
from ldap_workbench.experiment import experiment_job as jobs
from ldap_workbench.gui.parts.widgets.consent import ConsentBox
from ldap_workbench.gui.screens.campaign.screen import CampaignExecution
from ldap_workbench.gui.screens.experiment.run_page import clock
from ldap_workbench.gui.screens.series.screen import PLAN, RESULT, RUN
from ldap_workbench.model.experiment import Experiment, State, Then
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Progress
from ldap_workbench.model.verdict import MetricVerdict, Verdict
from tests.gui.answers import BUTTONS_AND_ANSWERS
from tests.gui.conftest import idle
from tests.gui.fake_server import Server, connect
from tests.unit.tuning.fakes import BDB, CONFIG, FACTS

GOOD, NOTHING_BETTER = "nsslapd-db-checkpoint-interval=15", "nsslapd-enable-upgrade-hash=off"


class Trial:
    """An ExperimentRun that applies its treatment; the checkpoint interval is better, else not.

    One whose treatment is `waits_at` waits until it is cancelled, with its change in force.
    """

    waits_at = ""
    waiting = threading.Event()

    def __init__(self, target, tuner, writer, plan, *, progress, cancel, hours=None, **_) -> None:
        self._tuner, self._writer, self._tell, self._cancel = tuner, writer, progress, cancel
        self._plan, self._hours = plan, hours
        self.experiment = Experiment(1, plan, State.CHECKING, 0)
        self.verdict = None

    def run(self) -> Experiment:
        name = str(self._plan.treatment)
        if self._hours:
            self._hours.wait(60, self._tell, self._cancel)
        applied = self._tuner.apply(self._plan.treatment, session=str(self._writer.path))
        self._tell(Progress(Message("Measuring")))
        if name == self.waits_at:
            self._wait(applied.group)
        better = GOOD in name
        primary = MetricVerdict(
            "slo", "better" if better else "inconclusive",
            ratio=0.5 if better else 1.1, low=0.4, high=0.6 if better else 1.3, p=0.001, n_pairs=12,
        )  # fmt: skip
        verdict = Verdict(primary, {"slo": primary}, True, NOTHING, "pairs:12", Message("x"))
        kept = better and self._plan.then is Then.KEEP_IF_BETTER
        changes = self._tuner.keep(applied.group) if kept else self._tuner.revert(applied.group)
        state = State.KEPT if kept else State.REVERTED
        self.experiment = Experiment(
            1, self._plan, state, step=24, verdict=verdict, change_groups=(applied.group,)
        )
        for change in changes:
            self._writer.put_change(change)
        self._writer.put_experiment(self.experiment)
        return self.experiment

    def _wait(self, group: str) -> None:
        self.waiting.set()
        try:
            while True:
                self._cancel.check()
                threading.Event().wait(0.01)
        finally:
            self._tuner.revert(group)
            self.experiment = replace(self.experiment, state=State.ABORTED)
            self._writer.put_experiment(self.experiment)


@pytest.fixture
def server(qtbot, window, monkeypatch):
    monkeypatch.setattr(jobs, "ExperimentRun", Trial)
    monkeypatch.setattr(ConsentBox, "agreed", lambda box: bool(window.asked.append(box)) or True)
    window.asked = []
    made = Server(replace(FACTS, identity="389ds:here"))
    connect(window, made)
    idle(qtbot, window)
    window.show_screen("campaign")
    idle(qtbot, window)
    return made


@pytest.fixture
def screen(qtbot, window, server, tmp_path):
    """The screen with two treatments in its queue."""
    for text in (NOTHING_BETTER, GOOD):
        window.campaign.queue.queue.add(text)
        idle(qtbot, window)
    window.campaign.queue.set_path(tmp_path / "c.ldapwb")
    return window.campaign


def begin(qtbot, window):
    window.campaign.start()
    idle(qtbot, window)


def waiting_at(qtbot, window, monkeypatch, treatment):
    """A campaign whose experiment on a treatment is at work, with its change in force."""
    monkeypatch.setattr(Trial, "waits_at", treatment)
    monkeypatch.setattr(Trial, "waiting", threading.Event())
    window.campaign.start()
    qtbot.waitUntil(Trial.waiting.is_set)


def interval(server):
    return server.directory.entries[BDB]["nsslapd-db-checkpoint-interval"]


def test_the_plan_says_what_it_costs_and_refuses_one_that_finds_nothing(qtbot, window, screen):
    page = screen.queue
    assert "2 experiments and a confirmation" in page._band.sentence.text()
    assert page.start.isEnabled()
    page.budget.setValue(0.1)
    assert page._band.heading.text() == "This campaign cannot start"
    assert "does not hold one experiment" in page._band.sentence.text()
    assert not page.start.isEnabled()
    page.budget.setValue(8)
    card = page.queue
    card.ladder.setChecked(True)  # levels and treatments do not mix
    assert not card.candidates
    card.add("nsslapd-db-checkpoint-interval=10,15,30,120")
    idle(qtbot, window)
    assert len(card.candidates) == 4
    assert page.plan().rounds == (6, 12)


def test_a_limit_of_the_lag_watches_the_replicas_that_are_named(qtbot, window, screen, monkeypatch):
    watched = []

    @contextmanager
    def watch(target, names, limit_s, connect):
        watched.append((target, names, limit_s))
        yield "the watch"

    monkeypatch.setattr("ldap_workbench.gui.screens.campaign.screen.watch_replicas", watch)
    lags = []
    run = CampaignRun.__init__
    monkeypatch.setattr(
        CampaignRun, "__init__", lambda *args, lag, **how: lags.append(lag) or run(*args, **how)
    )
    page = screen.queue
    page.lag.limit.setValue(30)
    assert page._band.heading.text() == "This campaign cannot start"
    assert "needs a replica" in page._band.sentence.text()
    page.lag.replicas.setText("ds2, ds3")
    page.lag.replicas.editingFinished.emit()
    assert page.plan().trial.guards == {"lag_s": 30.0}
    begin(qtbot, window)
    [(target, names, limit_s)] = watched
    assert (target, names, limit_s) == (
        window.workbench.connection.target,
        ("ds2", "ds3"),
        30.0,
    )
    assert lags == ["the watch"]


def test_a_campaign_that_goes_on_has_the_limits_of_its_own_plan(
    qtbot, window, screen, tmp_path, monkeypatch
):
    begun = []
    monkeypatch.setattr(
        CampaignExecution, "begin", lambda _, campaign, replicas=(): begun.append(replicas)
    )
    page, connection = screen.queue, window.workbench.connection
    unlimited = page.plan()
    page.lag.limit.setValue(30)
    page.lag.replicas.setText("ds2")
    page.lag.replicas.editingFinished.emit()
    limited = page.plan()

    def go_on(plan, names):
        page.lag.replicas.setText(names)
        campaign = new_campaign(plan, connection.target, connection.tuner, tmp_path / "c.ldapwb")
        monkeypatch.setattr(
            "ldap_workbench.gui.screens.campaign.screen.resumable", lambda *_: campaign
        )
        screen.resume(campaign)
        idle(qtbot, window)

    go_on(unlimited, "ds2")
    go_on(limited, "ds2")
    assert begun == [(), ("ds2",)]
    screen.go_to(RESULT)
    go_on(limited, "")
    assert len(begun) == 2
    assert screen.step() == PLAN


def test_a_campaign_runs_to_its_end_and_is_there_the_next_day(
    qtbot, window, server, screen, tmp_path, monkeypatch
):
    begin(qtbot, window)
    [box] = window.asked
    assert "nsslapd-db-checkpoint-interval: 60 s → 15 s" in box.informativeText()
    assert screen.step() == RESULT
    assert interval(server) == ("15",)
    assert server.directory.entries[CONFIG]["nsslapd-enable-upgrade-hash"] == ("on",)
    assert "Confirmed on fresh windows" in screen.result.band.heading.text()
    nothing_better, good, read = screen.result.in_force.text().split("\n")
    assert nothing_better == "nsslapd-enable-upgrade-hash: in force: on. Before, it was on."
    assert good == "nsslapd-db-checkpoint-interval: in force: 15 s. Before, it was 60 s."
    assert read.startswith("Read back from the server at 20")
    assert screen.result.in_force.isVisible()
    fates = [row.entry.fate for row in screen.result.table.rows.rows]
    assert fates == [Fate.REVERTED, Fate.KEPT, Fate.KEPT]
    pdf = "ldap_workbench.gui.screens.campaign.screen.print_pdf"
    monkeypatch.setattr(pdf, lambda html, path: path.write_text(html))
    for name in ("c.html", "c.pdf", "c.md"):
        monkeypatch.setattr(
            QFileDialog, "getSaveFileName", lambda *_, n=name: (str(tmp_path / n), "")
        )
        screen.result.report.click()
        idle(qtbot, window)
        assert "nsslapd-db-checkpoint-interval" in (tmp_path / name).read_text().replace("\\", "")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path / "change"))
    screen.result.change.click()
    idle(qtbot, window)
    written = {path.name for path in (tmp_path / "change").iterdir()}
    assert {"apply.ldif", "undo.ldif", "apply-dsconf.sh", "undo-ansible.yml"} <= written
    window.workbench.disconnect_server()
    idle(qtbot, window)
    assert screen.step() == RESULT
    assert not screen.result.resume.isVisible()


def test_a_stopped_campaign_leaves_the_server_as_it_was(
    qtbot, window, server, screen, tmp_path, monkeypatch
):
    window.campaign.queue.queue._put(reversed(window.campaign.queue.queue.candidates))
    before = {dn: dict(entry) for dn, entry in server.directory.entries.items()}
    waiting_at(qtbot, window, monkeypatch, NOTHING_BETTER)
    assert interval(server) == ("15",)  # it stayed, and is the baseline of the one at work
    screen.execution._on_beat()
    assert screen.step() == RUN
    assert "Experiment 2 of 2; 1 kept so far" in screen.run._where.text()
    assert "ends at about" in screen.run._end.text()
    screen.run.trial._pause.click()
    assert screen.execution.latest.pause.wanted
    screen.run.trial._pause.click()
    assert not screen.execution.latest.pause.wanted
    screen.stop()
    idle(qtbot, window)
    assert server.directory.entries == before
    assert not window.workbench.connection.tuner.open_changes()
    assert CAMPAIGNS.of(tmp_path / "c.ldapwb").stage is Stage.STOPPED
    assert screen.result.band.heading.text().startswith("The campaign was stopped.")
    assert [str(row.state) for row in screen.result.table.rows.rows] == [
        "kept, then reverted", "stopped and reverted",
    ]  # fmt: skip


def test_a_campaign_outside_its_hours_says_when_it_goes_on_and_ends(
    qtbot, window, server, screen, monkeypatch
):
    start = datetime.now().astimezone() + timedelta(hours=2)
    screen.queue.hours.setText(f"{start:%H:%M}-{start + timedelta(hours=6):%H:%M}")
    screen.start()
    band = screen.run.trial._band
    said = "Waiting for the allowed hours"
    qtbot.waitUntil(lambda: band.heading.text() == said)
    assert f"goes on at {clock(start.timestamp())} (local time)" in band.sentence.text()
    ends = datetime.strptime(
        screen.run._end.text().partition("ends at about ")[2], "%Y-%m-%d %H:%M (local time)."
    ).astimezone()
    trial = screen.execution.latest.trial
    assert ends > datetime.fromtimestamp(trial.ends_s()).astimezone() > start
    assert f"ends at about {clock(trial.ends_s())}" in band.sentence.text()
    screen.stop()
    idle(qtbot, window)
    assert said not in band.heading.text()


def test_an_interrupted_campaign_goes_on(qtbot, window, server, screen, tmp_path, monkeypatch):
    waiting_at(qtbot, window, monkeypatch, NOTHING_BETTER)
    screen.execution._job.cancel()  # as when the window closes
    idle(qtbot, window)
    monkeypatch.setattr(Trial, "waits_at", "")
    assert not CAMPAIGNS.of(tmp_path / "c.ldapwb").ended
    screen.go_to(RESULT)
    assert screen.result.resume.isEnabled()
    screen.result.resume.click()
    idle(qtbot, window)
    assert interval(server) == ("15",)
    assert "Confirmed on fresh windows" in screen.result.band.heading.text()


def test_an_interrupted_campaign_goes_on_with_its_own_server_only(
    qtbot, window, server, screen, monkeypatch
):
    waiting_at(qtbot, window, monkeypatch, NOTHING_BETTER)
    screen.execution._job.cancel()
    idle(qtbot, window)
    monkeypatch.setattr(Trial, "waits_at", "")
    connect(window, Server(replace(FACTS, identity="389ds:elsewhere")))
    idle(qtbot, window)
    screen.go_to(RESULT)
    assert not screen.result.resume.isEnabled()
    assert not screen.result.revert.isEnabled()
    assert "Connect to it to go on or to revert." in screen.result.band.sentence.text()
    connect(window, server)
    idle(qtbot, window)
    assert screen.result.resume.isEnabled()
    assert "Connect to it" not in screen.result.band.sentence.text()


@BUTTONS_AND_ANSWERS
def test_whoever_goes_on_is_asked_about_a_server_that_does_not_say_who_it_is(
    qtbot, window, screen, tmp_path, monkeypatch, button, yes
):
    """With the words of the command; only the URL says that it is the server of before."""
    unknown = Server(replace(FACTS, identity=""))
    connect(window, unknown)
    idle(qtbot, window)
    screen.queue.queue.add(NOTHING_BETTER)
    idle(qtbot, window)
    screen.queue.set_path(tmp_path / "c.ldapwb")
    waiting_at(qtbot, window, monkeypatch, NOTHING_BETTER)
    screen.execution._job.cancel()
    idle(qtbot, window)
    monkeypatch.setattr(Trial, "waits_at", "")
    asked = []

    def agreed(box):
        asked.append(box.text())
        return yes or "still the server" not in box.text()

    monkeypatch.setattr(ConsentBox, "agreed", agreed)
    getattr(screen.result, button).click()
    idle(qtbot, window)
    assert "Is ldap://fake.example:389 still the server it was begun on?" in asked
    assert CAMPAIGNS.of(tmp_path / "c.ldapwb").ended is yes
    refused = "Only the URL says which server was changed" in window.error_bar.heading.text()
    assert refused is not yes


def test_a_campaign_that_begins_is_asked_no_such_question(qtbot, window, screen, tmp_path):
    connect(window, Server(replace(FACTS, identity="")))
    idle(qtbot, window)
    screen.queue.queue.add(NOTHING_BETTER)
    idle(qtbot, window)
    screen.queue.set_path(tmp_path / "c.ldapwb")
    begin(qtbot, window)
    assert CAMPAIGNS.of(tmp_path / "c.ldapwb").ended
    assert not [box for box in window.asked if "still the server" in box.text()]


def test_a_campaign_never_writes_over_a_file(qtbot, window, screen, tmp_path):
    (tmp_path / "c.ldapwb").write_text("mine")
    begin(qtbot, window)
    assert not window.asked
    assert (tmp_path / "c.ldapwb").read_text() == "mine"
    assert not screen.running()


def test_its_title_is_that_of_the_series_that_is_shown(qtbot, window, screen):
    begin(qtbot, window)
    assert screen.step() == RESULT
    several, levels = screen.heading(), "Levels of one setting"
    assert several != levels
    screen.go_to(PLAN)
    screen.queue.queue.ladder.setChecked(True)
    assert screen.heading() == levels
    for step in (RUN, RESULT):
        screen.go_to(step)
        assert screen.heading() == several, "the queue that ran"
    screen.go_to(PLAN)
    assert screen.heading() == levels
