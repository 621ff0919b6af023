"""What the access log tells over time: every operation once, the peak where it was asked."""

import numpy as np

from ldap_workbench.figures.timeline.strips import PEAK, STARTED, log_strips, started_in
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window
from tests.unit.figures.material import START_NS

MS = NS_PER_S // 1000
TEN = Window(1, "w", START_NS, START_NS + 10 * NS_PER_S)


def part(*operations):
    """(start s, etime ms) in the order of the ends."""
    rows = sorted((START_NS + round(s * 1e9) + ms * MS, ms * MS) for s, ms in operations)
    ends, etimes = zip(*rows, strict=True)
    return np.array(ends, np.int64), np.array(etimes, np.int64)


def test_every_operation_counts_in_the_second_it_started():
    _, started, peak = started_in(part((0.5, 1), (0.9, 3000), (3.0, 2)), TEN)
    assert started.tolist() == [2, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert peak[0] == 3000 * MS, "though it ended three seconds later"
    assert np.isnan(peak[1])
    assert peak[3] == 2 * MS


def test_two_windows_are_two_pieces_of_one_line():
    later = Window(2, "x", START_NS + 60 * NS_PER_S, START_NS + 62 * NS_PER_S)
    strips = log_strips([part((0.5, 1)), part((60.5, 1), (61.5, 4))], [TEN, later])
    assert [strip.title for strip in strips] == [STARTED, PEAK]
    values = strips[0].lines[0].values
    assert np.isnan(values[10]), "broken between the windows"
    assert np.nansum(values) == 3
    assert strips[1].duration


def test_no_log_has_no_strip():
    empty = np.empty(0, np.int64)
    assert log_strips([(empty, empty)], [TEN]) == []
