"""Concurrency from the access log."""

import numpy as np
import pytest

from ldap_workbench.figures.timeline.strips import concurrency, concurrency_strip
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window
from tests.unit.figures.material import START_NS

MS = NS_PER_S // 1000


def test_what_is_in_flight_is_counted_out_of_the_log():
    rng = np.random.default_rng(6)
    window = Window(1, "w", START_NS, START_NS + 10 * NS_PER_S)
    starts = START_NS + rng.integers(0, 10 * NS_PER_S, 3000)
    spent = rng.integers(10**5, 2 * NS_PER_S, 3000)
    seconds, values = concurrency((starts + spent, spent), window, 1000)
    assert len(seconds) == len(values) == 1000
    for i in (10, 400, 700):
        moment = START_NS + (i + 1) * 10 * MS
        assert seconds[i] == pytest.approx(moment / NS_PER_S)
        assert values[i] == ((starts < moment) & (starts + spent >= moment)).sum()
    fewer, most = concurrency((starts + spent, spent), window, 300)
    assert len(fewer) == 250
    assert most.tolist() == values.reshape(250, 4).max(axis=1).tolist(), "no peak is lost"
    assert fewer[-1] == pytest.approx(window.end_ns / NS_PER_S)


def test_windows_without_a_log_have_no_strip_of_it():
    none = np.empty(0, np.int64), np.empty(0, np.int64)
    assert concurrency_strip([none], [Window(1, "w", START_NS, START_NS + NS_PER_S)], ()) is None
