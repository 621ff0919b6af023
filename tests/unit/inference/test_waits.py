"""Clients that all wait for their answers: load is an outcome, and waiting hides nothing."""

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.inference.counts.waits import BINS, Waits, waits_of
from ldap_workbench.inference.design.load import waiting_load
from ldap_workbench.inference.verdict.analyse import analyse
from tests.bench.acceptance import loops
from tests.bench.acceptance.operations import experiment
from tests.unit.inference.test_cube import SRCH, cube_of

MS = 1_000_000


def judged(truth, seed, **asked):
    return analyse(experiment(truth, seed), primary=truth.primary, seed=seed, **asked)


def words(truth, seeds=range(3), **asked):
    return [judged(truth, seed, **asked).primary.verdict for seed in seeds]


def waits(rows):
    """Of rows of (start ms, etime ms, connection)."""
    ordered = sorted(rows, key=lambda row: row[0] + row[1])
    start, etime, connection = (np.array(x, np.int64) for x in zip(*ordered, strict=True))
    return waits_of((start + etime) * MS, etime * MS, connection)


def test_a_connection_is_busy_for_the_share_of_its_time_that_it_waits():
    seen = waits([(10 * i, 8, 7) for i in range(11)])
    assert (seen.of, sum(seen.operations)) == (11, 10)
    assert seen.operations[16] == 10
    assert seen.busy[16] == pytest.approx(8.0)
    assert seen.known == pytest.approx(10 / 11)
    assert (seen.waiting_share(0.8), seen.waiting_share(0.85)) == (1.0, 0.0)


def test_each_connection_is_seen_by_itself_whatever_lies_between_its_operations():
    alone = waits([(10 * i, 8, 7) for i in range(11)])
    beside = waits(
        [(10 * i, 8, 7) for i in range(11)] + [(10 * i + 3, 1, 70_007) for i in range(11)]
    )
    assert beside.operations[16] == alone.operations[16]
    assert beside.operations[2] == 10
    assert beside.of == 22


def test_a_connection_that_asks_before_it_is_answered_does_not_wait():
    seen = waits([(10 * i, 35, 7) for i in range(11)])
    assert seen.operations[0] == 10
    assert seen.waiting_share(0.05) == 0.0


def test_an_answer_logged_a_little_late_is_no_overlap():
    seen = waits([(10 * i, 12, 7) for i in range(11)])
    assert seen.operations[BINS - 1] == 10


def test_operations_without_a_connection_in_common_tell_of_no_waiting():
    seen = waits([(10 * i, 8, i) for i in range(11)])
    assert (seen.known, seen.of, sum(seen.operations)) == (0.0, 11, 0)
    assert Waits().known == Waits().waiting_share(0.0) == 0.0


def test_clients_ask_more_often_by_the_time_they_no_longer_wait():
    half = Waits((0.0,) * 10 + (4.0,) + (0.0,) * 9, (0.0,) * 10 + (2.0,) + (0.0,) * 9, 5)
    assert half.throughput(0.5) == pytest.approx(4 / 3)
    assert half.throughput(1.0) == 1.0
    assert half.plus(half).throughput(0.5) == half.throughput(0.5)
    assert half.plus(half).of == 10


def test_a_cube_counts_how_its_connections_wait():
    rows = [(10 * MS * i, 8 * MS, SRCH) for i in range(11)]
    cube = cube_of(rows, conn=[5] * 11)
    assert cube.tally.waits.operations[16] == 10
    restarted = cube_of(rows, conn=[5] * 11, boot=[0] * 6 + [1] * 5)
    assert sum(restarted.tally.waits.operations) == 9


@pytest.mark.parametrize(
    "truth", [loops.GAIN, loops.GAIN_THINKING, loops.GAIN_SLO], ids=["p50", "thinking", "slo"]
)
def test_clients_that_all_wait_and_gain_are_better_off(truth):
    assert words(truth) == ["better"] * 3


def test_the_verdict_says_that_the_load_was_taken_for_an_outcome():
    verdict = judged(loops.GAIN, 0)
    (said,) = [str(w) for w in verdict.warnings if "loop=closed" in str(w)]
    assert said.startswith("All clients wait for their answers, so the load is an outcome")
    assert verdict.details.clients.closed
    assert verdict.details.load_ratio == pytest.approx(22 / 14, rel=0.1)


def test_clients_that_all_wait_and_lose_are_worse_off():
    assert words(loops.LOSS) == ["worse"] * 3


def test_nothing_is_made_of_clients_that_all_wait_for_the_same():
    said = words(loops.SAME) + words(loops.SAME_NOISY)
    assert not {"better", "worse", "not comparable"} & set(said)


@pytest.mark.parametrize("truth", [loops.DEAR_SLOWER, loops.DEAR_SLOWER_SLO], ids=["p95", "slo"])
@pytest.mark.parametrize("loop", ["auto", "closed"])
def test_clients_that_are_served_more_slowly_and_ask_less_are_no_gain(truth, loop):
    assert "better" not in words(truth, loop=loop)


def test_where_waiting_hides_a_loss_the_time_waited_per_operation_is_said():
    verdict = judged(loops.DEAR_SLOWER, 0, loop="closed")
    assert verdict.primary.ratio < 0.5
    assert "the time waited per operation is ×1" in str(verdict.sentence)


@pytest.mark.parametrize(
    "truth", [loops.MORE_LOAD, loops.MORE_THROUGH_A_POOL], ids=["crowd", "pool"]
)
def test_more_load_of_clients_that_do_not_wait_is_another_workload(truth):
    assert words(truth) == ["not comparable"] * 3


def test_a_busy_pool_looks_as_if_its_clients_waited_but_its_load_does_not_follow_the_etimes():
    seen = waiting_load(experiment(loops.MORE_THROUGH_A_POOL, 0))
    assert seen.throughput == pytest.approx(1.25, rel=0.05)
    assert not seen.explained


def test_clients_that_wait_beside_others_leave_the_load_what_it_is():
    assert waiting_load(experiment(loops.MIXTURE, 0)) is None
    assert "better" not in words(loops.MIXTURE)


def test_a_load_that_varies_by_chance_can_be_compared():
    verdicts = [judged(loops.VARIES, seed) for seed in range(8)]
    assert all(verdict.comparable for verdict in verdicts)
    said = [str(w) for v in verdicts for w in v.warnings if "this may be chance" in str(w)]
    assert said


def test_matching_gives_way_where_it_would_leave_too_few_pairs():
    verdict = judged(loops.VARIES, 870_066)
    assert verdict.primary.verdict != "not enough data"
    assert _by_chance(verdict)
    assert verdict.primary.n_pairs == 8


def test_five_pairs_cannot_tell_chance_from_another_load():
    seeds = [seed for seed in range(8) if _by_chance(judged(loops.VARIES, seed))]
    five = replace(loops.VARIES, pairs=5)
    assert not any(_by_chance(judged(five, seed)) for seed in seeds)


def _by_chance(verdict):
    return any("this may be chance" in str(warning) for warning in verdict.warnings)
