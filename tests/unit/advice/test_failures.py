"""Kinds of operations that fail as a rule, with who, since when and what is beside it."""

from dataclasses import replace

import numpy as np
import pytest

from ldap_workbench.advice.evidence.view import ErrorLine
from ldap_workbench.advice.families import failures
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.material import FACTS, T0, Log, only, view


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


def test_what_is_refused_for_want_of_an_index_names_the_index():
    why = "You do not have sufficient privileges to perform an unindexed search"
    log = Log().background(120)
    for n in range(25):
        log.add("SRCH", 4 * n, 0.02, filter="(status=?)", base="dc=x", err=50)
    line = f'SEARCH RES conn=1 result=50 message="{why}"'
    opendj = replace(FACTS, product="OpenDJ")
    finding, _ = said(log, facts=opendj, line_of=lambda _: line)
    assert finding.numbers["refused_unindexed"]
    (index,) = finding.numbers["missing_indexes"]
    assert index["attribute"] == "status"
    otherwise, _ = said(log, facts=opendj, line_of=lambda _: line.replace("unindexed", "slow"))
    assert "missing_indexes" not in otherwise.numbers
    advice = {each.id: each for each in advise([finding], opendj)}
    assert "backend-index" not in advice, "its latency gets worse: a refusal is quick"
    refused = advice["index-what-is-refused"]
    assert refused.primary == "SRCH[(status=?)]:failed"
    assert "create-backend-index" in " ".join(map(str, refused.steps))


def test_changes_that_fail_since_a_moment_with_what_the_error_log_says():
    log, lines = Log().background(300), []
    for n in range(100):
        log.add("MOD", 3 * n, 0.02, base=f"uid={n},dc=x", err=0 if n < 40 else 1)
        if n >= 40:
            lines.append(ErrorLine(T0 + (3 * n) * 10**9 + 10**7, f"limit of {n} s exceeded"))
    _, sentence = said(log, errors=tuple(lines))
    assert "60 of 100 MOD fail with err=1 (operations error" in sentence
    assert "They fail since 2026-01-01 00:02:00" in sentence
    assert 'The log has 60 lines like this meanwhile: "limit of 40 s exceeded".' in sentence


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


def logins(tries, *, people=100, failing=15):
    """Everybody logs in; of some every try is in vain, the others mistype now and then."""
    log = Log().background(120)
    for n in range(people):
        who = {"base": f"uid={n},dc=x", "client": "10.0.0.8"}
        if n < failing:
            for again in range(tries):
                log.add("BIND", n + 0.1 * again, 0.01, err=49, **who)
            continue
        if n % 9 == 0:
            log.add("BIND", n, 0.01, err=49, **who)
        log.add("BIND", n + 0.5, 0.01, err=0, **who)
    return log


def said_beside_binds(text):
    lines = [{"time_ns": T0 + 10**9 * n, "text": text.format(n=n)} for n in range(12)]
    row = {"kind": "bind_refused", "n": 12, "first_ns": T0, "last_ns": T0 + 12 * 10**9}
    details = {"messages": [row | {"clients": [], "lines": lines}]}
    return (Source(1, 1, SourceKind.ACCESS_LOG, SourceState.COMPLETE, "slapd", details=details),)


def test_some_people_can_log_in_no_more():
    line = "ppolicy_bind: Entry uid=p{n},dc=x has an expired password: 0 grace logins"
    finding, sentence = said(logins(2), sources=said_beside_binds(line))
    assert finding.numbers["failed"] == 40, "those that were mistyped are of the same code"
    assert "Nobody can bind as 15 of 100 entries." in sentence
    assert 'meanwhile: "ppolicy_bind: Entry uid=p0,dc=x has an expired password' in sentence
    assert "it may be an old one, or have expired" in sentence


def test_one_try_of_a_few_people_is_not_in_vain():
    assert failures.find(view(logins(1))) == [], "they may come back after the window"


