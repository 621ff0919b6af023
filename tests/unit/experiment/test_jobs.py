"""Experiments and captures as jobs: which file they write, what they report, what they remember."""

import pytest

from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.experiment import capture_job
from ldap_workbench.experiment.capture_job import CaptureJob, fetch_into
from ldap_workbench.experiment.experiment_job import ExperimentJob
from ldap_workbench.experiment.history import history, history_path
from ldap_workbench.experiment.plan import SIZES
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import ConnectError, WorkbenchError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel
from ldap_workbench.model.window import MARK
from ldap_workbench.session.reader import Session
from tests.unit.experiment.acting import LIMIT, LIMIT_5000

STATLOG = "nsslapd-statlog-level"


class Listener:
    """Hears the progress of a job."""

    def __init__(self):
        self.said = []

    def __call__(self, step):
        self.said.append(str(step.text))


def job_of(stage, plan=None, **options):
    return ExperimentJob(stage.path, plan or stage.plan(), **options)


def run(job, stage, hear=None):
    return job.run(stage.server, stage.tuner, hear or Listener(), Cancel())


def test_an_experiment_is_reported_window_by_window(stage):
    arms = []
    job = job_of(stage, on_window=lambda: arms.append([len(arm) for arm in job.arms()]))
    assert (job.experiment, job.verdict, job.session) == (None, None, None)
    hear = Listener()
    experiment = run(job, stage, hear)
    assert job.experiment is experiment
    assert job.verdict is not None
    assert experiment.id == 1, "of its file"
    assert job.session is None, "it is open only meanwhile"
    assert sum(arms[0]) == 1
    assert arms[-1] == [1, 1]
    assert len(arms) == 2, "once for each window"
    assert hear.said[-1] == f"Reverting {LIMIT_5000}"


def test_windows_of_both_arms_can_be_read_while_it_runs(stage):
    names = []

    def look():
        a, b = job.arms()
        names.append(([w.arm for w in a], [w.arm for w in b]))

    job = job_of(stage, stage.plan(design="abba:1"), on_window=look)
    run(job, stage)
    assert names == [
        (["A"], []),
        (["A"], ["B"]),
        (["A"], ["B", "B"]),
        (["A", "A"], ["B", "B"]),
    ]


def test_an_experiment_that_ended_is_remembered(stage):
    run(job_of(stage, campaign="of May"), stage)
    (tried,) = history().tried
    assert (tried.server, tried.profile) == (stage.tuner.server, "fake")
    assert (tried.treatment, tried.state, tried.campaign) == ((LIMIT_5000,), "reverted", "of May")
    assert tried.session == str(stage.path.resolve())
    assert tried.began_ns < tried.ended_ns


def test_one_that_was_aborted_is_remembered_as_that(stage):
    def fail():
        raise ValueError

    stage.windows.during[2] = fail
    with pytest.raises(ValueError):
        run(job_of(stage), stage)
    assert [tried.state for tried in history().tried] == ["aborted"]


def test_a_noise_floor_is_no_treatment_that_was_tried(stage):
    run(job_of(stage, stage.plan(setting=None)), stage)
    assert history().tried == ()


def test_a_history_that_cannot_be_written_does_not_undo_the_experiment(stage):
    history_path().mkdir(parents=True)
    hear = Listener()
    experiment = run(job_of(stage), stage, hear)
    assert experiment.state.ended
    assert [text for text in hear.said if text.startswith("The history could not be written: ")]


class Killed(BaseException):
    """Stands for kill -9."""


def test_a_stored_experiment_goes_on_in_its_file(new_stage, tmp_path):
    stage, left = new_stage(), {}

    def kill():
        left["entries"] = stage.copy_to(tmp_path / "after")
        raise Killed

    stage.windows.during[3] = kill
    with pytest.raises(Killed):
        run(job_of(stage, stage.plan(design="abba:1")), stage)
    later = new_stage(tmp_path / "after", entries=left["entries"])
    later.tuner.recover()
    stored = later.stored()
    assert len(stored.windows) == 2
    windows = []
    job = job_of(later, stored.plan, resume_from=stored, on_window=lambda: windows.append(1))
    assert len(run(job, later).windows) == 4
    assert len(windows) == 2, "those that were stored are none of its own"


@pytest.fixture
def captured(stage, monkeypatch):
    """Captures are acted; each is a (target, plan, end, cancel) of the list."""
    calls = []

    def capture(target, writer, plan, *, progress, end, cancel, on_live):
        calls.append((plan, end, cancel))
        return stage.windows(
            target, writer, plan, progress=progress, cancel=cancel, on_live=on_live
        )

    monkeypatch.setattr(capture_job, "capture", capture)
    return calls


def capture_job_of(stage, **options):
    return CaptureJob(stage.path, CapturePlan(seconds=10, name="noon"), **options)


def capture_it(job, stage, cancel=None):
    return job.run(stage.server, stage.tuner, Listener(), cancel)


def sources_of(path, window):
    with Session.open(path) as session:
        return [source.kind.value for source in session.sources(window)]


