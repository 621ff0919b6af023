"""The overview strip: what it counts, how a range moves in it, what it says."""

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.figures.timeline.heat_grid import heat_grid
from ldap_workbench.figures.timeline.minimap import Minimap, Shown, minimap_of, minimap_reading
from ldap_workbench.model.units import NS_PER_S
from tests.unit.figures.material import START_NS, etimes

START_S = START_NS / NS_PER_S
MAP = Minimap(100.0, 1.0, np.array([0, 4, 0, 2, 0, 0, 0, 0, 0, 1]))


def test_it_counts_every_operation_of_the_heat_map():
    ends = START_NS + np.linspace(0, 60e9, 5000).astype(np.int64)
    grid = heat_grid(ends, etimes(5000), START_NS, START_NS + 60 * NS_PER_S)
    grid = replace(grid, spans=((START_S, START_S + 60, "A1", "A"),))
    found = minimap_of(grid)
    assert found.counts.sum() == 5000
    assert (found.start_s, found.end_s) == (START_S, START_S + 60)
    assert found.spans == grid.spans


def test_no_column_is_lost_however_few_pixels_there_are():
    assert MAP.heights(10).tolist() == [0, 1, 0, 0.5, 0, 0, 0, 0, 0, 0.25]
    assert MAP.heights(5).tolist() == [1, 0.5, 0, 0, 0.25]
    assert MAP.heights(20).tolist() == [0, 0, 1, 1, 0, 0, 0.5, 0.5, *[0] * 10, 0.25, 0.25]
    assert MAP.heights(3).max() == 1
    assert MAP.heights(0).tolist() == []
    assert replace(MAP, counts=np.zeros(4, np.int64)).heights(2).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("by", "wanted"), [(2, (104, 106)), (-9, (100, 102)), (99, (108, 110)), (0, (102, 104))]
)
def test_a_range_moves_as_far_as_there_is_anything(by, wanted):
    assert MAP.moved(Shown(102, 104), by) == Shown(*wanted)


def test_a_range_zooms_around_its_middle_and_stays_inside():
    assert MAP.zoomed(Shown(102, 106), 0.5) == Shown(103, 105)
    assert MAP.zoomed(Shown(101, 103), 3) == Shown(100, 106)
    assert MAP.zoomed(Shown(101, 103), 99) == Shown(100, 110)
    assert MAP.zoomed(Shown(101, 101.05), 0.1).length_s == pytest.approx(0.05)


def test_ends_may_cross():
    assert MAP.between(108, 103) == Shown(103, 108)
    assert MAP.between(-5, 999) == Shown(100, 110)
    assert MAP.between(104, 104).length_s == pytest.approx(0.05)


def test_it_says_how_much_there_is_and_what_is_shown():
    told = str(minimap_reading(MAP, Shown(102, 104)))
    assert told == "7 operations from 00:01:40 to 00:01:50 UTC. Shown: 00:01:42.00 to 00:01:44.00."
    assert str(minimap_reading(MAP, MAP.whole)).endswith("All of it is shown.")
    assert str(minimap_reading(None, None)) == "no data yet."
