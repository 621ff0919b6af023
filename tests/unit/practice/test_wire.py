"""BER, filters and DNs, against what ldap3 puts on the wire."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ldap3.operation.search import search_operation
from pyasn1.codec.ber import encoder

from ldap_workbench.connect import ber
from ldap_workbench.practice.ldap.filters import filter_of
from ldap_workbench.practice.model.tree import Entry, People, normal, parse_ldif

ENTRY = Entry(
    "uid=ann,dc=x",
    [("uid", "ann"), ("cn", "Ann (the first)"), ("uidNumber", "1042"), ("objectClass", "person")],
)


def wire(text):
    """The filter element of a SearchRequest as ldap3 encodes it."""
    operation = search_operation("", text, "BASE", "ALWAYS", ["*"], 0, 0, False, True, True)
    request, _ = ber.read(encoder.encode(operation))
    return request.children()[6]


@pytest.mark.parametrize(
    ("text", "matches"),
    [
        ("(uid=ANN)", True),
        ("(uid=bob)", False),
        ("(cn=*)", True),
        ("(sn=*)", False),
        ("(cn=a*first)", False),
        ("(cn=a*first*)", True),
        (r"(cn=*\28*the*)", True),
        (r"(cn=ann \28the first\29)", True),
        ("(uidNumber>=1000)", True),
        ("(uidNumber>=1043)", False),
        ("(uidNumber<=1042)", True),
        ("(&(uid=ann)(objectClass=person))", True),
        ("(&(uid=ann)(objectClass=group))", False),
        ("(|(uid=bob)(objectClass=person))", True),
        ("(!(uid=bob))", True),
    ],
)
def test_filters_are_understood(text, matches):
    shown, test = filter_of(wire(text))
    assert test(ENTRY.values) is matches
    assert shown.startswith("(")


def test_a_filter_is_shown_as_the_log_shows_it():
    text = "(&(objectClass=person)(|(uid=a*b)(uidNumber>=5))(!(cn=*)))"
    assert filter_of(wire(text))[0] == text


@given(st.binary(max_size=300), st.integers(-(2**40), 2**40))
def test_what_is_encoded_is_read_back(data, number):
    element = ber.element(ber.SEQUENCE, ber.octets(data), ber.integer(number))
    outer, end = ber.read(element)
    first, second = outer.children()
    assert (end, first.value, second.integer()) == (len(element), data, number)


@given(st.binary(max_size=60))
def test_nonsense_is_refused_not_believed(data):
    try:
        element, end = ber.read(data)
    except ber.BerError:
        return
    assert end <= len(data)
    assert element.value == data[end - len(element.value) : end]


@pytest.mark.parametrize(
    "dn",
    [
        "cn=dc\\3Dexample\\2Cdc\\3Dcom,cn=mapping tree,cn=config",
        'cn="dc=example,dc=com", cn=Mapping Tree, cn=config',
        "cn=dc\\=example\\,dc\\=com,cn=mapping tree,cn=config",
    ],
)
def test_dns_are_compared_in_one_form(dn):
    assert normal(dn) == "cn=dc\\3dexample\\2cdc\\3dcom,cn=mapping tree,cn=config"


def test_ldif_keeps_names_order_and_values():
    entries = parse_ldif("dn: cn=a\nCn: a\nb: 1\nb: 2\nempty:\n\ndn: cn=c\ncn: c\n")
    assert [entry.dn for entry in entries] == ["cn=a", "cn=c"]
    assert list(entries[0]) == [("Cn", ["a"]), ("b", ["1", "2"]), ("empty", [""])]


def test_people_are_made_up_as_they_are_asked_for():
    people = People(100)
    assert people.get("uid=user0000099,ou=people,dc=example,dc=com").first("mail")
    assert people.get("uid=user0000100,ou=people,dc=example,dc=com") is None
    assert people.get("uid=user99,ou=people,dc=example,dc=com") is None
    assert people.get("cn=group007,ou=groups,dc=example,dc=com").values("member")
    assert sum(1 for _ in people.below("ou=people,dc=example,dc=com")) == 100
    assert [entry.first("uid") for entry in people.named("user0000098")] == ["user0000098"]
    assert len([*people.named("user000009")]) == 10
    assert [*people.named("a")] == [*people.named("userx")] == []
