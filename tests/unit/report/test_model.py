"""The model holds what the session holds, counted the same way."""

import math
from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.figures.verdict.pairs import measured, metric_of, trimmed
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.experiment import State
from ldap_workbench.model.operations import client_operations
from ldap_workbench.report.model import report_model
from ldap_workbench.report.tables import plan_facts
from ldap_workbench.report.trial import first_application
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.sessions import FACTS, build_capture_session, build_experiment_session

from .conftest import model_of


def test_an_experiment_is_one_group_with_both_arms(experiment):
    [group] = experiment.groups
    assert [arm.arm for arm in group.arms] == ["A", "B"]
    assert [arm.windows for arm in group.arms] == [6, 6]
    assert len(group.windows) == 12
    assert str(experiment.title).endswith("on ldap1.example.com")
    assert "12 windows from 2026-11-20 08:00:00.000 UTC" in str(experiment.subtitle)
    assert not experiment.simulated


def test_tails_of_an_arm_are_those_of_its_operations(experiment, experiment_path):
    etimes = []
    with Session.open(experiment_path) as session:
        for window in session.windows():
            if window.arm == "A":
                found = session.operations(window)
                etimes.append(found.etime_ns[client_operations(found)])
    ordered = np.sort(np.concatenate(etimes))
    [group] = experiment.groups
    tail = next(tail for tail in group.arms[0].tails if tail.type == "ALL")
    assert tail.n == len(ordered) == group.arms[0].curve.n
    assert tail.p99_ns == ordered[math.ceil(0.99 * len(ordered)) - 1]
    assert tail.max_ns == ordered[-1]


def test_the_settings_are_told_with_what_they_were(experiment):
    autosize, cache = experiment.groups[0].experiment.settings
    assert (autosize.before, autosize.asked, autosize.effect) == ("absent", "0 %", "immediately")
    assert cache.before == "67108864 (64 MiB)"
    assert cache.asked == "268435456 (256 MiB)"
    assert cache.place == "userRoot"
    assert cache.title


def test_design_order_and_state_are_sentences(experiment):
    told = experiment.groups[0].experiment
    assert told.order == "BA AB AB BA BA AB"
    assert "6 pairs" in told.design
    assert "seed 9" in told.design
    assert "reverted" in told.state


def test_pairs_follow_from_the_windows(experiment, experiment_path):
    told = experiment.groups[0].experiment
    assert [(part.type, part.metric) for part in told.pairs] == [
        ("ALL", "p50"), ("ALL", "p99"), ("ALL", "slo"),
    ]  # fmt: skip
    first = told.pairs[0].pairs[0]
    with Session.open(experiment_path) as session:
        found = session.operations(session.window("B1"))
    etimes = np.sort(found.etime_ns[client_operations(found)])
    # The verdict's value is put to the mean mix of operations of both arms.
    assert first.b == pytest.approx(etimes[math.ceil(len(etimes) / 2) - 1], rel=0.1)
    assert first.b_first
    assert all(0.3 < pair.b / pair.a < 0.7 for pair in told.pairs[0].pairs)


def test_without_a_verdict_pairs_are_counted_from_the_operations(tmp_path):
    path = build_experiment_session(tmp_path / "n.ldapwb", pairs=2, seconds=2, judged=False)
    [group] = model_of(path).groups
    part = group.experiment.pairs[0]
    with Session.open(path) as session:
        window = next(w for w in session.windows() if (w.arm, w.pair) == ("A", part.pairs[1].pair))
        found = session.operations(window)
    etimes = np.sort(found.etime_ns[client_operations(found)])
    assert part.pairs[1].a == etimes[math.ceil(len(etimes) / 2) - 1]


def test_a_metric_of_one_type_is_drawn_of_that_type(tmp_path):
    path = build_experiment_session(tmp_path / "bind.ldapwb", pairs=2, seconds=10, per_second=60)
    with Session.open(path) as session:
        [stored] = session.experiments()
    with SessionWriter.append(path) as writer:
        plan = replace(stored.plan, primary="BIND:p50")
        writer.put_experiment(replace(stored, plan=plan))
    [group] = model_of(path).groups
    assert (group.experiment.pairs[0].type, group.primary_type) == ("BIND", "BIND")
    binds = {t.n for arm in group.arms for t in arm.tails if t.type == "BIND"}
    assert {curve.n for curve in group.type_curves} == binds


