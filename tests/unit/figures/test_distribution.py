"""The exceedance counts what is slower, as the verdict does against the latency target."""

import numpy as np
import pytest

from ldap_workbench.figures.tails.curve import distribution_of
from ldap_workbench.model.message import verbatim
from tests.unit.figures.material import etimes

MS = 1_000_000


def test_an_operation_exactly_at_the_target_is_not_slower():
    shape = distribution_of(verbatim("w"), "A", np.array([1, 2, 2, 2, 3]) * MS)
    assert shape.share_slower(2 * MS) == pytest.approx(1 / 5)
    assert shape.share_slower(2 * MS - 1) == pytest.approx(4 / 5)
    assert shape.share_slower(0) == 1.0
    assert shape.share_slower(9 * MS) == 0.0


def test_the_curve_falls_to_the_share_of_one_operation():
    spent = etimes(50_000)
    shape = distribution_of(verbatim("w"), "A", spent)
    shares = shape.drawn_shares()
    assert (np.diff(shape.etime_ns) > 0).all()
    assert (np.diff(shares) <= 0).all()
    assert shares[-1] == 1 / 50_000
    assert shape.etime_ns[-1] == spent.max()
    median = float(np.median(spent))
    assert shape.share_slower(median) == pytest.approx(0.5, abs=0.01)


def test_no_operation_has_no_shape():
    shape = distribution_of(verbatim("w"), "A", np.empty(0, np.int64))
    assert (shape.n, len(shape.etime_ns), len(shape.counts)) == (0, 0, 0)
