"""The account of a window: every nanosecond once, whatever the findings and their order."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldap_workbench.advice.account.account import KEYS, account_of
from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.evidence.view import ErrorLine
from ldap_workbench.advice.evidence.wording import definitions
from ldap_workbench.advice.families.find import review
from ldap_workbench.capture.importing.companions import kept_of
from ldap_workbench.logs.server.ldif import read_ldif
from ldap_workbench.model.finding import Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.operations import TYPES
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.configurations import dse, entry, plugin, slapd
from tests.unit.advice.material import T0, Log, only, view
from tests.unit.advice.test_caches import entry_cache
from tests.unit.advice.test_hygiene import healthy
from tests.unit.advice.test_no_answer import hang

CLAIMING = ("stall", "unindexed", "heavy_filter", "work_queue", "slow_binds", "uptime")


def operations_of(n=40):
    log = Log()
    for row in range(n):
        log.add(
            "SRCH" if row % 3 else "BIND",
            row * 0.1,
            0.05 * (1 + row % 7),
            filter=f"(a{row % 4}=?)",
            client=f"10.0.0.{row % 5}",
            wtime_ns=10_000_000 * (row % 3),
        )
    return log.done()


OPERATIONS = operations_of()


def claim(which, rows):
    evidence = evidence_of_rows(OPERATIONS, Message("x"), np.array(sorted(rows), np.intp))
    return Finding(which, Message(which), Message("."), 2, (evidence,))


CLAIMS = st.lists(
    st.tuples(st.sampled_from(CLAIMING), st.sets(st.integers(0, 39), min_size=1)),
    unique_by=lambda item: item[0],
)


@given(CLAIMS, st.randoms(use_true_random=False))
def test_claims_never_exceed_the_whole_and_count_nothing_twice(claims, random):
    findings = [claim(which, rows) for which, rows in claims]
    account = account_of(view(OPERATIONS), findings)
    explained = account.explained()
    assert sum(row.alone_ns for row in explained) + account.unexplained.sum() == account.waited_ns
    assert all(0 <= row.alone_ns <= row.waited_ns <= account.waited_ns for row in explained)
    random.shuffle(findings)
    assert account_of(view(OPERATIONS), findings).explained() == explained
    assert "uptime" not in {row.id for row in explained}


def test_the_most_specific_finding_claims_first():
    findings = [claim("unindexed", {1, 2, 3}), claim("stall", {2, 3})]
    explained = {row.id: row for row in account_of(view(OPERATIONS), findings).explained()}
    waited = account_of(view(OPERATIONS), []).phases.waited_ns
    assert explained["stall"].alone_ns == waited[2] + waited[3]
    assert explained["unindexed"].alone_ns <= waited[1]
    assert explained["unindexed"].waited_ns > explained["unindexed"].alone_ns


@given(CLAIMS)
def test_every_grouping_adds_up_to_the_whole(claims):
    account = account_of(view(OPERATIONS), [claim(which, rows) for which, rows in claims])
    for key in KEYS:
        groups = account.by(key)
        assert sum(group.waited_ns for group in groups) == account.waited_ns
        assert sum(group.used_ns for group in groups) == account.used_ns
        assert sum(group.unexplained_ns for group in groups) == account.unexplained.sum()
        assert sum(group.operations for group in groups) == len(OPERATIONS)
        assert len({group.name for group in groups}) == len(groups)


def test_who_made_whom_wait_adds_up_to_what_is_charged():
    account = account_of(view(OPERATIONS), [])
    names, waits = account.made_wait("client")
    charged = {group.name: group.charged_ns for group in account.by("client")}
    columns = np.array(waits).sum(axis=0)
    assert all(
        abs(column - charged[name]) <= len(names)
        for name, column in zip(names, columns.tolist(), strict=True)
    )
    assert columns.sum() > 0


def test_claims_name_findings_that_exist():
    document = account_of(view(OPERATIONS), [claim(which, {1}) for which in definitions()])
    assert {finding.id for finding in document.causes} <= set(definitions())
    assert len(document.causes) > 20


def slow_group(log, kind="CMP", **columns):
    """Twenty operations of a client that take two seconds, for no reason that the log shows."""
    for row in range(20):
        log.add(kind, 25 * row + row**2 % 13, 2 + 0.05 * (row % 9), **columns)
    return log


def test_slow_operations_without_a_cause_are_a_finding_of_their_own():
    log = slow_group(Log().background(600), client="10.0.0.9", bind_dn="uid=app", base="cn=g")
    seen = review(view(log))
    finding = only(seen.findings, "unexplained")
    assert finding.numbers["operations"] == 20
    assert "kind CMP, from 10.0.0.9, bound as uid=app" in str(finding.sentence)
    assert "in a short time" not in str(finding.sentence)
    assert finding.user_ns == finding.numbers["waited_ns"]
    assert seen.account.explained_share < 0.05


@pytest.mark.parametrize(
    ("of_each", "steps", "slow"), [(8, 1, False), (3000, 1, True), (8, 3, True)]
)
def test_one_step_of_a_coarse_log_may_be_a_moment_across_its_edge(of_each, steps, slow):
    """Eight of three thousand have a second: that is 3 ms each. All of them are slow indeed."""
    log = Log()
    for n in range(3000):
        log.add("SRCH", n / 5, steps if n % (3000 // of_each) == 0 else 0, base="cn=g")
    source = Source(1, 1, SourceKind.ACCESS_LOG, "a", SourceState.COMPLETE, resolution_ns=NS_PER_S)
    account = account_of(view(log, sources=(source,)), [])
    assert account.slow.any() == slow


def test_a_constant_time_and_a_burst_are_said():
    log = Log().background(600)
    for row in range(20):
        log.add("CMP", 300 + 3 * row, 5.0 + 0.001 * row, client="10.0.0.9", base="cn=g")
    sentence = str(only(review(view(log)).findings, "unexplained").sentence)
    assert "constant time, about 5.01 s" in sentence
    assert "in a short time, from" in sentence


@pytest.mark.parametrize("busy", [0, 12])
def test_waiting_before_a_worker_is_no_shortage_where_nothing_else_is_at_work(busy):
    """The wtime of 389 DS begins with the first byte of a request, which may take its time."""
    log = Log().background(600)
    wait = 4_000_000_000
    for row in range(20):
        start = 30 + 20 * row
        log.add("MOD", start, 4.01, client="10.0.0.9", base="cn=g", wtime_ns=wait,
                optime_ns=10_000_000)  # fmt: skip
        for other in range(busy):
            log.add("CMP", start + 1 + 0.01 * other, 2.0, client="10.0.0.8", base=f"cn={other}",
                    wtime_ns=0, optime_ns=2_000_000_000)  # fmt: skip
    claimed = [f for f in review(view(log)).findings if f.id == "unexplained"]
    sentence = str(claimed[0].sentence) if claimed else ""
    assert ("no other operation was at work meanwhile" in sentence) is not bool(busy)


@pytest.mark.parametrize(("refused", "says"), [(10, True), (2, False), (20, False)])
def test_a_part_that_failed_is_said(refused, says):
    """Of twenty operations; where all failed that is what they have in common."""
    log = Log().background(600)
    for row in range(20):
        err = 65 if row < refused else 0
        log.add("MOD", 300 + 3 * row, 5.0 + 0.001 * row, client="10.0.0.9", base="cn=g", err=err)
    sentence = str(only(review(view(log)).findings, "unexplained").sentence)
    assert ("of this time is in operations that failed" in sentence) == says
    failed = "50 % of this time is in operations that failed, most of them with err=65."
    assert (failed in sentence) == says
    assert ("with result" in sentence) == (refused == 20)


ADDING = dse(
    plugin("Linked Attributes", "liblinkedattrs-plugin"),
    plugin("Auto Membership", "libautomember-plugin", enabled="off"),
    plugin("Referential integrity", "libreferint-plugin"),
)
SECOND = "olcDatabase={2}mdb,cn=config"
OVERLAYS = slapd(
    entry("olcOverlay={0}unique,olcDatabase={1}mdb,cn=config", olcOverlay="{0}unique"),
    entry("olcOverlay={1}refint,olcDatabase={1}mdb,cn=config", olcOverlay="{1}refint"),
    entry("olcOverlay={0}ppolicy,olcDatabase={-1}frontend,cn=config", olcOverlay="{0}ppolicy"),
    entry(SECOND, olcDatabase="{2}mdb", olcSuffix="o=shop", olcDbIndex="objectClass eq"),
    entry(f"olcOverlay={{0}}memberof,{SECOND}", olcOverlay="{0}memberof"),
)


@pytest.mark.parametrize(
    ("kind", "where", "text", "names"),
    [
        ("ADD", {"base": "ou=a"}, ADDING, "ADD: Linked attributes"),
        ("DEL", {"base": "ou=a"}, ADDING, "DEL: Referential integrity, Linked attributes"),
        ("ADD", {"base": "ou=a,dc=example,dc=com"}, OVERLAYS, "ADD: unique, ppolicy"),
        ("ADD", {"base": "ou=a,o=shop"}, OVERLAYS, "ADD: memberof, ppolicy"),
        ("ADD", {"base": "o=elsewhere"}, OVERLAYS, "ADD: memberof, unique, ppolicy"),
        ("BIND", {"bind_dn": "uid=a,o=shop"}, OVERLAYS, "BIND: ppolicy"),
        ("BIND", {"bind_dn": "uid=a,o=shop"}, OVERLAYS.replace("{-1}frontend", "{1}mdb"), ""),
        ("CMP", {"base": "ou=a"}, ADDING, ""),
    ],
)
def test_what_may_act_on_slow_operations_is_to_be_ruled_out(kind, where, text, names):
    quick = Log().background(600, kind=kind if kind == "BIND" else "SRCH")
    log = slow_group(quick, kind, client="10.0.0.9", **where)
    seen = view(log, configuration=kept_of(read_ldif(text.encode())))
    sentence = str(only(review(seen).findings, "unexplained").sentence)
    acting = f"may act on {names}. To rule them out" if names else "."
    assert acting in sentence
    assert ("To rule them out" in sentence) is bool(names)


def slow_changes(until):
    """Changes of which a third takes seconds up to a moment, and none behind it."""
    log = Log().background(600)
    for n in range(300):
        slow = 2 * n < until and n % 3 == 0
        log.add("MOD", 2 * n, 2.0 + n % 7 / 5 if slow else 0.01 + n % 3 / 1000, client="10.0.0.9")
    return log


@pytest.mark.parametrize(
    ("until", "ends", "said"),
    [
        (200, 205, "slow while the server does work of its own, clean-up of a removed replica"),
        (600, 700, "All the while the server does work of its own: clean-up of a removed replica"),
        (200, 20, ""),
    ],
)
def test_work_of_the_server_beside_slow_operations_is_named(until, ends, said):
    task = "INFO - NSMMReplicationPlugin - CleanAllRUV Task (rid 14): "
    lines = (
        ErrorLine(T0, f"{task}Initiating CleanAllRUV Task..."),
        ErrorLine(T0 + ends * NS_PER_S, f"{task}Successfully cleaned rid(14)"),
    )
    sentence = str(
        only(review(view(slow_changes(until), errors=lines)).findings, "unexplained").sentence
    )
    assert said in sentence
    assert ("of its own" in sentence) == bool(said)


def test_changes_that_all_fail_beside_work_of_the_server_break_nothing():
    log = slow_group(Log().background(600), "MOD", client="10.0.0.9", base="cn=a,dc=x", err=51)
    for n in range(60):
        log.add("MOD", 540 + n / 2, 0.01, base=f"cn={n},dc=x", err=0)
    task = "INFO - NSMMReplicationPlugin - CleanAllRUV Task (rid 14): "
    lines = (
        ErrorLine(T0, f"{task}Initiating CleanAllRUV Task..."),
        ErrorLine(T0 + 520 * NS_PER_S, f"{task}Successfully cleaned rid(14)"),
    )
    sentence = str(only(review(view(log, errors=lines)).findings, "unexplained").sentence)
    assert "All the while the server does work of its own" in sentence


def one_entry(slow=2.0):
    """A group that is quick to read, but for a few times."""
    log = Log().background(600, rate=1)
    for n in range(300):
        etime = slow * (1 + n % 7 / 5) if n % 40 == 7 else 0.001
        who = {"client": f"10.0.1.{n % 97}", "conn": 100 + n}
        at = 2 * n + n * n % 17 / 10
        log.add("SRCH", at, etime, filter="(objectclass=*)", base="cn=all,dc=x", nentries=1, **who)
    return log


def test_what_the_slow_ones_alone_ask_for_takes_the_time():
    seen = view(one_entry())
    slow = set(np.flatnonzero(seen.operations.etime_ns > NS_PER_S).tolist())

    def request_of(row):
        more = ",isMemberOf" if row in slow else ""
        return f'SEARCH REQ scope=wholeSubtree filter="(objectclass=*)" attrs="cn,mail{more}"'

    def said(requests):
        found = review(dataclasses.replace(seen, request_of=requests)).findings
        return str(only(found, "unexplained").sentence)

    assert "They ask for ismemberof, and 292 others" in said(request_of)
    assert "asked of the groups, by their members" in said(request_of)
    assert "They ask for" not in said(lambda _: 'filter="(objectclass=*)" attrs="cn,isMemberOf"')


def test_what_is_quick_at_other_times_is_not_what_is_asked():
    seen = view(one_entry())
    sentence = str(only(review(seen).findings, "unexplained").sentence)
    assert "below the same base take 1.00 ms in the median of 292 others" in sentence
    assert "The entry cache is too small" not in sentence
    for kind in ("samples", "monitor_apart"):
        cold = view(one_entry(), **{kind: entry_cache()})
        sentence = str(only(review(cold).findings, "unexplained").sentence)
        assert "an entry that it has lost is read and put together again" in sentence


def test_what_the_server_does_inside_slow_operations_is_named():
    log = slow_group(Log().background(600), "MOD", client="10.0.0.9", base="cn=a,dc=x")
    keys = [(row["conn"], row["op"], row["end_ns"] - row["etime_ns"], row["etime_ns"])
            for row in log.rows if row["kind"] == TYPES.index("MOD")]  # fmt: skip
    inner = "(|(member=?)(uniquemember=?))"
    for conn, op, start, etime in keys:
        log.add("SRCH", (start - T0) / NS_PER_S, 0.7 * etime / NS_PER_S, filter=inner, conn=conn,
                op=op, internal=True, nesting=1)  # fmt: skip
    sentence = str(only(review(view(log)).findings, "unexplained").sentence)
    assert (
        f"internal operations of the server take 70 % of that time, most of it SRCH {inner}:"
        in (sentence)
    )


@pytest.mark.parametrize("at", [0.5, -3.0])
def test_what_the_error_log_complains_of_meanwhile_is_said(at):
    log = slow_group(Log().background(600), "MOD", client="10.0.0.9", base="cn=a,dc=x")
    starts = [
        row["end_ns"] - row["etime_ns"] for row in log.rows if row["kind"] == TYPES.index("MOD")
    ]
    lines = tuple(
        ErrorLine(
            start + round(at * NS_PER_S) + n, f"ERR - find_entry - Retry count of {n} exceeded"
        )
        for start in starts
        for n in range(4)
    )
    seen = view(log, errors=lines, samples=entry_cache())
    sentence = str(only(review(seen).findings, "unexplained").sentence)
    assert ('hardly otherwise: "ERR - find_entry - Retry count of 0 exceeded"' in sentence) == (
        at > 0
    )
    assert "The entry cache is too small, and answers 80 % of the reads" in sentence


def listing(entries, text, searches=2, **columns):
    """A few searches that return many entries, and the sentence on them."""
    log = Log().background(600)
    for row in range(searches):
        log.add("SRCH", 30 + 90 * row, 20 + row, filter="(cn=*?*)", nentries=entries,
                client="10.0.0.9", **columns)  # fmt: skip
    seen = view(log, request_of=lambda row: f'SRCH base="o=x" filter="{text}"')
    return str(only(review(seen).findings, "unexplained").sentence)


def test_entries_that_a_few_searches_return_are_said_and_how_little_they_ask_for():
    sentence = listing(50_000, "(&(objectClass=*)(|(cn=*de*)(sn=*de*)))")
    assert "They return 50,000 entries each in the median." in sentence
    assert "Ask for fewer entries, with a narrower filter" in sentence
    assert "for each entry" not in sentence, "the log does not say how long they waited"
    assert "substrings of 2 characters" in sentence
    assert "substrings of" not in listing(50_000, "(&(cn=*a*stein*)(sn=*))"), (
        "the longest part counts"
    )
    assert "fewer entries" not in listing(90, "(cn=*deer*)")


@pytest.mark.parametrize("searches", [2, 3])
def test_one_or_two_long_operations_are_no_more_than_worth_knowing(searches):
    log = Log().background(600)
    for row in range(searches):
        log.add("SRCH", 30 + 90 * row, 20 + row, filter="(cn=*)", client="10.0.0.9")
    severity = only(review(view(log)).findings, "unexplained").severity
    assert (severity == 1) is (searches == 2)


def test_entries_are_not_asked_to_be_fewer_where_the_searches_waited_for_a_worker():
    worked = listing(50_000, "(cn=*deer*)", wtime_ns=10**9)
    assert "A worker takes 390 µs for each entry returned. Ask for fewer entries" in worked
    queued = listing(1_500, "(cn=*deer*)", wtime_ns=19 * 10**9)
    assert "They waited before a worker took them" in queued
    assert "fewer entries" not in queued


def test_a_healthy_window_has_no_unexplained_group_and_findings_claim_next_to_nothing():
    seen = review(healthy(1))
    assert "unexplained" not in {finding.id for finding in seen.findings}
    assert seen.account.explained_share < 0.05


def test_shuffled_etimes_are_not_explained():
    log = slow_group(Log().background(600, rate=5), "SRCH", filter="(cn=?)", notes="A")
    explained = review(view(log)).account.explained_share
    etimes = np.random.default_rng(3).permutation([row["etime_ns"] for row in log.rows])
    for row, etime in zip(log.rows, etimes.tolist(), strict=True):
        row["end_ns"] += etime - row["etime_ns"]
        row["etime_ns"] = etime
    shuffled = review(view(log)).account
    assert explained > 0.8
    assert shuffled.explained_share < 0.05


def test_what_was_never_answered_is_waiting_too():
    log, waiting = hang()
    seen = review(view(log, waiting=waiting))
    account, lasted = seen.account, sum(60 - n for n in range(12)) * 10**9
    assert account.unanswered_ns == lasted
    assert account.waited_ns == lasted + account.phases.waited_ns.sum()
    explained = account.explained()
    assert explained[0].id == "unanswered"
    assert explained[0].alone_ns == lasted
    assert sum(row.alone_ns for row in explained) + account.unexplained_ns == account.waited_ns
    for key in KEYS:
        groups = account.by(key)
        assert sum(group.waited_ns for group in groups) == account.waited_ns
        bars = account.bars(key, 6)
        assert sum(ns for _, bar in bars for ns in bar.values()) == account.waited_ns
    assert account.by("client")[0].name == waiting[0].client
    without = account_of(view(log, waiting=waiting), [])
    assert without.unexplained_ns == without.waited_ns
