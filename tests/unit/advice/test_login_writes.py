"""Logins that write: inside the bind, in the audit log, by the configuration."""

import pytest

from ldap_workbench.advice.families import binds, paces
from ldap_workbench.advice.families.client_habits import repeated_search
from ldap_workbench.logs.server.audit389 import AuditRecord
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from tests.unit.advice.material import T0, Log, only, view


def log_of(binds, writing, people=10):
    """Binds of some people, the first `writing` of them with a MOD of the server inside."""
    log = Log()
    dns = [f"uid=u{n},dc=a" for n in range(people)]
    for n in range(binds):
        log.add("BIND", n, 0.01, conn=n, op=0, bind_dn=dns[n % people])
        if n < writing:
            log.add("MOD", n, 0.004, conn=n, op=0, internal=True, base=dns[n % people])
    return log


def audit(changes, attribute="lastLoginTime"):
    return tuple(
        AuditRecord(T0 + n, "uid=u,dc=a", "modify", (attribute,), "", 0) for n in range(changes)
    )


def lastbind(**attributes):
    entry = ConfigurationEntry(
        "olcDatabase={1}mdb,cn=config", {"olclastbind": ("TRUE",)} | attributes
    )
    return Configuration((entry,))


def test_changes_inside_binds_are_counted_and_priced():
    found = only(binds.find_login_writes(view(log_of(100, 80))), "login_writes")
    assert found.numbers == {"writes": 80, "binds": 80}
    assert found.worker_ns == 80 * 4_000_000
    assert found.confidence == "high"


@pytest.mark.parametrize(
    "log",
    [
        log_of(100, 40),  # fewer than half
        log_of(40, 40),  # too few to say
        log_of(100, 100, people=100),  # once each: a password is hashed anew
    ],
)
def test_some_changes_inside_binds_are_no_finding(log):
    assert binds.find_login_writes(view(log)) == []


def test_the_audit_log_names_the_attribute():
    found = only(binds.find_login_writes(view(log_of(100, 0), audit=audit(90))), "login_writes")
    assert "lastLoginTime" in str(found.sentence)
    assert binds.find_login_writes(view(log_of(100, 0), audit=audit(40))) == []
    assert binds.find_login_writes(view(log_of(100, 0), audit=audit(90, "description"))) == []


KDC = "(&(|(objectclass=?)(objectclass=?))(krbprincipalname=?))"
"""As MIT's KDC looks for a principal; FreeIPA's asks for an alias as well."""


def tickets(n, filter=KDC, binds=4, **columns):  # noqa: A002
    """Two searches and a change for each ticket, as a KDC asks over connections that it keeps."""
    log = Log()
    for conn in range(binds):
        log.add("BIND", 0.01 * conn, 0.0006, conn=conn, op=0, bind_dn="cn=directory manager")
    for ticket in range(n):
        at, who = 3 + 0.05 * ticket, {"conn": ticket % 4, "client": "local"} | columns
        for step in range(2):
            log.add("SRCH", at + 0.001 * step, 0.0007, filter=filter, base="dc=a", **who)
        log.add("MOD", at + 0.003, 0.015, base=f"uid=u{ticket},dc=a", **who)
    return log


@pytest.mark.parametrize("attribute", ["krbLastSuccessfulAuth", "krbLoginFailedCount"])
def test_a_kdc_writes_where_nobody_binds(attribute):
    seen = view(tickets(200), audit=audit(200, attribute))
    found = only(binds.find_login_writes(seen), "login_writes")
    assert found.numbers["writes"] == 200
    assert found.worker_ns == 200 * 15_000_000
    assert attribute in str(found.sentence)
    assert "tickets" in str(found.owner_steps[0])


IPA = (
    "(&(|(objectclass=?)(objectclass=?))"
    "(|(ipakrbprincipalalias=?)(krbprincipalname:caseignoreia5match:=?)))"
)


@pytest.mark.parametrize("filter", [KDC, IPA])
def test_a_kdc_is_known_by_what_it_asks(filter):  # noqa: A002
    """Without an audit log its changes count."""
    found = only(binds.find_login_writes(view(tickets(60, filter))), "login_writes")
    assert (found.numbers["writes"], found.confidence) == (60, "medium")
    assert binds.find_login_writes(view(tickets(40, filter))) == []


def test_who_changes_people_after_other_searches_is_no_kdc():
    assert binds.find_login_writes(view(tickets(200, "(uid=?)"))) == []
    assert binds.find_login_writes(view(tickets(200, "(|(uid=?)(krbprincipalname=?))"))) == []


def test_a_kdc_is_not_told_to_cache():
    """It has to read the principal anew; anybody else is told of the same searches."""
    assert repeated_search(view(tickets(200))) == []
    assert paces.find_loops(view(tickets(200))) == []
    for dn, told in (("krbprincipalname=krbtgt/A@A,cn=a", False), ("uid=app,dc=a", True)):
        log = tickets(200, "(objectclass=*)", bind_dn=dn)
        assert bool(repeated_search(view(log))) is told


def test_a_setting_counts_where_there_are_logins_or_nothing_at_all():
    many = only(
        binds.find_login_writes(view(log_of(100, 0), configuration=lastbind())), "login_writes"
    )
    assert (many.severity, many.confidence) == (2, "medium")
    alone = only(binds.find_login_writes(view(configuration=lastbind())), "login_writes")
    assert alone.severity == 1
    assert binds.find_login_writes(view(log_of(5, 0), configuration=lastbind())) == []
    coarse = lastbind(olclastbindprecision=("3600",))
    assert binds.find_login_writes(view(log_of(100, 0), configuration=coarse)) == []
