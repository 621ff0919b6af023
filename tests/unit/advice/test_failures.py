"""Kinds of operations that fail as a rule, with who, since when and what is beside it."""

import pytest

from ldap_workbench.advice.evidence.view import ErrorLine
from ldap_workbench.advice.families import failures
from tests.unit.advice.material import T0, Log, only, view


def said(log, **columns):
    finding = only(failures.find(view(log, **columns)), "failing_kind")
    return finding, str(finding.sentence)


def test_a_search_that_is_always_refused():
    log = Log().background(120)
    for n in range(25):
        log.add("SRCH", 4 * n, 0.02, filter="(status=*)", client="10.0.0.7", err=53)
    finding, sentence = said(log)
    assert sentence.startswith("25 of 25 SRCH (status=*) fail with err=53 (unwilling to perform")
    assert sentence.endswith("100 % of them are of 10.0.0.7.")
    assert finding.numbers["share"] == 1


def test_changes_that_fail_since_a_moment_with_what_the_error_log_says():
    log, lines = Log().background(300), []
    for n in range(100):
        log.add("MOD", 3 * n, 0.02, base=f"uid={n},dc=x", err=0 if n < 40 else 1)
        if n >= 40:
            lines.append(ErrorLine(T0 + (3 * n) * 10**9 + 10**7, f"limit of {n} s exceeded"))
    _, sentence = said(log, errors=tuple(lines))
    assert "60 of 100 MOD fail with err=1 (operations error" in sentence
    assert "They fail since 2026-01-01 00:02:00" in sentence
    assert 'Lines of the error log meanwhile like "limit of 40 s exceeded": 60.' in sentence


def competing(clients=4, entries=30, alone=25):
    """`alone` entries are deleted before the others come."""
    log = Log().background(120)
    for n in range(alone):
        log.add("DEL", 0.01 * n, 0.005, base=f"old={n},dc=x", client="10.0.1.0", err=0)
    for n in range(entries):
        for client in range(clients):
            who = {"base": f"id={n},dc=x", "client": f"10.0.1.{client}"}
            log.add("DEL", 1 + 3 * n + 0.1 * client, 0.01, err=32 if client else 0, **who)
    return log


def test_several_clients_that_delete_the_same_entries():
    _, sentence = said(competing())
    assert "90 of 145 DEL fail with err=32 (no such object)" in sentence
    assert "100 % of these entries were deleted in this window by another client" in sentence
    assert "They fail since" not in sentence, "some succeed meanwhile"


def test_one_client_that_deletes_again_competes_with_nobody():
    log = Log().background(120)
    for n in range(30):
        for again in range(3):
            who = {"base": f"id={n},dc=x", "client": "10.0.1.1"}
            log.add("DEL", 3 * n + 0.1 * again, 0.01, err=32 if again else 0, **who)
    _, sentence = said(log)
    assert "60 of 90 DEL" in sentence
    assert "another client" not in sentence


def test_an_application_whose_users_do_not_exist_here():
    log = Log().background(120)
    for n in range(30):
        login = {"client": "10.0.0.7", "conn": 500 + n}
        log.add("BIND", 3 * n, 0.01, base="cn=app,dc=x", err=0, **login)
        log.add("BIND", 3 * n + 1, 0.01, base=f"uid={n},dc=x", err=49, **login)
        log.add("BIND", 3 * n + 2, 0.01, base=f"uid={n},dc=x", client="10.0.0.8", err=0)
    _, sentence = said(log)
    assert (
        "30 of 60 BIND fail with err=49 (invalid credentials): 100 % of them are of 10.0.0.7"
        in (sentence)
    )


def now_and_then(err, kind="SRCH", every=10, **columns):
    log = Log().background(120)
    for n in range(300):
        log.add(kind, n / 3, 0.01, err=0 if n % every else err, **columns)
    return log


@pytest.mark.parametrize(
    "log",
    [
        Log().background(120),
        now_and_then(53),
        now_and_then(32, every=1),  # an entry that is not there is an answer
        now_and_then(14, "BIND", every=1, base="uid=a,dc=x"),  # one more step of SASL
        now_and_then(49, "BIND", base="uid=a,dc=x"),
        competing(clients=1),
        competing(entries=5),
    ],
    ids=["none", "rarely", "absent", "step", "typing", "alone", "few"],
)
def test_what_is_no_failing_kind(log):
    assert failures.find(view(log)) == []
