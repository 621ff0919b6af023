"""Connections and searches of a client that did not come back after a moment."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.evidence.view import ErrorLine
from ldap_workbench.advice.families import errors, not_back
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState
from ldap_workbench.session.unanswered import Waiting
from tests.unit.advice.material import T0, Log, only, view

CLIENT = "192.0.2.30"


def pool(*, kept=12, left=3, busier=True, until=300, apart=0.0, back=False, opened=True):
    """A pool in use up to a second; `left` connections go on, or new ones come."""
    made, begun = Log().background(600), set()
    for second in range(600):
        gone = [conn for conn in range(kept) if second >= until + apart * conn]
        on = [conn for conn in range(kept) if conn not in gone]
        others = range(100, 100 + (kept if back else left)) if gone else ()
        for conn in (*on, *others):
            for part in range(kept // left if conn >= 100 and busier and not back else 1):
                at = second + 0.01 * (conn % 50) + 0.1 * part
                since = {"opened_ns": T0 + round(at * NS_PER_S)} if conn not in begun else {}
                begun.add(conn)
                made.add("SRCH", at, 0.001, filter="(uid=?)", client=CLIENT, conn=conn + 10,
                         **(since if opened else {}))  # fmt: skip
    return made


def pools(log, *still_open):
    """What is found where the log ends with connections open, those that go on among them."""
    details = {"left_open": [*still_open, *range(110, 140)]}
    source = Source(1, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE, details=details)
    return not_back.find(view(log, sources=(source,)))


def test_a_pool_of_which_few_connections_came_back():
    seen = only(pools(pool()), "not_back")
    assert (seen.numbers["lost"], seen.numbers["before"], seen.numbers["after"]) == (12, 12, 3)
    assert seen.numbers["client"] == CLIENT
    assert abs(seen.numbers["at_ns"] - T0 - 299 * NS_PER_S) < NS_PER_S
    assert "100 % as many" in str(seen.sentence)


@pytest.mark.parametrize(
    "seen",
    [
        pool(back=True),
        pool(left=7),  # more than half of them
        pool(busier=False),  # less is asked, and fewer are needed
        pool(until=560),  # they may come back
        pool(until=20),  # they had only just been opened
        pool(apart=15.0),  # closed one by one, as idle ones are
        pool(kept=6),
    ],
)
def test_a_pool_that_came_back_or_needs_fewer_is_left_alone(seen):
    assert pools(seen) == []


def test_a_pool_that_takes_the_newest_connection_first_leaves_the_others_open():
    assert pools(pool(), *range(10, 22)) == []
    assert pools(pool(), *range(10, 15)) == [], "seven that were closed are few"
    assert only(pools(pool(), *range(10, 14)), "not_back").numbers["lost"] == 8


def test_a_connection_of_which_the_log_has_no_opening_may_still_be_open():
    assert pools(pool(opened=False)) == []
    assert not_back.find(view(pool())) == [], "nor does every source tell what is open"


SEARCH = Waiting(
    time_ns=T0 + 5 * NS_PER_S, conn=7, client=CLIENT, base="ou=people,o=site", at=0, boot=0,
    filter="(objectclass=*)", closed_ns=T0 + 300 * NS_PER_S, closed_at=1,
)  # fmt: skip


def restarted(*, boot=1, pace=1.0):
    """The client's other requests, before and after a start of the server."""
    made = Log()
    for number in range(round(600 / pace)):
        second = number * pace
        made.add("SRCH", second, 0.001, filter="(uid=?)", client=CLIENT,
                 boot=boot if second > 300 else 0)  # fmt: skip
    return made


def listening(log, *searches, waiting=(), lines=""):
    return not_back.find(
        view(log, given_up=searches, waiting=waiting, line_at=(lambda _: lines) if lines else None)
    )


def test_a_search_that_listened_and_is_not_there_after_a_restart():
    seen = only(listening(restarted(), SEARCH, replace(SEARCH, conn=8)), "not_back")
    assert seen.numbers["lost"] == 2
    assert "2 searches open" in str(seen.sentence)
    assert "started again" in str(seen.sentence)
    assert len(seen.evidence) == 2


def test_a_persistent_search_is_missed_without_a_restart_too():
    of_389 = 'SRCH base="o=site" scope=2 filter="(objectClass=*)" options=persistent'
    seen = only(listening(restarted(boot=0), SEARCH, lines=of_389), "not_back")
    assert "a search open" in str(seen.sentence)
    assert "started again" not in str(seen.sentence)


def test_who_listens_again_gave_up_or_is_away_is_left_alone():
    again = replace(SEARCH, time_ns=T0 + 310 * NS_PER_S, closed_ns=None, boot=1)
    assert listening(restarted(), SEARCH, waiting=(again,)) == []
    assert listening(restarted(boot=0), SEARCH) == []  # it never got an answer
    short = replace(SEARCH, time_ns=T0 + 270 * NS_PER_S)
    assert listening(restarted(), short) == []
    late = replace(SEARCH, closed_ns=T0 + 590 * NS_PER_S)
    assert listening(restarted(), late) == []
    assert listening(restarted(pace=20.0), SEARCH) == []
    assert listening(restarted(), replace(SEARCH, client="192.0.2.99")) == []


def line(second, text):
    return ErrorLine(T0 + round(second * NS_PER_S), text)


def test_the_warning_before_the_first_complaint_is_told_unless_it_is_usual():
    new = "WARN - plug-in - replica_reload_ruv - data do not match the changelog"
    usual = "WARN - check_and_set - Cache of {} bytes is small"
    wrong = [line(100 + n, f"ERR - send - CSN 65af{n} not found") for n in range(5)]
    often = [line(10 * n, usual.format(n)) for n in range(10)]
    lines = tuple(sorted([line(98, new), *often, *wrong], key=lambda each: each.time_ns))
    (seen,) = errors.complaints(lines)
    assert f'Shortly before the first of these it said: "{new}".' in str(seen.sentence)
    (without,) = errors.complaints(tuple(each for each in lines if each.text != new))
    assert "Shortly before" not in str(without.sentence)
    long_ago = tuple(sorted([line(20, new), *wrong], key=lambda each: each.time_ns))
    (without,) = errors.complaints(long_ago)
    assert "Shortly before" not in str(without.sentence)
