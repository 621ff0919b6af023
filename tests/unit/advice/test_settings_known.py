"""From what a session knows of a server's settings to the advice of each that asks for it."""

import json
import sys

import pytest

from ldap_workbench.advice.evidence.view import settings_now, view_window
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.cli import main
from ldap_workbench.figures.overview.findings import findings_of, ranked
from ldap_workbench.model.experiment import Design, Experiment, Plan, State, Step
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState
from ldap_workbench.report.model import report_model
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.unit.advice.material import FACTS, T0, window
from tests.unit.advice.test_checkpoint import renewals, stalling

INTERVAL = "nsslapd-db-checkpoint-interval"


def settings(number, capture, kind=SourceKind.CONFIG, **values):
    found = {"settings": {name.replace("_", "-"): value for name, value in values.items()}}
    return Source(number, capture, kind, "cn=config", SourceState.COMPLETE, details=found)


def stalled(path, interval):
    """A session with checkpoints that stall, from a server at that interval."""
    with SessionWriter.create(path, FACTS) as writer:
        writer.put_window(window(600))
        access = Source(1, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE)
        writer.put_source(access)
        every = float(interval or 60)
        times = renewals(every, int(540 / (every + 3)), seed=2)
        log = stalling(times[times < T0 + 590 * NS_PER_S], 600)
        writer.add_operations(1, log.done())
        if interval:
            writer.put_source(settings(2, 1, nsslapd_db_checkpoint_interval=interval))
    return path


def by_cli(path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["ldap-workbench", "findings", str(path), "--json"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    return {a["id"]: a["title"] for a in json.loads(capsys.readouterr().out)["advice"]}


def by_window(path, *_):
    with Session.open(path) as session:
        return {a.id: str(a.title) for a in ranked(findings_of(session), session, "p99.9").advice}


def by_report(path, *_):
    with Session.open(path) as session:
        return {a.id: str(a.title) for a in report_model(session).advice}


@pytest.mark.parametrize("told", [by_cli, by_window, by_report])
@pytest.mark.parametrize(
    ("interval", "shorter", "longer"),
    [
        ("", (15, 60), (120, 60)),
        ("60", (15, 60), (120, 60)),
        ("30", (15, 30), (60, 30)),
        ("15", None, (60, 15)),
        ("10", None, (60, 10)),
        ("120", (15, 120), None),
    ],
)
def test_advice_is_about_the_interval_the_server_has(
    told, interval, shorter, longer, tmp_path, capsys, monkeypatch
):
    advice = told(stalled(tmp_path / "s.ldapwb", interval), capsys, monkeypatch)
    for which, numbers in (("checkpoint-shorter", shorter), ("checkpoint-longer", longer)):
        title = "Checkpoint every {} s instead of every {} s".format(*numbers) if numbers else None
        assert advice.get(which) == title


def test_a_limit_that_is_low_or_high_is_known_from_the_session(tmp_path):
    found = [Finding("unindexed", "", "", 2, (), {"filters": ["(cn=?)"]})]
    found.append(Finding("refused", "", "", 3, (), {}))
    almost = {"nsslapd-idlistscanlimit": "2147483646", "nsslapd-lookthroughlimit": "5000"}
    has = {"nsslapd-idlistscanlimit": "4000", "nsslapd-lookthroughlimit": "-1"}
    descriptors = {"nsslapd-maxdescriptors": "1024"}
    advice = {a.id: a for a in advise(found, FACTS, settings=has | descriptors)}
    assert {"idlistscanlimit", "lookthroughlimit", "more-descriptors"} <= set(advice)
    assert advice["more-descriptors"].treatment.settings[0].value == "2048"
    advice = {a.id for a in advise(found, FACTS, settings=almost)}
    assert not {"idlistscanlimit", "lookthroughlimit", "more-descriptors"} & advice


def trial(path, state, *, b_last=True):
    """An experiment with a shorter interval: window A read 60, window B 15."""
    plan = Plan(
        Treatment((Setting(INTERVAL, "15"),)), Design("ab"), (Step("A", 0), Step("B", 0)), 600, 1
    )
    arms = (("A", "60"), ("B", "15")) if b_last else (("B", "15"), ("A", "60"))
    with SessionWriter.create(path, FACTS) as writer:
        for at, (arm, interval) in enumerate(arms):
            writer.put_window(window(600, start=1000.0 * at, id=at + 1, name=arm, arm=arm))
            writer.put_source(settings(at + 1, at + 1, nsslapd_db_checkpoint_interval=interval))
        writer.put_experiment(Experiment(1, plan, state, 2, windows=(1, 2)))
    return path


@pytest.mark.parametrize("b_last", [True, False])
@pytest.mark.parametrize(("state", "now"), [(State.REVERTED, "60"), (State.KEPT, "15")])
def test_a_treatment_is_in_force_where_it_was_kept(state, now, b_last, tmp_path):
    with Session.open(trial(tmp_path / "s.ldapwb", state, b_last=b_last)) as session:
        assert settings_now(session) == {INTERVAL: now}


def test_the_last_window_tells_and_one_that_was_not_asked_does_not(tmp_path):
    path = tmp_path / "s.ldapwb"
    with SessionWriter.create(path, FACTS) as writer:
        for at, interval in enumerate(("60", "30", "")):
            writer.put_window(window(600, start=1000.0 * at, id=at + 1))
            if interval:
                writer.put_source(settings(at + 1, at + 1, nsslapd_db_checkpoint_interval=interval))
    with Session.open(path) as session:
        assert settings_now(session) == {INTERVAL: "30"}


def test_settings_imported_with_counters_are_settings(tmp_path):
    """An LDIF of cn=config and cn=monitor is a monitor source."""
    path = tmp_path / "s.ldapwb"
    with SessionWriter.create(path, FACTS) as writer:
        writer.put_window(window(600))
        writer.put_source(settings(1, 1, SourceKind.MONITOR, nsslapd_threadnumber="24"))
    with Session.open(path) as session:
        assert settings_now(session) == {"nsslapd-threadnumber": "24"}
        assert view_window(session, session.windows()[0]).number("nsslapd-threadnumber") == 24


def test_what_one_of_two_databases_has_says_nothing_of_the_other():
    cache = Finding("dn_cache", "", "", 1, (), {"backend": "userRoot", "wanted_bytes": 2**25})
    has = {"nsslapd-dncachememsize": str(2**25)}
    assert "dn-cache" not in {a.id for a in advise([cache], FACTS, settings=has)}
    two = FACTS.__class__(**{**FACTS.__dict__, "backends": FACTS.backends * 2})
    assert "dn-cache" in {a.id for a in advise([cache], two, settings=has)}
