"""What of a log can be sent again, and when: connections, think times, what is left out."""

import pytest

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.model.errors import UsageError
from ldap_workbench.replay.build import LoggedWrite, build, write_of
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter

START = "[22/Nov/2026:10:00:{:012.9f} +0000] "


def line(at, text):
    return START.format(at) + text + "\n"


TAGS = {
    "SRCH": 101, "BIND": 97, "MOD": 103, "ADD": 105, "DEL": 107, "MODRDN": 109, "EXT": 120,
}  # fmt: skip


def operation(conn, op, at, etime, request, err=0, nentries=1, notes=""):
    tag = TAGS[request.split()[0]]
    what = f"conn={conn} op={op} "
    result = f"RESULT err={err} tag={tag} nentries={nentries} etime={etime:.9f}{notes}"
    return [(at, what + request), (at + etime, what + result)]


def search(text="(uid=a)", attrs='"cn mail"', base="dc=x"):
    return f'SRCH base="{base}" scope=2 filter="{text}" attrs={attrs}'


@pytest.fixture
def built(tmp_path):
    def of(*events):
        lines = sorted((event for each in events for event in each), key=lambda pair: pair[0])
        (tmp_path / "access").write_text("".join(line(at, text) for at, text in lines))
        with SessionWriter.create(tmp_path / "s.ldapwb") as writer:
            import_logs([tmp_path / "access"], writer)
        with Session.open(tmp_path / "s.ldapwb") as session:
            return build(session, session.windows()[0])

    return of


def opened(conn, at):
    return [(at, f"conn={conn} fd=64 slot=64 connection from 192.0.2.7 to 192.0.2.1")]


def test_a_connection_keeps_its_arrival_and_its_think_times(built):
    script = built(
        opened(1, 1.0),
        operation(1, 0, 1.25, 0.5, 'BIND dn="cn=app" method=128 version=3'),
        operation(1, 1, 2.0, 0.25, search(), nentries=3),
        operation(1, 2, 2.75, 0.25, search("(cn=b*)", "ALL", "ou=p,dc=x"), err=32, nentries=0),
        opened(2, 0.5),
        operation(2, 0, 0.5, 0.001, search()),
    )
    first, second = script.conversations
    assert [each.kind for each in first.requests] == ["BIND", "SRCH", "SRCH"]
    # 0.25 s after opening, 0.25 s after the bind's answer, 0.5 s after the first search's.
    assert [each.gap_ns for each in first.requests] == [250_000_000, 250_000_000, 500_000_000]
    assert all(each.waited for each in first.requests)
    asked = first.requests[1]
    assert (asked.base, asked.scope, asked.filter, asked.attributes, asked.nentries) == (
        "dc=x", 2, "(uid=a)", ("cn", "mail"), 3,
    )  # fmt: skip
    last = first.requests[2]
    assert (last.base, last.attributes, last.err) == ("ou=p,dc=x", (), 32)
    assert (first.arrival_ns, second.arrival_ns) == (500_000_000, 0)


def test_what_did_not_wait_for_an_answer_is_sent_without_it(built):
    script = built(
        opened(1, 1.0),
        operation(1, 0, 1.0, 0.5, search()),
        operation(1, 1, 1.1, 0.1, search()),
        operation(1, 2, 1.6, 0.1, search()),
    )
    (only,) = script.conversations
    assert [each.waited for each in only.requests] == [True, False, True]
    # 0.1 s after the first was sent; 0.1 s after the last answer, which was the first one's.
    assert [each.gap_ns for each in only.requests[1:]] == [100_000_000, 100_000_000]


def write(conn, op, at, etime, text):
    return operation(conn, op, at, etime, text, nentries=0)


def test_a_write_waits_for_the_one_that_made_its_entry(built):
    """Their results were logged late, behind the next request."""
    new = 'newrdn="cn=b" newsuperior="(null)"'
    script = built(
        opened(1, 1.0),
        write(1, 0, 1.0, 0.2, 'ADD dn="cn=a,dc=x"'),
        write(1, 1, 1.1, 0.2, f'MODRDN dn="cn=a,dc=x" {new}'),
        write(1, 2, 1.2, 0.2, 'DEL dn="cn=b,dc=x"'),
    )
    (only,) = script.conversations
    assert [each.write for each in only.requests] == ["ADD", "MODRDN", "DEL"]
    assert [each.waited for each in only.requests] == [True, True, True]
    assert [each.gap_ns for each in only.requests[1:]] == [0, 0]


