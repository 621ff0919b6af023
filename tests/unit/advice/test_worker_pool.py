"""A pool of workers that is full by its own counters, and one that nearly is."""

from dataclasses import replace

import pytest

from ldap_workbench.advice import advise
from ldap_workbench.advice.families import worker_pool
from tests.unit.advice.material import FACTS, at, only, view


def pool(busy, queue, threads=16):
    samples = {
        "cn=monitor:currentbusyworkers": at(busy, step=10),
        "cn=monitor:currentworkqueue": at(queue, step=10),
        "cn=monitor:threads": at([threads + 1] * len(busy), step=10),
    }
    return view(samples=samples)


def test_all_workers_busy_with_a_queue():
    found = only(
        worker_pool.find(pool([16] * 5 + [3] * 5, [40, 2, 1, 7, 3] + [0] * 5)), "pool_full"
    )
    assert found.numbers["share"] == 0.5
    assert found.numbers["queue"] == 40
    assert "all 16 workers" in str(found.sentence)
    idle = replace(found, numbers=found.numbers | {"cpu_idle_percent": 60.0})
    assert "nsslapd-threadnumber=32" in [str(each.treatment) for each in advise([idle], FACTS)]


@pytest.mark.parametrize(
    "seen",
    [
        pool([16] * 10, [0] * 10),
        pool([15] * 10, [3] * 10),
        pool([16, 16] + [3] * 8, [9, 9] + [0] * 8),
        pool([16] * 4, [9] * 4),
        view(),
    ],
)
def test_a_queue_or_busy_workers_alone(seen):
    assert worker_pool.find(seen) == []
