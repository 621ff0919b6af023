"""One window of an experiment: what it is called, how it is reported, and what runs beside it."""

from dataclasses import replace

import pytest

from ldap_workbench.experiment import measuring
from ldap_workbench.experiment.aftermath import insisted
from ldap_workbench.experiment.run import ExperimentRun
from ldap_workbench.experiment.seat import differences, in_short
from ldap_workbench.experiment.settings import remember_settings
from ldap_workbench.model.errors import ConnectError, ExperimentError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Cancel, Progress
from ldap_workbench.model.window import SourceKind, SourceState, Window
from ldap_workbench.session.writer import SessionWriter
from tests.unit.experiment.acting import LIMIT, THREADS_24


def test_a_window_is_reported_as_its_share_of_all(stage, monkeypatch):
    def capture(target, writer, plan, *, progress, cancel, on_live):
        progress(Progress(Message("Sampling")))
        progress(Progress(Message("Half"), 0.5))
        return stage.windows(
            target, writer, plan, progress=progress, cancel=cancel, on_live=on_live
        )

    monkeypatch.setattr(measuring, "capture", capture)
    steps = []
    plan = stage.plan(design="abba:1")
    with SessionWriter.create(stage.path, stage.server.facts) as writer:
        ExperimentRun(stage.server, stage.tuner, writer, plan, progress=steps.append).run()
    assert [
        (str(step.text), step.fraction) for step in steps if str(step.text).startswith("Window")
    ] == [
        ("Window 1 of 4 (arm A): Sampling", 0.0),
        ("Window 1 of 4 (arm A): Half", 0.125),
        ("Window 2 of 4 (arm B): Sampling", 0.25),
        ("Window 2 of 4 (arm B): Half", 0.375),
        ("Window 3 of 4 (arm B): Sampling", 0.5),
        ("Window 3 of 4 (arm B): Half", 0.625),
        ("Window 4 of 4 (arm A): Sampling", 0.75),
        ("Window 4 of 4 (arm A): Half", 0.875),
    ]


def test_windows_are_called_after_their_arm_and_pair(stage):
    stage.run(stage.plan(design="abba:1"))
    assert [(w.name, w.arm, w.pair) for w in stage.windows_stored()] == [
        ("A1", "A", 0),
        ("B1", "B", 0),
        ("B2", "B", 1),
        ("A2", "A", 1),
    ]


class Loads:
    """Acts for Load, and remembers what it was given and which are running."""

    def __init__(self):
        self.given = []
        self.running = 0
        self.ended_early = NOTHING

    def __call__(self, command, seconds, shell, endpoint):
        self.given.append((command, seconds, shell, endpoint))
        return self

    def __enter__(self):
        self.running += 1
        return self

    def __exit__(self, *_):
        self.running -= 1


@pytest.fixture
def loads(monkeypatch):
    loads = Loads()
    monkeypatch.setattr(measuring, "Load", loads)
    return loads


def test_a_load_runs_in_each_window_alone_and_two_minutes_longer_at_most(stage, loads):
    running = []
    stage.windows.during = {number: lambda: running.append(loads.running) for number in (1, 2)}
    stage.run(replace(stage.plan(load="bench"), settle_s=0.01))
    assert loads.given == [("bench", pytest.approx(0.01 + 10 + 120), None, None)] * 2
    assert running == [1, 1]
    assert loads.running == 0


def test_a_load_of_the_host_has_a_link_of_its_own(stage, loads, monkeypatch):
    monkeypatch.setattr(stage.server, "another_shell", lambda: "a shell")
    stage.run(stage.plan(load="bench", load_on_host=True))
    assert [shell for _, _, shell, _ in loads.given] == ["a shell"] * 2


def test_a_load_that_stops_by_itself_ends_the_experiment_and_is_ended_after_an_error(stage, loads):
    loads.ended_early = Message("the load command ended with status 3")
    error = stage.fails(stage.plan(load="bench"))
    assert isinstance(error, ExperimentError)
    assert "During window A1 the load command ended with status 3." in str(error.what)
    assert "{seconds} in the command" in str(error.remedy)
    assert loads.running == 0