def test_writes_that_need_no_other_are_sent_without_an_answer(built):
    script = built(
        opened(1, 1.0),
        write(1, 0, 1.0, 0.3, 'MOD dn="cn=a,dc=x"'),
        write(1, 1, 1.1, 0.3, 'MOD dn="cn=a,dc=x"'),
        write(1, 2, 1.2, 0.3, 'ADD dn="cn=c,dc=x"'),
    )
    (only,) = script.conversations
    assert [each.waited for each in only.requests] == [True, False, False]


def test_what_cannot_be_sent_again_is_counted_by_its_reason(built):
    script = built(
        opened(1, 1.0),
        operation(1, 0, 1.0, 0.1, search()),
        operation(1, 1, 2.0, 0.1, 'MOD dn="uid=a,dc=x"', err=50),
        operation(1, 2, 3.0, 0.1, 'EXT oid="1.3.6.1.4.1.1466.20037" name="startTLS"'),
        operation(1, 3, 4.0, 0.1, search(), notes=' notes=P details="Paged Search" pr_idx=0'),
        operation(1, 4, 5.0, 0.1, search("(|(uid=a)(uid=b)...")),
    )
    assert script.requests == 1
    assert script.skipped == {
        "EXT": 1,
        "MOD, failed in the capture": 1,
        "SRCH, not all of its request in the log": 1,
        "SRCH, one page of several": 1,
    }


def writes(conversation):
    return [(each.write, each.entry, each.renamed) for each in conversation.requests if each.write]


def test_a_write_keeps_its_time_and_type_and_its_entry_as_a_number(built):
    script = built(
        opened(1, 1.0),
        operation(1, 0, 1.0, 0.5, 'MOD dn="uid=a,dc=x"'),
        operation(1, 1, 2.0, 0.5, 'MOD dn="UID=a, DC=x"'),
        operation(1, 2, 3.0, 0.5, 'MOD dn="uid=b,dc=x"'),
        opened(2, 1.0),
        operation(2, 0, 1.0, 0.5, 'MOD dn="uid=b,dc=x"'),
        operation(2, 1, 3.0, 0.5, 'DEL dn="uid=gone,dc=x"'),
    )
    one, two = script.conversations
    assert writes(one) == [("MOD", 1, 0), ("MOD", 1, 0), ("MOD", 2, 0)]
    assert writes(two) == [("MOD", 2, 0), ("DEL", 3, 0)]
    assert [each.gap_ns for each in one.requests] == [0, 500_000_000, 500_000_000]
    assert {each.base for each in one.requests} == {""}
    assert script.skipped == {}


def test_an_entry_that_comes_and_goes_is_followed_on_its_connection(built):
    script = built(
        opened(1, 1.0),
        operation(1, 0, 1.0, 0.1, 'ADD dn="uid=a,ou=p,dc=x"'),
        operation(
            1, 1, 2.0, 0.1, 'MODRDN dn="uid=a,ou=p,dc=x" newrdn="uid=b" newsuperior="(null)"'
        ),
        operation(1, 2, 3.0, 0.1, 'MOD dn="uid=b,ou=p,dc=x"'),
        operation(1, 3, 4.0, 0.1, 'MODRDN dn="uid=b,ou=p,dc=x" newrdn="uid=b" newsuperior="dc=x"'),
        operation(1, 4, 5.0, 0.1, 'DEL dn="uid=b,dc=x"'),
        operation(1, 5, 6.0, 0.1, 'ADD dn="uid=a,ou=p,dc=x"'),
        opened(2, 1.0),
        operation(2, 0, 7.0, 0.1, 'MOD dn="uid=a,ou=p,dc=x"'),
        operation(2, 1, 8.0, 0.1, 'DEL dn="uid=a,ou=p,dc=x"'),
        operation(1, 6, 9.0, 0.1, 'ADD dn="uid=a,ou=p,dc=x"'),
    )
    one, two = script.conversations
    assert writes(one) == [
        ("ADD", 1, 0), ("MODRDN", 1, 2), ("MOD", 2, 0), ("MODRDN", 2, 3), ("DEL", 3, 0),
        ("ADD", 4, 0), ("ADD", 5, 0),
    ]  # fmt: skip
    assert writes(two) == [("MOD", 6, 0), ("DEL", 6, 0)]


