"""Loops of a client: many look-ups behind one search, and searches that return nothing."""

import numpy as np
import pytest

from ldap_workbench.advice.account.shared import known_client
from ldap_workbench.advice.families import client_habits, paces
from ldap_workbench.advice.families.find import findings_in
from tests.unit.advice.material import Log, only, view

GROUP = "(&(objectclass=?)(cn=*))"


def logins(times=5, groups=20, etime=0.05, pause=0.001, lead=1, **columns):
    """Logins of an application: a user, then the user's groups one by one."""
    log = Log()
    for login in range(times):
        at = 30.0 * login
        log.add("SRCH", at, 0.001, filter="(uid=?)", nentries=lead, client="10.0.0.7", **columns)
        at += 0.002
        for group in range(groups):
            log.add("SRCH", at, etime, filter=GROUP, nentries=1, base=f"cn=g{group}",
                    client="10.0.0.7", **columns)  # fmt: skip
            at += etime + pause
    return log


def test_look_ups_behind_one_entry_are_named_with_their_share():
    finding = only(paces.find_loops(view(logins(bind_dn="cn=app"))), "n_plus_one")
    assert finding.numbers["searches"] == 100
    assert "10.0.0.7 as cn=app 5 times asked (uid=?) and then" in str(finding.sentence)
    assert "20 times, one after another: 1.02 s each time" in str(finding.sentence)
    assert finding.worker_ns == 100 * 50_000_000
    assert finding.numbers["share_of_work"] > 0.99


@pytest.mark.parametrize(
    "almost",
    [
        {"times": 2, "groups": 40},
        {"groups": 9, "times": 20},
        {"etime": 0.005},  # 0.12 s: nobody notices
        {"pause": 1.5},  # a person clicks
        {"lead": 0},  # nothing was returned of which to look anything up
    ],
    ids=str,
)
def test_what_is_no_such_loop(almost):
    assert paces.find_loops(view(logins(**almost))) == []


def test_searches_in_parallel_are_no_loop():
    assert paces.find_loops(view(logins(pause=-0.04))) == []


def test_a_load_of_one_kind_on_one_connection_is_no_loop():
    log = Log().add("BIND", 0, 0.001, client="10.0.0.7")
    for row in range(500):
        log.add("SRCH", 1 + 0.01 * row, 0.009, filter="(uid=?)", nentries=1, client="10.0.0.7")
    assert paces.find_loops(view(log)) == []


def shop(seconds=2400, rate=3.0, share=0.8, seed=5):
    """Users of one pooled connection: each asks for an order or for a customer, at random."""
    random, log, at = np.random.default_rng(seed), Log(), 0.0
    while at < seconds:
        at += random.exponential(1 / rate)
        kind = "(order=?)" if random.random() < share else "(customer=?)"
        log.add("SRCH", at, 0.0008, filter=kind, nentries=1, client="10.0.1.5", bind_dn="cn=shop")
    return log


@pytest.mark.parametrize("seed", range(5))
def test_users_of_one_pooled_connection_are_no_loop(seed):
    assert paces.find_loops(view(shop(seed=seed))) == []


@pytest.mark.parametrize("seed", range(2))
def test_a_queue_of_requests_that_come_at_once_is_none_either(seed):
    """Soon after each answer, but in the order of no program."""
    random, log, at = np.random.default_rng(seed), Log(), 0.0
    for _ in range(8000):
        kind = "(order=?)" if random.random() < 0.99 else "(customer=?)"
        log.add("SRCH", at, 0.003, filter=kind, nentries=1, client="10.0.1.5")
        at += 0.003 + random.exponential(0.0003)
    assert paces.find_loops(view(log)) == []


def test_a_loop_among_the_requests_of_other_users_is_seen():
    """At the pace of a program, among the shop's own traffic."""
    log = shop(seconds=240, share=0.5)
    for times in range(6):
        at = 10 + 37.0 * times
        log.add("SRCH", at, 0.001, filter="(ou=?)", nentries=1, conn=2, client="10.0.1.5")
        for _ in range(25):
            at += 0.012
            log.add("SRCH", at, 0.009, filter="(sku=?)", nentries=1, conn=2, client="10.0.1.5")
    finding = only(paces.find_loops(view(log)), "n_plus_one")
    assert "6 times asked (ou=?) and then (sku=?) 25 times" in str(finding.sentence)
    assert finding.user_ns == 150 * 9_000_000, "the server's time, not the client's own pauses"


@pytest.mark.parametrize("sizes", [(14,) * 8, (11, 40, 17, 25, 60, 12)], ids=["same", "varied"])
def test_a_client_that_does_nothing_but_loop_is_seen(sizes):
    """A nightly job reads a list and looks up its members, and goes on with the next at once."""
    log, at = Log(), 3.0
    for size in sizes:
        for kind in ("(listname=?)", *["(badge=?)"] * size):
            log.add("SRCH", at, 0.02, filter=kind, nentries=1, client="10.4.0.2")
            at += 0.0206
    finding = only(paces.find_loops(view(log)), "n_plus_one")
    assert finding.numbers["lists"] == len(sizes)
    assert finding.numbers["searches"] == sum(sizes)


def test_pauses_that_a_clock_of_whole_seconds_does_not_show_are_not_steady():
    random, log = np.random.default_rng(2), Log()
    for second in range(8000):
        kind = "(order=?)" if random.random() < 0.9 else "(customer=?)"
        log.add("SRCH", second, 1.0, filter=kind, nentries=1, client="10.0.1.5")
    assert paces.find_loops(view(log)) == []


