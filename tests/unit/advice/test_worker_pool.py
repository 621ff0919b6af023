"""A pool of workers that is full by its own counters, and one that nearly is."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.families import threads
from ldap_workbench.advice.rules.advise import advise
from tests.unit.advice.material import FACTS, Log, at, only, view


def counters(busy, queue, threads=16):
    return {
        "cn=monitor:currentbusyworkers": at(busy, step=10),
        "cn=monitor:currentworkqueue": at(queue, step=10),
        "cn=monitor:threads": at([threads + 1] * len(busy), step=10),
    }


def in_file(busy, queue, threads=16):
    return {
        "threadpool:busy": at(busy, step=10),
        "threadpool:queue": at(queue, step=10),
        "threadpool:workers": at([threads] * len(busy), step=10),
    }


def pool(busy, queue):
    return view(samples=counters(busy, queue))


def test_all_workers_busy_with_a_queue():
    found = only(
        threads.find_worker_pool(pool([16] * 5 + [3] * 5, [40, 2, 1, 7, 3] + [0] * 5)), "pool_full"
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
    assert threads.find_worker_pool(seen) == []


def test_the_file_is_read_before_counters_that_need_a_worker():
    full = in_file([16] * 5 + [3] * 5, [40, 2, 1, 7, 3] + [0] * 5)
    found = only(
        threads.find_worker_pool(view(samples=full | counters([3] * 10, [0] * 10))), "pool_full"
    )
    assert found.numbers["queue"] == 40
    assert "50 % of 10 readings of the thread-pool file" in str(found.sentence)
    assert found.evidence[0].series == "threadpool:queue"
    nearly = in_file([15] * 10, [3] * 10) | counters([16] * 10, [9] * 10)
    assert threads.find_worker_pool(view(samples=nearly)) == []


def logged(full, *, count=2000, queue=3, samples=None, settings=None, **columns):
    """Answers with wbusy and wqdepth as 389 DS 3.3.1 logs them, `full` of `count` with both: the
    worker of an answer does not count itself."""
    log = Log()
    for n in range(count):
        busy = {"wbusy": 15, "wqdepth": queue + n % 5} if n < full else {"wbusy": 4, "wqdepth": 0}
        log.add("SRCH", n / 10, 0.01, **({"wmax": 16} | busy | columns))
    return view(log, samples=samples or {}, settings=settings or {})


def test_the_log_tells_at_each_answer():
    found = only(threads.find_worker_pool(logged(800)), "pool_full")
    assert found.numbers == {"share": 0.4, "queue": 7, "threads": 16, "cpu_idle_percent": None}
    assert "40 % of 2,000 answers in the access log" in str(found.sentence)
    (evidence,) = found.evidence
    assert len(evidence.operations) == 800
    seen = logged(800).operations.wqdepth[list(evidence.operations)]
    assert seen[0] == 7, "the longest queue comes first"
    assert evidence.end_ns > evidence.start_ns
    assert not evidence.series


def test_the_log_goes_before_counters_and_they_before_nothing():
    full = counters([16] * 10, [9] * 10)
    assert threads.find_worker_pool(logged(0, samples=full)) == [], (
        "the log tells it at each answer"
    )
    assert only(threads.find_worker_pool(logged(9, count=9, samples=full)), "pool_full")


@pytest.mark.parametrize(
    "seen",
    [
        logged(500),
        logged(2000, queue=-4),
        logged(2000, wbusy=14),
        logged(2000, own=True),
        logged(2000, wbusy=-1),
        logged(2000, wqdepth=-1),
        logged(2000, wmax=-1),
    ],
)
def test_answers_that_do_not_say_that_the_pool_is_full(seen):
    assert threads.find_worker_pool(seen) == []


def test_workers_that_are_not_there_yet_are_not_waited_for():
    """wmax shows a changed setting at once; cn=monitor counts the threads there are."""
    ten = {"cn=monitor:threads": at([12] * 6)}
    later = logged(2000, wbusy=9, wmax=24, samples=ten, settings={"nsslapd-numlisteners": "1"})
    assert only(threads.find_worker_pool(later), "pool_full").numbers["threads"] == 10
