"""A plan of a stranger's file is told in full, and used on the server alone that it was made on."""

from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.experiment.origin import Origin
from ldap_workbench.experiment.plan import make_plan
from ldap_workbench.model.errors import ExperimentError
from ldap_workbench.model.experiment import Design, Experiment, State, Then
from ldap_workbench.model.knob import Setting, Treatment
from tests.unit.tuning.fakes import FACTS

HERE = replace(FACTS, identity="of ldap1", host="ldap1.example")
THERE = replace(FACTS, identity="of ldap2", host="ldap2.example")
TREATMENT = Treatment((Setting("nsslapd-threadnumber", "24"), Setting("nsslapd-maxthreads", "5")))
PATH = Path("/srv/e.ldapwb")


def plan(**options):
    return make_plan(TREATMENT, Design("pairs", 8), window_s=300, seed=1, settle_s=5, **options)


def told(of, *, facts=HERE, now=HERE, restart=None):
    """The lines of its description, in English."""
    lines = Origin(PATH, facts, of).describe(of, now, restart)
    return [f"{words} {named}".strip() for words, named in lines]


def test_a_plan_is_told_line_by_line():
    assert told(plan()) == [
        "This plan comes from the file: /srv/e.ldapwb",
        "It runs no load command.",
        "It sets: nsslapd-threadnumber=24",
        "It sets: nsslapd-maxthreads=5",
        "It measures 16 windows of 300 s, 5 s after each change; discarded warm-up: 0 s.",
        "It waits 120 s at most for a server that does not answer, 300 s after a restart.",
        "Its verdict rests on: slo",
        "Its latency target (SLO) is 100 ms.",
        "Afterwards: ask.",
    ]


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"load": "bench"}, "It runs on this machine, in every window: bench"),
        (
            {"load": "bench", "load_on_host": True},
            "It runs on the server's host, in every window: bench",
        ),
        ({"load": "bench {password:LAB}"}, "It is given the password: LAB"),
        ({"cold": True}, "It drops the page cache of the server's host before every window."),
        ({"trim_s": 7}, "5 s after each change; discarded warm-up: 7 s."),
        ({"trim_auto": True}, "5 s after each change; discarded warm-up: automatic."),
        ({"looks": (6, 8)}, "Interim analyses after 6, 8 pairs: it ends at the first decision."),
        ({"level": 0.01}, "It counts p ≤ 0.01 as significant."),
        ({"futility": True}, "It also ends once an improvement that matters is unlikely."),
        ({"guards": {"error_share": 0.02}}, "It stops if errors exceed 2 %."),
        ({"guards": {"p99_ns": 2e9}}, "It stops if p99 exceeds 2.00 s."),
        (
            {"guards": {"lag_s": 30}},
            "It stops if a replica is more than 30 s behind the others.",
        ),
        ({"guards": {"odd\nname": 3}}, "It stops if this exceeds 3: odd\\x0aname"),
        ({"then": Then.KEEP}, "Afterwards: keep."),
        ({"then": Then.REVERT}, "Afterwards: revert."),
        ({"then": Then.KEEP_IF_BETTER}, "Afterwards: keep if better, else revert."),
    ],
)
def test_what_a_plan_does_besides_has_a_line(options, line):
    lines = told(plan(**options))
    assert any(each.endswith(line) for each in lines), lines
    assert not any(each.endswith(line) for each in told(plan())), "and only then"


def test_no_load_is_told_only_where_there_is_none():
    assert "It runs no load command." not in told(plan(load="bench"))
    assert "It runs no load command." in told(plan(load_on_host=True))


def test_a_restart_is_the_commands_or_the_operators():
    command = "It restarts the server before every window: systemctl restart x"
    asks = "It asks you to restart the server before every window."
    assert command in told(plan(restart=True), restart="systemctl restart x")
    assert asks in told(plan(restart=True))
    for lines in (told(plan(), restart="systemctl restart x"), told(plan())):
        assert not any("before every window" in line for line in lines)


@pytest.mark.parametrize(
    ("facts", "now", "known"),
    [
        (HERE, HERE, True),
        (None, HERE, False),
        (HERE, replace(HERE, identity=""), False),
        (replace(HERE, identity=""), HERE, False),
    ],
)
def test_a_file_of_an_unknown_server_is_told_to_be_one(facts, now, known):
    unknown = "It is not known on which server it was made: do not trust it unread."
    assert (unknown in told(plan(), facts=facts, now=now)) is not known
    Origin(PATH, facts, plan()).check_server(now)


def test_a_plan_of_another_server_is_refused_with_both_names():
    with pytest.raises(ExperimentError) as caught:
        Origin(PATH, THERE, plan()).check_server(HERE)
    assert str(caught.value.what) == (
        "The plan in /srv/e.ldapwb was made on another server: fake (ldap2.example), not fake "
        "(ldap1.example)."
    )
    assert Origin(PATH, None, plan()).identity == ""
    assert Origin(PATH, THERE, plan()).identity == "of ldap2"


@pytest.mark.parametrize("done", [0, 1, 16])
def test_a_plan_may_have_stopped_at_any_of_its_windows(done):
    stored = Experiment(1, plan(), State.MEASURING, step=done, windows=tuple(range(done)))
    Origin(PATH, HERE, stored.plan).check_plan(stored)


@pytest.mark.parametrize(("step", "windows"), [(1, 0), (0, 1), (-1, 0), (17, 17), (2, 1)])
def test_a_step_that_no_workbench_stops_at_is_refused(step, windows):
    stored = Experiment(1, plan(), State.MEASURING, step=step, windows=tuple(range(windows)))
    with pytest.raises(ExperimentError, match="was not made by a workbench"):
        Origin(PATH, HERE, stored.plan).check_plan(stored)


def test_a_plan_that_cannot_be_measured_is_refused():
    odd = replace(plan(), window_s=0)
    with pytest.raises(ExperimentError, match="was not made by a workbench"):
        Origin(PATH, HERE, odd).check_plan(Experiment(1, odd, State.PLANNED, 0))