@pytest.mark.parametrize(
    ("line", "write"),
    [
        (
            '{"operation": "MODRDN", "target_dn": "uid=a,dc=x", "newrdn": "uid=b"}',
            LoggedWrite("MODRDN", "uid=a,dc=x", "uid=b,dc=x"),
        ),
        ('{"operation": "DELETE", "target_dn": "uid=a,dc=x"}', LoggedWrite("DEL", "uid=a,dc=x")),
        ('{"operation": "MODIFY", "target_dn": 7}', None),
        ('{"operation": "MODIFY"', None),
        ('["MODIFY"]', None),
        ('conn=1 op=4 MODRDN dn="cn=a,ou=l"', LoggedWrite("MODRDN", "cn=a,ou=l")),
        (
            r'conn=1 op=4 MODRDN dn="cn=a\, b,ou=l" newrdn="cn=c" newsuperior="(null)"',
            LoggedWrite("MODRDN", r"cn=a\,b,ou=l", "cn=c,ou=l"),
        ),
        ('conn=1 op=4 MOD dn=""', None),
        ('conn=1 op=4 SRCH base="dc=x"', None),
    ],
)
def test_the_entry_of_a_write_is_read_from_its_line(line, write):
    assert write_of(line) == write


def test_the_attributes_of_slapd_are_in_a_line_of_their_own(tmp_path):
    stamp, lines = "6b010435.{:08x} 0x7f5da53fe6c0 conn=1000 op={} {}\n", []
    for op, attributes in ((1, "cn mail"), (2, ""), (3, "*")):
        at = 0x1000000 * op
        asked = f'SRCH base="dc=x" scope=2 deref=0 filter="(uid={op})"'
        lines.append(stamp.format(at, op, asked))
        lines.append(stamp.format(at + 1, op + 10, "SRCH attr=not this one"))
        if attributes:
            lines.append(stamp.format(at + 2, op, f"SRCH attr={attributes}"))
        done = "SEARCH RESULT tag=101 err=0 qtime=0.000010 etime=0.000100 nentries=1 text="
        lines.append(stamp.format(at + 0x20000, op, done))
    (tmp_path / "slapd.log").write_text("".join(lines))
    with SessionWriter.create(tmp_path / "s.ldapwb") as writer:
        import_logs([tmp_path / "slapd.log"], writer)
    with Session.open(tmp_path / "s.ldapwb") as session:
        script = build(session, session.windows()[0])
    (only,) = script.conversations
    assert [each.attributes for each in only.requests] == [("cn", "mail"), (), ("*",)]


JSON_LOG = """\
{"local_time":"2026-11-22T10:00:01.0 +0000","operation":"CONNECTION","key":"7-1","conn_id":1}
{"local_time":"2026-11-22T10:00:02.0 +0000","operation":"SEARCH","key":"7-1","conn_id":1,"op_id":1,\
"base_dn":"dc=x","scope":2,"filter":"(cn=*)","psearch":false,"attrs":["cn"]}
{"local_time":"2026-11-22T10:00:02.1 +0000","operation":"RESULT","key":"7-1","conn_id":1,"op_id":1,\
"tag":101,"err":0,"nentries":10,"wtime":"0.1","optime":"0.0","etime":"0.1","pr_idx":0,"pr_cookie":0,\
"notes":[{"note":"P","description":"Paged Search"}]}
{"local_time":"2026-11-22T10:00:03.0 +0000","operation":"SEARCH","key":"7-1","conn_id":1,"op_id":2,\
"base_dn":"dc=x","scope":2,"filter":"(cn=*)","psearch":false,"attrs":["cn"]}
{"local_time":"2026-11-22T10:00:03.1 +0000","operation":"RESULT","key":"7-1","conn_id":1,"op_id":2,\
"tag":101,"err":0,"nentries":4,"wtime":"0.1","optime":"0.0","etime":"0.1","pr_idx":0,"pr_cookie":-1,\
"notes":[{"note":"P","description":"Paged Search"}]}
{"local_time":"2026-11-22T10:00:04.0 +0000","operation":"DELETE","key":"7-1","conn_id":1,"op_id":3,\
"target_dn":"uid=a,dc=x"}
{"local_time":"2026-11-22T10:00:04.1 +0000","operation":"RESULT","key":"7-1","conn_id":1,"op_id":3,\
"tag":107,"err":0,"nentries":0,"wtime":"0.1","optime":"0.0","etime":"0.1"}
"""


