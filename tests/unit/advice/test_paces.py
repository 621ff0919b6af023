"""Clients that take the time themselves, and clients that come together or for nothing."""

import numpy as np
import pytest

from ldap_workbench.advice.families import arrivals, paces
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.material import T0, Log, only, view

RANDOM = np.random.default_rng(5)


def chain(number=600, etime=0.03, pause=0.002, streams=1, client="10.0.0.7"):
    """A person is read, then changed, and the next one: one request after the other."""
    log = Log()
    for stream in range(streams):
        at = 5.0
        for step in range(number):
            kind, text = ("SRCH", "(uid=?)") if step % 2 == 0 else ("MOD", "")
            log.add(kind, at, etime, filter=text, base=f"uid={step // 2}", client=client,
                    conn=10 + stream, op=step, nentries=1)  # fmt: skip
            at += etime + pause
    return log


def chains(log):
    return [finding.id for finding in paces.request_chain(view(log))]


def test_chain_of_quick_requests_is_what_its_user_waits_for():
    finding = only(paces.find(view(chain())), "request_chain")
    said = str(finding.sentence)
    assert "10.0.0.7 as anonymous once sent 600 requests, one after another " in said
    assert "(SRCH (uid=?), MOD, on 300 entries): 19.2 s" in said
    assert "19.2 s, though each takes 30.0 ms in the median. The server spends 94 %" in said
    assert finding.user_ns == pytest.approx(19.2 * NS_PER_S, rel=0.01)


@pytest.mark.parametrize(
    "almost",
    [
        {"number": 98, "etime": 0.1},
        {"number": 200},  # 6.4 s
        {"pause": 0.1},  # the client takes the time
        {"etime": 0.6},  # the requests themselves are slow
        {"streams": 3},  # the load of many users
    ],
    ids=str,
)
def test_what_is_no_chain(almost):
    assert chains(chain(**almost)) == []


def test_chain_with_its_times_shuffled_is_none():
    log = chain()
    for row, etime in zip(log.rows, RANDOM.permutation(np.linspace(0, 0.06, 600)), strict=True):
        row["etime_ns"] = round(etime * NS_PER_S)
        row["end_ns"] = T0 + round((RANDOM.uniform(5, 24) + etime) * NS_PER_S)
    assert chains(log) == []


def pausing(pauses, *, differ=True, entries=1, notes="", conns=1):
    """Requests of 5 ms on a connection, with these pauses in seconds between them."""
    log = Log().background(600, rate=5)
    at = 1.0
    for step, pause in enumerate(pauses):
        base = f"uid={step}" if differ else "ou=people"
        log.add("SRCH", at, 0.005, filter="(objectclass=?)", base=base, client="10.0.0.8",
                nentries=entries, notes=notes, conn=50 + step % conns, op=step)  # fmt: skip
        at += 0.005 + pause
    return log


STEADY = RANDOM.uniform(6, 9, 40)


def pauses_of(log):
    return [finding.id for finding in paces.find(view(log))]


def test_client_that_works_after_each_answer_takes_the_time():
    finding = only(paces.find(view(pausing(STEADY))), "client_takes_time")
    said = str(finding.sentence)
    assert finding.severity == 1, "on one connection: perhaps a job that rests on purpose"
    assert "10.0.0.8 as anonymous lets 7." in said
    assert "39 times" in said
    assert "No setting of the server makes this quicker." in said
    assert finding.numbers["served_ns"] == 39 * 5_000_000
    assert finding.worker_ns is None
    assert finding.user_ns is None


def test_steps_of_logins_on_many_connections_are_told_as_one():
    log = Log()
    for login in range(30):
        at, who = 15.0 * login, f"10.0.1.{login % 6}"
        columns = {"client": who, "conn": 100 + login}
        log.add("SRCH", at, 0.001, filter="(uid=?)", nentries=1, op=0, **columns)
        pause = RANDOM.uniform(2.7, 3.5)
        log.add("BIND", at + pause, 0.004, base=f"uid={login}", op=1, **columns)
    finding = only(paces.find(view(log)), "client_takes_time")
    assert finding.severity == 2, "each login waits for it"
    assert "(from SRCH (uid=?) to BIND): 30 times" in str(finding.sentence)
    assert "5 more clients do the same." in str(finding.sentence)


@pytest.mark.parametrize(
    "log",
    [
        pausing(STEADY[:15]),
        pausing(np.full(600, 0.04)),
        pausing(RANDOM.exponential(4, 120)),  # a person, or many users of one connection
        pausing(STEADY, differ=False),  # it asks the same again
        pausing(np.full(40, 10.0), differ=False, entries=50),  # a timer reads a list again
        pausing(STEADY + 130),
    ],
    ids=["few", "short", "random", "same", "timer", "long"],
)
def test_pauses_that_are_no_work_of_the_client(log):
    assert pauses_of(log) == []


@pytest.mark.parametrize("page", [{"entries": 50}, {"notes": "P"}], ids=str)
def test_pages_of_one_list_are_work(page):
    (finding,) = paces.find(view(pausing(STEADY, differ=False, **page)))
    assert (finding.id, finding.severity) == ("client_takes_time", 2)


