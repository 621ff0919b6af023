"""Quantiles of histograms, and the histograms of windows they are taken of."""

import numpy as np

from ldap_workbench.inference.counts.buckets import log_quantiles
from tests.bench.acceptance import truths
from tests.bench.acceptance.operations import experiment

EDGES = np.geomspace(1e-5, 10.0, 120)


def test_an_empty_histogram_has_no_quantile_and_changes_none_of_the_others():
    random = np.random.default_rng(3)
    histograms = random.poisson(2.0, (5, len(EDGES) - 1)).astype(float)
    alone = [log_quantiles(row, EDGES, (0.5, 0.99)) for row in histograms]
    histograms = np.insert(histograms, 2, 0.0, axis=0)
    found = log_quantiles(histograms, EDGES, (0.5, 0.99))
    assert np.isnan(found[2]).all()
    assert (np.delete(found, 2, axis=0) == np.array(alone).reshape(5, 2)).all()


def test_a_type_of_one_stratum_and_of_several_has_all_its_operations():
    window = experiment(truths.MIXED, 0)[0]
    assert len(window.rows_of("SRCH")) > 1
    unparted = {
        name: np.bincount(
            window.bucket[window.kind == window.types.index(name)],
            window.count[window.kind == window.types.index(name)],
            len(window.edges_s) - 1,
        )
        for name in window.names
    }
    for name, row in zip(window.names, window.histogram, strict=True):
        assert (row == unparted[name]).all()
