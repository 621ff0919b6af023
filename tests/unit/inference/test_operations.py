"""Verdicts on operations with a known truth: clients that wait, clients that give up, effects that
take time."""

from dataclasses import replace

import pytest

from ldap_workbench.inference.verdict.analyse import analyse
from tests.bench.acceptance import truths
from tests.bench.acceptance.operations import Server, Stream, Truth, experiment


def verdict_of(truth, seed):
    return analyse(experiment(truth, seed), primary=truth.primary, seed=seed)


def words(truth, seeds):
    return [verdict_of(truth, seed).primary.verdict for seed in seeds]


@pytest.mark.parametrize("seed", range(3))
def test_clients_that_give_up_do_not_make_a_server_faster(seed):
    verdict = verdict_of(truths.GIVING_UP, seed)
    assert not [name for name, m in verdict.metrics.items() if m.verdict == "better"]
    assert "never answered in arm A" in str(verdict.why)


@pytest.mark.parametrize("truth", [truths.WAITING, truths.WAITING_P99], ids=["slo", "p99"])
def test_a_client_that_waits_longer_and_asks_less_is_no_gain(truth):
    assert "better" not in words(truth, range(3))


def test_a_client_that_waits_less_and_asks_more_is_no_loss():
    assert "worse" not in words(truths.FASTER, range(3))


def test_fewer_slow_searches_in_which_less_time_is_waited_are_a_gain():
    assert words(truths.HALF_QUICK, range(3)) == ["better"] * 3


@pytest.mark.parametrize(
    ("truth", "word"),
    [
        (truths.WAITING, "inconclusive"),
        (truths.WAITING_P99, "inconclusive"),
        (truths.FASTER, "inconclusive"),
        (truths.HALF_QUICK, "suggests better"),
    ],
    ids=["slo", "p99", "faster", "half quick"],
)
def test_waiting_is_conserved_in_one_time_range_of_each_arm_too(truth, word):
    """It suggested *better* where one client waited three times as long: fewer are slow."""
    windows = experiment(truth, 0)
    said = analyse(windows, primary=truth.primary, design="ab").primary
    assert said.verdict == word
    assert ("the time waited in operations this slow" in str(said.takes)) is (
        word == "inconclusive"
    )


@pytest.mark.parametrize("truth", [truths.FILLS, truths.BUILDS_UP], ids=["fills", "builds up"])
def test_an_effect_that_is_still_on_its_way_is_not_settled(truth):
    assert words(truth, range(4)) == ["not settled"] * 4


def test_what_it_takes_is_to_wait_and_how_the_effect_moved():
    verdict = verdict_of(truths.FILLS, 0)
    assert verdict.details.settling.first > verdict.details.settling.second
    assert "a longer wait after each change" in str(verdict.sentence)


def test_an_effect_that_is_there_at_once_is_settled():
    assert words(truths.AT_ONCE, range(6)) == ["better"] * 6
    assert "not settled" not in words(truths.NOTHING, range(6))


def test_an_experiment_is_the_same_for_the_same_seed():
    first, again = (experiment(truths.FILLS, 3) for _ in range(2))
    assert all((a.count == b.count).all() for a, b in zip(first, again, strict=True))
    assert [w.n for w in first] != [w.n for w in experiment(truths.FILLS, 4)]


def test_the_table_of_truths_marks_what_misses_its_bound():
    check = truths.Check(truths.NOTHING, ("better",), 7.5)
    assert (check.holds(7.5), check.holds(10.0)) == (True, False)
    least = truths.Check(truths.AT_ONCE, ("better",), 80.0, at_least=True)
    assert (least.holds(80.0), least.holds(70.0)) == (True, False)


def test_a_kind_that_is_asked_for_less_often_is_compared_by_itself():
    """It was no longer comparable: of all searches, more than 5 % fewer were of the slower kind."""
    client = Stream(clients=1, etime_s=0.02, filter="(mail=?)")
    a, b = (Server((truths.CROWD, client.slower(factor))) for factor in (1.0, 3.0))
    truth = Truth("slower", a, b, primary="SRCH[(mail=?)]:p50", pairs=6, load_sd=0.2)
    verdict = verdict_of(truth, 0)
    assert verdict.primary.verdict == "worse", verdict.sentence
    assert verdict.primary.ratio == pytest.approx(3.0, rel=0.1)
    assert any("inside SRCH differs by" in str(said) for said in verdict.warnings)


def test_fewer_dear_searches_do_not_make_a_server_faster():
    assert words(truths.MIXED, range(4)) == ["worse"] * 4
    assert not {"better", "worse"} & set(words(truths.MIXED_ALIKE, range(1, 5)))


def test_another_mixture_inside_a_type_is_said():
    warnings = " ".join(map(str, verdict_of(truths.MIXED, 0).warnings))
    assert "The mix of filters, bases and clients inside SRCH differs by 6.4 %" in warnings
    assert "inside SRCH" not in " ".join(map(str, verdict_of(truths.NOTHING, 0).warnings))


def test_kinds_are_known_by_their_client_where_the_log_holds_no_filters():
    assert words(truths.BY_CLIENT, range(4)) == ["worse"] * 4


def test_a_mixture_that_cannot_be_put_to_the_same_is_not_comparable():
    assert words(truths.UNTOLD, range(3)) == ["not comparable"] * 3
    why = str(verdict_of(truths.UNTOLD, 0).why)
    assert "does not hold the filters of the searches" in why
    assert words(truths.RARE, range(3)) == ["not comparable"] * 3
    assert "of other kinds in one arm than in the other" in str(verdict_of(truths.RARE, 0).why)


def test_a_kind_that_one_arm_has_not_at_all_is_not_comparable():
    windows = experiment(truths.MIXED, 0)
    dear = windows[0].strata.kinds["SRCH", "(cn=*?*)"]
    trimmed = [w._only(w.stratum != dear) if w.arm == "B" else w for w in windows]
    assert analyse(trimmed, primary="p95").primary.verdict == "not comparable"


def test_few_pairs_of_many_rare_filters_are_no_reason_to_suggest_anything():
    few = experiment(replace(truths.RARE, pairs=4), 0)
    assert analyse(few, primary="p95").primary.verdict == "not comparable"
    alike = experiment(replace(truths.RARE, b=truths.RARE.a, pairs=4), 0)
    assert analyse(alike, primary="p95").comparable


def test_many_rare_filters_alike_in_both_arms_are_comparable():
    alike = replace(truths.RARE, b=truths.RARE.a)
    assert "not comparable" not in words(alike, range(6))


def test_one_kind_of_search_is_judged_by_itself():
    verdict = verdict_of(truths.ONE_KIND, 0)
    assert (verdict.primary.type, verdict.primary.metric) == ("SRCH[(mail=?)]", "p50")
    assert words(truths.ONE_KIND, range(4)) == ["better"] * 4
    assert "p50 of searches (mail=?) went from" in str(verdict.sentence)
    assert verdict.metrics["p50"].verdict not in ("better", "worse")


def test_a_kind_of_search_that_no_window_has_cannot_be_judged():
    none = replace(truths.ONE_KIND, primary="SRCH[(sn=?)]:p50")
    verdict = verdict_of(none, 0)
    assert verdict.primary.verdict == "not enough data"
    assert "Not every window has searches (sn=?)." in str(verdict.sentence)
