"""What a stored verdict says of its evidence, also when it says less, or wrongly."""

import math

import pytest

from ldap_workbench.figures.verdict.stored import ledger_of, pair_values, shift_of
from ldap_workbench.model.errors import SessionError
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.report.trial import notes_of
from tests.unit.report.stored_verdicts import LEDGER, SHIFT, START, WINDOWS, a_verdict


def test_the_ledger_knows_windows_and_times():
    verdict = a_verdict(ledger=LEDGER, trimmed_s=2.0, long_stalls={"sentence": "None of 10 s."})
    ledger = ledger_of(verdict, WINDOWS, trim_s=1.0)
    assert [arm.count for arm in ledger.arms] == [3, 0]
    first, second = ledger.stalls
    assert (first.window, first.start_ns) == ("A1", START + round(10.5 * NS_PER_S))
    assert (second.window, second.start_ns) == ("", None)
    assert ledger.long_stalls == "None of 10 s."


def test_the_shift_is_drawn_as_far_as_it_is_known():
    shift = shift_of(a_verdict(shift=SHIFT))
    assert shift.p.tolist() == SHIFT["p"]
    assert shift.high.tolist() == SHIFT["high"]


def test_pairs_are_those_the_test_saw():
    rows = [
        {"arm": "A", "pair": 0, "p50": 2e6},
        {"arm": "B", "pair": 0, "p50": 1e6},
        {"arm": "A", "pair": 1, "p50": 2e6},
        {"arm": "B", "pair": 1, "p50": None},
    ]
    [pair] = pair_values(a_verdict(windows=rows), "p50", {0: True})
    assert (pair.pair, pair.a, pair.b, pair.b_first) == (0, 2e6, 1e6, True)


def test_none_of_many_is_a_share_of_zero():
    """The test compares shares with half an operation more; what is shown was counted."""
    n = 293_224
    rows = [
        {"arm": "A", "pair": 0, "n": n, "slo": 12.5 / (n + 1)},
        {"arm": "B", "pair": 0, "n": n, "slo": 0.5 / (n + 1)},
    ]
    [pair] = pair_values(a_verdict(windows=rows), "slo", {})
    assert pair.b == 0
    assert pair.a == pytest.approx(12 / n)


def test_a_share_of_a_strangers_numbers_is_no_share():
    rows = [{"arm": arm, "pair": 0, "n": 1e308, "slo": 1e308} for arm in "AB"]
    assert pair_values(a_verdict(windows=rows), "slo", {}) == []


@pytest.mark.parametrize(
    "broken",
    [
        None,
        {},
        {"p": [0.5], "ratio": [1], "low": [1], "high": [1]},
        {"p": [0.5, 0.9], "ratio": [1, float("nan")], "low": [1, 1], "high": [1, 1]},
        {"p": [0.5, 1.0], "ratio": [1, 1], "low": [1, 1], "high": [1, 1]},
        {"p": [0.5, 0.9], "ratio": [1, 0], "low": [1, 1], "high": [1, 1]},
        {"p": [0.5, 0.9], "ratio": [1, 1]},
    ],
)
def test_a_shift_that_cannot_be_drawn_is_none(broken):
    assert shift_of(a_verdict(shift=broken)) is None


@pytest.mark.parametrize(
    "details",
    [
        {},
        {"ledger": None, "windows": [], "clients": None, "planning": {}, "trimmed_s": 0},
        {"ledger": {"threshold_ns": math.nan}, "trimmed_s": math.nan},
        {"windows": [{"arm": "<b>", "pair": 1, "p50": 2}], "planning": {"p50": {"s": 0.1}}},
        {"windows": [{"arm": "A", "pair": 1, "p50": math.inf}, {"arm": "B", "p50": -1}]},
    ],
)
def test_what_is_missing_or_no_number_is_left_out(details):
    verdict = a_verdict(**details)
    ledger = ledger_of(verdict, WINDOWS)
    assert ledger is None or ledger.stalls == ()
    assert pair_values(verdict, "p50", {}) == []
    assert notes_of(verdict) == []


@pytest.mark.parametrize(
    "details",
    [
        {"shift": "text"},
        {"shift": {"p": [0.5, "x"]}},
        {"ledger": "x"},
        {"ledger": {"threshold_ns": "x"}},
        {"ledger": {"threshold_ns": 1.0, "arms": {"A": 3}}},
        {"windows": [1, None]},
        {"windows": [{"arm": "A", "pair": "x"}]},
        {"clients": 1},
        {"planning": []},
        {"trimmed_s": "x"},
    ],
)
def test_a_broken_verdict_is_refused(details):
    with pytest.raises(SessionError, match="cannot be read"):
        a_verdict(**details)