def test_the_wait_after_a_change_is_of_the_servers_clock(stage, monkeypatch):
    waited = []

    class Waiting(Cancel):
        def wait(self, seconds):
            waited.append(seconds)
            return False

    stage.server.facts = replace(stage.server.facts, clock_rate=60.0)
    stage.run(replace(stage.plan(), settle_s=30), cancel=Waiting())
    assert waited == [0.5, 0.5]
    assert stage.said.count("Waiting 30 s after the change") == 2


def test_a_page_cache_is_dropped_before_each_window_where_the_plan_says_so(stage, monkeypatch):
    drops = []

    class Cache:
        def __init__(self, target, journal, *, session):
            assert session == str(stage.path)

        def check(self):
            drops.append("check")

        def drop(self):
            drops.append("drop")

    monkeypatch.setattr(measuring, "PageCache", Cache)
    stage.run(stage.plan(cold=True))
    assert drops == ["check", "drop", "drop"]
    assert stage.marks().count("page cache") == 2
    assert stage.said.count("Dropping the page cache of the server's host") == 2


def test_without_that_no_cache_is_dropped(stage):
    stage.run()
    assert "page cache" not in stage.marks()


def remembered(stage, tuner):
    with SessionWriter.create(stage.path, stage.server.facts) as writer:
        writer.put_window(Window(1, "w", 0, 10))
        return remember_settings(writer, tuner, Window(1, "w", 0, 10))


def test_settings_of_a_window_are_those_that_could_be_read(stage):
    source = remembered(stage, stage.tuner)
    assert (source.kind, source.state) == (SourceKind.CONFIG, SourceState.COMPLETE)
    settings = source.details["settings"]
    assert settings[LIMIT] == "4000"
    assert source.samples == len(settings) > 5
    assert None not in settings.values()


def test_a_server_that_is_gone_leaves_a_window_without_its_settings(stage, monkeypatch):
    def gone():
        raise ConnectError(Message("It is gone."))

    monkeypatch.setattr(stage.tuner, "readings", gone)
    source = remembered(stage, stage.tuner)
    assert (source.state, str(source.why)) == (SourceState.FAILED, "It is gone.")
    assert source.details == {}


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, ""), (1, "c0"), (3, "c0, c1, c2"), (4, "c0, c1, c2, and 1 more")],
)
def test_changes_of_others_are_named_up_to_three(count, said):
    changes = [Message("{name}", name=f"c{number}") for number in range(count)]
    assert str(in_short(changes)) == said


def test_values_in_another_order_are_no_change_and_one_that_comes_or_goes_is():
    before = {("cn=a", "x"): ("1", "2"), ("cn=a", "y"): ("1",), ("cn=b", "x"): ("1",)}
    after = {("cn=a", "x"): ("2", "1"), ("cn=a", "z"): ("1",), ("cn=b", "x"): ("3",)}
    assert [str(each) for each in differences(before, after)] == [
        "y of cn=a: 1, now absent",
        "z of cn=a: absent, now 1",
        "x of cn=b: 1, now 3",
    ]
    assert differences(before, before) == []


def test_who_stops_twice_learns_how_long_it_takes(stage):
    said = str(insisted(replace(stage.plan(), patience_s=45)))
    assert "The server is put back first." in said
    assert "45 s at most" in said


def test_a_server_without_a_restart_command_is_restarted_by_its_operator(stage, monkeypatch):
    texts = []

    def wait(target, cancel, *, progress):
        progress(Progress(Message("Please.")))
        texts.append(bool(cancel))
        target.directory.restart()

    monkeypatch.setattr("ldap_workbench.experiment.arms.wait_for_restart", wait)
    stage.run(stage.plan(THREADS_24, restart=True))
    assert len(texts) == 3, "two windows, and once without the treatment at the end"
    assert stage.said.count("Please.") == 3
    assert stage.marks().count("restart") == 3
    assert stage.server.threads == 16
