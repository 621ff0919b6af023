"""What was tried on which server, over all sessions."""

from dataclasses import replace

import pytest

from ldap_workbench.experiment.history import (
    history,
    history_path,
    remember_closed,
    remember_tried,
)
from ldap_workbench.experiment.plan import make_plan
from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.experiment import Design, Experiment, State
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import MetricVerdict, Verdict
from ldap_workbench.tuning.journal import Application

PLAN = make_plan(
    Treatment((Setting("nsslapd-cachememsize", "9", "userRoot"),)),
    Design("pairs", 8),
    window_s=60,
    seed=1,
    primary="p50",
)
PRIMARY = MetricVerdict("p50", "better", ratio=0.5, low=0.4, high=0.6)
VERDICT = Verdict(PRIMARY, {"p50": PRIMARY}, True, NOTHING, "pairs:8", Message("Better."))
ENDED = Experiment(1, PLAN, State.KEPT, step=16, verdict=VERDICT)
WHERE = {
    "server": "ldap://a:389",
    "identity": "instance-7",
    "profile": "a",
    "session": "/home/me/a.ldapwb",
    "began_ns": 5,
    "ended_ns": 9,
}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))


def test_without_a_file_nothing_was_tried():
    assert history().tried == ()


def test_every_experiment_that_ended_has_its_line():
    remember_tried(ENDED, **WHERE)
    remember_tried(replace(ENDED, state=State.ABORTED, verdict=None), **WHERE, campaign="c.ldapwb")
    kept, aborted = history().tried
    assert kept.treatment == ("nsslapd-cachememsize@userRoot=9",)
    assert (kept.state, kept.verdict, kept.ratio, kept.low, kept.high) == (
        "kept", "better", 0.5, 0.4, 0.6,
    )  # fmt: skip
    assert (aborted.state, aborted.verdict, aborted.ratio) == ("aborted", "", None)
    assert aborted.campaign == "c.ldapwb"


def test_a_server_is_known_by_its_name_or_its_instance():
    remember_tried(ENDED, **WHERE)
    (tried,) = history().tried
    assert tried.is_on("LDAP://A:389/")
    assert tried.is_on("ldaps://b:636", "instance-7")
    assert not tried.is_on("ldaps://b:636")


def test_a_line_that_was_cut_short_is_counted():
    remember_tried(ENDED, **WHERE)
    with history_path().open("a") as file:
        file.write('{"server": "ldap://a:3')
    assert (len(history().tried), history().unread) == (1, 1)


def test_it_is_for_its_user_alone():
    remember_tried(ENDED, **WHERE)
    assert history_path().stat().st_mode & 0o777 == 0o600


def test_a_revert_that_was_given_up_is_remembered_with_its_reason():
    setting = Setting("nsslapd-cachememsize", "9", "userRoot")
    application = Application("g", "ldap://a:389", Treatment((setting,)), "", 5, "instance-7")
    changes = [
        Change(
            id=number,
            group="g",
            server="ldap://a:389",
            profile=f"lab{number}",
            knob="k",
            dn="d",
            attribute="a",
            before=None,
            asked=("9",),
            got=("9",),
            state=ChangeState.CLOSED,
            needs_restart=False,
            created_ns=5,
            updated_ns=ended,
            session=f"s{number}.ldapwb",
        )
        for number, ended in ((1, 20), (2, 30), (3, 10))
    ]
    remember_closed(application, changes, "scrapped")
    (tried,) = history().tried
    assert (tried.server, tried.identity) == ("ldap://a:389", "instance-7")
    assert (tried.profile, tried.session) == ("lab1", "s1.ldapwb")
    assert tried.treatment == ("nsslapd-cachememsize@userRoot=9",)
    assert (tried.began_ns, tried.ended_ns) == (5, 30)
    assert (tried.state, tried.because) == ("closed", "scrapped")
    assert (tried.verdict, tried.ratio) == ("", None)


def test_lines_of_several_runs_stand_below_each_other():
    for began in (1, 2, 3):
        remember_tried(ENDED, **WHERE | {"began_ns": began})
    with history_path().open("a") as file:
        file.write("\n  \n")
    assert [tried.began_ns for tried in history().tried] == [1, 2, 3]
    assert history().unread == 0


def test_an_instance_that_is_known_is_asked_before_the_name():
    remember_tried(ENDED, **WHERE)
    (tried,) = history().tried
    assert not tried.is_on("ldap://a:389", "another instance"), "its name leads elsewhere now"
    assert replace(tried, identity="").is_on("ldap://a:389", "another instance")
    assert tried.design == "pairs:8"
    assert tried.metric == "p50"
