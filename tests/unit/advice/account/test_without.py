"""The queue run again without a group: only where the run with all of them is what was logged."""

import numpy as np
import pytest

from ldap_workbench.advice.account.account import account_of
from tests.unit.advice.material import Log, view

HEAVY, WORKERS, MS = "10.0.0.9", 2, 1e-3


def requests():
    """(start s, work s, client): each 10 ms one that takes 13 ms, and every 5 s one of a second.

    The quick ones need 1.3 workers, and the others leave them one for a fifth of the time.
    """
    quick = [(0.01 * n, 13 * MS, f"10.0.0.{n % 4}") for n in range(2_000)]
    heavy = [(5.0 * n, 1.0, HEAVY) for n in range(4)]
    return sorted(quick + heavy)


def in_line(coming):
    """What each waits for the first of two workers, as one would reckon by hand."""
    free, waits = [0.0] * WORKERS, []
    for start, work, _ in coming:
        first = free.index(min(free))
        begun = max(start, free[first])
        waits.append(begun - start)
        free[first] = begun + work
    return waits


def logged_with(waits):
    log = Log()
    for (start, work, client), wait in zip(requests(), waits, strict=True):
        log.add("SRCH", start, wait + work, wtime_ns=round(wait * 1e9), client=client)
    return log


def account(waits, threads=str(WORKERS)):
    settings = {"nsslapd-threadnumber": threads} if threads else {}
    return account_of(view(logged_with(waits), settings=settings), [])


@pytest.mark.parametrize("threads", ["2", ""])
def test_it_is_what_the_others_wait_by_themselves(threads):
    coming = requests()
    logged = account(in_line(coming), threads)
    alone = sum(in_line([request for request in coming if request[2] != HEAVY]))
    assert alone < logged.phases.queue_ns.sum() / 1e9 / 2
    assert logged.queue_without("client", HEAVY) == pytest.approx(alone * 1e9, abs=1_000)
    with_heavy = [request for request in coming if request[2] != "10.0.0.1"]
    assert logged.queue_without("client", "10.0.0.1") == pytest.approx(
        sum(in_line(with_heavy)) * 1e9, rel=1e-6
    )


def test_nothing_is_said_where_the_queue_is_not_one_for_a_worker():
    waits = np.random.default_rng(1).permutation(in_line(requests()))
    assert account(waits * 3).queue_without("client", HEAVY) is None
    assert account([0.0] * len(waits)).queue_without("client", HEAVY) is None
