"""Reading ends after two minutes of processor time and a second more for every 4 KiB."""

import pytest

from ldap_workbench.logs.reading import time_limit
from ldap_workbench.logs.reading.time_limit import OutOfTimeError, TimeLimit, until_stopped
from ldap_workbench.model.errors import CancelledError
from ldap_workbench.model.progress import Cancel


@pytest.fixture
def spent(monkeypatch):
    """Processor time, s, as the test sets it."""
    spent = [0.0]
    monkeypatch.setattr(time_limit, "process_time", lambda: spent[-1])
    return spent


@pytest.mark.parametrize(("size", "limit_s"), [(0, 120), (4096 * 10, 130), (1 << 30, 262_264)])
def test_it_is_over_after_the_time_of_its_bytes(spent, size, limit_s):
    limit = TimeLimit()
    limit.grant(size)
    spent.append(limit_s - 0.5)
    assert not limit
    limit.check()
    spent.append(limit_s + 0.5)
    assert limit
    with pytest.raises(OutOfTimeError):
        limit.check()
    assert not limit.is_asked


def test_once_over_it_stays_so(spent):
    limit = TimeLimit()
    spent.append(121.0)
    assert limit
    limit.grant(1 << 30)
    assert limit


def test_anew_it_has_as_much_time_once_more(spent):
    limit = TimeLimit()
    limit.grant(4096 * 10)
    spent.append(131.0)
    again = limit.anew()
    assert limit
    assert not again
    spent.append(131.0 + 129.0)
    assert not again
    spent.append(131.0 + 131.0)
    assert again


def test_a_cancel_is_a_cancel_and_no_lack_of_time(spent):
    cancel = Cancel()
    limit = TimeLimit(cancel)
    limit.set()
    assert cancel, "it is that of the operator"
    assert limit.is_asked
    assert not limit.is_over
    with pytest.raises(CancelledError):
        limit.check()


def test_pieces_come_until_one_of_both(spent):
    limit = TimeLimit()

    def pieces():
        for number in range(9):
            limit.check()
            yield number
            if number == 3:
                spent.append(121.0)

    assert list(until_stopped(pieces(), limit)) == [0, 1, 2, 3]
