"""Verdicts on operations with a known truth: clients that wait, and clients that give up."""

import pytest

from ldap_workbench.statistics import analyse
from tests.bench.acceptance.operations import Server, Stream, Truth, experiment

CROWD = Stream(rate=400.0)
IMPATIENT = Stream(rate=8.0, etime_s=0.8, sigma=0.4, patience_s=2.0)
"""Searches over the target, 2 % of all; few are given up unless they become slower."""


def verdict_of(truth, seed):
    return analyse(experiment(truth, seed), primary=truth.primary, seed=seed)


def words(truth, seeds, metric=None):
    verdicts = [verdict_of(truth, seed) for seed in seeds]
    return [v.metrics[metric].verdict if metric else v.primary.verdict for v in verdicts]


GIVING_UP = Truth(
    "slow searches ×3 slower, clients give up",
    Server((CROWD, IMPATIENT)),
    Server((CROWD, IMPATIENT.slower(3.0))),
    primary="p99",
)


@pytest.mark.parametrize("seed", range(3))
def test_clients_that_give_up_do_not_make_a_server_faster(seed):
    verdict = verdict_of(GIVING_UP, seed)
    assert not [name for name, m in verdict.metrics.items() if m.verdict == "better"]
    assert "never answered in arm A" in str(verdict.why)
