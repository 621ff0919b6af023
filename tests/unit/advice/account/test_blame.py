"""Charges for waiting: conserved, and to those that held the workers."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ldap_workbench.advice.account import blame
from ldap_workbench.advice.account.blame import Block, blame_of, phases_of, used_of
from tests.unit.advice.material import T0, Log


def log_of(rows):
    """Operations from (start, queue, work) in ns after T0."""
    log = Log()
    for start, queue, work in rows:
        log.add("SRCH", 0, 0, wtime_ns=queue, optime_ns=work)
        log.rows[-1] |= {"etime_ns": queue + work, "end_ns": T0 + start + queue + work}
    operations = log.done()
    return operations, phases_of(operations)


def by_hand(operations, phases, blocks):
    """The same charges, one nanosecond after the other."""
    n = len(operations)
    begun, ended = operations.end_ns - phases.work_ns, operations.end_ns
    since = begun - phases.queue_ns
    charged, stalls, nobody = [Fraction(0)] * n, Fraction(0), 0
    for t in range(int(since.min()), int(ended.max())):
        waiting = sum(1 for i in range(n) if since[i] <= t < begun[i])
        holders = [i for i in range(n) if begun[i] <= t < ended[i]]
        behind = {i: Fraction(waiting, len(holders)) for i in holders}
        nobody += 0 if holders else waiting
        taken = set()
        for block in blocks:
            for i in block.rows:
                if i in behind and block.start_ns <= t < block.end_ns and i != block.blocker:
                    taken.add(int(i))
                    if block.blocker is None:
                        stalls += behind[i] + 1
                    else:
                        charged[block.blocker] += behind[i] + 1
        for i in holders:
            if i not in taken:
                charged[i] += behind[i]
    return charged, stalls, nobody


ROWS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=8
)


@given(ROWS, st.data())
def test_charges_are_those_of_every_single_nanosecond(rows, data):
    operations, phases = log_of(rows)
    n = len(operations)
    blocks, free = [], list(range(n))
    for _ in range(data.draw(st.integers(0, 2))):
        mine = data.draw(st.sets(st.sampled_from(free), max_size=len(free))) if free else set()
        free = [row for row in free if row not in mine]
        start = data.draw(st.integers(0, 30))
        end = start + data.draw(st.integers(1, 20))
        blocker = data.draw(st.none() | st.integers(0, n - 1))
        victims = np.array(sorted(mine - {blocker}), np.intp)
        blocks.append(Block(T0 + start, T0 + end, victims, blocker))
    account = blame_of(operations, phases, blocks)
    charged, stalls, nobody = by_hand(operations, phases, blocks)
    assert account.unattributed_ns == nobody
    assert abs(account.stalls_ns - stalls) <= 1
    assert all(abs(a - b) <= 1 for a, b in zip(account.charged_ns.tolist(), charged, strict=True))
    waited = int(phases.waited_ns.sum())
    used = used_of(operations, phases, blocks)
    parts = (used.sum(), account.charged_ns.sum(), account.stalls_ns)
    assert waited == sum(map(int, parts)) + account.unattributed_ns


@given(ROWS, st.integers(1, 3))
def test_slices_of_time_change_nothing(rows, size):
    operations, phases = log_of(rows)
    whole = blame_of(operations, phases)
    before, blame._SLICE = blame._SLICE, size
    try:
        sliced = blame_of(operations, phases)
    finally:
        blame._SLICE = before
    assert np.abs(sliced.charged_ns - whole.charged_ns).max() <= 1
    assert sliced.unattributed_ns == whole.unattributed_ns


def test_a_long_search_is_charged_with_those_that_queue_behind_it():
    # One worker: a search of 10 s, and three short ones that wait for it.
    rows = [(0, 0, 10_000), (100, 9_900, 5), (200, 9_805, 5), (300, 9_710, 5)]
    operations, phases = log_of(rows)
    account = blame_of(operations, phases)
    long = int(np.argmax(phases.work_ns))
    assert account.charged_ns[long] == 9_900 + 9_800 + 9_700
    assert used_of(operations, phases, ()).tolist() == phases.work_ns.tolist()


def test_waiting_of_some_is_charged_apart():
    operations, phases = log_of([(0, 0, 10_000), (100, 9_900, 5), (200, 9_805, 5)])
    first = phases.queue_ns == 9_900
    assert blame_of(operations, phases, waiting=first).charged_ns.sum() == 9_900


def test_the_pause_of_a_client_is_no_waiting_where_workers_were_free():
    log = Log().add("SRCH", 0, 0.5, wtime_ns=499_000_000, optime_ns=1_000_000)
    operations = log.done()
    assert phases_of(operations, threads=16).waited_ns.tolist() == [1_000_000]
    assert phases_of(operations).waited_ns.tolist() == [500_000_000]


def test_replication_and_persistent_searches_never_wait():
    log = Log().add("EXT", 0, 1, filter="2.16.840.1.113730.3.5.12", conn=7)
    log.add("MOD", 1, 2, conn=7).add("SRCH", 2, 300, conn=8).add("SRCH", 3, 1, conn=9)
    operations = log.done()
    asks = {int(np.flatnonzero(operations.conn == 8)[0]): "SRCH options=persistent"}
    phases = phases_of(operations, request_of=lambda row: asks.get(row, "SRCH"))
    assert operations.conn[phases.sessions].tolist() == [7, 7, 8]
    assert phases.waited_ns.sum() == 10**9


def test_operations_of_the_server_itself_never_wait():
    operations = Log().add("SRCH", 0, 1, internal=True).add("SRCH", 0, 1).done()
    assert phases_of(operations).waited_ns.tolist() == [0, 10**9]
