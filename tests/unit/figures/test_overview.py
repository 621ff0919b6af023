"""The overview shows the numbers of the screens it leads to, and counts what is not complete."""

import pytest

from ldap_workbench.figures.overview.session_summary import read_summary
from ldap_workbench.figures.overview.view import (
    completeness_of,
    read_grid,
    read_stalls,
    read_tails,
)
from ldap_workbench.figures.tails.view import TailsReader
from ldap_workbench.figures.timeline.view import TimelineReader
from ldap_workbench.model.window import Source, SourceKind, SourceState
from ldap_workbench.session.reader import Session
from tests.sessions import build_capture_session, build_experiment_session


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    path = tmp_path_factory.mktemp("overview") / "e.ldapwb"
    build_experiment_session(path, seconds=5, per_second=60)
    with Session.open(path) as session:
        yield session


@pytest.fixture(scope="module")
def captured(tmp_path_factory):
    path = tmp_path_factory.mktemp("overview") / "c.ldapwb"
    build_capture_session(path, seconds=10)
    with Session.open(path) as session:
        yield session


def test_tails_are_those_of_the_tails_screen(judged, monkeypatch):
    summary = read_summary(judged)
    plan = summary.experiment.plan
    there = TailsReader(judged).view(
        summary.arm("A"), summary.arm("B"), plan.primary_metric.type, plan.slo_ns
    )
    monkeypatch.delattr(Session, "operations")  # all of them are not needed for curves
    here = read_tails(judged, summary, slo_ns=1)
    for small, large in zip(here.curves, there.picture.curves, strict=True):
        assert [small.at(p) for p in (50.0, 99.0)] == [large.at(p) for p in (50.0, 99.0)]
    assert here.slo_ns == plan.slo_ns, "the latency target of the plan"


def test_the_map_is_that_of_the_timeline(judged):
    summary = read_summary(judged)
    reader = TimelineReader(judged)
    stalls = [stall for window in summary.windows for stall in reader.stalls(window)]
    there, here = reader.timeline(summary.windows).grid, read_grid(judged, summary)
    assert (here.counts == there.counts).all()
    assert (here.spans, here.marks) == (there.spans, there.marks)
    assert list(read_stalls(judged, summary.windows)) == stalls
    assert stalls


def source(kind, state, window=1):
    return Source(id=window, window=window, kind=kind, name="x", state=state)


COMPLETE, MISSING = SourceState.COMPLETE, SourceState.MISSING


def test_what_is_not_complete_is_named_once_with_its_count():
    sources = [source(SourceKind.ACCESS_LOG, COMPLETE, n) for n in (1, 2, 3)]
    assert completeness_of(sources, 3).complete
    assert str(completeness_of(sources, 3).sentence) == "3 sources, all complete."
    assert str(completeness_of(sources[:1], 1).sentence) == "1 source, complete."
    sources += [source(SourceKind.IOSTAT, MISSING, n) for n in (1, 2)]
    lacking = completeness_of(sources, 3)
    assert not lacking.complete
    assert str(lacking.sentence) == (
        "3 of 5 sources are complete. Not complete: iostat (missing in 2 windows)."
    )
    assert not completeness_of([], 1).complete
