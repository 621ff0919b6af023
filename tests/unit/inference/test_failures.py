"""Verdicts by the share of operations that fail, on windows with a known share."""

import numpy as np
import pytest

from ldap_workbench.inference.counts.cube import Cube
from ldap_workbench.inference.counts.requests import columns_of, count_requests
from ldap_workbench.inference.counts.strata import choose_strata
from ldap_workbench.inference.counts.windows import windows_from_cubes
from ldap_workbench.inference.verdict.analyse import analyse
from ldap_workbench.inference.verdict.failures import COUNTED_NS, analyse_failures
from ldap_workbench.inference.verdict.headline import headline
from ldap_workbench.model.kind import OperationKind
from ldap_workbench.model.operations import COLUMNS, TYPES, Operations

S = 10**9
REFUSED = OperationKind.parse("SRCH[(mail=?)]")
PRIMARY = f"{REFUSED}:failed"
WINDOW_S, PAIRS = 30, 8


def asked(random, start_ns, *, refused, slower=1, unwilling=0.0):
    """Searches by mail, changes, of each of which a share fails in 0.1 ms; and searches by uid."""
    n = 1500
    columns = {name: np.zeros(n, dtype) for name, dtype in COLUMNS.items()}
    which = random.integers(0, 4, n)
    by_mail = which == 0
    fails = random.random(n) < np.where(by_mail, refused, np.where(which == 3, unwilling, 0))
    etime = (random.lognormal(0, 0.3, n) * 2e6 * np.where(which == 3, slower, 1)).astype(np.int64)
    columns["etime_ns"] = np.where(fails, 100_000, etime)
    columns["end_ns"] = np.sort(start_ns + random.integers(1, WINDOW_S * S - S, n)) + S // 2
    columns["kind"] = np.where(which == 3, TYPES.index("MOD"), TYPES.index("SRCH")).astype(np.uint8)
    columns["err"] = np.where(fails, 50, 0).astype(np.int16)
    columns["fingerprint"] = np.where(which == 3, -1, np.where(by_mail, 0, 1)).astype(np.int32)
    columns["conn"] = random.integers(1, 40, n)
    columns["op"] = np.arange(n)
    return Operations(**columns, fingerprints=["(mail=?)", "(uid=?)"])


def experiment(*, before, after, slower=1, unwilling=0.0, pairs=PAIRS):
    """Windows with their true etimes, and the same ones as failures are counted."""
    random = np.random.default_rng(7)
    arms = [(arm, pair) for pair in range(pairs) for arm in "AB"]
    starts = [number * 60 * S for number in range(len(arms))]
    share = {"A": before, "B": after}
    parts = [
        asked(
            random,
            start,
            refused=share[arm],
            slower=slower if arm == "B" else 1,
            unwilling=unwilling if arm == "B" else 0.0,
        )
        for start, (arm, _) in zip(starts, arms, strict=True)
    ]
    requests = [count_requests(columns_of(part), REFUSED) for part in parts]
    strata = choose_strata(requests, REFUSED)

    def windows(slo_ns, *, failures):
        cubes = [
            Cube.from_operations(
                part,
                start,
                start + WINDOW_S * S,
                slo_ns=slo_ns,
                strata=strata.of(columns_of(part)),
                failures=failures,
            )
            for part, start in zip(parts, starts, strict=True)
        ]
        return windows_from_cubes(cubes, arms, strata=strata, requests=requests)

    return windows(S // 10, failures=False), windows(COUNTED_NS, failures=True)


def judged(primary=PRIMARY, design=f"pairs:{PAIRS}", **truth):
    windows, failing = experiment(**truth)
    return analyse_failures(
        windows, failing, primary=primary, slo_ns=S // 10, resolution_ns=1, design=design
    )


def test_searches_that_are_no_longer_refused_are_better_however_slow_their_answers():
    verdict = judged(before=1.0, after=0.0)
    first = verdict.primary
    assert (first.verdict, first.metric, first.type) == ("better", "failed", str(REFUSED))
    assert first.a == pytest.approx(1.0)
    assert first.b == 0
    text = str(verdict.sentence)
    assert "the share of searches (mail=?) that fail went from 100 % to 0 of" in text
    assert "latency target" not in text
    assert str(headline(first)).startswith("Searches (mail=?) fail less often: 100 % → 0 of")


def test_by_their_times_the_same_windows_are_not_comparable():
    windows, _ = experiment(before=1.0, after=0.0)
    verdict = analyse(windows, primary="SRCH[(mail=?)]:p50", design=f"pairs:{PAIRS}")
    assert verdict.primary.verdict == "not comparable"
    assert "fast failures look like speed" in str(verdict.why)


def test_what_it_costs_the_other_types_is_said_and_no_etime_of_what_was_refused():
    verdict = judged(before=1.0, after=0.0, slower=1.5)
    assert verdict.types["MOD"]["p50"].verdict == "worse"
    assert verdict.types["MOD"]["p50"].ratio == pytest.approx(1.5, rel=0.1)
    assert set(verdict.types[str(REFUSED)]) == set(verdict.types["SRCH"]) == {"failed"}
    assert set(verdict.metrics) == {"failed"}


def test_a_type_that_fails_fast_in_one_arm_is_not_called_quicker():
    verdict = judged(before=1.0, after=0.0, unwilling=0.6)
    assert verdict.primary.verdict == "better"
    assert set(verdict.types["MOD"]) == {"failed"}
    assert verdict.types["MOD"]["failed"].verdict == "worse"


def test_the_same_share_in_both_arms_is_no_difference():
    assert judged(before=0.5, after=0.5).primary.verdict in ("no material change", "inconclusive")
    assert judged(before=0.2, after=0.6).primary.verdict == "worse"


def test_where_hardly_anything_fails_nothing_is_said_of_it():
    first = judged(before=0.001, after=0.0).primary
    assert first.verdict == "not enough data"
    assert "operations that fail; there were" in str(first.takes)


def test_one_switch_suggests():
    verdict = judged(design="ab", before=1.0, after=0.0)
    assert verdict.primary.verdict == "suggests better"
    assert "went from 100 % to 0 of" in str(verdict.sentence)
