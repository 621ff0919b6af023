"""Answers that clients take slowly. No 389 DS 3.2 could be had: the rows are made by hand."""

from dataclasses import replace

import pytest

from ldap_workbench.advice.families import no_answer
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.capture.importing.companions import kept_of
from ldap_workbench.logs.server.ldif import read_ldif
from ldap_workbench.model.target import Backend
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.session.unanswered import Waiting
from tests.unit.advice.material import FACTS, T0, Log, at, only, view

SLOW, QUICK = "192.0.2.7", "192.0.2.8"


def read(slow=50, written=0.5, etime=0.6, **columns):
    """Quick searches of one client, and some of another that takes its answers slowly."""
    log = Log()
    for n in range(2000):
        log.add("SRCH", n * 0.1, 0.001, client=QUICK, writetime_ns=50_000, nentries=1)
    for n in range(slow):
        usual = {"client": SLOW, "writetime_ns": round(written * 1e9), "nentries": 900}
        log.add("SRCH", 4 * n, etime, **(usual | columns))
    return no_answer.find_answer_writing(view(log))


def test_a_client_that_reads_slowly():
    found = only(read(), "answer_writing")
    assert found.numbers["client"] == SLOW
    assert found.numbers["entries_p50"] == 900
    assert found.numbers["client_share"] == 1.0
    assert found.numbers["write_share"] == pytest.approx(25 / 32)
    assert found.worker_ns == found.user_ns == 25_000_000_000
    assert len(found.evidence[0].operations) == 50
    assert "78 % of all etime was spent writing 50 answers" in str(found.sentence)
    assert found.owner_steps


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("quick answers", {"written": 0.009, "etime": 0.02}),
        ("a part of the time", {"written": 0.15}),
        ("a few", {"slow": 19}),
        ("our own", {"own": True}),
        ("the server's", {"internal": True}),
    ],
)
def test_what_is_not(name, columns):
    assert read(**columns) == [], name


def test_logs_without_writetime_say_nothing():
    log = Log().background(200, etime=0.5)
    assert no_answer.find_answer_writing(view(log)) == []


WRITERS = "cn=write,cn=waiters,cn=monitor:monitorcounter"
ACTIVE = "cn=max,cn=threads,cn=monitor:monitoredinfo"
CRAWL = Waiting(
    T0 + 5 * NS_PER_S, 8, "192.0.2.9", "dc=a", 0, bind_dn="cn=crawler", filter="(objectclass=*)"
)


def slapd(writers, threads=16, waiting=(CRAWL,), **columns):
    """Ten quick searches, and how many threads wait to write at each reading."""
    log = Log().background(10, rate=1)
    samples = {WRITERS: at(writers), ACTIVE: at([threads] * len(writers))}
    return no_answer.find_answer_writing(
        view(log, seconds=len(writers), samples=samples, facts=None, waiting=waiting, **columns)
    )


def test_a_thread_that_waits_for_a_client_of_slapd():
    found = only(slapd([0, 1, 1, 1, 1, 1, 1, 0]), "answers_unread")
    assert found.numbers["share"] == 0.75
    assert found.worker_ns == 6 * NS_PER_S
    said = str(found.sentence)
    assert "In 75 % of 8 readings" in said
    assert "from 192.0.2.9, bound as cn=crawler (conn=8)" in said
    assert found.severity == 2
    assert (found.numbers["bind_dn"], found.numbers["base"]) == ("cn=crawler", "dc=a")


SLAPD = replace(
    FACTS,
    product="OpenLDAP",
    db_library="mdb",
    backends=(Backend("{1}mdb", "dc=a", "olcDatabase={1}mdb,cn=config"),),
)


def limits_for(**columns):
    """Advice by id, for one old reader and three younger searches of somebody else."""
    younger = [
        replace(CRAWL, time_ns=CRAWL.time_ns + n, conn=20 + n, bind_dn="cn=other,dc=a")
        for n in range(1, 4)
    ]
    oldest = replace(CRAWL, bind_dn="cn=crawler,dc=a")
    found = only(slapd([1] * 8, waiting=(*younger, oldest), **columns), "answers_unread")
    return {each.id: each for each in advise([found], SLAPD)}


def test_the_limits_are_of_the_account_that_the_sentence_names():
    (setting,) = limits_for()["olc-limits"].treatment.settings
    assert setting.argument.startswith('olcLimits@{1}mdb+=dn.exact="cn=crawler,dc=a" ')


def test_the_root_dn_has_no_limits_to_set():
    root = kept_of(
        read_ldif(
            b"dn: olcDatabase={1}mdb,cn=config\nobjectClass: olcMdbConfig\n"
            b"olcDatabase: {1}mdb\nolcSuffix: dc=a\nolcRootDN: CN=Crawler, dc=a\n"
        )
    )
    advice = limits_for(configuration=root)
    assert "olc-limits" not in advice
    assert "olc-no-root-dn" in advice
    assert "olc-no-root-dn" not in limits_for()


def test_half_of_the_threads_that_wait_are_the_likely_cause():
    assert only(slapd([2] * 8, threads=4), "answers_unread").severity == 3


@pytest.mark.parametrize("writers", [[0] * 8, [3, 0, 0, 0, 0, 1, 0, 0], [1, 1, 1, 1]])
def test_answers_that_are_taken_soon(writers):
    assert slapd(writers) == []
