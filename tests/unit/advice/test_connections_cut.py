"""Connections that end without an unbind, as long after their last answer as the others."""

import pytest

from ldap_workbench.advice.families import server_messages
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.material import T0, Log, only, view


def cut(idle=(300.0,) * 10):
    """A pool whose connections ask once and end so many seconds later."""
    log, lines = Log().background(600), []
    for number, seconds in enumerate(idle):
        log.add("SRCH", 2.0 + number, 0.5, conn=900 + number, client="192.0.2.5")
        text = f"conn={900 + number} fd=19 closed (connection lost)"
        time_ns = T0 + round((2.5 + number + seconds) * NS_PER_S)
        lines.append({"time_ns": time_ns, "text": text})
    row = {"kind": "lost", "n": len(lines), "first_ns": T0, "last_ns": T0 + 590 * NS_PER_S}
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
