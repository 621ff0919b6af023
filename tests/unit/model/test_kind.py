"""A kind of operation, as plans and people write it."""

import pytest

from ldap_workbench.model.kind import OperationKind, PrimaryMetric, subject_of


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("SRCH[(mail=?)]", OperationKind("SRCH", "filter", "(mail=?)")),
        ("SRCH[(&(objectclass=?)(cn=?*?))]",
         OperationKind("SRCH", "filter", "(&(objectclass=?)(cn=?*?))")),
        ("BIND[client=10.0.0.5]", OperationKind("BIND", "client", "10.0.0.5")),
        ("ALL[client=2001:db8::1]", OperationKind("ALL", "client", "2001:db8::1")),
        ("MOD[dn=uid=app,dc=example]", OperationKind("MOD", "dn", "uid=app,dc=example")),
    ],
)  # fmt: skip
def test_a_kind_is_written_as_it_is_read(text, kind):
    assert OperationKind.parse(text) == kind
    assert str(kind) == text
    assert PrimaryMetric.parse(f"{text}:p50") == PrimaryMetric("p50", text)


@pytest.mark.parametrize(
    "text",
    ["SRCH", "", "SRCH[]", "SRCH[mail]", "SRCH[client=]", "BIND[(mail=?)]", "ALL[(mail=?)]",
     "SEARCH[(mail=?)]", "SRCH[base=dc=x]"],
)  # fmt: skip
def test_what_is_no_kind_is_none(text):
    assert OperationKind.parse(text) is None


@pytest.mark.parametrize(
    ("text", "name", "subject"),
    [
        ("SRCH[(mail=?)]", "searches (mail=?)", "Searches (mail=?)"),
        ("BIND[client=10.0.0.5]", "binds from 10.0.0.5", "Binds from 10.0.0.5"),
        ("MOD[dn=uid=app,dc=x]", "modifications by uid=app,dc=x", "Modifications by uid=app,dc=x"),
        ("ALL[client=::1]", "operations from ::1", "Operations from ::1"),
        ("EXT[client=::1]", "EXT from ::1", "EXT from ::1"),
    ],
)
def test_a_kind_has_a_plain_name(text, name, subject):
    kind = OperationKind.parse(text)
    assert (str(kind.name), str(kind.subject)) == (name, subject)
    assert str(subject_of(text)) == subject


def test_what_has_no_plain_name_begins_no_sentence():
    assert str(subject_of("BIND")) == "Binds"
    assert subject_of("EXT") is None
    assert subject_of("SRCH[mail]") is None
