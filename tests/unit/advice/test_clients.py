"""What clients do that costs: each cause as it is, and something like it that is none."""

import numpy as np
import pytest

from ldap_workbench.advice.evidence.clients import PAGED
from ldap_workbench.advice.evidence.inside import asks_for_all, filter_of, sample
from ldap_workbench.advice.families import client_habits, paces, pooling, whole_reads
from ldap_workbench.model.units import NS_PER_S
from tests.unit.advice.material import T0, Log, only, view

APP = {"client": "192.0.2.7", "bind_dn": "cn=app,dc=example,dc=com"}
OTHER = {"client": "192.0.2.8", "bind_dn": "cn=other,dc=example,dc=com"}


def ids(found):
    return [each.id for each in found]


def visits(log, count, *, every, searches=1, gap=0.002, first=100, **who):
    """Connections that bind, search and are closed."""
    for n in range(count):
        start, conn = n * every, first + n
        opened = T0 + round(start * NS_PER_S)
        log.add("BIND", start + gap, 0.004, conn=conn, op=0, opened_ns=opened, **who)
        for op in range(1, searches + 1):
            at = start + gap + 0.01 * op
            log.add("SRCH", at, 0.001, filter="(uid=?)", conn=conn, op=op, nentries=1, **who)
    return log


def pool(log, connections=10, seconds=600, rate=20, **who):
    """Connections opened at once that stay."""
    for n in range(connections):
        log.add("BIND", 0.01 * n, 0.004, conn=n, op=0, opened_ns=T0 + n * 10_000_000, **who)
    for n in range(seconds * rate):
        log.add(
            "SRCH",
            1 + n / rate,
            0.001,
            filter="(uid=?)",
            conn=n % connections,
            op=n,
            nentries=1,
            **who,
        )
    return log


# --- pooling ------------------------------------------------------------------------------------


def test_a_client_that_connects_for_each_search_is_named_with_its_cost():
    seen = view(visits(pool(Log(), **OTHER), 300, every=2, **APP))
    found = only(pooling.find(seen), "no_pooling")
    assert found.numbers["connections"] == 300
    assert found.numbers["connections_per_h"] == 1800
    assert found.numbers["operations_per_connection"] == 2
    assert found.numbers["clients"] == [
        {"client": "192.0.2.7", "bind_dn": "cn=app,dc=example,dc=com"}
    ]
    assert found.worker_ns == 300 * 4_000_000, "its binds"
    assert found.user_ns == 300 * 6_000_000, "from opened to bound"
    assert "192.0.2.7 as cn=app,dc=example,dc=com opened 300 connections" in str(found.sentence)
    assert found.owner_steps


def test_a_pool_that_is_opened_at_once_is_a_pool():
    assert pooling.find(view(pool(Log(), connections=200, rate=1, **APP))) == []


def test_connections_that_check_the_passwords_of_many_users_are_no_missing_pool():
    log, service = Log(), Log()
    for n in range(400):
        user = APP | {"bind_dn": f"uid=u{n % 300},dc=example,dc=com"}
        log.add("BIND", 1.5 * n, 0.004, conn=100 + n, op=0, **user)
        service.add("BIND", 1.5 * n, 0.004, conn=100 + n, op=0, **APP)
    assert pooling.find(view(log)) == []
    assert ids(pooling.find(view(service))) == ["no_pooling"], "it never is another"


def test_a_pool_that_was_opened_before_the_log_is_a_pool():
    log = Log()
    for n in range(3000):
        log.add("SRCH", n / 5, 0.001, filter="(uid=?)", conn=n % 1000, op=50 + n, **APP)
    assert pooling.find(view(log)) == []


@pytest.mark.parametrize("case", ["few", "rare", "long"])
def test_few_or_rare_or_long_connections_are_no_missing_pool(case):
    few = visits(Log(), 90, every=5, **APP)
    rare = visits(Log(), 120, every=20, **APP)
    long = visits(Log(), 200, every=2, searches=8, **APP)
    log, seconds = {"few": (few, 600), "rare": (rare, 2400), "long": (long, 600)}[case]
    assert pooling.no_pooling(view(log, seconds=seconds)) == []


def test_a_late_first_request_is_the_gap_of_the_client_that_has_it():
    log = visits(Log(), 100, every=5, gap=0.3, **APP)
    visits(log, 100, every=5, gap=0.001, first=1000, **OTHER)
    found = only(pooling.find(view(log)), "connect_to_bind_gap")
    assert found.numbers["gap_p50_ns"] == 300_000_000
    assert found.numbers["connections"] == 100
    assert not found.numbers["every_client"]
    assert found.user_ns == 100 * 300_000_000
    assert "192.0.2.7" in str(found.sentence)