@pytest.mark.parametrize("failing", [9, 0])
def test_mistyped_passwords_are_no_failing_kind(failing):
    assert failures.find(view(logins(3, failing=failing))) == []


def of_a_supplier(after):
    """One client's binds are refused from a moment on, `after` of them, and others' are not."""
    log, manager = Log().background(300), "cn=replication manager,cn=config"
    for n in range(40 + after):
        err = 0 if n < 40 else 49
        log.add("BIND", 3 * n, 0.01, base=manager, client="10.0.0.71", err=err)
        log.add("BIND", 3 * n + 1, 0.01, base=f"uid={n % 40},dc=x", client="10.0.0.8", err=0)
    log.add("MOD", 119, 0.01, base=manager, client="10.0.0.1")
    return log


def test_a_password_that_is_refused_since_it_was_changed():
    _, sentence = said(of_a_supplier(25))
    assert "25 of 65 BIND fail with err=49" in sentence
    assert "100 % of them are of 10.0.0.71" in sentence
    assert "Nobody can bind as cn=replication manager,cn=config." in sentence
    assert "the server was asked for: MOD of cn=replication manager,cn=config" in sentence
    assert failures.find(view(of_a_supplier(19))) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            "conn=7 op=1 RESULT tag=120 err=10 qtime=0.01 etime=0.02 text=shadow context; no",
            "shadow context; no",
        ),
        ('EXTENDED RES conn=7 result=10 message="no \\"room\\"" etime=2', 'no \\"room\\"'),
        (
            '"response":{"status":"FAILED","statusCode":"10","detail":"no room","nentries":0}',
            "no room",
        ),
    ],
    ids=["OpenLDAP", "OpenDJ", "OpenDJ JSON"],
)
def test_the_server_says_why_in_the_line_of_a_result(line, reason):
    log = Log().background(120)
    for n in range(25):
        log.add("EXT", 4 * n, 0.02, filter="1.3.6.1.4.1.4203.1.11.1", client="10.0.0.7", err=10)
    _, sentence = said(log, line_of=lambda _: line)
    assert f'The server gives as the reason: "{reason}" (100 %).' in sentence
    assert "let the client follow the referral" in sentence
    log = Log().background(120)
    for n in range(25):
        log.add("SRCH", 4 * n, 0.02, filter="(uid=?)", client="10.0.0.7", err=10)
    assert failures.find(view(log)) == [], "a search goes on elsewhere"


def test_two_kinds_of_lines_stand_beside_it():
    """Which one is the cause is often the rarer one."""
    log, lines = Log().background(300), []
    for n in range(30):
        log.add("ADD", 3 * n, 2.0, base=f"uid={n},dc=x", err=1)
        at = T0 + 3 * n * 10**9 + 10**7
        lines += [ErrorLine(at + k, f"locks: {9000 + k} in use") for k in range(3)]
        lines.append(ErrorLine(at, f"searched for (badge={n}) without an index"))
    _, sentence = said(log, errors=tuple(lines))
    assert 'The log has 90 lines like this meanwhile: "locks: 9000 in use".' in sentence
    assert (
        'The log has 30 lines like this meanwhile: "searched for (badge=0) without an index".'
        in sentence
    )


def test_binds_that_are_passed_on_to_another_server():
    log = Log().background(120)
    for n in range(60):
        log.add("BIND", n, 0.01, base=f"uid={n},dc=x", err=1 if n >= 30 else 0)
    entry = ConfigurationEntry(
        "cn=chain,cn=chaining database,cn=plugins,cn=config",
        {"nsslapd-suffix": ("dc=x",), "nsfarmserverurl": ("ldap://master:389/",)},
    )
    line = ErrorLine(T0 + 29 * 10**9, "ERR - chaining database - cb_sasl_bind_once_s - Failed")
    _, sentence = said(log, configuration=Configuration((entry,)), errors=(line,))
    assert "chain passes such requests on to ldap://master:389/" in sentence
    assert "within a minute of that" in sentence
    assert "cb_sasl_bind_once_s" in sentence, "one line that is an error counts then"
    later = replace(line, time_ns=T0 + 110 * 10**9)
    assert "cb_sasl" not in said(log, configuration=Configuration((entry,)), errors=(later,))[1]


