"""A consumer of OpenLDAP that reads the whole database again and again, and what is not one."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.unit.cases.published import tell_files

BEGIN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
SYNCPROV = """\
dn: olcDatabase={1}mdb,cn=config
objectClass: olcMdbConfig
olcDatabase: {1}mdb
olcSuffix: dc=example,dc=com

dn: olcOverlay={0}syncprov,olcDatabase={1}mdb,cn=config
objectClass: olcSyncProvConfig
olcOverlay: {0}syncprov
"""


def log(times=12, took=0.4, attributes="* +", filter="(objectClass=*)"):  # noqa: A002
    """Of a minute: each refresh binds anew; somebody else looks people up."""
    lines = []

    def say(seconds, text):
        stamp = (BEGIN + timedelta(seconds=seconds)).isoformat(timespec="microseconds")
        lines.append((seconds, f"{stamp} ldap1 slapd[700]: {text}"))

    def search(seconds, conn, op, asked, wanted, etime):
        say(
            seconds,
            f'conn={conn} op={op} SRCH base="dc=example,dc=com" scope=2 deref=0 filter="{asked}"',
        )
        say(seconds, f"conn={conn} op={op} SRCH attr={wanted}")
        say(
            seconds + etime,
            f"conn={conn} op={op} SEARCH RESULT tag=101 err=0 qtime=0.000010 "
            f"etime={etime:.6f} nentries=1 text=",
        )

    say(0, "conn=1 fd=20 ACCEPT from IP=10.0.0.9:5001 (IP=0.0.0.0:389)")
    for n in range(240):
        search(0.1 + n / 4, 1, n, f"(uid=u{n})", "cn mail", 0.002)
    for n in range(times):
        at, conn = 1 + n * 58 / times, 100 + n
        say(at, f"conn={conn} fd=30 ACCEPT from IP=10.0.0.7:{6000 + n} (IP=0.0.0.0:389)")
        say(at, f'conn={conn} op=0 BIND dn="cn=replicator" method=128')
        say(at, f'conn={conn} op=0 BIND dn="cn=replicator" mech=SIMPLE bind_ssf=0 ssf=0')
        say(at + 0.001, f"conn={conn} op=0 RESULT tag=97 err=0 qtime=0.000010 etime=0.001000 text=")
        search(at + 0.002, conn, 1, filter, attributes, took)
        say(at + took + 0.01, f"conn={conn} op=2 UNBIND")
        say(at + took + 0.01, f"conn={conn} fd=30 closed")
    return "".join(line + "\n" for _, line in sorted(lines, key=lambda line: line[0]))


def test_a_consumer_without_a_session_log(tmp_path):
    files = {"slapd.log": log(), "slapcat.ldif": SYNCPROV}
    found = tell_files(files, tmp_path).findings["refresh_storm"]
    assert found.numbers["refreshes"] == 12
    said = str(found.sentence)
    assert "10.0.0.7 as cn=replicator asked for all changes below dc=example,dc=com" in said
    assert "400 ms each in the median" in said
    assert "syncprov of {1}mdb has no session log" in said


@pytest.mark.parametrize(
    "almost",
    [
        {"times": 4},
        {"took": 0.008},  # of no account
        {"attributes": "cn mail"},  # an export
        {"filter": "(objectClass=person)"},
    ],
    ids=str,
)
def test_who_is_no_consumer_that_costs_much(almost, tmp_path):
    assert "refresh_storm" not in tell_files({"slapd.log": log(**almost)}, tmp_path).findings
