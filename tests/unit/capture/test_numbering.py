"""A file that is missing between two others shows in the numbers of operations and connections."""

import numpy as np

from ldap_workbench.capture.live.numbering import Numbering
from ldap_workbench.model.operations import COLUMNS, Operations

S = 10**9


def rows(pairs, start_ns=0):
    """Finished operations of these (conn, op), a second apart."""
    columns = {name: np.zeros(len(pairs), dtype) for name, dtype in COLUMNS.items()}
    columns["conn"] = np.array([conn for conn, _ in pairs], np.int64)
    columns["op"] = np.array([op for _, op in pairs], np.int32)
    columns["end_ns"] = start_ns + np.arange(len(pairs), dtype=np.int64) * S
    return Operations(**columns)


def pool(connections, first, last):
    """Every connection's operations from one number to before another."""
    return [(conn, op) for op in range(first, last) for conn in range(connections)]


def missing(before, after):
    numbering = Numbering()
    numbering.add(rows(before))
    numbering.seam()
    numbering.add(rows(after, 10**6 * S))
    numbering.close()
    return numbering.missing


def test_numbers_that_go_on_lack_nothing():
    assert missing(pool(8, 0, 100), pool(8, 100, 200)) == []


def test_a_file_that_is_not_there_is_counted_with_its_time():
    [lost] = missing(pool(8, 0, 100), pool(8, 150, 200))
    assert lost.operations == 400
    assert (lost.start_ns, lost.end_ns) == (799 * S, 10**6 * S)


def test_the_numbers_that_servers_skip_at_a_rotation_are_no_loss():
    """Each connection's next read ran out of time while the log was rotated."""
    assert missing(pool(60, 0, 20), pool(60, 21, 40)) == []


def test_operations_that_straddle_the_files_are_no_loss():
    before = [pair for pair in pool(5, 0, 50) if pair != (3, 48)]
    assert missing(before, [(3, 48), *pool(5, 50, 60)]) == []


def test_two_seconds_of_a_quiet_log_show_in_our_own_connection():
    searches = 3
    assert missing(pool(1, 0, 10 * searches), pool(1, 12 * searches, 60))


def test_connections_of_one_bind_and_one_search_show_it_by_their_own_numbers():
    short = [(conn, op) for conn in range(4000) for op in (0, 1)]
    assert missing(short[:2000], short[2000:]) == []
    [lost] = missing(short[:2000], short[4000:])
    assert lost.operations == 1000


def test_connections_that_ask_nothing_are_no_loss():
    """A load balancer connects and leaves, nine times for each client."""
    short = [(conn, 0) for conn in range(0, 4000, 10)]
    assert missing(short[:200], short[200:]) == []


def test_a_restarted_server_counts_anew():
    before, after = rows(pool(3, 500, 600)), rows(pool(3, 0, 10))
    after.boot[:] = 1
    numbering = Numbering()
    numbering.add(before)
    numbering.seam()
    numbering.add(after)
    numbering.close()
    assert numbering.missing == []


def test_memory_does_not_grow_and_the_last_before_a_seam_count(monkeypatch):
    monkeypatch.setattr("ldap_workbench.capture.live.numbering._KEPT", 64)
    numbering = Numbering()
    for first in range(0, 1000, 10):
        numbering.add(rows(pool(4, first, first + 10)))
    numbering.seam()
    for first in range(1000, 2000, 10):
        numbering.add(rows(pool(4, first, first + 10)))
    numbering.seam()
    numbering.add(rows(pool(4, 2050, 2060)))
    numbering.close()
    assert [lost.operations for lost in numbering.missing] == [200]


def repeated(before, after, after_ns):
    numbering = Numbering()
    numbering.add(rows(before))
    numbering.seam()
    numbering.add(rows(after, after_ns))
    numbering.close()
    return numbering.repeated


def test_a_text_that_comes_again_is_counted():
    """Behind the one that came after it: its operations are none of those just before the seam."""
    assert repeated(pool(8, 100, 200), pool(8, 50, 90), -10 * S) == 320


def test_numbers_that_go_on_are_no_repetition_whatever_their_times():
    assert repeated(pool(8, 0, 100), pool(8, 100, 200), -10 * S) == 0


def test_a_server_that_numbers_anew_after_its_start_repeats_nothing():
    assert repeated(pool(8, 0, 100), pool(8, 0, 100), 800 * S) == 0


def test_threads_that_wait_over_a_seam_with_their_lines_are_no_repetition():
    waited = [(conn, 98) for conn in range(64)]
    assert repeated(pool(64, 0, 100), [*waited, *pool(64, 100, 150)], 6400 * S - 70 * S) == 0
