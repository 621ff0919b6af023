"""Guard rails: which windows end an experiment."""

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.experiment.guards import (
    LostWindowError,
    check_awake,
    check_guards,
    check_sources,
    check_window,
)
from ldap_workbench.model.errors import ExperimentError
from ldap_workbench.model.operations import COLUMNS, Operations
from ldap_workbench.model.window import Sample, Source, SourceKind, SourceState, Window
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

WINDOW = Window(1, "B1", 0, 10**9)


def operations(err, etime_ns=1_000_000):
    columns = {name: np.zeros(len(err), dtype) for name, dtype in COLUMNS.items()}
    columns["err"] += np.array(err, np.int32)
    columns["etime_ns"] += etime_ns
    columns["end_ns"] += etime_ns + 5
    return Operations(**columns)


@pytest.fixture
def session(tmp_path):
    made = []

    def build(
        rows,
        monitor=SourceState.COMPLETE,
        log=SourceState.COMPLETE,
        details=None,
        cuts=0,
        counters=None,
        counted=(),
    ):
        path = tmp_path / f"{len(made)}.ldapwb"
        with SessionWriter.create(path) as writer:
            writer.put_window(WINDOW)
            access = Source(1, 1, SourceKind.ACCESS_LOG, "access", log, why="no sudo")
            writer.put_source(replace(access, details=details or {}))
            monitored = Source(2, 1, SourceKind.MONITOR, "cn=monitor", monitor, why="gone")
            writer.put_source(replace(monitored, details={"cuts": cuts} | (counters or {})))
            series = "cn=monitor:opsinitiated"
            writer.add_samples(
                2, [Sample(WINDOW.start_ns + i, series, value) for i, value in enumerate(counted)]
            )
            writer.add_operations(1, rows)
        made.append(Session.open(path))
        return made[-1]

    yield build
    for one in made:
        one.close()


def test_failures_of_the_server_cross_the_limit(session):
    opened = session(operations([0] * 95 + [1] * 5))
    check_guards(opened, WINDOW, {"error_share": 0.05})
    with pytest.raises(ExperimentError, match=r"5 % of the operations failed"):
        check_guards(opened, WINDOW, {"error_share": 0.04})


def test_answers_that_clients_cause_are_no_failures(session):
    no_failure = {"error_share": 0.0}
    check_guards(session(operations([32] * 50 + [49] * 50)), WINDOW, no_failure)
    with pytest.raises(ExperimentError, match="failed"):
        check_guards(session(operations([32] * 50 + [49] * 49 + [51])), WINDOW, no_failure)


def test_a_tail_beyond_its_limit_ends_the_experiment(session):
    opened = session(operations([0] * 100, etime_ns=3_000_000))
    check_guards(opened, WINDOW, {"p99_ns": 3_000_000})
    with pytest.raises(ExperimentError, match=r"p99 was 3\.00 ms"):
        check_guards(opened, WINDOW, {"p99_ns": 2_999_999})


def test_a_monitor_that_broke_off_makes_the_window_no_good(session):
    opened = session(operations([0]), monitor=SourceState.FAILED)
    with pytest.raises(LostWindowError, match="monitor broke off in window B1: gone"):
        check_sources(opened, WINDOW, first=True)


def test_a_server_that_did_not_answer_for_a_while_makes_the_window_no_good(session):
    """Once it is back its monitor is read on, and the log alone looks whole."""
    opened = session(operations([0]), monitor=SourceState.PARTIAL, cuts=1)
    with pytest.raises(LostWindowError, match="monitor broke off in window B1"):
        check_sources(opened, WINDOW, first=False)


HUNG = {"monitor": SourceState.PARTIAL, "cuts": 1, "counted": (10.0, 20.0, 21.0)}
"""Nobody was answered for a while, and the process that counts is the same."""


def is_lost(opened):
    try:
        check_sources(opened, WINDOW, first=False)
    except LostWindowError as error:
        return "monitor broke off in window B1" in str(error)
    return False


@pytest.mark.parametrize(
    ("lacking", "lost"),
    [
        ({}, False),
        ({"counted": (10.0, 20.0, 3.0)}, True),  # it was started anew
        ({"counted": ()}, True),
        ({"counted": (10.0,)}, True),
        ({"details": {"cuts": 1}}, True),  # so was the link to its host
        ({"log": SourceState.PARTIAL}, True),
        ({"monitor": SourceState.FAILED}, True),
    ],
)
def test_a_server_that_hung_while_its_log_came_is_data(session, lacking, lost):
    assert is_lost(session(operations([0]), **HUNG | lacking)) is lost


def test_a_log_that_broke_off_makes_the_window_no_good(session):
    """That of the first window may never have been readable: nothing is repeated then."""
    opened = session(operations([0]), log=SourceState.FAILED)
    with pytest.raises(LostWindowError, match="access log broke off"):
        check_sources(opened, WINDOW, first=False)
    with pytest.raises(ExperimentError, match="no sudo") as raised:
        check_sources(opened, WINDOW, first=True)
    assert not isinstance(raised.value, LostWindowError)


def test_a_log_with_a_hole_makes_the_window_no_good(session):
    opened = session(operations([0]), details={"gaps": 1})
    with pytest.raises(LostWindowError, match="access log broke off"):
        check_sources(opened, WINDOW, first=True)


def test_a_log_that_was_not_read_ends_it_with_the_reason(session):
    opened = session(operations([]), log=SourceState.MISSING)
    with pytest.raises(ExperimentError, match="no sudo") as raised:
        check_sources(opened, WINDOW, first=False)
    assert not isinstance(raised.value, LostWindowError)


def said(check, *arguments, **options):
    """What a check refuses with; "" where it lets the window pass."""
    try:
        check(*arguments, **options)
    except ExperimentError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("first", [True, False])
def test_only_a_whole_window_is_good(session, first):
    assert said(check_sources, session(operations([0])), WINDOW, first=first) == ""
    broken = session(operations([0]), log=SourceState.FAILED)
    assert "access log" in said(check_sources, broken, WINDOW, first=first)


def test_a_load_that_stopped_by_itself_ends_it():
    check_window(WINDOW, "")
    with pytest.raises(ExperimentError, match="status 3"):
        check_window(WINDOW, "the load command ended with status 3")


@pytest.mark.parametrize(("gap_s", "rate"), [(60, 1.0), (600, 20.0)])
def test_a_nap_of_this_machine_loses_the_window(session, gap_s, rate):
    gaps = {"sample_gaps": [[0, 10**9], [0, gap_s * 10**9]]}
    opened = session(operations([0]), counters=gaps)
    with pytest.raises(LostWindowError, match=r"asleep in window B1, for \d+ s\."):
        check_awake(opened, WINDOW, rate)


@pytest.mark.parametrize(
    "counters",
    [
        {"sample_gaps": [[0, 20 * 10**9]]},
        {"sample_gaps": [[0, 60 * 10**9]], "cuts": 1},
        {},
    ],
    ids=["a hiccup", "the link was cut", "no gap"],
)
def test_other_gaps_are_no_nap(session, counters):
    assert said(check_awake, session(operations([0]), counters=counters), WINDOW, 1.0) == ""
