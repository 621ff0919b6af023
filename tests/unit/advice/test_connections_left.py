"""Connections that stay open: a client never closes them, or they never get to a request."""

import numpy as np
import pytest

from ldap_workbench.advice.families import arrivals, pooling
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.material import T0, Log, only, view

RANDOM = np.random.default_rng(11)
LEAK, NOT_BEGUN = "connections_not_closed", "connections_not_begun"


def access_log(**details):
    return Source(1, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE, details=details)


def clients(number=100, closed=0, lasts=2.0, asks=3, upto=590.0):
    """A client that opens connections throughout, asks `asks` times on each, and goes on."""
    log = Log().background(600, rate=2)
    for one in range(number):
        begins = 2.0 + one * upto / number
        for step in range(asks):
            log.add("BIND" if step == 0 else "SRCH", begins + step * lasts / asks, 0.001, op=step,
                    client="10.0.0.7", bind_dn="cn=app", conn=100 + one,
                    **({} if step else {"opened_ns": T0 + round(begins * NS_PER_S)}))  # fmt: skip
    return log, access_log(left_open=list(range(100 + closed, 100 + number)))


def leaks(log, source, **columns):
    return [seen for seen in pooling.find(view(log, sources=(source,), **columns))
            if seen.id == LEAK]  # fmt: skip


def test_a_client_that_closes_nothing_is_named_with_growth_and_the_time_until_the_limit():
    [leak] = leaks(*clients(), settings={"nsslapd-maxdescriptors": "1024"})
    said = str(leak.sentence)
    assert "10.0.0.7 as cn=app opened 100 connections and closed 0: 100 stay open, and 600 " in said
    assert "takes 896 connections at once: at this rate the 796 free places are gone in" in said
    assert "4,776 s" in said
    assert leak.numbers["left_open"] == 100


def test_long_sessions_that_are_forgotten_are_a_leak_too_even_if_a_few_are_closed():
    [leak] = leaks(*clients(number=80, asks=12, lasts=20.0, closed=4, upto=560.0))
    assert (leak.numbers["opened"], leak.numbers["left_open"]) == (80, 76)
    assert "free places" not in str(leak.sentence)


@pytest.mark.parametrize(
    "healthy",
    [
        {"closed": 60},
        {"number": 40},
        {"upto": 100.0},  # a pool that is filled at the start
        {"lasts": 580.0, "upto": 20.0},  # a large pool that is used
        {"lasts": 300.0, "upto": 295.0, "asks": 9},  # many users behind one address
    ],
    ids=str,
)
def test_connections_that_are_closed_or_used_are_no_leak(healthy):
    assert leaks(*clients(**healthy)) == []


def test_no_leak_is_seen_where_a_restart_closed_the_connections():
    log, source = clients()
    for row in log.rows:
        row["boot"] = int(row["end_ns"] > T0 + 599 * NS_PER_S)
    assert leaks(log, source) == []


def stuck(moments, *, is_open=True, answered=200):
    """Connections without a request, (client, minute, connections), beside those with one."""
    rows = [{"client": client, "minute_ns": T0 + 60 * minute * NS_PER_S, "connections": number,
             "is_open": is_open} for client, minute, number in moments]  # fmt: skip
    log = Log()
    for one in range(answered):
        at = 600.0 * one / answered
        log.add("SRCH", at, 0.001, client=f"10.9.0.{one % 50}", conn=one,
                opened_ns=T0 + round(at * NS_PER_S))  # fmt: skip
    return arrivals.find(view(log, sources=(access_log(unused_connections=rows),)))


def test_many_clients_that_get_no_further_point_at_the_server_and_at_the_first_of_them():
    first = [("10.5.0.66", 2, 1)]
    others = [(f"10.9.0.{RANDOM.integers(50)}", 2 + at % 6, 2) for at in range(30)]
    seen = only(stuck([*first, *others]), NOT_BEGUN)
    said = str(seen.sentence)
    assert said.startswith("61 connections of ")
    assert "of 10.5.0.66 at 2026-01-01 00:02:00" in said
    assert "look at the server" in said
    assert seen.severity == 2


def test_one_client_that_stops_within_its_handshakes_is_named():
    seen = only(stuck([("10.5.0.66", minute, 4) for minute in range(7)]), NOT_BEGUN)
    assert "Look at 10.5.0.66" in str(seen.sentence)
    assert seen.numbers["connections"] == 28


@pytest.mark.parametrize(
    "healthy",
    [
        {"moments": [("10.5.0.6", 1, 40)]},  # spare connections of a pool, opened at once
        {"moments": [("10.5.0.6", minute, 5) for minute in range(8)], "is_open": False},
        {"moments": [("10.5.0.6", 9, 40)]},  # just opened
        {"moments": [("10.5.0.6", minute, 2) for minute in range(8)]},
        {"moments": [("10.5.0.6", minute, 3) for minute in range(8)], "answered": 2000},
    ],
    ids=["at once", "closed", "new", "few", "rare"],
)
def test_connections_that_get_on_or_are_few_are_silent(healthy):
    assert [seen for seen in stuck(**healthy) if seen.id == NOT_BEGUN] == []