def test_a_capture_is_one_window_with_what_the_settings_were(stage, captured):
    result = capture_it(capture_job_of(stage), stage)
    assert (result.path, result.window.name) == (stage.path, "noon")
    kinds = [source.kind.value for source in result.sources]
    assert kinds == sources_of(stage.path, result.window.id)
    assert "config" in kinds
    (settings,) = [each.details["settings"] for each in result.sources if each.kind == "config"]
    assert settings[LIMIT] == "4000"


def test_a_cancelled_capture_has_no_settings(stage, captured):
    cancel = Cancel()
    cancel.set()
    result = capture_it(capture_job_of(stage), stage, cancel)
    assert result.window.cancelled
    assert "config" not in sources_of(stage.path, result.window.id)


def test_a_capture_goes_into_a_file_that_exists_only_where_it_may(stage, captured):
    first = capture_it(capture_job_of(stage, append=True), stage)
    second = capture_it(capture_job_of(stage, append=True), stage)
    assert first.window.id != second.window.id
    assert len(stage.windows_stored()) == 2
    with pytest.raises(WorkbenchError):
        capture_it(capture_job_of(stage), stage)
    assert len(stage.windows_stored()) == 2


def test_a_capture_is_stopped_by_its_own_event_or_the_one_it_was_given(stage, captured):
    own = capture_job_of(stage)
    assert not own.stopped
    own.stop()
    assert own.stopped
    given = Cancel()
    job = capture_job_of(stage, stop=given)
    job.stop()
    assert bool(given)
    capture_it(job, stage)
    assert captured[0][1] is given


def test_a_mark_is_noted_while_the_capture_runs_and_only_then(stage, captured):
    job = capture_job_of(stage)
    assert job.mark("too early") is False
    marks = []
    stage.windows.during[1] = lambda: marks.append(job.mark("noon gun"))
    capture_it(job, stage)
    assert marks == [True]
    assert job.mark("too late") is False
    with Session.open(stage.path) as session:
        assert [(mark.kind, str(mark.text)) for mark in session.marks()] == [(MARK, "noon gun")]


def test_statistics_are_logged_for_the_window_and_put_back(stage, captured):
    config = stage.server.directory.entries["cn=config"]
    config[STATLOG] = ("0",)
    seen = []
    stage.windows.during[1] = lambda: seen.append(config[STATLOG])
    capture_it(capture_job_of(stage, statistics=True), stage)
    assert (seen, config[STATLOG]) == ([("1",)], ("0",))
    assert [each.state for each in stage.journal.changes()] == [ChangeState.REVERTED]

    def fail():
        seen.append(config[STATLOG])
        raise ConnectError(Message("It is gone."))

    stage.windows.during[2] = fail
    with pytest.raises(ConnectError):
        capture_it(capture_job_of(stage, statistics=True, append=True), stage)
    assert (seen[-1], config[STATLOG]) == (("1",), ("0",))


@pytest.mark.parametrize(("statistics", "level"), [(True, "1"), (False, "0")])
def test_nothing_is_changed_where_they_are_logged_already_or_not_wanted(
    stage, captured, statistics, level
):
    config = stage.server.directory.entries["cn=config"]
    config[STATLOG] = (level,)
    capture_it(capture_job_of(stage, statistics=statistics), stage)
    assert config[STATLOG] == (level,)
    assert stage.journal.changes() == []


def test_a_past_window_is_fetched_into_a_new_file(stage, monkeypatch):
    asked = {}

    def fetch(target, writer, start_ns, end_ns, *, name, dialect, progress, cancel):
        asked.update(start=start_ns, end=end_ns, name=name, dialect=dialect)
        plan = CapturePlan(seconds=10, name=name)
        return stage.windows(target, writer, plan, progress=progress, cancel=cancel, on_live=None)

    monkeypatch.setattr("ldap_workbench.capture.past.fetching.fetch", fetch)
    options = {"progress": Listener(), "cancel": Cancel()}
    result = fetch_into(stage.path, stage.server, 5, 9, **options)
    assert asked == {"start": 5, "end": 9, "name": "window", "dialect": "auto"}
    assert [source.kind.value for source in result.sources] == sources_of(
        stage.path, result.window.id
    )


def test_a_past_window_that_cannot_be_read_leaves_no_file(stage, monkeypatch):
    def fetch(*_, **__):
        raise ConnectError(Message("The log is gone."))

    monkeypatch.setattr("ldap_workbench.capture.past.fetching.fetch", fetch)
    with pytest.raises(ConnectError):
        fetch_into(stage.path, stage.server, 5, 9, progress=Listener(), cancel=Cancel())
    assert not stage.path.exists()


def test_a_size_of_a_plan_fills_the_time_it_names():
    hours = {"quick": 0.5, "standard": 4.0, "thorough": 12.0}
    for name, size in SIZES.items():
        taken_h = 2 * size.pairs * (size.window_s + 5 + 15) / 3600
        assert 0.9 * hours[name] < taken_h <= hours[name], name
        assert size.window_s % 60 == 0, "whole minutes"
    assert str(SIZES["quick"].title) == "Quick (30 min)"