def test_a_json_log_has_pages_and_writes_as_well(tmp_path):
    (tmp_path / "access").write_text(JSON_LOG)
    with SessionWriter.create(tmp_path / "s.ldapwb") as writer:
        import_logs([tmp_path / "access"], writer)
    with Session.open(tmp_path / "s.ldapwb") as session:
        script = build(session, session.windows()[0])
    (only,) = script.conversations
    assert [(each.kind, each.page, each.nentries) for each in only.requests] == [
        ("SRCH", 10, 10), ("SRCH", 10, 4), ("DEL", 0, 0),
    ]  # fmt: skip
    assert only.requests[0].attributes == ("cn",)
    assert script.skipped == {}


def test_lines_of_any_length_are_found_in_a_long_log(built):
    filters = [f"(uid={'x' * length}{length})" for length in (9, 70_000, 10, 5_000, 11)]
    script = built(
        opened(1, 0.5),
        *(
            operation(1, op, 1 + op / 9, 0.001, search(text))
            for op, text in enumerate(filters * 80)
        ),
    )
    (only,) = script.conversations
    assert [each.filter for each in only.requests] == filters * 80


def page(conn, op, at, entries, cookie, place=0, text="(cn=*)"):
    notes = f' notes=P details="Paged Search" pr_idx={place} pr_cookie={cookie}'
    return operation(conn, op, at, 0.01, search(text), nentries=entries, notes=notes)


def test_pages_of_a_search_keep_its_size_and_wait_for_the_page_before(built):
    script = built(
        opened(1, 1.0),
        page(1, 1, 1.0, 100, 0),
        page(1, 2, 1.005, 100, 0),  # the clock of the log: it cannot have been sent so early
        page(1, 3, 2.0, 37, -1),
        page(1, 4, 3.0, 20, -1),
        opened(2, 1.0),
        page(2, 1, 1.0, 100, -1),
    )
    one, two = script.conversations
    assert [(r.page, r.nentries) for r in one.requests] == [
        (100, 100), (100, 100), (100, 37), (21, 20),
    ]  # fmt: skip
    assert [r.waited for r in one.requests] == [True, True, True, True]
    assert one.requests[1].gap_ns == 0
    [alone] = two.requests
    assert alone.page == 101
    numbers = [r.search for r in (*one.requests, alone)]
    assert numbers[0] == numbers[1] == numbers[2]
    assert len({*numbers}) == 3
    assert script.skipped == {}


def test_two_searches_in_pages_at_once_are_told_apart(built):
    script = built(
        opened(1, 1.0),
        page(1, 1, 1.0, 10, 0, place=0),
        page(1, 2, 2.0, 30, 0, place=1),
        page(1, 3, 3.0, 4, -1, place=0),
        page(1, 4, 4.0, 30, 0, place=1),
    )
    (only,) = script.conversations
    assert [each.page for each in only.requests] == [10, 30, 10, 30]
    first, second, third, fourth = (each.search for each in only.requests)
    assert (first, second) == (third, fourth)
    assert first != second


def test_an_empty_page_is_asked_for_by_one_entry(built):
    (only,) = built(opened(1, 1.0), page(1, 1, 1.0, 0, 0)).conversations
    assert only.requests[0].page == 1


def test_a_log_of_nothing_that_can_be_sent_makes_no_replay(built):
    with pytest.raises(UsageError, match="holds nothing that could be"):
        built(opened(1, 1.0), operation(1, 0, 2.0, 0.1, 'MOD dn="uid=a,dc=x"', err=50))