def test_a_loop_that_takes_a_hundredth_of_the_time_is_worth_knowing_alone():
    log = logins(etime=0.001, pause=0.02)
    for row in range(100):
        log.add("SRCH", 200 + row, 0.5, filter="(sn=*)", nentries=900, conn=3, client="10.0.0.8")
    assert seen(log).severity == 1


def empty(share=1.0, number=400, overlap=0.0):
    log = Log()
    for row in range(number):
        log.add("SRCH", 0.01 * row, 0.008 + overlap, filter="(&(cn=?)(memberuid=?))",
                nentries=int(row >= share * number), client="10.0.0.9")  # fmt: skip
    return log


def test_searches_that_return_nothing_one_at_a_time():
    finding = only(client_habits.empty_answers(view(empty())), "empty_answers")
    assert "asked (&(cn=?)(memberuid=?)) 400 times" in str(finding.sentence)
    assert "100 % of the answers, one search at a time." in str(finding.sentence)
    parallel = only(client_habits.empty_answers(view(empty(overlap=0.1))), "empty_answers")
    assert "one search at a time" not in str(parallel.sentence)


@pytest.mark.parametrize("almost", [{"share": 0.9}, {"number": 199}], ids=str)
def test_some_empty_answers_are_no_finding(almost):
    assert client_habits.empty_answers(view(empty(**almost))) == []


def test_empty_answers_that_take_little_are_no_finding():
    log = empty()
    log.add("SRCH", 10, 40, filter="(cn=*)", nentries=5, client="10.0.0.8")
    assert client_habits.empty_answers(view(log)) == []


def seen(log):
    return only(findings_in(view(log)), "n_plus_one")


def test_a_known_program_gets_steps_of_its_own():
    finding = seen(logins(bind_dn="cn=harbor,ou=services"))
    assert "The requests look like those of Harbor." in str(finding.sentence)
    assert "LDAP group filter" in str(finding.owner_steps[0])
    for other in ("cn=other", "cn=harborage,ou=people", "cn=mailroom"):
        assert "look like" not in str(seen(logins(bind_dn=other)).sentence)


def test_the_filter_as_it_was_sent_tells_the_program():
    operations = logins().done()
    rows = (operations.nentries == 1).nonzero()[0]
    request = 'SRCH base="x" scope=2 filter="(&(objectClass=sudoRole)(entryUSN>=77)(sudoHost=*))"'
    client = known_client(operations, rows, lambda row: request)
    assert client.title == "SSSD's sudo rules"
    assert known_client(operations, rows, None) is None


def test_the_work_of_a_finding_is_attributed_to_who_asked_and_on_what():
    log = Log().background(600)
    for row in range(30):
        log.add("SRCH", 20 * row, 3, filter="(objectclass=?)", notes="A", base="cn=monitor",
                client="10.0.0.5", bind_dn="cn=panel", nentries=58)  # fmt: skip
    sentence = str(only(findings_in(view(log)), "unindexed").sentence)
    assert "from 10.0.0.5, bound as cn=panel, on cn=monitor" in sentence


def sentence(log, request=""):
    seen = view(log, request_of=lambda row: request)
    return str(only(findings_in(seen), "unindexed").sentence)


def nodes(clients, minutes, entries=1_000, per_client=1):
    """Nodes of a cluster that read all people, each on its own, every few minutes."""
    log = Log().background(3600, rate=1)
    for time in range(6):
        for node in range(clients):
            for _ in range(per_client):
                log.add("SRCH", 60 * minutes * time + node, 3.0, filter="(objectclass=?)",
                        notes="A", base="ou=p", bind_dn="cn=sync", nentries=entries,
                        client=f"10.0.0.{node}")  # fmt: skip
    return log


def test_several_clients_that_ask_together_are_said_with_their_interval():
    text = sentence(nodes(5, 5))
    assert "They come from 5 clients (10.0.0.0, 10.0.0.1, 10.0.0.2, ...)." in text
    assert "They ask at the same time, every 5 minutes." in text
    assert "They return 1,000 entries each in the median." in text
    assert "one at a time" not in text
    assert "clients" not in sentence(nodes(1, 5))
    assert "entries each" not in sentence(nodes(5, 5, entries=1))


def test_object_classes_are_said_and_no_other_value():
    request = 'SRCH base="x" scope=2 filter="(&(objectClass=person)(uid=ann*)(!(cn>=bob)))"'
    text = sentence(nodes(5, 5), request)
    assert "With the object classes: (&(objectClass=person)(uid=?*)(!(cn>=?)))." in text
    assert "ann" not in text
    assert "With the" not in sentence(nodes(5, 5), 'SRCH filter="(uid=ann)"')


def test_the_entry_with_a_good_part_of_the_work_is_named():
    log = Log().background(600, rate=1)
    for row in range(40):
        base = "cn=staff" if row % 5 < 2 else f"uid=u{row}"
        log.add("SRCH", 10 * row, 3.0, filter="(cn=?)", notes="A", base=base,
                client=f"10.0.0.{row}")  # fmt: skip
    assert "40 % of this work is for operations on cn=staff." in sentence(log)
    assert "of this work is for operations on" not in sentence(nodes(5, 5))


def test_one_at_a_time():
    log = nodes(1, 5, per_client=1)
    assert "They come one at a time." in sentence(log)