def test_a_gap_of_all_clients_points_to_the_server():
    log = visits(Log(), 100, every=5, gap=0.3, **APP)
    visits(log, 100, every=5, gap=0.2, first=1000, **OTHER)
    found = only(pooling.find(view(log)), "connect_to_bind_gap")
    assert found.numbers["every_client"]
    assert "look at TLS on the server" in str(found.sentence)


def one_by_one(clients, gap, rush):
    """A connection of each of many clients; in a rush ten come together, and wait in turn."""
    log = Log()
    for n in range(clients):
        place = n % 10 if rush else 0
        later = round((4.0 * (n - place) + 0.05 * place) * NS_PER_S)
        visits(log, 1, every=0, gap=gap * (1 + place), first=100 + n, client=f"10.0.0.{n}")
        for row in log.rows[-2:]:
            row["end_ns"] += later
        log.rows[-2]["opened_ns"] += later
    return log


def test_connections_of_many_clients_that_are_taken_one_after_another():
    found = only(pooling.find(view(one_by_one(100, 0.16, rush=True))), "connect_to_bind_gap")
    assert found.numbers["connections"] == 100
    assert found.numbers["every_client"]
    assert "others or more wait for theirs" in str(found.sentence)
    steady = only(pooling.find(view(one_by_one(100, 0.16, rush=False))), "connect_to_bind_gap")
    assert "others or more" not in str(steady.sentence)
    assert pooling.slow_to_bind(view(one_by_one(100, 0.004, rush=True))) == []


def test_connections_opened_in_advance_have_no_gap():
    assert pooling.slow_to_bind(view(visits(Log(), 100, every=5, gap=60, **APP))) == []
    assert pooling.slow_to_bind(view(visits(Log(), 100, every=5, gap=0.02, **APP))) == []


def test_binds_as_who_one_is_are_counted():
    log, mixed = Log(), Log()
    for n in range(300):
        who = APP | {"bind_dn": f"uid=u{n},dc=example,dc=com"}
        log.add("BIND", n, 0.02, conn=5, op=2 * n, **APP)
        log.add("SRCH", n + 0.1, 0.001, filter="(uid=?)", conn=5, op=2 * n + 1, **APP)
        mixed.add("BIND", n, 0.02, conn=5, op=n, **who)
    found = only(pooling.find(view(log)), "rebinding")
    assert found.numbers["binds"] == 299
    assert found.worker_ns == 299 * 20_000_000
    assert pooling.rebinding(view(mixed)) == [], "a connection that checks many people"


# --- work asked for again -----------------------------------------------------------------------


def lists(log, count, *, follow, entries=20, conn=3, **who):
    """A list and the searches after it, one list every five seconds."""
    op = 0
    for n in range(count):
        at, of = 5.0 * n, entries(n) if callable(entries) else entries
        log.add("SRCH", at, 0.01, filter="(ou=?)", conn=conn, op=op, nentries=of, **who)
        for look_up in range(follow(n, of)):
            op += 1
            begin = at + 0.02 + 0.003 * look_up
            log.add("SRCH", begin, 0.002, filter="(uid=?)", conn=conn, op=op, nentries=1, **who)
        op += 1
    return log


def test_a_search_for_each_entry_of_a_list_is_an_n_plus_one():
    log = lists(Log(), 12, entries=lambda n: 10 + n, follow=lambda n, of: of, **APP)
    finding = only(paces.find_loops(view(log)), "n_plus_one")
    assert finding.numbers["lists"] == 12
    assert finding.numbers["searches"] == sum(10 + n for n in range(12))
    assert finding.numbers["filters"] == ["(uid=?)"]
    assert finding.worker_ns == finding.numbers["searches"] * 2_000_000
    assert "(1 per entry)" in str(finding.sentence)


def test_two_searches_for_each_entry_are_told_as_two():
    log = lists(Log(), 8, follow=lambda n, of: 2 * of, **APP)
    assert "(2 per entry)" in str(only(paces.find_loops(view(log)), "n_plus_one").sentence)


def test_lists_among_as_many_searches_by_chance_are_no_loop():
    random = np.random.default_rng(3)
    sizes = random.integers(5, 40, 60)
    log = lists(Log(), 60, entries=lambda n: int(sizes[n]),
                follow=lambda n, of: int(random.geometric(1 / 20)), **APP)  # fmt: skip
    assert paces.find_loops(view(log)) == []


