"""Orders and groups are those of numpy's general sorts, for keys near each other and far apart."""

from __future__ import annotations

import numpy as np
import pytest

from ldap_workbench.advice.evidence.rows import in_groups, numbered, stable_order


@pytest.mark.parametrize("low", [0, -(2**40)])
@pytest.mark.parametrize("span", [1, 7, 70_000, 2**45, 2**60])
@pytest.mark.parametrize("size", [0, 1, 5_000])
def test_as_numpy_sorts(size: int, span: int, low: int) -> None:
    keys = np.random.default_rng(1).integers(low, low + span, size)
    assert stable_order(keys).tolist() == np.argsort(keys, kind="stable").tolist()
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    of_group, of_row = numbered(keys)
    assert of_group.tolist() == first.tolist()
    assert of_row.tolist() == number.tolist()


@pytest.mark.parametrize("apart", [1, 2**60])
def test_groups_keep_the_order_of_their_rows(apart: int) -> None:
    rng = np.random.default_rng(2)
    minor, major = rng.integers(-1, 3, 200, np.int32), apart * rng.integers(0, 4, 200)
    order, begins = in_groups(minor, major)
    assert order.tolist() == np.lexsort((minor, major)).tolist()
    pairs = list(zip(major[order].tolist(), minor[order].tolist(), strict=True))
    assert [pairs[at] for at in begins[:-1]] == sorted(set(pairs))
    assert begins[-1] == len(order)
