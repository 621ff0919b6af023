"""Cubes against counting one by one."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldap_workbench.inference.counts.buckets import bucket_of, edges_ns
from ldap_workbench.inference.counts.counting import SECOND_AT, TYPE_AT, distinct_cells
from ldap_workbench.inference.counts.cube import Cube
from ldap_workbench.inference.counts.windows import windows_from_cubes
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.operations import ABSENT, COLUMNS, TYPES, Operations

START = 1_795_161_600_000_000_000
SECOND = 1_000_000_000
SLO = 100_000_000
ABANDON, SRCH = TYPES.index("ABANDON"), TYPES.index("SRCH")


def operations(rows, **columns):
    """Rows of (start after START in ns, etime in ns, kind)."""
    n = len(rows)
    made = {name: np.zeros(n, dtype) for name, dtype in COLUMNS.items()}
    start, etime, kind = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    made["end_ns"], made["etime_ns"] = START + start + etime, etime
    made["kind"] = kind.astype(np.uint8)
    made["result_at"] = np.arange(n, dtype=np.int64) * 100
    made |= {name: np.array(values, COLUMNS[name]) for name, values in columns.items()}
    return Operations(**made)


def cube_of(rows, seconds=10, **given):
    columns = {name: given.pop(name) for name in list(given) if name in COLUMNS}
    return Cube.from_operations(
        operations(rows, **columns), START, START + seconds * SECOND, **given
    )


rows_of_operations = st.lists(
    st.tuples(
        st.integers(-2 * SECOND, 12 * SECOND),
        st.one_of(st.integers(0, 10**6), st.integers(0, 5 * 10**9)),
        st.integers(0, len(TYPES) - 1).filter(lambda kind: kind != ABANDON),
    ),
    min_size=1,
    max_size=60,
)


@given(rows_of_operations)
def test_every_operation_that_starts_inside_is_in_its_cell_once(rows):
    cube = cube_of(rows)
    edges = edges_ns(SLO)
    wanted = Counter()
    for start, etime, kind in rows:
        if 0 <= start < 10 * SECOND:
            bucket = min(max(int(np.searchsorted(edges, etime, "left")) - 1, 0), len(edges) - 2)
            wanted[min((start + etime) // SECOND, 9), kind, bucket] += 1
    cells = zip(cube.second, cube.kind, cube.bucket, cube.count, strict=True)
    assert {(int(s), int(k), int(b)): int(n) for s, k, b, n in cells} == wanted


@given(rows_of_operations, st.integers(0, 60))
def test_parts_add_up_to_the_whole(rows, cut):
    whole = cube_of(rows)
    parts = [cube_of(part) for part in (rows[:cut], rows[cut:]) if part]
    merged = parts[0] if len(parts) == 1 else parts[0].merged(parts[1])
    for name in ("second", "kind", "bucket", "count", "arrivals", "slowest_ns"):
        assert np.array_equal(getattr(merged, name), getattr(whole, name)), name
    assert merged.tally.searches == whole.tally.searches


def test_what_was_given_up_is_a_search_that_took_at_least_as_long():
    """389 DS logs the time the target had waited, and no request."""
    rows = [(0, 1_000, SRCH), (0, 3 * SECOND, ABANDON)]
    cube = cube_of(rows, request_at=[0, -1])
    assert set(cube.kind) == {SRCH}
    assert cube.max_ns == 3 * SECOND
    assert (cube.tally.unanswered, cube.tally.searches) == (1, 2)


def test_a_logged_request_to_abandon_is_nobody_s_wait():
    """OpenDJ logs the abandon as an operation of its own, and a result of its target."""
    cube = cube_of([(0, 1_000, SRCH), (0, 0, ABANDON)], request_at=[0, 100])
    assert (cube.n, cube.tally.unanswered) == (1, 0)


def test_parts_of_different_windows_are_not_added():
    with pytest.raises(ValueError, match="slo_ns"):
        cube_of([(0, 1, 0)]).merged(cube_of([(0, 1, 0)], slo_ns=SLO // 2))


@given(st.integers(0, 6 * 10**12), st.sampled_from([20_000, SLO, 123_456_789, 10**12]))
def test_the_bucket_is_the_one_the_edges_say(etime, slo_ns):
    edges = edges_ns(slo_ns)
    wanted = np.clip(np.searchsorted(edges, etime, "left") - 1, 0, len(edges) - 2)
    assert bucket_of(np.array([etime]), slo_ns)[0] == wanted


@pytest.mark.parametrize("slo_ns", [20_000, SLO, 123_456_789])
def test_edges_and_their_neighbours_are_told_apart(slo_ns):
    edges = edges_ns(slo_ns)
    for step in (-1, 0, 1):
        values = edges[1:-1] + step
        wanted = np.searchsorted(edges, values, "left") - 1
        assert np.array_equal(bucket_of(values, slo_ns), wanted)


def test_one_edge_is_the_limit_and_buckets_are_narrow():
    edges = edges_ns(SLO)
    assert SLO in edges
    assert edges[0] <= 10_000
    assert edges[-1] >= 4000 * SECOND
    assert (edges[1:] / edges[:-1]).max() < 1.021


def test_a_limit_nobody_can_mean_is_refused():
    with pytest.raises(UsageError):
        edges_ns(1000)


def test_an_etime_of_the_limit_keeps_it():
    (window,) = windows_from_cubes([cube_of([(0, SLO, 0), (0, SLO + 1, 0)])], [("A", 0)])
    first = int(np.searchsorted(window.edges_s, 0.1 * (1 - 1e-9)))
    assert window.histogram[:, first:].sum() == 1


def test_only_what_clients_asked_counts():
    rows = [(0, 5, 0), (1, 5, 0), (2, 5, 0)]
    cube = cube_of(rows, internal=[True, False, False], own=[False, True, False])
    assert cube.n == 1


def test_what_outlived_the_switch_is_left_out_and_counted():
    rows = [(0, 5, 0), (9 * SECOND, 3 * SECOND, 0)]
    cube = cube_of(rows, switch_ns=START + 11 * SECOND)
    assert (cube.n, cube.tally.straddling) == (1, 1)


def test_the_slowest_are_kept_with_their_place_in_the_log():
    random = np.random.default_rng(3)
    rows = [(0, int(etime), 0) for etime in random.integers(0, 10**9, 5000)]
    cube = cube_of(rows)
    ordered = sorted(((etime, 100 * i) for i, (_, etime, _) in enumerate(rows)), reverse=True)
    assert cube.max_ns == ordered[0][0]
    assert cube.slowest_ns.tolist() == [etime for etime, _ in ordered[:1000]]
    assert cube.slowest_at[:5].tolist() == [at for _, at in ordered[:5]]


def test_the_slowest_are_found_over_many_parts():
    random = np.random.default_rng(4)
    n = 200_000
    rows = list(zip([0] * n, random.integers(0, 10**9, n).tolist(), [0] * n, strict=True))
    cube = cube_of(rows)
    assert cube.slowest_ns.tolist() == sorted((r[1] for r in rows), reverse=True)[:1000]
    assert cube.n == n


def test_what_the_gates_need_is_tallied():
    rows = [(0, 5, 0), (1, 5, 0), (2, 5, 1), (3, 5, 0)]
    cube = cube_of(
        rows,
        err=[0, 32, 49, 0],
        nentries=[3, 0, ABSENT, 4],
        notes=[1, 0, 0, 2],
        conn=[7, 7, 9, 10**9],
        boot=[0, 0, 0, 1],
    )
    tally = cube.tally
    assert dict(tally.errors) == {32: 1, 49: 1}
    assert (tally.searches, tally.entries, tally.unindexed) == (3, 7, 2)
    assert tally.connections == 3


@pytest.mark.parametrize(
    ("seconds", "buckets"),
    [(range(50), range(5)), ((0, 10**7), (3, 4)), (range(0, 4000, 7), (0, 60_000))],
    ids=["as usual", "a clock that was set meanwhile", "little of nearly everything"],
)
def test_cells_are_counted_however_they_lie(seconds, buckets):
    numbers = np.array(
        [
            (second << SECOND_AT) | (kind << TYPE_AT) | bucket
            for second in seconds
            for bucket in buckets
            for kind in (1, 5)
        ]
        * 2
    )
    found, counts = distinct_cells(numbers)
    wanted, n = np.unique(numbers, return_counts=True)
    assert (found.tolist(), counts.tolist()) == (wanted.tolist(), n.tolist())


def test_connections_are_counted_anew_after_each_start_of_the_server():
    """Nobody asked anything between its second and its fourth start."""
    cube = cube_of([(0, 5, 0), (1, 5, 0), (2, 5, 0)], conn=[7, 7, 8], boot=[1, 3, 3])
    assert cube.tally.connections == 3


def test_connections_with_numbers_far_apart_are_counted_one_by_one():
    cube = cube_of([(0, 5, 0), (1, 5, 0), (2, 5, 0), (3, 5, 0)], conn=[7, 10**9, 7, 8])
    assert cube.tally.connections == 3


def test_arrivals_are_counted_where_they_start():
    cube = cube_of([(0, 5 * SECOND, 0), (SECOND, 5, 1)])
    assert cube.arrivals.sum(0).tolist() == [1, 1] + [0] * 8


def test_a_window_of_less_than_a_second_has_one():
    cube = Cube.from_operations(operations([(0, 5, 0)]), START, START + SECOND // 2)
    assert (cube.arrivals.shape[1], cube.seconds, cube.n) == (1, 0.5, 1)


def test_nothing_in_the_window_is_an_empty_cube():
    cube = cube_of([(20 * SECOND, 5, 0)])
    assert (cube.n, cube.max_ns, len(cube.slowest_ns)) == (0, 0, 0)
    (window,) = windows_from_cubes([cube], [("A", 0)])
    assert window.n == 0
    assert window.seconds == 10.0
