"""Lines of slapd that name no operation are tied to the searches they speak of."""

from __future__ import annotations

import pytest

from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.access.slapd_notices import reads_all
from ldap_workbench.model.operations import ABSENT, NOTES, Operations, text_at

SYSLOG = "Mar 13 19:53:{:02d} mail slapd[13351]: "
NOTICE = "<= mdb_equality_candidates: (mail) not indexed\n"


def line(second: int, text: str) -> str:
    return SYSLOG.format(second) + text + "\n"


def search(number: int, text: str, notices: str = "", second: int = 0) -> str:
    """A search with what slapd says while it is at work."""
    asked = f'conn=1 op={number} SRCH base="dc=a" scope=2 deref=0 filter="{text}"'
    result = (
        f"conn=1 op={number} SEARCH RESULT tag=101 err=0 qtime=0.00001 etime=2.1 nentries=1 text="
    )
    return line(second, asked) + notices + line(second + 2, result)


def scan(text: str, cut: int = 0) -> tuple[Scanner, list[tuple[str, str, str]]]:
    """(filter, notes, index key) of each operation, fed in pieces of `cut` bytes."""
    scanner = Scanner("openldap", year=2026)
    data = text.encode()
    size = cut or len(data)
    pieces = [scanner.feed(data[at : at + size]) for at in range(0, len(data), size)]
    rows = [row for piece in [*pieces, scanner.finish()] for row in described(piece)]
    return scanner, rows


def described(operations: Operations) -> list[tuple[str, str, str]]:
    assert (operations.index_ids == ABSENT).all()
    return [
        (
            text_at(operations.fingerprints, int(operations.fingerprint[row])),
            "".join(n for bit, n in enumerate(NOTES) if operations.notes[row] >> bit & 1),
            text_at(operations.index_keys, int(operations.index_key[row])),
        )
        for row in range(len(operations))
    ]


@pytest.mark.parametrize("cut", [0, 1, 7, 64, 200])
@pytest.mark.parametrize("database", ["mdb", "hdb", "bdb", "wt"])
@pytest.mark.parametrize(
    ("said", "text", "kind"),
    [
        ("equality", "(mail=a@b)", "eq"),
        ("inequality", "(mail>=a)", "eq"),
        ("inequality", "(mail<=a)", "eq"),
        ("substring", "(mail=*a*)", "sub"),
        ("substrings", "(mail=a*)", "sub"),
        ("presence", "(mail=*)", "pres"),
        ("approx", "(mail~=a)", "approx"),
    ],
)
def test_a_search_without_an_index_is_noted(
    said: str, text: str, kind: str, database: str, cut: int
) -> None:
    notice = line(0, f"<= {database}_{said}_candidates: (mail) not indexed")
    scanner, rows = scan(search(1, text, notice) + search(2, "(uid=x)", second=4), cut)
    assert [row[1:] for row in rows] == [("A", f"mail key({kind})"), ("", "")]
    assert scanner.notices is not None
    assert scanner.notices.not_indexed() == [
        {"attribute": "mail", "kind": kind, "lines": 1, "searches": 1}
    ]


def test_the_words_of_old_servers_are_read_too() -> None:
    notice = line(0, "<= bdb_equality_candidates: (mail) index_param failed (18)")
    assert scan(search(1, "(mail=a)", notice))[1][0][1:] == ("A", "mail key(eq)")


def test_a_notice_of_another_kind_or_attribute_is_of_no_search_here() -> None:
    notices = line(0, "<= mdb_substring_candidates: (mail) not indexed") + line(0, NOTICE[:-1])
    _, rows = scan(search(1, "(cn=a)", notices) + search(2, "(mail=a)", second=4))
    assert [row[1] for row in rows] == ["", ""], "it came while the first was at work"


def test_what_narrows_a_filter_makes_it_partly_indexed() -> None:
    notice = line(0, "<= mdb_equality_candidates: (memberUid) not indexed")
    both = "(&(objectClass=posixGroup)(memberUid=a))"
    either = "(|(uid=a)(memberUid=a))"
    _, rows = scan(search(1, both, notice) + search(2, either, notice, second=4))
    assert [row[1:] for row in rows] == [("U", "memberUid key(eq)"), ("A", "memberUid key(eq)")]


def test_several_terms_of_one_search_are_named_together() -> None:
    notices = line(0, "<= mdb_equality_candidates: (sn) not indexed")
    notices += line(0, "<= mdb_substring_candidates: (cn) not indexed")
    _, rows = scan(search(1, "(&(cn=a*)(surname=b))", notices))
    assert rows[0][1:] == ("A", "cn key(sub), sn key(eq)"), "surname is sn by another name"


