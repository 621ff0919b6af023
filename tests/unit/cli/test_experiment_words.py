"""What `experiment` says and asks before it touches a server, and how a verdict is printed."""

import pytest

from ldap_workbench.cli.experiment import _foreseen, _seconds
from ldap_workbench.cli.sessions import print_verdict
from ldap_workbench.experiment import judge_windows, make_plan, parse_looks
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.experiment import Design
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.session import Session
from tests.sessions import build_capture_session, build_experiment_session

TREATMENT = Treatment((Setting("nsslapd-threadnumber", "24"),))


def plan(treatment=TREATMENT):
    return make_plan(treatment, Design("pairs", 8), window_s=20, seed=1, primary="p50")


def test_looks_and_trim_are_read():
    assert parse_looks("8,12, 16") == (8, 12, 16)
    assert parse_looks("") == ()
    assert (_seconds("12.5"), _seconds("auto")) == (12.5, 0.0)


@pytest.mark.parametrize(("read", "text"), [(parse_looks, "8,x"), (_seconds, "long")])
def test_what_cannot_be_read_is_refused(read, text):
    with pytest.raises(UsageError, match=text):
        read(text)


def test_the_plan_tells_what_it_can_find_by_a_baseline(tmp_path):
    (line,) = _foreseen(plan(), None)
    assert "not known" in line
    path = build_capture_session(tmp_path / "b.ldapwb", windows=8)
    assert "8 pairs find a change of p50" in _foreseen(plan(), path)[0]
    assert _foreseen(plan(Treatment(())), path) == []


def test_a_verdict_is_printed_with_its_stalls(tmp_path, capsys):
    with Session.open(build_experiment_session(tmp_path / "e.ldapwb")) as session:
        verdict = judge_windows(session, session.windows(), primary="p50")
    print_verdict(verdict)
    shown = capsys.readouterr().out
    assert shown.startswith("Better")
    assert "stalls/h" in shown
    count = verdict.details["ledger"]["arms"]["A"]["count"]
    assert count > 0
    assert any(line.split()[:2] == ["A", str(count)] for line in shown.splitlines())
