"""A kind of operation, as plans and people write it."""

import pytest

from ldap_workbench.model.kind import OperationKind
from ldap_workbench.model.metric import PrimaryMetric


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
