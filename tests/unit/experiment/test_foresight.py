"""What a plan can find, told from windows without a change."""

from dataclasses import replace

import pytest

from ldap_workbench.experiment import foresee as foreseen
from ldap_workbench.experiment import make_plan
from ldap_workbench.experiment.foresight import baseline_windows
from ldap_workbench.model.experiment import Design
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.session import Session
from tests.sessions import build_capture_session, build_experiment_session

TREATMENT = Treatment((Setting("nsslapd-threadnumber", "24"),))


def plan(pairs=8, window_s=20, primary="p50"):
    return make_plan(TREATMENT, Design("pairs", pairs), window_s=window_s, seed=1, primary=primary)


@pytest.fixture
def baseline(tmp_path):
    with Session.open(build_capture_session(tmp_path / "b.ldapwb", windows=8)) as session:
        yield session


def foresee(session, plan):
    """Its sentences in English."""
    return [str(each) for each in foreseen(session, plan)]


def smallest(session, pairs, primary="p50"):
    told = foresee(session, plan(pairs, primary=primary))
    (line,) = [line for line in told if line.startswith("Judging by 8 windows")]
    return float(line.partition("rises to ×")[2].split()[0])


def test_more_pairs_find_smaller_effects(baseline):
    assert 1 < smallest(baseline, 24, "p95") < smallest(baseline, 8, "p95")


def test_one_type_is_planned_by_its_own_windows(baseline):
    assert any("BIND p50" in line for line in foresee(baseline, plan(primary="BIND:p50")))
    assert "no such operation" in foresee(baseline, plan(primary="MODRDN:p50"))[0]
    of_a_file = replace(plan(), primary="KNIT:p50")
    assert "no operation type KNIT" in foresee(baseline, of_a_file)[0]


def test_a_window_with_few_stalls_is_said_to_be_short(baseline):
    lines = foresee(baseline, plan())
    assert any("For a tail it should hold 5" in str(line) for line in lines)


def test_a_tail_needs_operations_that_are_not_there(baseline):
    assert "20,000 operations" in foresee(baseline, plan(primary="p99.9"))[0]


def test_windows_of_another_length_are_no_baseline(baseline):
    assert baseline_windows(baseline, plan(window_s=300)) == []
    assert "it takes 8" in foresee(baseline, plan(window_s=300))[0]


def test_longer_windows_are_cut_to_the_length_planned(baseline):
    parts = baseline_windows(baseline, plan(window_s=9))
    assert len(parts) == 16, "two of each, the rest is left out"
    assert {round(part.seconds, 6) for part in parts} == {9.0}
    assert "Judging by 16 windows" in foresee(baseline, plan(window_s=9))[0]


def test_the_treated_windows_are_no_baseline_those_of_a_noise_floor_are(tmp_path):
    with Session.open(build_experiment_session(tmp_path / "e.ldapwb", seconds=20)) as session:
        assert {w.arm for w in baseline_windows(session, plan())} == {"A"}
        stored = session.experiments()[0]
        floor = replace(stored, plan=replace(stored.plan, treatment=Treatment(())))
        session.experiments = lambda: [floor]
        assert {w.arm for w in baseline_windows(session, plan())} == {"A", "B"}


def test_what_would_be_called_immaterial_is_not_promised(baseline):
    assert smallest(baseline, 24) == smallest(baseline, 2000) == 1.05