def test_connections_of_their_own_for_each_entry_are_a_loop_as_well():
    log, conn = Log(), 100
    for n in range(8):
        log.add("SRCH", 5.0 * n, 0.01, filter="(ou=?)", conn=conn, op=1, nentries=10, **APP)
        for look_up in range(10):
            conn += 1
            at = 5 * n + 0.1 + 0.01 * look_up
            log.add("SRCH", at, 0.002, filter="(uid=?)", conn=conn, op=1, nentries=1, **APP)
        conn += 1
    assert only(paces.find_loops(view(log)), "n_plus_one").numbers["lists"] == 8


def repeats(log, filter_="(objectClass=*)", count=300, apart=0.2):
    for n in range(count):
        log.add("SRCH", 3.0 * n, 0.003, filter=filter_, base="dc=a", conn=2, op=n, **APP)
        log.add("SRCH", 3 * n + apart, 0.003, filter=filter_, base="dc=a", conn=2, op=n, **APP)
    return log


def test_the_same_search_within_a_second_is_a_repeat():
    found = only(client_habits.find_repeated_work(view(repeats(Log()))), "repeated_search")
    assert found.numbers["searches"] == 300
    assert found.worker_ns == 300 * 3_000_000
    assert found.confidence == "high"


@pytest.mark.parametrize(("same", "found"), [(True, ["repeated_search"]), (False, [])])
def test_a_filter_with_values_is_compared_by_its_lines(same, found):
    operations = repeats(Log(), "(uid=?)").done()

    def request(row):
        return f'SRCH base="dc=a" filter="(uid={1 if same else row})" attrs=ALL'

    seen = view(operations, request_of=request)
    assert ids(client_habits.repeated_search(seen)) == found
    assert client_habits.repeated_search(view(operations)) == [], "and is not judged without them"


