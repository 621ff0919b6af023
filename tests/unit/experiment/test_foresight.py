"""What a plan can find, told from windows without a change."""

import re
from dataclasses import replace

import pytest

from ldap_workbench.experiment import foresight
from ldap_workbench.experiment.foresight import Foresight, baseline_windows
from ldap_workbench.experiment.foresight import foresee as foreseen
from ldap_workbench.experiment.plan import make_plan
from ldap_workbench.model.experiment import Design
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.session.reader import Session
from tests.sessions import build_capture_session, build_experiment_session

TREATMENT = Treatment((Setting("nsslapd-threadnumber", "24"),))


def plan(pairs=8, window_s=20, primary="p50"):
    return make_plan(TREATMENT, Design("pairs", pairs), window_s=window_s, seed=1, primary=primary)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A session of eight windows without a change."""
    return build_capture_session(tmp_path_factory.mktemp("b") / "b.ldapwb", windows=8)


@pytest.fixture
def baseline(path):
    with Session.open(path) as session:
        yield session


def foresee(session, plan):
    """Its sentences in English."""
    return [str(each) for each in foreseen(session, plan)]


def smallest(session, pairs, primary="p50"):
    told = foresee(session, plan(pairs, primary=primary))
    (line,) = [line for line in told if line.startswith("Judging by 8 windows")]
    return rises(line)


def rises(line):
    """The ratio that is found whatever the noise of the windows leaves possible."""
    return float(re.search(r"rises to (?:between ×[\d.]+ and )?×([\d.]+\d)", line)[1])


def test_more_pairs_find_smaller_effects(baseline):
    assert 1 < smallest(baseline, 24, "p95") < smallest(baseline, 8, "p95")


def test_one_type_is_planned_by_its_own_windows(baseline):
    assert any("BIND p50" in line for line in foresee(baseline, plan(primary="BIND:p50")))
    assert "no such operation" in foresee(baseline, plan(primary="MODRDN:p50"))[0]
    assert "no such operation" in foresee(baseline, plan(primary="SRCH[(no=?)]:p50"))[0]
    of_a_file = replace(plan(), primary="KNIT:p50")
    assert "no operation type KNIT" in foresee(baseline, of_a_file)[0]


def test_a_window_with_few_stalls_is_said_to_be_short(baseline):
    lines = foresee(baseline, plan())
    assert any("For a tail it should hold 5" in str(line) for line in lines)


@pytest.mark.parametrize(("stalls", "said"), [(0, False), (4, True), (5, False)])
def test_longer_windows_are_advised_where_they_hold_a_few_stalls(
    baseline, monkeypatch, stalls, said
):
    monkeypatch.setattr(foresight, "stalls_of", lambda counts, _: [[None] * stalls] * len(counts))
    advice = [line for line in foresee(baseline, plan()) if line.startswith("A window holds")]
    assert bool(advice) is said
    assert not said or advice[0].endswith("use windows of 25 s.")


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
    assert smallest(baseline, 240) == smallest(baseline, 2000) == 1.05


def finds(session, plan):
    return str(Foresight(session).finds(plan))


def test_what_a_plan_finds_in_a_few_words_is_what_it_finds_in_many(baseline):
    said = finds(baseline, plan(24))
    falls = float(re.search(r"^Detects that p50 falls to (?:between )?×([\d.]+\d)", said)[1])
    assert rises(said) == smallest(baseline, 24)
    assert falls == pytest.approx(1 / rises(said), abs=0.01)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"window_s": 300}, "The baseline has too few windows of this length."),
        ({"primary": "MODRDN:p50"}, "Sensitivity unknown: "),
    ],
)
def test_why_it_is_not_known_what_a_plan_finds(baseline, options, said):
    assert finds(baseline, plan(**options)).startswith(said)


def test_eight_windows_are_enough_and_seven_are_not(baseline, monkeypatch):
    windows = baseline.windows()
    assert len(windows) == 8
    assert finds(baseline, plan()).startswith("Detects")
    baseline.windows = lambda: windows[1:]
    assert "too few windows" in finds(baseline, plan())
    assert (
        "there are 7 windows of 20 s without a change, and it takes 8"
        in foresee(baseline, plan())[0]
    )


@pytest.mark.parametrize(
    ("window_s", "parts", "seconds"),
    [(20, 1, 20), (18.2, 1, 20), (19, 1, 20), (21.9, 1, 20), (23, 0, 0), (10, 2, 10), (6, 3, 6)],
)
def test_a_window_serves_plans_of_about_its_length_or_a_part_of_it(
    baseline, window_s, parts, seconds
):
    first = baseline.windows()[0]
    found = [
        part for part in baseline_windows(baseline, plan(window_s=window_s)) if part.id == first.id
    ]
    assert len(found) == parts
    for number, part in enumerate(found):
        assert part.seconds == pytest.approx(seconds, abs=0.01)
        assert part.start_ns == first.start_ns + number * round(window_s * 1e9) * (parts > 1)


def test_cancelled_windows_are_no_baseline_and_all_stand_in_time_order(baseline):
    windows = baseline.windows()
    baseline.windows = lambda: [replace(windows[0], cancelled=True), *windows[:0:-1]]
    assert [w.id for w in baseline_windows(baseline, plan())] == [w.id for w in windows[1:]]


def test_each_length_is_counted_once(baseline, monkeypatch):
    counted = []
    count = foresight.counted
    monkeypatch.setattr(foresight, "counted", lambda *a: counted.append(a) or count(*a))
    judged = Foresight(baseline)
    for pairs in (8, 16, 24):
        judged.finds(plan(pairs))
    judged.sentences(plan())
    assert len(counted) == 1
    judged.finds(replace(plan(), trim_s=1))
    judged.finds(replace(plan(), slo_ns=50_000_000))
    assert len(counted) == 3
