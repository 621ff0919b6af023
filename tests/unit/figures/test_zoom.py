"""Which finer columns a zoom wants."""

import numpy as np

from ldap_workbench.figures.timeline.heat_grid import (
    HeatGrid,
    covered,
    heat_grid,
    zoom_at,
)
from ldap_workbench.model.units import NS_PER_S
from tests.unit.figures.material import START_NS, etimes

START_S = START_NS / NS_PER_S


MS = NS_PER_S // 1000


def spread(seconds: int, per_second: int) -> HeatGrid:
    ends = START_NS + np.linspace(0, seconds * 1e9, seconds * per_second).astype(np.int64)
    return heat_grid(ends, etimes(len(ends)), START_NS, START_NS + seconds * NS_PER_S)


def test_a_look_is_wanted_only_where_it_shows_more():
    whole = spread(600, 1000)
    assert zoom_at(whole, START_S - 10, START_S + 700) is None
    assert zoom_at(whole, START_S - 100, START_S - 50) is None
    look = zoom_at(whole, START_S + 100, START_S + 110)
    assert look.step_ns == 10 * MS
    assert (look.from_ns, look.to_ns) == (START_NS + 90 * NS_PER_S, START_NS + 120 * NS_PER_S)
    finer = HeatGrid(START_S + 90, 0.01, 5.0, 1 / 12, np.zeros((3000, 9), np.int64))
    assert covered(finer, START_S + 92, START_S + 102, look.step_ns, whole)
    assert not covered(finer, START_S + 115, START_S + 125, look.step_ns, whole)
    assert not covered(finer, START_S + 100, START_S + 110, 2 * look.step_ns, whole)
    assert not covered(None, START_S + 100, START_S + 110, look.step_ns, whole)