@pytest.mark.parametrize("conns", [1, 2])
def test_the_next_page_of_a_search_is_no_repeat_and_another_first_page_is(conns):
    log = Log().background(600)
    for n in range(400):
        log.add("SRCH", 1.4 * (n // 10) + 0.05 * (n % 10), 0.002, filter="(cn=*)", base="dc=a",
                client="192.0.2.7", conn=7 + n % conns, notes="P", nentries=10)  # fmt: skip
    found = ids(client_habits.repeated_search(view(log)))
    assert found == (["repeated_search"] if conns == 2 else [])


def test_a_search_of_one_page_is_a_repeat_though_it_has_the_control_for_pages():
    log = repeats(Log(), apart=0.2)
    for row in log.rows:
        row["notes"] = PAGED
    seen = view(log, line_of=lambda _: "RESULT err=0 nentries=1 pr_idx=0 pr_cookie=-1")
    assert ids(client_habits.repeated_search(seen)) == ["repeated_search"]
    seen = view(log, line_of=lambda _: "RESULT err=0 nentries=1 pr_idx=0 pr_cookie=0")
    assert client_habits.repeated_search(seen) == []


def test_the_same_search_after_seconds_is_no_repeat():
    assert client_habits.repeated_search(view(repeats(Log(), apart=1.01))) == []


def polls(log, every, *, etime, jitter=0.0, count=20):
    off = np.random.default_rng(5).uniform(-1, 1, count) * jitter
    for n in range(count):
        log.add("SRCH", every * (n + 1) + off[n], etime, filter="(objectClass=person)", base="dc=a",
                conn=9, op=n, nentries=900, **OTHER)  # fmt: skip
    return log


def test_a_search_at_a_fixed_period_is_a_poll():
    log = polls(Log().background(600, rate=5), 30, etime=0.5, jitter=0.5)
    found = only(client_habits.find_repeated_work(view(log)), "polling")
    assert found.numbers["period_s"] == pytest.approx(30, abs=1)
    assert found.worker_ns == 20 * 500_000_000
    assert "192.0.2.8" in str(found.sentence)


@pytest.mark.parametrize("case", ["cheap", "irregular"])
def test_a_cheap_or_an_irregular_search_is_no_poll(case):
    log = Log().background(600, rate=5)
    polls(log, 30, etime=0.002) if case == "cheap" else polls(log, 30, etime=0.5, jitter=14)
    assert client_habits.polling(view(log)) == []


# --- habits -------------------------------------------------------------------------------------


def reads(log, count=100, *, entries, etime, who):
    for n in range(count):
        log.add("SRCH", n, etime, filter="(ou=?)", nentries=entries, conn=4, op=n, **who)
    return log


def test_all_attributes_are_greedy_where_a_list_is_seen_to_be_quicker():
    log = reads(Log(), entries=10, etime=0.04, who=APP)
    operations = reads(log, entries=10, etime=0.01, who=OTHER).done()
    greedy = operations.clients.index(APP["client"])

    def request(row):
        return "attrs=ALL" if operations.client[row] == greedy else 'attrs="uid mail"'

    found = only(client_habits.find(view(operations, request_of=request)), "greedy_attributes")
    assert found.numbers["times"] == pytest.approx(4)
    assert found.worker_ns == 3_000_000_000, "what a list would save"
    assert found.confidence == "medium"


def test_all_attributes_of_one_entry_are_what_everybody_asks_for():
    operations = reads(Log(), entries=1, etime=0.01, who=APP).done()
    assert client_habits.greedy_attributes(view(operations, request_of=lambda _: "attrs=ALL")) == []


def test_all_attributes_of_many_entries_are_told_with_little_certainty():
    operations = reads(Log(), entries=200, etime=0.05, who=APP).done()
    seen = view(operations, request_of=lambda _: "attrs=ALL")
    assert only(client_habits.find(seen), "greedy_attributes").confidence == "low"
    listed = view(operations, request_of=lambda _: 'attrs="uid"')
    assert client_habits.greedy_attributes(listed) == []


def given_up(count, etimes):
    log = Log().background(600, rate=1, filter="(uid=?)")
    for n in range(count):
        log.add("ABANDON", 5.0 * n, etimes[n], conn=3, op=n, **APP)
    return log


def test_operations_given_up_after_the_same_time_have_a_limit_of_the_client():
    found = only(client_habits.find(view(given_up(60, [3.0] * 60))), "abandon")
    assert found.worker_ns == 60 * 3 * NS_PER_S
    assert "after about 3.00 s: a time limit of the client" in str(found.sentence)


def test_a_few_operations_given_up_are_no_habit():
    assert client_habits.abandon(view(given_up(10, [3.0] * 10))) == []


def left(count, *, patience, takes, again=True, **who):
    """Searches on connections of their own that the client closes before the server is ready."""
    log, texts = Log().background(600, rate=1, filter="(uid=?)", etime=0.003), {}
    for n in range(count):
        start, value = 15.0 * n, n // 2 if again else n
        columns = {"conn": 900 + n, "op": n, "nentries": 2, "filter": "(memberUid=?)"} | who
        if patience < takes(n):
            columns["closed_ns"] = T0 + round((start + patience) * NS_PER_S)
        log.add("SRCH", start, takes(n), **columns)
        texts[n] = f'SRCH base="dc=a" scope=2 filter="(memberUid=u{value})" attrs=ALL'
    operations = log.done()
    return view(operations, request_of=lambda row: texts.get(int(operations.op[row]), ""))


def test_a_mail_server_that_leaves_after_ten_seconds_and_comes_again():
    seen = left(60, patience=10.0, takes=lambda n: 12.0 + n % 7, **APP)
    found = only(client_habits.find(seen), "abandon")
    said = str(found.sentence)
    assert "192.0.2.7 as cn=app,dc=example,dc=com gave up on 60 operations" in said
    assert "after about 10.0 s: a time limit of the client" in said
    assert "take 15.0 s in the median ((memberuid=?))" in said.lower()
    assert found.numbers["sent_again"] == pytest.approx(0.5, abs=0.05)
    assert found.worker_ns == sum(12 + n % 7 for n in range(60)) * NS_PER_S


def test_a_wiki_that_leaves_after_a_second_and_a_half_and_asks_for_others():
    seen = left(40, patience=1.5, takes=lambda n: 2.0 + n % 3, again=False, **OTHER)
    found = only(client_habits.find(seen), "abandon")
    assert "after about 1.50 s" in str(found.sentence)
    assert found.numbers["sent_again"] is None
    assert "same filter" not in str(found.sentence)


def test_a_result_that_is_logged_just_after_its_client_left_was_not_given_up():
    assert client_habits.abandon(left(60, patience=3.0, takes=lambda _: 3.02, **APP)) == []
    assert client_habits.abandon(left(60, patience=30.0, takes=lambda n: 12.0, **APP)) == []


def refused(count, dn=lambda n: "uid=batch,dc=example,dc=com"):
    log = Log()
    for n in range(count):
        log.add("BIND", 5.0 * n, 0.05, base=dn(n), err=49, conn=n, op=0, client="192.0.2.9")
    return log


def test_a_wrong_password_again_and_again_is_named():
    found = only(client_habits.find(view(refused(100))), "failed_binds")
    assert found.numbers["dns"] == ["uid=batch,dc=example,dc=com"]
    assert found.worker_ns == 100 * 50_000_000
    assert found.numbers["clients"][0]["client"] == "192.0.2.9"


@pytest.mark.parametrize(
    ("pauses", "gets_in", "named"),
    [((1,), False, True), ((4,), False, True), ((1,), True, False), ((2, 1, 9, 30), False, False)],
)
def test_a_program_that_tries_at_a_steady_pace_and_never_gets_in(pauses, gets_in, named):
    log, start = Log(), 0
    for n in range(16):
        err = 0 if gets_in and n == 14 else 49
        start += pauses[n % len(pauses)]
        log.add("BIND", start, 0.01, base="cn=consumer", err=err, conn=n, client="10.0.0.9")
    found = client_habits.failed_binds(view(log, seconds=600))
    assert [seen.id for seen in found] == ["failed_binds"] * named


@pytest.mark.parametrize(
    ("passes", "pages", "entries", "named"),
    [(4, 20, 1000, True), (2, 20, 1000, False), (4, 1, 900, False), (40, 1, 1, False),
     (1, 20, 1000, False), (1, 4, 6000, True)],
)  # fmt: skip
def test_a_client_that_reads_a_long_list_again_and_again(passes, pages, entries, named):
    log = Log()
    for n in range(passes):
        for page in range(pages):
            log.add("SRCH", 10.0 * n + page / 10, 0.2, filter="(uid=*)", nentries=entries,
                    conn=n, op=page, client="10.0.0.9")  # fmt: skip
    found = whole_reads.find(view(log, seconds=60))
    assert [seen.id for seen in found] == ["whole_reads"] * named


@pytest.mark.parametrize(("entries", "named"), [(1, False), (99, False), (100, True)])
def test_look_ups_of_a_pool_are_no_list_however_many(entries, named):
    log = Log()
    for n in range(4000):
        log.add("SRCH", n / 100, 0.002, filter="(uid=?)", nentries=entries, conn=n % 4, op=n,
                client="10.0.0.9")  # fmt: skip
    found = whole_reads.find(view(log, seconds=60))
    assert [seen.id for seen in found] == ["whole_reads"] * named


def test_pages_of_few_entries_are_a_list():
    log = Log()
    for n in range(4):
        for page in range(100):
            log.add("SRCH", 10.0 * n + page / 20, 0.02, filter="(uid=*)", nentries=50, notes="P",
                    conn=n, op=page, client="10.0.0.9")  # fmt: skip
    [found] = whole_reads.find(view(log, seconds=60))
    assert found.numbers["searches"] == 400


def test_people_who_mistype_are_no_such_client():
    assert client_habits.failed_binds(view(refused(100, lambda n: f"uid=u{n},dc=a"))) == []
    assert client_habits.failed_binds(view(refused(14))) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('SRCH base="dc=a" scope=2 filter="(a=b)" attrs=ALL', True),
        ('SRCH base="dc=a" filter="(a=b)" attrs="*"', True),
        ('SRCH base="dc=a" filter="(a=b)" attrs="* +"', True),
        ('SRCH base="dc=a" filter="(a=b)" attrs="uid mail"', False),
        ('SEARCH REQ conn=4 filter="(a=b)" attrs="cn,mail"', False),
        ('{"operation":"SEARCH","filter":"(a=b)","attrs":["*"]}', True),
        ('{"operation":"SEARCH","attrs": ["uid", "cn"]}', False),
        ('SRCH base="dc=a" filter="(a=b)" attrs="1.1"', False),
        ("conn=1 op=2 RESULT err=0", None),
    ],
)  # fmt: skip
def test_which_attributes_a_line_asks_for(line, expected):
    assert asks_for_all(line) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('filter="(uid=a)" attrs=ALL', "(uid=a)"),
        ('filter="(cn=\\22x)" attrs=ALL', "(cn=\\22x)"),
        ('{"filter": "(uid=a)"}', "(uid=a)"),
        ("RESULT err=0", None),
    ],
)
def test_the_filter_of_a_line(line, expected):
    assert filter_of(line) == expected


def test_a_sample_is_even_and_no_longer_than_wanted():
    assert sample(np.arange(1000), 5).tolist() == [0, 249, 499, 749, 999]
    assert sample(np.arange(3), 5).tolist() == [0, 1, 2]


def test_a_window_without_operations_has_no_clients():
    for find in (
        paces.find_loops,
        pooling.find,
        client_habits.find_repeated_work,
        client_habits.find,
    ):
        assert find(view()) == []