def hidden(others=True, who="uid=other,dc=x", made=False):
    """A program searches as each person who logs in, and is told that the base does not exist."""
    log = Log().background(120)
    for n in range(40):
        who = {"bind_dn": f"uid={n},dc=x", "client": "10.0.0.25"}
        log.add("SRCH", 3 * n, 0.01, filter="(maildrop=?)", base="dc=x", err=32, **who)
        if others:
            log.add("SRCH", 3 * n + 1, 0.01, filter="(uid=?)", base="dc=x", nentries=1,
                    bind_dn=who)  # fmt: skip
    if made:
        log.add("ADD", 60, 0.01, base="dc=x", client="10.0.0.1")
    return log


def test_a_base_that_is_there_for_others_is_hidden_from_who_asks():
    _, sentence = said(hidden())
    assert sentence.startswith("40 of 40 SRCH (maildrop=?) fail with err=32 (no such object)")
    assert "whoever asks may not see it. Compare the access rules" in sentence
    assert failures.find(view(hidden(others=False))) == [], "an entry that is not there"
    assert failures.find(view(hidden(made=True))) == [], "one that was not there for a time"


def test_what_does_not_exist_is_not_counted_with_what_is_hidden():
    """An application that looks whether an entry is there, makes it, and reads it."""
    log = Log().background(120)
    for n in range(40):
        who = {"base": f"uid={n},dc=x", "client": "10.0.0.9", "bind_dn": "cn=provisioning"}
        log.add("SRCH", 3 * n, 0.01, filter="(objectclass=*)", err=32, **who)
        if n % 2:
            log.add("ADD", 3 * n + 1, 0.01, **who)
            log.add("SRCH", 3 * n + 2, 0.01, filter="(objectclass=*)", nentries=1, **who)
    assert failures.find(view(log)) == []


def test_a_few_that_fail_at_any_time_are_no_span():
    log, random = Log().background(60), np.random.default_rng(4)
    for n in range(9000):
        err = 68 if random.random() < 0.25 else 0
        log.add("ADD", n / 3, 0.01, base=f"uid={n},dc=x", client=f"10.0.1.{n % 2}", err=err)
    assert failures.find(view(log, seconds=3000.0)) == []


def test_names_that_are_longer_than_those_that_succeed():
    def sentence(length):
        log = Log().background(120)
        for n in range(60):
            name = "s" * (length if n % 3 else 20)
            log.add("ADD", 2 * n, 0.01, base=f"cn={name}{n},dc=x", err=1 if n % 3 else 0)
        return said(log)[1]

    assert "260 characters in the median, 30 of those that succeed" in sentence(250)
    assert "characters" not in sentence(40)


def refused_at_times(clients=2, every=50, code=53):
    """Every 50 s all searches of two seconds are refused."""
    log = Log().background(300, rate=1)
    for n in range(3000):
        second = n / 10
        err = code if second % every < 2 else 0
        who = {"client": f"10.0.1.{n % clients}", "filter": f"(a{n % 7}=?)"}
        log.add("SRCH", second, 0.001, err=err, **who)
    return log


def test_searches_that_are_refused_for_some_time_again_and_again():
    finding, sentence = said(refused_at_times())
    assert "120 of 132 SRCH fail with err=53" in sentence, "the background is not refused"
    assert "They fail in 6 spans of 2.00 s at most, and most succeed in between." in sentence
    assert finding.numbers["addresses"] == 2
    for almost in (
        refused_at_times(clients=1),
        refused_at_times(code=4),
    ):
        assert failures.find(view(almost)) == []


def at_a_busy_server(kind="BIND", otherwise=0):
    """Everybody asks again and again; half a minute long nobody is served."""
    log = Log().background(300)
    for n in range(1500):
        second = n / 5
        who = {"base": f"uid={n % 100},dc=x", "client": f"10.0.1.{n % 2}"}
        log.add(kind, second, 0.01, err=51 if 100 <= second < 130 else otherwise, **who)
    return log


