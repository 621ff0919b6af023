"""The verdict in one line: it says no more than its numbers do."""

from dataclasses import replace

import pytest

from ldap_workbench.inference.verdict.headline import headline
from ldap_workbench.inference.verdict.wording import effect
from ldap_workbench.model.verdict import Judgement, MetricVerdict
from tests.unit.inference.counted import Server, experiment, judge

BINDS = MetricVerdict(
    "p99",
    "better",
    0.0227,
    0.02,
    0.03,
    type="BIND",
    a=11_000_000.0,
    b=250_000.0,
    n_pairs=8,
    p=0.032,
)


CHANCE = "; chance alone does this in 3 of 100 experiments"


def told(**changes) -> str:
    return str(headline(replace(BINDS, **changes)))


def test_a_large_gain_is_told_in_times():
    assert told() == "Binds are 44 times faster: p99 11.0 ms → 250 µs" + CHANCE
    assert told(b=3_500_000.0) == "Binds are 3.1 times faster: p99 11.0 ms → 3.50 ms" + CHANCE


def test_a_small_change_is_told_in_per_cent():
    assert told(b=9_900_000.0, type="ALL") == (
        "Operations take 10 % less time: p99 11.0 ms → 9.90 ms" + CHANCE
    )
    assert told(verdict="worse", b=13_200_000.0).startswith("Binds take 20 % more time: ")
    assert told(verdict="worse", b=33_000_000.0).startswith("Binds are 3 times slower: ")


def test_a_kind_of_operation_is_told_by_its_plain_name():
    kind = {"type": "SRCH[(mail=?)]", "metric": "p50"}
    assert told(**kind) == "Searches (mail=?) are 44 times faster: p50 11.0 ms → 250 µs" + CHANCE
    undecided = told(**kind, verdict="inconclusive")
    assert undecided == "Inconclusive: p50 of searches (mail=?) 11.0 ms → 250 µs; may be chance"


def test_a_sentence_names_a_kind_as_people_do():
    def named(metric: str) -> str:
        return str(effect(replace(BINDS, type="SRCH[client=::1]", metric=metric), brief=True))

    assert named("p50") == "p50 of searches from ::1 went from 11.0 ms to 250 µs"
    assert named("slo").startswith("the share of searches from ::1 over the latency target went")
    assert named("stall_n") == "stalls of searches from ::1 are ×0.0227 as frequent"


def test_a_share_is_told_with_the_count_it_comes_from():
    share = {"metric": "slo", "a": 0.042, "b": 0.0, "n_a": 9000, "n_b": 12_340, "type": "ALL"}
    assert told(**share) == (
        "Operations miss the latency target less often: 4.2 % → 0 of 12,340" + CHANCE
    )
    worse = told(**share | {"a": 0.01, "b": 0.05, "verdict": "worse"})
    assert worse == "Operations miss the latency target more often: 1 % → 5 %" + CHANCE


@pytest.mark.parametrize(
    ("judgement", "reservation"),
    [
        ("suggests better", "indicative only"),
        ("inconclusive", "may be chance"),
        ("no material change", "in these windows"),
        ("too small to matter", "in these windows"),
    ],
)
def test_what_is_not_established_is_not_told_as_a_gain(judgement, reservation):
    heading = Judgement(judgement).heading
    assert told(verdict=judgement) == f"{heading}: BIND p99 11.0 ms → 250 µs; {reservation}"


def test_values_that_moved_the_other_way_are_not_told_as_the_gain():
    """The verdict is of a typical window; all windows pooled may say something else."""
    assert told(b=12_000_000.0, ratio=0.9) == (
        "B is better: BIND p99 ×0.9 in a typical window" + CHANCE
    )
    assert told(a=None, b=None, ratio=None) == "B is better"
    assert told(metric="stall_len", ratio=0.5) == (
        "B is better: BIND the length of stalls ×0.5 in a typical window" + CHANCE
    )


def test_a_change_of_less_than_a_per_cent_is_told_by_its_values():
    assert told(b=10_990_000.0) == "B is better: BIND p99 11.0 ms → 11.0 ms" + CHANCE


