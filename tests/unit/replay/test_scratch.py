"""Writes go to entries of the replay's own, whatever a script says, and these are there in time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldap_workbench.connect.ber import read
from ldap_workbench.model.operations import CHANGES
from ldap_workbench.replay.endpoint import Endpoint, playable
from ldap_workbench.replay.player import Pace, arrivals
from ldap_workbench.replay.script import Conversation, Request, Scratch, Script, own_name

PARENT = "ou=ldap-workbench-replay-1,ou=tests,dc=example,dc=com"


def write(kind, entry, renamed=0, gap_ns=0):
    return Request(True, gap_ns, "", write=kind, entry=entry, renamed=renamed)


def script(*requests_of_each):
    conversations = (Conversation(0, tuple(each)) for each in requests_of_each)
    return Script(10**9, "there", "i", tuple(conversations))


def written_dn(message):
    """DN and the rest of the request."""
    _, operation = read(message)[0].children()
    if operation.tag == 0x4A:
        return operation.text(), []
    dn, *rest = operation.children()
    return dn.text(), rest


@given(
    kind=st.sampled_from(CHANGES),
    base=st.text(max_size=40),
    numbers=st.tuples(st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1)),
    number=st.integers(1, 10**6),
)
def test_no_write_leaves_the_container(kind, base, numbers, number):
    request = Request(
        True, 0, base, 2, base, (base,), write=kind, entry=numbers[0], renamed=numbers[1]
    )
    whole = script([request])
    [arrival] = arrivals(whole, Pace())
    dn, rest = written_dn(Scratch(PARENT, whole).message(request, arrival.round, number))
    name = own_name(dn)
    assert dn == f"cn={name},{PARENT}"
    if kind == "MODRDN":  # a new name, the old one goes, and no new superior
        assert [each.tag for each in rest] == [0x04, 0x01]
        assert own_name(f"{rest[0].text()},") == rest[0].text().removeprefix("cn=") != ""


def test_what_is_modified_alone_is_one_entry_and_all_else_is_of_its_connection_and_copy():
    own = [
        write("ADD", 2),
        write("MOD", 2),
        write("MODRDN", 2, 3),
        write("DEL", 3),
        write("DEL", 4),
    ]
    whole = script([write("MOD", 1), *own], [write("MOD", 1), write("MODRDN", 5, 6)])
    scratch = Scratch(PARENT, whole)
    plays = list(arrivals(whole, Pace(seconds=2.0)))
    assert sorted({each.round for each in plays}) == ["0-0", "0-1"]
    assert sorted(scratch.needed(plays)) == ["e1", "e4-0-0", "e4-0-1", "e5-0-0", "e5-0-1"]
    names = [written_dn(scratch.message(each, "0-1", 7))[0].partition(",")[0] for each in own]
    assert names == ["cn=e2-0-1", "cn=e2-0-1", "cn=e2-0-1", "cn=e3-0-1", "cn=e4-0-1"]


@pytest.mark.parametrize(
    "dn",
    ["cn=e1", "cn=x1,ou=a", "ou=e1,dc=x", "cn=e1-2,dc=x", "cn=e1+ou=b,dc=x", "cn=e1 ,dc=x", ""],
)
def test_an_entry_of_somebody_else_is_not_ours(dn):
    assert own_name(dn) == ""


def test_writes_are_left_out_where_they_have_no_place():
    search = Request(True, 5, "dc=x", 2, "(a=b)")
    whole = script([write("MOD", 1, gap_ns=7), search], [write("ADD", 2)])
    for to in (Endpoint("h", 389, bind_dn="cn=dm"), Endpoint("h", 389, scratch=PARENT)):
        left = playable(whole, to)
        [only] = left.conversations
        assert [each.kind for each in only.requests] == ["SRCH"]
        assert only.requests[0].gap_ns == 12  # the think time before the write is kept
        assert left.skipped == {"ADD, without --writes-under": 1, "MOD, without --writes-under": 1}


def test_a_connection_that_writes_is_bound_before():
    to = Endpoint("h", 389, bind_dn="cn=dm", scratch=PARENT)
    bind, search = Request(False, 0, None), Request(False, 5, "dc=x", 2, "(a=b)")
    whole = script([search, write("MOD", 1), bind], [bind, write("MOD", 1)], [search])
    kinds = [[each.kind for each in one.requests] for one in playable(whole, to).conversations]
    assert kinds == [["BIND", "SRCH", "MOD", "BIND"], ["BIND", "MOD"], ["SRCH"]]
    assert playable(whole, to).conversations[0].requests[1].waited
