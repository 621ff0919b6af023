"""Requests are packed as ldap3 packs them, and answers are read however they are cut."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ldap3.operation.search import search_operation
from pyasn1.codec.ber import encoder

from ldap_workbench.connect.ber import element
from ldap_workbench.replay import wire
from ldap_workbench.replay.wire import FilterError, bind, pack_filter, search, take_answers
from ldap_workbench.replay.wire import with_id as numbered

FILTERS = [
    "(uid=user7)",
    "(objectClass=*)",
    "(cn=a*b*c)",
    "(cn=*end)",
    "(cn=begin*)",
    "(age>=7)",
    "(age<=7)",
    "(cn~=alike)",
    "(&(objectClass=person)(|(uid=a)(mail=a@example.com))(!(cn=x)))",
    r"(cn=\2aliteral\28\29)",
    "(cn=Grüße)",
]


_ID = b"\x02\x04\0\0\0\0"


def of_ldap3(text, attributes):
    request = search_operation(
        "dc=example,dc=com", text, "SUBTREE", "NEVER", list(attributes), 0, 0, False,
        auto_escape=False, auto_encode=False,
    )  # fmt: skip
    return encoder.encode(request)


@pytest.mark.parametrize("text", FILTERS)
def test_a_search_is_packed_as_ldap3_packs_it(text):
    packed = search("dc=example,dc=com", 2, text, ("cn", "mail"))
    assert packed[packed.index(_ID) + len(_ID) :] == of_ldap3(text, ("cn", "mail"))


@pytest.mark.parametrize(
    ("text", "packed"),
    [  # ldap3 says FALSE of dnAttributes, where servers and other clients leave it out
        ("(cn:caseExactMatch:=A)", b"\xa9\x17\x81\x0ecaseExactMatch\x82\x02cn\x83\x01A"),
        ("(ou:dn:=people)", b"\xa9\x0f\x82\x02ou\x83\x06people\x84\x01\xff"),
        ("(:dn:2.4:=Dino)", b"\xa9\x0e\x81\x032.4\x83\x04Dino\x84\x01\xff"),
    ],
)
def test_extensible_matches_are_packed_as_the_standard_says(text, packed):
    assert pack_filter(text) == packed


@pytest.mark.parametrize(
    "text",
    ["", "uid=a", "(uid=a", "(uid=a))", "(!(a=1)(b=2))", "(=a)", "(a)", "(:=x)", "(&(a=1)x)"],
)
def test_what_is_no_filter_is_refused(text):
    with pytest.raises(FilterError):
        pack_filter(text)


def test_a_filter_of_a_thousand_levels_is_refused():
    with pytest.raises(FilterError):
        pack_filter("(!" * 1000 + "(a=1)" + ")" * 1000)


@pytest.mark.parametrize("number", [1, 2_000_000, 2**31 - 1])
@pytest.mark.parametrize("text", ["(uid=a)", f"(uid={'x' * 300})", f"(uid={'x' * 70_000})"])
def test_a_message_gets_its_id(text, number):
    before = search("", 0, text, ())
    after = numbered(before, number)
    assert len(after) == len(before)
    at = before.index(_ID)
    assert after[at + 2 : at + 6] == number.to_bytes(4, "big")
    assert after[:at] + after[at + 6 :] == before[:at] + before[at + 6 :]


def test_a_bind_has_its_dn_and_password():
    assert b"\x04\x04cn=a\x80\x06secret" in bind("cn=a", "secret")


def answer(number, tag, code=0):
    body = b"\x0a\x01" + bytes((code,)) + b"\x04\x00\x04\x00"
    return element(0x30, element(0x02, number.to_bytes(4, "big")), element(tag, body))


@given(st.lists(st.integers(1, 40), max_size=12), st.integers(0, 60))
def test_answers_are_read_however_they_are_cut(cuts, code):
    entry = element(0x30, b"\x02\x01\x07", element(wire.ENTRY, b"x" * 300))
    text = entry + answer(7, wire.SEARCH_DONE, code) + answer(8, wire.BIND_DONE)
    received, found, at = bytearray(), [], 0
    for cut in [*cuts, len(text)]:
        received += text[at : at + cut]
        at += cut
        found += take_answers(received)
    assert [(each.number, each.tag, each.code) for each in found] == [
        (7, wire.ENTRY, 0), (7, wire.SEARCH_DONE, code), (8, wire.BIND_DONE, 0),
    ]  # fmt: skip
    assert not received


@given(st.binary(max_size=200))
def test_what_is_not_ldap_is_an_error_or_waits_for_more(junk):
    received = bytearray(junk)
    with suppress(ValueError):
        take_answers(received)
        assert junk.endswith(received)


def test_an_answer_without_end_is_not_waited_for():
    with pytest.raises(ValueError, match="too long"):
        take_answers(bytearray(b"\x30\x84\x7f\xff\xff\xff"))