@pytest.mark.parametrize(
    ("p", "rate"),
    [
        (0.032, "in 3 of 100 experiments"),
        (0.049, "in 5 of 100 experiments"),
        (0.01, "in 1 of 100 experiments"),
        (0.0004, "in fewer than 1 of 100 experiments"),
    ],
)
def test_the_error_rate_is_the_p_of_the_test(p, rate):
    assert told(p=p).endswith(f"; chance alone does this {rate}")


@pytest.mark.parametrize("p", [1.0, float("nan"), "x", None])
def test_without_a_p_no_error_rate_is_claimed(p):
    assert told(p=p) == "Binds are 44 times faster: p99 11.0 ms → 250 µs"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, "x", True, 0.0])
def test_whatever_a_file_holds_a_line_comes_of_it(value):
    assert told(a=value).startswith("B is better")
    assert told(b=value)
    assert told(verdict="splendid") == "splendid"


@pytest.mark.parametrize("judgement", ["not enough data", "not comparable"])
def test_without_evidence_there_are_no_numbers(judgement):
    assert told(verdict=judgement) == str(Judgement(judgement).heading)


def test_a_verdict_of_windows_is_told_with_its_size():
    verdict = judge(experiment(b=Server(factor=0.25)), primary="p50")
    assert str(headline(verdict.primary)).startswith("Operations are 4 times faster: p50 ")


def test_what_is_proven_and_may_be_too_small_to_matter_says_so():
    quiet = Server(noise=0.01, rate=3000)
    clear = judge(experiment(a=quiet, b=replace(quiet, factor=0.8)), primary="p50")
    close = judge(experiment(a=quiet, b=replace(quiet, factor=0.951)), primary="p50")
    assert (clear.primary.verdict, close.primary.verdict) == ("better", "better")
    said = "It may be less than 5 %, too small to matter."
    assert said in str(close.sentence)
    assert said not in str(clear.sentence)


def test_metrics_that_stayed_the_same_are_named_with_their_margins():
    steady = Server(noise=0.001, rate=3000)
    verdict = judge(experiment(a=steady, b=replace(steady, factor=1.0)), primary="stall_n")
    text = str(verdict.sentence)
    assert "Unchanged within 5 %: p50, p95, p99." in text


def test_a_verdict_says_how_long_it_looked_and_what_it_cannot_have_seen():
    verdict = judge(experiment(), primary="p50")
    assert (
        "Observed: 4 min of A, 4 min of B. No operation of B took 10 s or longer; up to 45 such "
        "stalls an hour remain possible."
    ) in map(str, verdict.warnings)
    stalled = Server(stall_every_s=15.0, stall_s=11.0)
    seen = judge(experiment(a=stalled, b=stalled, seconds=60), primary="p50")
    assert "Observed: 8 min of A, 8 min of B." in map(str, seen.warnings)


def test_many_stalls_that_remain_possible_are_a_whole_number():
    verdict = judge(experiment(seconds=6, pairs=6), primary="p50")
    assert any("up to 300 such stalls an hour" in str(line) for line in verdict.warnings)


def test_a_verdict_of_arms_that_cannot_be_compared_says_how_long_it_looked():
    verdict = judge(experiment(b=Server(rate=3000)), primary="p50")
    assert verdict.primary.verdict == "not comparable"
    assert any(str(line).startswith("Observed: 4 min of A") for line in verdict.warnings)


def test_an_effect_is_not_told_by_values_of_all_windows_that_moved_the_other_way():
    """The verdict is of a typical window, the values from and to are of all of them."""
    rose = MetricVerdict("p99", "better", ratio=0.9, a=1e6, b=2e6)
    assert str(effect(rose, brief=True)) == "p99 ×0.9 in a typical window"
    fell = MetricVerdict("p99", "better", ratio=0.9, a=2e6, b=1e6)
    assert str(effect(fell, brief=True)) == "p99 went from 2.00 ms to 1.00 ms"