def test_who_cannot_bind_for_some_time_can_bind_all_the_same():
    _, sentence = said(at_a_busy_server())
    assert "They fail in one span of 30.0 s, and most succeed otherwise." in sentence
    assert "Nobody can bind" not in sentence


def test_where_all_else_fails_otherwise_nothing_is_said_to_succeed():
    _, sentence = said(at_a_busy_server("MOD", otherwise=53))
    assert "Also" not in sentence, "no span: all the others fail, too"


def test_the_same_operations_are_not_named_twice():
    """More than half of them fail, and all of these lie together."""
    log = Log().background(300)
    for n in range(500):
        who = {"base": f"uid={n},dc=x", "client": f"10.0.1.{n % 2}"}
        log.add("MOD", n / 4, 0.01, err=50 if n < 300 else 0, **who)
    assert "Also" not in said(log)[1]


def test_a_second_code_is_named_beside_the_first():
    log = Log().background(120)
    for n in range(60):
        log.add("MOD", 2 * n, 0.01, client="10.0.0.7", err=50)
        if n % 2:
            log.add("ADD", 2 * n + 1, 0.01, client="10.0.0.8", err=68)
    _, sentence = said(log)
    assert sentence.startswith("60 of 60 MOD fail with err=50")
    assert "Also 30 of 30 ADD with err=68, most of them of 10.0.0.8." in sentence


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


def pages(*, errors=30, code=11, note="P"):
    """Forty paged searches of forty pages each; so many of them end with an error."""
    log = Log().background(120)
    for number in range(40):
        for page in range(40):
            error = code if page == 39 and number < errors else 0
            log.add("SRCH", 2.5 * number + 0.05 * page, 0.003, filter="(description=?*)",
                    notes=note, client="10.0.0.9", conn=100 + number, err=error,
                    nentries=0 if error else 100)  # fmt: skip
    return log


def test_a_paged_search_fails_by_its_last_page():
    finding, sentence = said(pages())
    assert sentence.startswith("30 of 40 SRCH (description=?*) fail with err=11")
    assert finding.numbers["failed"] == 30


def test_one_search_in_forty_that_fails_is_no_rule():
    assert failures.find(view(pages(errors=15))) == []
    assert failures.find(view(pages(note=""))) == []


def searches_of_one_page(count=2_000, failures=40, entries=lambda number: number % 7):
    """Searches of one connection with the control for pages; a few reach the time limit."""
    log = Log().background(120)
    for number in range(count):
        failed = number % (count // failures) == 0
        log.add("SRCH", 0.05 * number, 0.003, filter="(uid=?)", base="dc=x", notes="P", conn=100,
                client="10.0.0.9", err=3 if failed else 0,
                nentries=0 if failed else entries(number))  # fmt: skip
    return log


def test_searches_of_one_page_that_follow_each_other_are_no_pages_of_one():
    assert failures.find(view(searches_of_one_page())) == []
    of_one_entry = searches_of_one_page(entries=lambda _: 1)
    assert failures.find(view(of_one_entry)) == []


def test_the_cookie_tells_a_last_page_and_else_the_values_do():
    log = searches_of_one_page(entries=lambda _: 50)
    for cookie in ("pr_cookie=-1", '"pr_cookie": -1'):
        assert failures.find(view(log, line_of=lambda _, cookie=cookie: cookie)) == []
    one = 'SRCH base="dc=x" scope=2 filter="(uid={})" attrs=ALL'
    assert failures.find(view(log, request_of=one.format)) == []
    finding, _ = said(log, line_of=lambda _: "RESULT err=0 pr_idx=0 pr_cookie=0")
    assert finding.numbers["failed"] == 40
    finding, _ = said(log, request_of=lambda _: one.format("a*"))
    assert finding.numbers["failed"] == 40