def herd(clients=40, period=120.0, times=4, spread=1.0, slow=0.5, offset=0.0, seconds=600):
    """Hosts that come together, each once a period, among users at moments of their own."""
    log = Log()
    for number in range(int(seconds / 2)):
        log.add("SRCH", 2.0 * number, 0.002, filter="(uid=?)",
                client=f"10.1.0.{RANDOM.integers(60)}",
                conn=1000 + number)  # fmt: skip
    for host in range(clients):
        shift = RANDOM.uniform(0, offset)
        for turn in range(times):
            at = 30.0 + period * turn + shift + RANDOM.uniform(0, spread)
            log.add("BIND", at, slow, client=f"10.2.0.{host}", conn=5000 + 10 * host + turn,
                    opened_ns=T0 + round((at - 0.01) * NS_PER_S))  # fmt: skip
    return log


def in_step(log):
    return [finding.id for finding in arrivals.arrivals_in_step(view(log))]


def test_hosts_that_come_together_are_counted_with_period_and_peak():
    finding = only(arrivals.find(view(herd())), "arrivals_in_step")
    said = str(finding.sentence)
    assert said.startswith("40 clients ask at the same moment every 120 s: within 5.00 s ")
    assert "on new connections" in said
    assert "of them were there the time before too." in said
    assert finding.numbers["period_s"] == pytest.approx(120, abs=2)
    assert finding.user_ns == pytest.approx(160 * 0.498 * NS_PER_S, rel=0.05)


def test_a_single_moment_has_no_period_and_may_follow_a_start_of_the_server():
    once = only(arrivals.find(view(herd(times=1))), "arrivals_in_step")
    assert "at the same moment, once, at " in str(once.sentence)
    assert once.numbers["period_s"] is None
    log = herd(times=1)
    for row in log.rows:
        row["boot"] = int(row["end_ns"] > T0 + 29 * NS_PER_S)
    again = only(arrivals.find(view(log)), "arrivals_in_step")
    assert "just after the server started again" in str(again.sentence)


@pytest.mark.parametrize(
    "almost",
    [
        {"clients": 15},
        {"slow": 0.002},  # nobody waits for it
        {"offset": 120.0},  # the arrivals are spread over the period
        {"spread": 60.0},
    ],
    ids=str,
)
def test_what_is_not_in_step(almost):
    assert in_step(herd(**almost)) == []


def unused(count=300, client="10.0.0.9", is_open=False, minutes=10):
    per_minute = count // minutes
    rows = [
        {"client": client, "minute_ns": T0 + 60 * at * NS_PER_S, "connections": per_minute,
         "is_open": is_open}
        for at in range(minutes)
    ]  # fmt: skip
    return Source(1, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE,
                  details={"unused_connections": rows})  # fmt: skip


def test_connections_without_a_request_are_worth_knowing_with_rate_and_share():
    log = Log().add("SRCH", 1, 0.001, client="10.0.0.1", opened_ns=T0)
    finding = only(arrivals.find(view(log, sources=(unused(),))), "unused_connections")
    said = str(finding.sentence)
    assert "10.0.0.9 opened 300 connections and asked nothing on them: 1,800 an hour" in said
    assert finding.severity == 1
    assert finding.worker_ns is None


def test_many_connections_without_a_request_are_a_warning():
    finding = only(arrivals.find(view(Log(), sources=(unused(2000),))), "unused_connections")
    assert finding.severity == 2


def bound_alone(dn):
    log = Log()
    for number in range(80):
        at = 5.0 * number
        log.add("BIND", at, 0.002, base=dn.format(number), client="10.0.0.9", conn=100 + number,
                opened_ns=T0 + round(at * NS_PER_S))  # fmt: skip
    return log


def test_a_bind_alone_is_nothing_where_it_checks_no_passwords_of_users():
    finding = only(arrivals.find(view(bound_alone("cn=check"))), "unused_connections")
    assert "asked nothing on them but a bind on 80: " in str(finding.sentence)
    assert arrivals.find(view(bound_alone("uid={}"))) == []


@pytest.mark.parametrize("stored", [None, 7, [7], [{"client": "x"}], [{"client": 1}]], ids=str)
def test_other_shapes_in_a_session_are_no_connections(stored):
    source = Source(1, 1, SourceKind.ACCESS_LOG, "access", SourceState.COMPLETE,
                    details={"unused_connections": stored})  # fmt: skip
    assert arrivals.find(view(Log(), sources=(source,))) == []


def test_few_connections_without_a_request_are_no_finding():
    assert arrivals.find(view(Log(), sources=(unused(count=40),))) == []


def test_an_answer_that_is_logged_after_it_was_sent_breaks_no_chain():
    """The next request seems to come before it, by a part of a thousandth of a second."""
    log = chain(pause=0.00002)
    for row in log.rows[::5]:
        row["end_ns"] += 40_000
        row["etime_ns"] += 40_000
    assert "request_chain" in chains(log)
