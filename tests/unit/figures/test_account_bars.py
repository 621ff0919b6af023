"""By what the picture of an account groups: by what tells the operations apart."""

from dataclasses import replace

import pytest

from ldap_workbench.figures.overview.account import Bar, Piece, operations_of, together
from ldap_workbench.model.message import Message

SECOND = 1_000_000_000


def bars(key, **waited_s):
    """A bar for each name, '' for `rest`."""
    return tuple(
        Bar(
            "" if name == "rest" else name,
            (Piece("", Message("Unexplained"), name, seconds * SECOND),),
            key,
        )
        for name, seconds in waited_s.items()
    )


class Summary:
    """What `together` reads of a summary."""

    def __init__(self, clients, people, kinds):
        self.bars = (bars("client", **clients), bars("bind_dn", **people), bars("kind", **kinds))


KINDS = {"BIND": 9, "MOD": 3}


@pytest.mark.parametrize(
    ("clients", "people", "key"),
    [
        ({"a": 8, "b": 4}, {"cn": 12}, "client"),
        ({"a": 8, "b": 2, "rest": 2}, {"cn": 12}, "client"),
        ({"a": 2, "b": 2, "rest": 8}, {"cn": 6, "uid": 6}, "bind_dn"),  # hardly any has a name
        ({"a": 12}, {"cn": 6, "uid": 6}, "bind_dn"),  # all behind one address
        ({"a": 12}, {"rest": 12}, "kind"),
        ({"rest": 12}, {"cn": 12}, "kind"),
    ],
)
def test_the_first_grouping_that_tells_who_waited_is_taken(clients, people, key):
    chosen = together([Summary(clients, people, KINDS)])
    assert {bar.key for bar in chosen} == {key}
    assert sum(bar.ns for bar in chosen) == 12 * SECOND


def test_where_all_are_alike_it_stays_with_clients():
    assert [bar.key for bar in together([Summary({"a": 12}, {"cn": 12}, {"BIND": 12})])] == [
        "client"
    ]


def test_windows_are_one_picture_of_one_grouping():
    apart = Summary({"a": 8, "b": 4}, {"cn": 12}, KINDS)
    alike = Summary({"rest": 120}, {"cn": 120}, {"BIND": 100, "SRCH": 20})
    chosen = together([apart, alike])
    assert [(bar.name, bar.ns) for bar in chosen] == [
        ("BIND", 109 * SECOND),
        ("SRCH", 20 * SECOND),
        ("MOD", 3 * SECOND),
    ]


@pytest.mark.parametrize(
    ("bar", "words"),
    [
        (Bar("10.0.0.1", ()), "client=10.0.0.1"),
        (Bar("cn=a,dc=x", (), "bind_dn"), 'dn="cn=a,dc=x"'),
        (Bar("SRCH (mail=?)", (), "kind"), 'type=SRCH filter="(mail=?)"'),
        (Bar("BIND", (), "kind"), "type=BIND"),
    ],
)
def test_a_bar_is_found_among_the_operations(bar, words):
    assert operations_of(bar, None) == words
    piece = Piece("", Message("Unexplained"), "MOD", 1)
    if bar.key != "kind":
        assert operations_of(bar, piece) == f"{words} type=MOD"
        assert operations_of(bar, replace(piece, kind="")) == words
