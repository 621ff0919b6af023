"""The published case as log text, in two dialects: whole seconds of Sun, nanoseconds of 389."""

from datetime import UTC, datetime

import pytest

from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.families.find import findings_in
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.material import FACTS, T0, only, window
from tests.unit.advice.test_stalls import PUBLISHED

TAGS = {"SRCH": 101, "MOD": 103, "DEL": 107}


class Text:
    """Lines of an access log, put in the order of their times at the end."""

    def __init__(self, dialect):
        self.sun = dialect == "sun"
        self.lines = []
        self.connections = 0

    def add(self, kind, start, etime, dn, *, internal=False):
        self.connections += 1
        if self.sun:
            who = "conn=Internal op=-1 msgId=-1 - " if internal else ""
            who = who or f"conn={self.connections} op=1 msgId=2 - "
        else:
            who = f"conn=Internal({self.connections}) op=0(1)(1) " if internal else ""
            who = who or f"conn={self.connections} op=1 "
        search = f'SRCH base="{dn}" scope=2 filter="(uid=u)" attrs=ALL'
        request = search if kind == "SRCH" else f'{kind} dn="{dn}"'
        tag = 48 if internal and not self.sun else TAGS[kind]
        shown = f"{etime:.0f}" if self.sun else f"{etime:.9f}"
        self._line(start, f"{who}{request}")
        self._line(start + etime, f"{who}RESULT err=0 tag={tag} nentries=0 etime={shown}")

    def _line(self, second, text):
        moment = datetime.fromtimestamp(T0 // NS_PER_S + int(second), tz=UTC)
        fraction = "" if self.sun else f".{int(second % 1 * 1e9):09d}"
        stamp = f"[{moment:%d/%b/%Y:%H:%M:%S}{fraction} +0000]"
        self.lines.append((second, len(self.lines), f"{stamp} {text}\n"))

    def bytes(self):
        return "".join(line for _, _, line in sorted(self.lines)).encode()


def published(dialect):
    """Quick searches all along, the eight that waited, and deletions with their trains."""
    text = Text(dialect)
    for i in range(7500):
        text.add("SRCH", i * 0.2, 0.0 if text.sun else 0.0008, "ou=people,dc=example,dc=com")
    for i, etime in enumerate(PUBLISHED):
        text.add("SRCH", 700 + 75 * i / 7 - etime, etime, "ou=people,dc=example,dc=com")
    for n, second in enumerate((60, 300, 560, 1000)):
        text.add("DEL", second, 0.0 if text.sun else 0.05, f"uid=u{n},ou=people")
        start = second + 180.5
        for k in range(7):
            etime = 34.0 if (n, k) == (2, 4) else 2.0 + k % 2
            text.add("MOD", start, etime, f"cn=group{k},ou=groups", internal=True)
            start += etime + 0.01
    return text.bytes()


@pytest.fixture(params=["389", "sun"])
def found(request):
    scanner = Scanner(request.param)
    operations = scanner.feed(published(request.param))
    log = Source(
        1,
        1,
        SourceKind.ACCESS_LOG,
        "access",
        SourceState.COMPLETE,
        resolution_ns=scanner.resolution_ns,
        dialect=request.param,
    )
    view = WindowView(window(1600), operations, sources=(log,), facts=FACTS)
    assert scanner.counts.unknown == 0
    return findings_in(view)


def test_the_searches_that_ended_together(found):
    stall = only(found, "stall")
    assert stall.numbers["longest_victims"] == 8
    assert stall.numbers["longest_ns"] == 288 * NS_PER_S
    assert 74 * NS_PER_S <= stall.numbers["ends_within_ns"] <= 76 * NS_PER_S


def test_the_trains_three_minutes_later(found):
    trains = only(found, "referint_trains")
    assert trains.numbers["trains"] == 4
    assert trains.numbers["mods_per_removal"] == 7
    assert trains.numbers["lag_min_ns"] >= 178 * NS_PER_S
    assert trains.numbers["lag_max_ns"] <= 182 * NS_PER_S


def test_the_mod_of_34_seconds(found):
    same = only(found, "same_operation")
    assert same.numbers["etime_ns"] == 34 * NS_PER_S
    assert same.numbers["usual_ns"] <= 3 * NS_PER_S
    assert same.numbers["like_a_timeout"]


def test_a_stall_that_nothing_shows_to_be_a_checkpoint_has_no_advice_on_checkpoints(found):
    advised = {advice.id for advice in advise(found, FACTS)}
    assert "referint-at-once" in advised
    assert "checkpoint-shorter" not in advised


def test_what_sun_logged_is_advised_in_its_commands(found, request):
    is_sun = request.node.callspec.params["found"] == "sun"
    assert {finding.server.product for finding in found} == {"dsee" if is_sun else "389ds"}