def test_what_the_warm_up_rule_cut_is_cut_from_everything_drawn(tmp_path):
    def told_of(name, **options):
        path = tmp_path / f"{name}.ldapwb"
        build_experiment_session(path, pairs=2, seconds=10, per_second=60)
        with Session.open(path) as session:
            [stored] = session.experiments()
        with SessionWriter.append(path) as writer:
            details = replace(stored.verdict.details, trimmed_s=options.pop("trimmed_s"))
            verdict = replace(stored.verdict, details=details)
            plan = replace(stored.plan, primary="BIND:p50", **options)
            writer.put_experiment(replace(stored, plan=plan, verdict=verdict))
        [group] = model_of(path).groups
        return [[arm.tails for arm in group.arms], group.experiment.pairs[0]], plan_facts(
            group.experiment
        )

    found, facts = told_of("found", trimmed_s=5.0, trim_auto=True, looks=(6, 8), cold=True)
    asked, _ = told_of("asked", trimmed_s=0.0, trim_s=5.0)
    whole, _ = told_of("whole", trimmed_s=0.0)
    for one, other, untouched in zip(found, asked, whole, strict=True):
        assert one == other
        assert one != untouched
    told = {fact.name: fact.value for fact in facts}
    assert told["Left out at the start of each"] == "5 s"
    assert told["Would have ended it decided"] == "a look after 6, 8 pairs"
    assert told["Page cache"] == "dropped before every window, of both arms alike"


def test_a_share_over_the_limit_is_what_was_counted():
    etimes = np.array([10, 20, 30], np.int64)
    assert metric_of("slo", etimes, 30) == 0
    assert metric_of("slo", etimes, 15) == 2 / 3
    assert metric_of("p50", etimes, 0) == 20


def test_what_starts_in_the_trim_is_left_out(experiment_path):
    with Session.open(experiment_path) as session:
        window = session.windows()[0]
        part = measured(window, session.operations(window))
    cut = trimmed(part, 2 * 10**9)
    assert cut.operations.start_ns.min() >= window.start_ns + 2 * 10**9
    assert 0.6 < len(cut.operations) / len(part.operations) < 0.9
    assert trimmed(part, 0) is part


def test_changes_are_told_once_and_what_was_refused_not_at_all(experiment):
    once = first_application(experiment.changes)
    assert [change.knob for change in once] == ["nsslapd-cache-autosize", "nsslapd-cachememsize"]
    refused = [replace(change, state=ChangeState.REFUSED) for change in experiment.changes]
    assert first_application(refused) == ()


def test_ldif_applies_and_undoes_also_to_absent(experiment):
    told = experiment.groups[0].experiment
    assert told.ldif_apply.count("changetype: modify") == 2
    assert "nsslapd-cachememsize: 268435456" in told.ldif_apply
    assert "delete: nsslapd-cache-autosize" in told.ldif_undo
    assert "nsslapd-cachememsize: 67108864" in told.ldif_undo
    assert told.ldif_undo.index("cachememsize") < told.ldif_undo.index("cache-autosize")


def test_a_capture_needs_no_experiment(capture):
    [group] = capture.groups
    assert group.title == "Captured windows"
    assert group.experiment is None
    assert [arm.arm for arm in group.arms] == [""]
    assert capture.changes == ()
    assert "The iostat source is missing in 2 windows" in str(capture.warnings[0])


def test_an_open_change_is_said_before_all_else(tmp_path):
    path = build_experiment_session(tmp_path / "o.ldapwb", pairs=1, seconds=2, judged=False)
    with Session.open(path) as session:
        change = session.changes()[0]
    with SessionWriter.append(path) as writer:
        writer.put_change(replace(change, state=ChangeState.APPLIED))
    model = model_of(path)
    assert "may be in force" in str(model.warnings[0])
    told = model.groups[0].experiment
    assert told.verdict is None
    assert told.experiment.state is State.MEASURING
    assert "has not ended (state: measuring)" in told.state


@pytest.mark.parametrize("simulated", ["facts", "meta"])
def test_a_simulation_is_marked(tmp_path, simulated):
    path = build_capture_session(tmp_path / "s.ldapwb", seconds=2)
    with SessionWriter.append(path) as writer:
        if simulated == "facts":
            writer.set_facts(replace(FACTS, simulated=True))
        else:
            writer.set_meta("simulated", "yes")
    assert model_of(path).simulated


def test_an_empty_session_has_a_report(tmp_path):
    path = tmp_path / "empty.ldapwb"
    SessionWriter.create(path).close()
    model = model_of(path)
    assert model.groups == ()
    assert model.facts == ()
    assert "no window" in str(model.subtitle)


def test_progress_names_every_window(capture_path):
    told = []
    with Session.open(capture_path) as session:
        report_model(session, told.append)
    assert [str(report.text) for report in told] == [
        "Reading window window 1",
        "Reading window window 2",
        "Looking for what stands out",
    ]
    assert [report.fraction for report in told] == [0.0, 0.45, 0.9]
