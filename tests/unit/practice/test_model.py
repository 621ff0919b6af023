"""The model: its parts against brute force, its whole against the truth of every scenario."""

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.model.operations import TYPES
from ldap_workbench.practice.model.caches import Cache, hit_ratio
from ldap_workbench.practice.model.knobs import autosized, effective_knobs
from ldap_workbench.practice.model.operations import Model, completions
from ldap_workbench.practice.model.scenario import load_scenario
from ldap_workbench.practice.model.workload import Drift
from tests.unit.practice.simulated import EPOCH_NS, simulate
from tests.unit.practice.trial import scenarios

GIB = 1 << 30
QUANTILES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "p99.9": 0.999}


def model_of(name="healthy", seed=1, **settings):
    scenario = load_scenario(name)
    values = {**scenario.settings, **{k.replace("_", "-"): v for k, v in settings.items()}}
    return Model(scenario, effective_knobs(values, ram_bytes=8 * GIB), seed)


def test_completions_are_those_of_a_queue_served_in_order():
    rng = np.random.default_rng(3)
    begin = np.sort(rng.random(500) * 10)
    work = rng.exponential(0.03, 500)
    expected, busy = [], 0.7
    for at, needed in zip(begin, work, strict=True):
        busy = max(at, busy) + needed
        expected.append(busy)
    assert np.allclose(completions(begin, work, 0.7), expected)


def test_the_same_seed_is_the_same_history_and_another_is_not():
    first = simulate("healthy", {}, 20, 5)
    again = simulate("healthy", {}, 20, 5)
    other = simulate("healthy", {}, 20, 6)
    assert np.array_equal(first.etime_ns, again.etime_ns)
    assert len(other) != len(first) or not np.array_equal(other.etime_ns, first.etime_ns)


def test_arrivals_follow_rate_and_mix():
    scenario = load_scenario("healthy")
    steady = replace(scenario, workload=replace(scenario.workload, drift=0.0))
    operations = simulate(steady, {}, 120, 1)
    expected = steady.workload.rate * 120
    assert abs(len(operations) - expected) < 5 * expected**0.5
    share = (operations.kind == TYPES.index("SRCH")).mean()
    assert share == pytest.approx(steady.workload.mix["SRCH"], abs=0.01)


def test_every_arrival_of_the_window_is_answered_once():
    model = model_of("referint-trains")
    arrived = served = 0
    for step in np.arange(1, 200, 1.7):
        batch = model.advance(step)
        arrived += len(batch.arrived)
        served += len(batch.rows)
    assert arrived == served + len(model.drain().rows)


def test_operations_start_inside_their_window_and_are_in_order_of_ending():
    operations = simulate("checkpoint-storms", {}, 130, 2, start=50)
    assert (np.diff(operations.end_ns) >= 0).all()
    assert operations.start_ns.min() >= EPOCH_NS + 50 * 10**9
    assert operations.start_ns.max() < EPOCH_NS + 180 * 10**9
    assert (operations.etime_ns > operations.wtime_ns).all()


def test_hit_ratio_is_a_power_of_the_resident_share():
    assert hit_ratio(16.0, 256.0, 0.25) == pytest.approx(0.5)
    assert hit_ratio(999.0, 256.0, 0.25) == 1


def test_a_cache_warms_up_and_evicts_at_once_when_it_shrinks():
    cache = Cache(everything=1000.0, popularity=0.5)
    ratios = cache.passing(1000.0, 50.0, np.arange(0.0, 60.0))
    assert ratios[0] == 0
    assert (np.diff(ratios) > 0).all()
    cache.passing(10.0, 50.0, np.arange(0.0, 2.0))
    assert cache.resident <= 10


def test_checkpoints_come_at_their_interval_and_at_once_when_it_is_changed():
    model = model_of(nsslapd_db_checkpoint_interval="60")
    starts = [e.start for e in model.advance(600.0).episodes if e.cause == "checkpoint"]
    assert 9 <= len(starts) <= 11
    assert np.diff(starts) == pytest.approx(61.25, abs=2.5)
    model.change(replace(model.knobs, checkpoint_interval=15.0))
    later = [e.start for e in model.advance(660.0).episodes if e.cause == "checkpoint"]
    assert later[0] == pytest.approx(600.0)
    assert len(later) >= 4


def test_a_full_thread_pool_makes_everybody_wait():
    many = simulate("referint-trains", {"nsslapd-threadnumber": "4000"}, 400, 3)
    few = simulate("referint-trains", {"nsslapd-threadnumber": "8"}, 400, 3)

    def waiting(operations):
        return (operations.etime_ns[operations.kind == TYPES.index("SRCH")] > 2e8).mean()

    assert waiting(few) > 3 * waiting(many) > 0


def test_a_restart_empties_the_caches():
    model = model_of("tiny-caches", nsslapd_cachememsize=str(GIB))
    before = model.advance(30.0).rows["entry_miss"].mean()
    model.restart(32.0, model.knobs)
    after = model.advance(36.0).rows["entry_miss"].mean()
    assert after > before + 0.2


def test_rehashing_ends_when_every_user_has_been_rehashed():
    scenario = load_scenario("rehash")
    small = replace(scenario, workload=replace(scenario.workload, users=500))
    knobs = effective_knobs(small.settings, ram_bytes=8 * GIB)
    model = Model(small, knobs, 1)
    early = model.advance(5.0).rows["rehash"].sum()
    model.advance(300.0)
    late = model.advance(305.0).rows["rehash"].sum()
    assert early > 80
    assert late < early / 10


def test_drift_is_the_same_from_wherever_one_looks():
    drift = Drift(7, 0.06)
    at = np.linspace(0, 5000, 50)
    one_by_one = [drift.load(np.array([moment]))[0] for moment in at]
    assert np.allclose(drift.load(at), one_by_one)
    assert 0.75 < drift.load(at).min() < drift.load(at).max() < 1.3


def test_autotuning_sizes_caches_as_the_real_server_did():
    # seen on a host of 24,684,096 KiB: db 1,542,756k, entries 4,194,304k, DNs 524,288k
    entry, database, dn = autosized({}, 24_684_096 * 1024)
    assert (entry // 1024, dn // 1024) == (4_194_304, 524_288)
    assert database // 1024 == pytest.approx(1_542_756, rel=1e-6)


@pytest.mark.parametrize("name", scenarios())
def test_the_true_effect_is_the_one_the_scenario_tells(name):
    scenario = load_scenario(name)
    treated = {setting.knob: setting.value for setting in scenario.treatment.settings}
    before = simulate(scenario, {}, 1200, 11).etime_ns
    after = simulate(scenario, treated, 1200, 11).etime_ns
    for metric, quantile in QUANTILES.items():
        ratio = np.quantile(after, quantile) / np.quantile(before, quantile)
        assert ratio == pytest.approx(scenario.ratios[metric], rel=0.35), metric
    no_effect = scenario.expected[scenario.primary] == "no material change"
    assert (scenario.ratios[scenario.primary] == 1) == no_effect
