"""Connections that end without an unbind, as long after their last answer as the others."""

import pytest

from ldap_workbench.advice.families import server_messages
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.material import T0, Log, only, view


def cut(idle=(300.0,) * 10, apart=1.0, n=None, again=False):
    """A pool whose connections ask once and end so many seconds later.

    `again`: the server starts anew, and other connections have the same numbers.
    """
    log, lines = Log().background(600), []
    for number, seconds in enumerate(idle):
        asked = 2.0 + number * apart
        log.add("SRCH", asked, 0.5, conn=900 + number, client="192.0.2.5")
        text = f"conn={900 + number} fd=19 closed (connection lost)"
        time_ns = T0 + round((asked + 0.5 + seconds) * NS_PER_S)
        lines.append({"time_ns": time_ns, "text": text})
        if again:
            log.add("SRCH", 500.0, 0.5, conn=900 + number, client="192.0.2.66", boot=1)
    row = {"kind": "lost", "n": n or len(lines), "first_ns": T0, "last_ns": T0 + 590 * NS_PER_S}
    details = {
        "messages": [row | {"clients": [{"client": "192.0.2.5", "n": len(lines)}], "lines": lines}]
    }
    source = Source(1, 1, SourceKind.ACCESS_LOG, "slapd.log", SourceState.COMPLETE, details=details)
    return view(log, sources=(source,))


def test_idle_connections_that_are_cut_are_named_with_the_client_and_the_time():
    seen = only(server_messages.find(cut()), "cut_when_idle")
    assert seen.numbers["connections"] == 10
    assert "each about 300 s after the last answer" in str(seen.sentence)
    assert "192.0.2.5 (10)" in str(seen.sentence)


def test_connections_of_the_server_before_are_told_from_those_of_today():
    seen = only(server_messages.find(cut(again=True)), "cut_when_idle")
    assert seen.numbers["addresses"] == {"192.0.2.5": 10}
    assert seen.numbers["idle_ns"] == 300 * NS_PER_S


def test_where_more_were_lost_than_lines_are_stored_it_says_so():
    seen = only(server_messages.find(cut(n=5000)), "cut_when_idle")
    assert "Of 5,000 lines about lost connections the first 10 were compared" in str(seen.sentence)
    assert "compared" not in str(only(server_messages.find(cut()), "cut_when_idle").sentence)


@pytest.mark.parametrize(
    ("idle", "apart"),
    [
        ((300.0,) * 20, 0.0),  # all asked and ended together
        (tuple(310.0 - n for n in range(20)), 1.0),  # asked one by one, ended together
        (tuple(300.0 + 1.2 * n for n in range(12)), 0.0),  # a client that ends one by one
    ],
)
def test_a_client_that_dies_is_no_load_balancer(idle, apart):
    assert server_messages.find(cut(idle, apart)) == []


@pytest.mark.parametrize(
    "idle",
    [
        (300.0,) * 7,  # few
        (5.0,) * 10,  # a client that is done
        tuple(40.0 + 25 * n for n in range(10)),  # whenever clients end
    ],
)
def test_connections_that_end_now_and_then_are_left_alone(idle):
    assert server_messages.find(cut(idle)) == []
