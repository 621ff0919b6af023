"""What was tried on which server, over all sessions."""

from dataclasses import replace

import pytest

from ldap_workbench.experiment import make_plan
from ldap_workbench.experiment.history import history, history_path, remember_tried
from ldap_workbench.model.experiment import Design, Experiment, State
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import MetricVerdict, Verdict

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
