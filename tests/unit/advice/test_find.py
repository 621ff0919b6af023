"""Findings of a session file: the same numbers as of arrays, over one window and over all."""

import pytest

from ldap_workbench.advice.evidence.view import view_window
from ldap_workbench.advice.families.find import findings, findings_in, joined
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.model.experiment import Design, Experiment, Plan, State, Step
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.knob import KnobReading, Setting, Treatment
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Sample, Source, SourceKind, SourceState
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.catalogue import load_catalogue
from tests.unit.advice.material import FACTS, T0, USERROOT, Log, only, view, window
from tests.unit.advice.test_stalls import published


def put(writer, capture, log, number, **columns):
    """One window with its access log, as a capture writes it; returns its source."""
    named = (SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE)
    source = Source(number, capture.id, *named, **columns)
    writer.put_window(capture)
    writer.put_source(source)
    writer.add_operations(number, log.done())
    return source


@pytest.fixture
def session(tmp_path):
    path = tmp_path / "s.ldapwb"
    with SessionWriter.create(path, FACTS) as writer:
        put(writer, window(600), published(), 1)
        later = published()
        for row in later.rows:
            row["end_ns"] += 1000 * NS_PER_S
        put(writer, window(600, start=1000, id=2, name="again"), later, 2)
        errors = Source(3, 2, SourceKind.ERROR_LOG, "errors", SourceState.COMPLETE)
        writer.put_source(errors)
        writer.add_raw(3, b"[01/Jan/2026:01:20:00.5 +0100] - ERR - pool - all threads are busy\n")
        writer.add_raw(3, b"[01/Jan/2026:02:20:00.5 +0100] - ERR - pool - too many fds open\n")
        monitor = Source(4, 2, SourceKind.MONITOR, "cn=monitor", SourceState.COMPLETE)
        writer.put_source(monitor)
        gauges = {"entrycachetries": 1000 * 60, "entrycachehits": 500 * 60}
        gauges = {name: (0.0, float(value)) for name, value in gauges.items()}
        gauges |= {"currententrycachesize": (99e6,) * 2, "maxentrycachesize": (100e6,) * 2}
        gauges |= {"currententrycachecount": (9e3,) * 2}
        for name, values in gauges.items():
            times = (T0 + 1000 * NS_PER_S, T0 + 1599 * NS_PER_S)
            series = f"{USERROOT}:{name}"
            writer.add_samples(
                4, [Sample(t, series, v) for t, v in zip(times, values, strict=True)]
            )
    with Session.open(path) as opened:
        yield opened


def test_a_window_of_a_session(session):
    first = session.windows()[0]
    found = only(findings(session, first), "stall")
    assert found.numbers["longest_victims"] == 8
    rows = list(found.evidence[0].operations)
    assert session.operations(first).etime_ns[rows].max() == 288 * NS_PER_S


def test_samples_error_log_and_facts_of_a_session_are_looked_at(session):
    second = session.windows()[1]
    found = findings(session, second)
    assert only(found, "entry_cache").numbers["hit_ratio"] == 0.5
    busy = only(found, "threads_exhausted")
    assert "ERR - pool - all threads are busy" in str(busy.sentence)
    assert busy.evidence[0].start_ns == T0 + 1200 * NS_PER_S + 500_000_000
    assert "refused" not in [f.id for f in found]  # an hour after the window
    assert advise(found, session.facts)[0].treatment.settings


def test_all_windows_join_like_findings(session):
    found = only(findings(session), "stall")
    assert found.numbers["windows"] == [1, 2]
    assert len(found.evidence) == 2
    assert [f.severity for f in findings(session)] == sorted(
        (f.severity for f in findings(session)), reverse=True
    )


def test_the_worst_of_like_findings_stands():
    mild = Finding("stall", "", "mild", 1, (Evidence("a"),))
    bad = Finding("stall", "", "bad", 3, (Evidence("b"),))
    one = joined([(window(), [mild]), (window(id=2), [bad])])
    assert [(f.sentence, len(f.evidence), f.numbers) for f in one] == [
        ("bad", 2, {"windows": [1, 2]})
    ]


def test_readings_and_the_treatment_of_arm_b_are_settings(tmp_path):
    path = tmp_path / "s.ldapwb"
    treatment = Treatment((Setting("nsslapd-accesslog-logbuffering", "off"),))
    plan = Plan(treatment, Design("ab"), (Step("A", 0), Step("B", 0)), 600, 1)
    with SessionWriter.create(path, FACTS) as writer:
        put(writer, window(600, arm="A", pair=0), Log().background(600, rate=1), 1)
        put(writer, window(600, start=1000, id=2, arm="B"), Log(), 2)
        writer.put_experiment(Experiment(1, plan, State.KEPT, 2, windows=(1, 2)))
    knob = load_catalogue().knob("nsslapd-accesslog-logbuffering")
    with Session.open(path) as session:
        a, b = session.windows()
        on = [KnobReading(knob, "", "on")]
        assert "log_unbuffered" not in [f.id for f in findings(session, a, readings=on)]
        assert "log_unbuffered" in [f.id for f in findings(session, b, readings=on)]
        absent = [KnobReading(knob, "", None)]
        assert view_window(session, a, absent).settings == {knob.name: knob.default}


def test_two_servers_over_the_same_time_are_compared(tmp_path):
    path = tmp_path / "s.ldapwb"
    logs = []
    for mods in (1, 6):
        log = Log().background(600, rate=1)
        for n in range(5):
            log.add("DEL", 100 * n, 0.01)
            for k in range(mods):
                log.add("MOD", 100 * n + 10 * k, 0.01)
        logs.append(log)
    with SessionWriter.create(path) as writer:
        put(writer, window(600, name="supplier"), logs[0], 1)
        put(writer, window(600, id=2, name="consumer"), logs[1], 2)
    with Session.open(path) as session:
        ratios = only(findings(session), "consumer_ratio").numbers["mods_per_removal"]
        assert ratios == {"supplier": 1.0, "consumer": 6.0}


def test_an_empty_session_has_no_findings(tmp_path):
    with SessionWriter.create(tmp_path / "s.ldapwb") as writer:
        writer.put_window(window())
    with Session.open(tmp_path / "s.ldapwb") as session:
        assert findings(session) == []


@pytest.mark.parametrize(("others_s", "severity"), [(0.0, 3), (0.02, 2), (1.0, 1)])
def test_severity_goes_by_the_share_of_the_time(others_s, severity):
    """The same repeated searches: all of the time, a tenth of it, less than a hundredth."""
    log = Log()
    for n in range(200):
        log.add("SRCH", n, 0.001, filter="(objectclass=*)", base="dc=a", client="10.0.0.1")
        log.add("SRCH", n + 0.1, 0.001, filter="(objectclass=*)", base="dc=a", client="10.0.0.1")
        if others_s:
            log.add("MOD", n, others_s, base=f"uid={n},dc=a", client="10.0.0.2")
    seen = only(findings_in(view(log)), "repeated_search")
    assert seen.severity == severity
