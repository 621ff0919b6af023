"""The heat map's counts: columns as narrow as they help, the same operations in finer ones."""

import numpy as np
import pytest

from ldap_workbench.figures.timeline.heat_grid import (
    HeatGrid,
    MarkAt,
    Rows,
    finer_grid,
    heat_grid,
    step_ns,
)
from ldap_workbench.model.message import verbatim
from ldap_workbench.model.units import NS_PER_S
from tests.unit.figures.material import START_NS, etimes

START_S = START_NS / NS_PER_S


MS = NS_PER_S // 1000


def spread(seconds: int, per_second: int) -> HeatGrid:
    ends = START_NS + np.linspace(0, seconds * 1e9, seconds * per_second).astype(np.int64)
    return heat_grid(ends, etimes(len(ends)), START_NS, START_NS + seconds * NS_PER_S)


@pytest.mark.parametrize(
    ("seconds", "operations", "step"),
    [
        (10, 1_000, 50 * MS),
        (10, 1_000_000, 10 * MS),
        (600, 10**6, NS_PER_S),
        (6000, 10**7, 10 * NS_PER_S),
        (1, 10, 10 * MS),
        (10 * 86_400, 10**6, 900 * NS_PER_S),
    ],
)
def test_columns_are_as_narrow_as_time_and_operations_allow(seconds, operations, step):
    assert step_ns(seconds * NS_PER_S, operations) == step


def test_a_closer_look_counts_the_same_operations():
    ends = START_NS + np.sort(np.random.default_rng(3).integers(0, 60 * NS_PER_S, 30_000))
    spent = etimes(len(ends))
    whole = heat_grid(ends, spent, START_NS, START_NS + 60 * NS_PER_S)
    within = START_NS + 20 * NS_PER_S, START_NS + 22 * NS_PER_S
    finer = finer_grid([(ends, spent)], within, 10 * MS, whole.rows, to_the_end=False)
    assert finer.counts.shape == (200, whole.counts.shape[1])
    inside = (ends >= within[0]) & (ends < within[1])
    assert finer.counts.sum() == inside.sum()
    assert (finer.counts.sum(axis=0) == whole.counts[_columns(whole, 20, 22)].sum(axis=0)).all()


def _columns(grid: HeatGrid, first: float, last: float) -> slice:
    return slice(round(first / grid.step_s), round(last / grid.step_s))


def test_what_ended_after_the_last_window_stays_in_the_last_column():
    ends = START_NS + np.array([5, 70]) * NS_PER_S
    part = ends, np.full(2, 10**6)
    within = START_NS + 50 * NS_PER_S, START_NS + 60 * NS_PER_S
    assert finer_grid([part], within, NS_PER_S, Rows(5.0, 30), to_the_end=False).counts.sum() == 0
    finer = finer_grid([part], within, NS_PER_S, Rows(5.0, 30), to_the_end=True)
    assert finer.counts[-1].sum() == 1


def test_the_operators_own_words_stand_beside_a_mark():
    assert str(MarkAt(0.0, "change", verbatim("cachememsize")).label) == "change"
    assert str(MarkAt(0.0, "mark", verbatim("index rebuilt")).label) == "index rebuilt"
    long = MarkAt(0.0, "mark", verbatim("x" * 100))
    assert len(str(long.label)) == 32
    assert str(long.description) == "mark: " + "x" * 100


def test_the_slowest_are_one_of_a_thousand_at_most_and_never_none():
    spent = np.full(50_000, 1_000_000)
    spent[:30] = np.geomspace(10**8, 10**10, 30).astype(np.int64)
    ends = np.full(len(spent), START_NS)
    grid = heat_grid(ends, spent, START_NS, START_NS + 60 * NS_PER_S)
    assert grid.counts[:, grid.slow_row :].sum() == 30
    columns, rows = grid.cells_from(grid.slow_row)
    assert set(columns) == {0}
    assert (np.diff(rows) <= 0).all(), "the slowest first"
    alike = heat_grid(ends, np.full(50_000, 1_000_000), START_NS, START_NS + NS_PER_S)
    assert alike.counts[:, alike.slow_row :].sum() == 50_000
