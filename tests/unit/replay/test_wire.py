"""Requests are packed as ldap3 packs them, and answers are read however they are cut."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ldap3 import MODIFY_REPLACE
from ldap3.operation.add import add_operation
from ldap3.operation.delete import delete_operation
from ldap3.operation.modify import modify_operation
from ldap3.operation.modifyDn import modify_dn_operation
from ldap3.operation.search import search_operation
from ldap3.protocol.controls import build_control
from ldap3.protocol.rfc2696 import Cookie, RealSearchControlValue, Size
from pyasn1.codec.ber import encoder

from ldap_workbench.connect.ber import element, integer, octets
from ldap_workbench.replay import wire
from ldap_workbench.replay.wire import (
    FilterError,
    bind,
    in_pages,
    pack_filter,
    search,
    take_answers,
)
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


PAGED = "1.2.840.113556.1.4.319"


def paged_value(size, cookie):
    """As ldap3 encodes it."""
    value = RealSearchControlValue()
    value["size"], value["cookie"] = Size(size), Cookie(cookie)
    return encoder.encode(value)


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


def body_of(message):
    return message[message.index(_ID) + len(_ID) :]


def test_writes_are_packed_as_ldap3_packs_them():
    added = wire.add("cn=a,dc=x", {"objectClass": "device", "cn": "a"})
    asked = add_operation(
        "cn=a,dc=x", {"objectClass": [b"device"], "cn": [b"a"]}, auto_encode=False
    )
    assert body_of(added) == encoder.encode(asked)
    replaced = wire.replace("cn=a,dc=x", "description", "é" * 99)
    changes = {"description": [(MODIFY_REPLACE, [("é" * 99).encode()])]}
    asked = modify_operation("cn=a,dc=x", changes, auto_encode=False)
    assert body_of(replaced) == encoder.encode(asked)
    assert body_of(wire.delete("cn=a,dc=x")) == encoder.encode(delete_operation("cn=a,dc=x"))
    asked = encoder.encode(modify_dn_operation("cn=a,dc=x", "cn=b", delete_old_rdn=True))
    # ldap3 says TRUE as 01, where RFC 4511 asks for FF.
    assert body_of(wire.rename("cn=a,dc=x", "cn=b")) == asked.replace(
        b"\x01\x01\x01", b"\x01\x01\xff"
    )


@pytest.mark.parametrize("text", ["(uid=a)", f"(uid={'x' * 300})"])
def test_a_page_is_asked_for_as_ldap3_asks_for_it(text):
    plain = search("dc=x", 2, text, ("cn",))
    asked = numbered(in_pages(plain, 300, b"\0cookie"), 7)
    control = build_control(PAGED, True, paged_value(300, b"\0cookie"), encode_control_value=False)
    # ldap3 says TRUE as 01, where RFC 4511 asks for FF.
    controls = encoder.encode(control).replace(b"\x01\x01\x01", b"\x01\x01\xff")
    body = numbered(plain, 7)[plain.index(_ID) :] + element(0xA0, controls)
    assert asked == element(0x30, body)


@pytest.mark.parametrize("cookie", [b"", b"c" * 200])
def test_the_cookie_of_a_page_is_read_among_other_controls(cookie):
    other = element(0x30, octets("1.2.3"))
    page = element(0x30, integer(0), element(0x04, cookie))
    mine = element(0x30, octets(PAGED), b"\x01\x01\x00", element(0x04, page))
    done = element(wire.SEARCH_DONE, b"\x0a\x01\x00\x04\x00\x04\x00")
    whole = element(0x30, b"\x02\x01\x07", done, element(0xA0, other, mine))
    [found] = take_answers(bytearray(whole))
    assert (found.number, found.code, found.cookie) == (7, 0, cookie)
    bare = element(0xA0, element(0x30, octets(PAGED)))
    [empty] = take_answers(bytearray(element(0x30, b"\x02\x01\x07", done, bare)))
    assert empty.cookie == b""
    referral = element(0xA3, octets("ldap://x"))
    [plain] = take_answers(bytearray(element(0x30, b"\x02\x01\x07", done, referral)))
    assert plain.cookie == b""


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
