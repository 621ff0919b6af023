"""One tail curve: at the ranks of the table, to the slowest operation, no further than is known."""

import numpy as np
import pytest

from ldap_workbench.figures.tails.curve import curve_of
from ldap_workbench.inference.counts.tails import tails_of
from ldap_workbench.model.message import verbatim
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.tail import QUANTILES
from tests.unit.figures.material import etimes


@pytest.mark.parametrize("n", [1, 2, 7, 999, 1000, 1001, 30_000])
def test_the_curve_passes_through_every_quantile_of_the_table(n):
    spent = np.sort(etimes(n))
    [row] = tails_of({ALL: spent}, window="w")
    curve = curve_of(verbatim("w"), "A", spent)
    for name, (numerator, denominator) in QUANTILES.items():
        shown = curve.at(100 * numerator / denominator)
        if n * (denominator - numerator) >= denominator:
            assert shown == getattr(row, name), name
        else:
            assert shown is None, "no operation lies beyond it"


def test_the_curve_ends_at_the_slowest_operation():
    spent = etimes(5000)
    curve = curve_of(verbatim("w"), "A", spent)
    assert curve.etime_ns[-1] == spent.max()
    assert len(curve.percentile) <= 260
    assert (np.diff(curve.etime_ns) >= 0).all()


def test_what_a_log_cannot_show_stays_on_its_step():
    curve = curve_of(verbatim("w"), "A", np.zeros(100, np.int64), resolution_ns=10**9)
    assert set(curve.etime_ns) == {1e9}


def test_no_operation_has_no_curve():
    curve = curve_of(verbatim("w"), "A", [])
    assert (curve.n, len(curve.etime_ns), curve.at(50.0)) == (0, 0, None)
