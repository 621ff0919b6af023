"""Logins that write: inside the bind, in the audit log, by the configuration."""

import pytest

from ldap_workbench.advice.families import login_writes
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
    found = only(login_writes.find(view(log_of(100, 80))), "login_writes")
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
    assert login_writes.find(view(log)) == []


def test_the_audit_log_names_the_attribute():
    found = only(login_writes.find(view(log_of(100, 0), audit=audit(90))), "login_writes")
    assert "lastLoginTime" in str(found.sentence)
    assert login_writes.find(view(log_of(100, 0), audit=audit(40))) == []
    assert login_writes.find(view(log_of(100, 0), audit=audit(90, "description"))) == []


def test_a_setting_counts_where_there_are_logins_or_nothing_at_all():
    many = only(login_writes.find(view(log_of(100, 0), configuration=lastbind())), "login_writes")
    assert (many.severity, many.confidence) == (2, "medium")
    alone = only(login_writes.find(view(configuration=lastbind())), "login_writes")
    assert alone.severity == 1
    assert login_writes.find(view(log_of(5, 0), configuration=lastbind())) == []
    coarse = lastbind(olclastbindprecision=("3600",))
    assert login_writes.find(view(log_of(100, 0), configuration=coarse)) == []
