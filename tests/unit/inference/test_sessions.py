"""Arms that are several sessions: a session counts once, however many windows it has."""

import numpy as np
import pytest

from ldap_workbench.inference.design.load import load_ratio, match_load
from tests.unit.inference.counted import Server, counts, judge, put_stall, window

SLOW_S = 0.15


def windows_of(arm, rates):
    """`rates`: of each session, as many as it has windows; those of one rate are alike."""
    return [
        window(np.random.default_rng(rate), arm, session, Server(rate=rate))
        for session, every in enumerate(rates)
        for rate in every
    ]


def loads(a, b):
    return counts(windows_of("A", a) + windows_of("B", b))


def test_a_long_session_does_not_make_an_arm_busier():
    """By windows arm B had 0.57 times the load, which was refused; its sessions are as A's."""
    windows = loads([[1000] * 9, [500]], [[1000], [500] * 9])
    assert load_ratio(windows) == pytest.approx(0.57, rel=0.05)
    load = match_load(windows, of_sessions=True)
    assert not load.why
    assert not load.warning
    assert load.ratio == pytest.approx(1.0, rel=0.02)


def test_a_short_session_of_another_load_does_not_hide_behind_a_long_one():
    windows = loads([[600] * 5, [600] * 5], [[600] * 9, [1800]])
    assert load_ratio(windows) < 1.15
    assert "×1.74 the load of arm A" in str(match_load(windows, of_sessions=True).why)


def test_seconds_of_equal_load_are_weighed_by_session():
    """Two sessions of three are alike, whichever of them have four windows."""
    windows = loads([[700], [1000] * 4, [1000]], [[900] * 4, [1000], [1000]])
    assert match_load(windows, of_sessions=True).common == pytest.approx(2 / 3, abs=0.1)


def sessions_of(arm, sessions, random):
    """`sessions`: of each the number of its windows, and of slow operations and their etime, s."""
    made = []
    for session, (windows, slow, etime_s) in enumerate(sessions):
        for _ in range(windows):
            one = window(random, arm, session, Server(rate=300))
            for second in range(30):
                put_stall(one, second, etime_s * random.normal(1, 0.01), slow)
            made.append(one)
    return made


def test_whether_waiting_went_elsewhere_is_judged_by_session_too():
    """In one session of B, of 30 windows, a third as many operations wait three times as long.

    By windows hardly less was waited in B; in four sessions of five it was a tenth.
    """
    random = np.random.default_rng(2)
    a = sessions_of("A", [(1, 10, SLOW_S)] * 5, random)
    b = sessions_of("B", [(30, 3, 10 * SLOW_S / 3), *[(1, 1, SLOW_S)] * 4], random)
    said = judge(a + b, primary="slo", design="ab", of_sessions=True).primary
    assert said.verdict == "suggests better", said.takes


def test_waiting_that_went_elsewhere_in_most_sessions_is_no_gain():
    random = np.random.default_rng(2)
    a = sessions_of("A", [(1, 10, SLOW_S)] * 5, random)
    b = sessions_of("B", [(30, 1, SLOW_S), *[(1, 3, 10 * SLOW_S / 3)] * 4], random)
    said = judge(a + b, primary="slo", design="ab", of_sessions=True).primary
    assert said.verdict == "inconclusive"
    assert "the time waited in operations this slow" in str(said.takes)
