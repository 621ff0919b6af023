"""The table of truths: what is run, what is kept of it, and what the page says of it."""

import re
from collections import Counter
from dataclasses import replace

import pytest
from scipy import special

from tests.bench.acceptance import cells, truths, unseen
from tests.bench.acceptance.operations import Asked, Timeline, experiment

CHECKS = [check for checks in cells.TABLES.values() for check in checks]


@pytest.fixture
def judged(monkeypatch):
    """Names and seeds of the experiments that are run; all of them say "better"."""
    asked = []

    def word_of(truth, seed, flips):
        asked.append((truth.name, seed))
        return "better"

    monkeypatch.setattr(cells, "word_of", word_of)
    return asked


def test_a_run_goes_on_where_it_was_stopped(judged, tmp_path):
    results = tmp_path / "cells.jsonl"
    scene = [truths.WAITING, truths.WAITING_P99]
    cells.run(scene, range(2), results, {})
    cells.run(scene, range(3), results, cells.read(results))
    assert len(judged) == 6
    assert [n for n, _ in judged[:4]] == [truths.WAITING.name, truths.WAITING_P99.name] * 2
    assert cells.read(results)[truths.WAITING.name] == dict.fromkeys(range(3), "better")


def test_parts_of_a_run_share_the_experiments(judged, tmp_path):
    results = tmp_path / "cells.jsonl"
    for part in range(2):
        cells.run([truths.NOTHING], range(part, 5, 2), results, {})
    assert sorted(seed for _, seed in judged) == [
        cells.seed_of(truths.NOTHING, number) for number in range(5)
    ]


def test_every_cell_is_run_a_little_before_any_is_run_in_full():
    assert cells.rounds(400) == [12, 25, 50, 100, 200, 400]
    assert cells.rounds(3) == [1, 3]


def test_the_truths_of_a_scene_differ_only_in_what_is_asked():
    for scene in cells.scenes(CHECKS):
        assert len({replace(t, name="", primary="", asked=Asked.AS_PLANNED) for t in scene}) == 1


def test_a_name_stands_for_one_truth_and_each_scene_has_seeds_of_its_own():
    named = {check.truth for check in CHECKS}
    assert Counter(truth.name for truth in named).most_common(1)[0][1] == 1
    scenes = [cells.seed_of(scene[0], 0) for scene in cells.scenes(CHECKS)]
    assert len(set(scenes)) == len(scenes)


def test_a_row_says_the_shares_and_what_they_leave_possible():
    check = truths.never(truths.NOTHING, *truths.CLAIMS)
    said = {truths.NOTHING.name: dict(enumerate(["better"] * 3 + ["inconclusive"] * 97))}
    row = cells.table([check], said).splitlines()[2]
    assert "| 100 | inconclusive 97.0, better 3.0 |" in row
    assert row.endswith("| better or worse ≤ 7.5 % | 3.0 | 7.6 | ok |")
    missed = {truths.NOTHING.name: dict.fromkeys(range(4), "worse")}
    assert cells.table([check], missed).endswith("| 100.0 | 100.0 | **missed** |\n")


def test_what_must_be_found_has_a_lower_limit_and_what_has_no_bound_no_mark():
    said = {truths.AT_ONCE.name: dict.fromkeys(range(59), "better")}
    least = cells.table([truths.mostly(truths.AT_ONCE, "better")], said)
    assert least.endswith("| better ≥ 80 % | 100.0 | 95.0 | ok |\n")
    free = cells.table([truths.unbounded(truths.AT_ONCE, "better")], said)
    assert free.endswith("| better: no bound | 100.0 | 100.0 |  |\n")


def test_the_limit_is_that_of_clopper_and_pearson():
    assert cells.at_most(0, 59) == pytest.approx(100 * (1 - 0.05 ** (1 / 59)))
    as_few = special.bdtr(20, 400, cells.at_most(20, 400) / 100)  # of a binomial distribution
    assert as_few == pytest.approx(0.05)
    assert cells.at_least(59, 59) == pytest.approx(100 * 0.05 ** (1 / 59))


def test_false_verdicts_are_pooled_by_their_sort():
    said = {
        truths.NOTHING.name: {0: "better", 1: "no material change"},
        truths.NOISY.name: {0: "inconclusive", 1: "inconclusive"},
        truths.SMALL.name: {0: "no material change"},
        truths.WAITING.name: {0: "worse"},
    }
    nothing, opposite, difference, settled = cells.pooled(CHECKS, said).splitlines()[2:]
    assert "| 4 | ≤ 6 % | 25.00 |" in nothing
    assert "| 1 | ≤ 6 % | 0.00 |" in opposite
    assert difference.endswith("| 1 | ≤ 6 % | 100.00 | 100.00 | **missed** |")
    assert "settled" in settled


def test_the_page_has_a_place_for_every_table(monkeypatch, tmp_path):
    page = tmp_path / "verdict.md"
    page.write_text(cells.PAGE.read_text())
    monkeypatch.setattr(cells, "PAGE", page)
    cells.write({truths.NOTHING.name: {0: "inconclusive"}})
    row = re.search(r"<!-- truths -->.*?<!-- /truths -->", page.read_text(), re.DOTALL)
    assert "| nothing changed: p50 | 1 | inconclusive 100.0 |" in row[0]


def test_windows_that_are_lost_are_measured_again_with_their_pair():
    timeline = Timeline(unseen.LOSSES, 4)
    pairs = [(arm, pair) for arm, pair, _, _ in timeline.windows()]
    assert sorted(pairs) == [(arm, pair) for arm in "AB" for pair in range(8)]
    assert timeline.lost
    assert set(timeline.lost) == {"B"}


def test_better_of_windows_of_which_the_slowest_were_lost_is_a_rare_word():
    words = [truths.word_of(unseen.LOSSES, seed, seed) for seed in range(6)]
    assert "better" not in words


def test_a_hang_in_windows_of_b_outweighs_what_the_others_gained():
    words = [truths.word_of(unseen.HANGS, seed, seed) for seed in range(4)]
    assert "better" not in words


def test_no_difference_is_not_said_of_an_effect_that_stays():
    unmarked = unseen.unmarked(unseen.LASTS)
    assert truths.word_of(unmarked, 850_006, 6) == "no material change"
    assert truths.word_of(unseen.LASTS, 850_006, 6) == "inconclusive"


def test_searches_that_are_open_at_the_end_have_waited_until_then():
    [logged, unsaid] = (
        experiment(replace(truth, pairs=1), 0) for truth in (truths.GIVING_UP, truths.CUT)
    )
    assert [w.n for w in logged] == [w.n for w in unsaid]
    assert [w.tally.unanswered for w in logged] == [w.tally.unanswered for w in unsaid]
    assert max(w.bucket.max() for w in unsaid) > max(w.bucket.max() for w in logged)