def test_searches_at_the_same_time_are_told_apart_by_their_filters() -> None:
    def asked(number: int, text: str) -> str:
        return line(0, f'conn={number} op=1 SRCH base="dc=a" scope=2 deref=0 filter="{text}"')

    def result(number: int) -> str:
        return line(2, f"conn={number} op=1 SEARCH RESULT tag=101 err=0 etime=2.0 nentries=1 text=")

    text = asked(1, "(mail=a)") + asked(2, "(uid=b)") + line(1, NOTICE[:-1]) + result(2) + result(1)
    assert {row[0]: row[1] for row in scan(text, 50)[1]} == {"(mail=?)": "A", "(uid=?)": ""}


@pytest.mark.parametrize("owner", ["0x7f5da53fe6c0", "conn=7 op=1"])
def test_a_thread_or_operation_that_is_named_decides(owner: str) -> None:
    """Two databases: the mail of one has an index."""
    head = "6b010435.0d4cd4da "
    one, other = "0x7f5da53fe6c0 ", "0x7f5da4bfd6c0 "
    text = (
        f'{head}{one}conn=7 op=1 SRCH base="dc=a" scope=2 deref=0 filter="(mail=a)"\n'
        f'{head}{other}conn=8 op=1 SRCH base="dc=b" scope=2 deref=0 filter="(mail=b)"\n'
        f"{head}{owner} {NOTICE}"
        f"{head}{other}conn=8 op=1 SEARCH RESULT tag=101 err=0 etime=1.0 nentries=1 text=\n"
        f"{head}{one}conn=7 op=1 SEARCH RESULT tag=101 err=0 etime=2.0 nentries=1 text=\n"
    )
    assert [row[1] for row in scan(text)[1]] == ["", "A"]


def test_who_writes_such_words_into_a_filter_gets_no_note() -> None:
    said = line(0, "connection_read(12): no connection!")
    words = "(mail=<= mdb_equality_candidates: (mail) not indexed)"
    deferring = "(a=connection_input: conn=9 deferring operation: binding)"
    scanner, rows = scan(said + search(1, words) + said + search(2, deferring, second=4))
    assert [row[1] for row in rows] == ["", ""]
    assert scanner.notices is not None
    assert scanner.notices.not_indexed() == scanner.notices.deferred() == []


@pytest.mark.parametrize("cut", [0, 33])
def test_deferred_operations_are_counted_by_connection(cut: int) -> None:
    text = line(1, "conn=1005 fd=12 ACCEPT from IP=10.0.0.5:40000 (IP=0.0.0.0:389)")
    for number in range(1, 4):
        text += line(2, f'conn=1005 op={number} SRCH base="dc=a" scope=0 deref=0 filter="(a=b)"')
        text += line(2, "connection_input: conn=1005 deferring operation: pending operations")
        text += line(
            3, f"conn=1005 op={number} SEARCH RESULT tag=101 err=0 etime=0.1 nentries=1 text="
        )
    text += line(4, "connection_input: conn=9 deferring operation: too many executing")
    scanner, _ = scan(text, cut)
    assert scanner.notices is not None
    first, second = scanner.notices.deferred()
    assert (first["conn"], first["client"], first["n"]) == (1005, "10.0.0.5", 3)
    assert first["reasons"] == {"pending operations": 3}
    assert first["first_ns"] <= first["last_ns"]
    assert (second["conn"], second["n"]) == (9, 1)
    assert second["reasons"] == {"too many executing": 1}


@pytest.mark.parametrize(
    ("text", "lacking", "everything"),
    [
        ("(a=?)", {("a", "eq")}, True),
        ("(a=?)", {("a", "sub")}, False),
        ("(&(a=?)(b=?))", {("a", "eq")}, False),
        ("(&(a=?)(b=?))", {("a", "eq"), ("b", "eq")}, True),
        ("(|(a=?)(b=?))", {("a", "eq")}, True),
        ("(&(a=?)(|(b=?)(c=?)))", {("a", "eq"), ("b", "eq")}, True),
        ("", {("a", "eq")}, False),
        ("(&)", {("a", "eq")}, False),
    ],
)
def test_which_filters_read_all_entries(
    text: str, lacking: set[tuple[str, str]], everything: bool
) -> None:
    assert reads_all(text, lacking) is everything
