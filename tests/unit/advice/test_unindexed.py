"""Searches without an index: by notes, or on slapd by what its configuration has."""

import pytest

from ldap_workbench.advice.families import search_shape
from ldap_workbench.capture.importing.companions import kept_of
from ldap_workbench.logs.server.ldif import read_ldif
from tests.unit.advice.configurations import dse, slapd
from tests.unit.advice.material import Log, only, view

INDEXED = ("objectClass eq", "uid,cn eq,subinitial", "mail pres", "default eq", "sn")
BASE = "ou=people,dc=example,dc=com"


def seen(filter, *, count=200, ldif=None, scope=2, **columns):  # noqa: A002
    """Searches of one kind, which take a fifth of the time, on a slapd with these indexes."""
    log = Log().background(60)
    for n in range(count):
        usual = {"filter": filter, "base": BASE, "client": "192.0.2.7"}
        log.add("SRCH", n / 4, 0.003, **(usual | columns))
    configuration = kept_of(read_ldif((ldif or slapd(indexed=INDEXED)).encode()))
    asked = f'SRCH base="{BASE}" scope={scope} deref=0 filter="{filter}"'
    return view(log, configuration=configuration, request_of=lambda row: asked)


@pytest.mark.parametrize(
    "filter",
    [
        "(description=?)",
        "(uid=*)",
        "(mail=?)",
        "(&(objectclass=*)(description=?))",
        "(&(!(uid=?))(description=?))",
        "(|(uid=?)(description=?))",
        "(&(|(uid=?)(description=?))(title=?))",
        "(title>=?)",
    ],
)
def test_a_filter_that_no_index_of_slapd_serves(filter):  # noqa: A002
    found = only(search_shape.find(seen(filter)), "unindexed")
    assert found.numbers["filters"] == [filter]
    assert found.numbers["searches"] == found.numbers["fully"] == 200
    assert found.worker_ns


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("equality", {"filter": "(uid=?)"}),
        ("a part", {"filter": "(cn=?*)"}),
        ("the default", {"filter": "(sn>=?)"}),
        ("presence", {"filter": "(mail=*)"}),
        ("every entry is wanted", {"filter": "(objectclass=*)"}),
        ("one of both", {"filter": "(&(uid=?)(description=?))"}),
        ("nothing an index can do", {"filter": "(!(description=?))"}),
        ("a matching rule", {"filter": "(cn:caseexactmatch:=?)"}),
        ("the entry itself", {"filter": "(description=?)", "scope": 0}),
        ("another database", {"filter": "(description=?)", "base": "cn=Monitor"}),
        ("the server's own", {"filter": "(description=?)", "internal": True}),
        ("a few", {"filter": "(description=?)", "count": 90}),
        ("389 DS, which notes them", {"filter": "(description=?)", "ldif": dse()}),
    ],
)
def test_what_is_not_without_an_index(name, columns):
    assert not [f for f in search_shape.find(seen(**columns)) if f.id == "unindexed"], name


def test_389_ds_notes_them():
    found = only(search_shape.find(seen("(description=?)", ldif=dse(), notes="U")), "unindexed")
    assert (found.numbers["searches"], found.numbers["fully"]) == (200, 0)
