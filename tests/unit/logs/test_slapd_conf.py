"""slapd.conf says the same as cn=config, in other words."""

from __future__ import annotations

import pytest

from ldap_workbench.logs.reading.detect import detect
from ldap_workbench.logs.reading.reports import Tally
from ldap_workbench.logs.server.slapd_conf import read_slapd_conf

CONF = """\
# global
include\t\t/etc/ldap/schema/core.schema
loglevel stats
conn_max_pending 200
threads 32

database  config
rootpw  secret
database monitor
database mdb
suffix "dc=example,dc=com"
rootdn "cn=admin,dc=example,dc=com"
directory /var/lib/ldap
maxsize 1073741824
index   objectClass\teq
index cn,uid
    eq,sub
dbnosync
lastmod off
overlay syncprov
syncprov-checkpoint 100 10
overlay refint
refint_attributes member uniqueMember
database hdb
suffix "o=other"
overlay memberof
"""


def attributes(text: str) -> dict[str, dict[str, list[str]]]:
    """Entries by DN, without what no attribute is called."""
    return {
        entry.dn: {name: [v.decode() for v in values] for name, values in entry.attributes.items()}
        for entry in read_slapd_conf(text.encode())
    }


def test_each_section_is_an_entry_with_the_name_it_has_in_cn_config() -> None:
    assert list(attributes(CONF)) == [
        "cn=config",
        "olcDatabase={0}config,cn=config",
        "olcDatabase={1}monitor,cn=config",
        "olcDatabase={2}mdb,cn=config",
        "olcOverlay={0}syncprov,olcDatabase={2}mdb,cn=config",
        "olcOverlay={1}refint,olcDatabase={2}mdb,cn=config",
        "olcDatabase={3}hdb,cn=config",
        "olcOverlay={0}memberof,olcDatabase={3}hdb,cn=config",
    ]


@pytest.mark.parametrize(
    ("dn", "name", "values"),
    [
        ("cn=config", "olcThreads", ["32"]),
        ("cn=config", "olcConnMaxPending", ["200"]),
        ("cn=config", "olcLogLevel", ["stats"]),
        ("olcDatabase={2}mdb,cn=config", "olcSuffix", ["dc=example,dc=com"]),
        ("olcDatabase={2}mdb,cn=config", "olcDbDirectory", ["/var/lib/ldap"]),
        ("olcDatabase={2}mdb,cn=config", "olcDbMaxSize", ["1073741824"]),
        ("olcDatabase={2}mdb,cn=config", "olcDbIndex", ["objectClass eq", "cn,uid eq,sub"]),
        ("olcDatabase={2}mdb,cn=config", "olcDbNosync", ["TRUE"]),
        ("olcDatabase={2}mdb,cn=config", "olcLastMod", ["FALSE"]),
        (
            "olcOverlay={0}syncprov,olcDatabase={2}mdb,cn=config", "olcSpCheckpoint",
            ["100 10"],
        ),
        (
            "olcOverlay={1}refint,olcDatabase={2}mdb,cn=config", "olcRefintAttribute",
            ["member", "uniqueMember"],
        ),
        ("olcDatabase={3}hdb,cn=config", "olcSuffix", ["o=other"]),
    ],
)  # fmt: skip
def test_a_directive_is_the_attribute_of_its_name(dn: str, name: str, values: list[str]) -> None:
    assert attributes(CONF)[dn][name.lower()] == values


def test_every_line_is_counted() -> None:
    tally = Tally()
    read_slapd_conf(CONF.encode() + b"=== no directive ===\n", tally)
    counts = tally.counts
    assert (counts.understood, counts.set_aside, counts.unknown) == (24, 2, 1)


def test_it_is_named_by_its_content_and_what_looks_like_it_is_not() -> None:
    assert detect(CONF.encode()).dialect == "slapd-conf"
    nslcd = b"uid nslcd\nuri ldap://ldap.example.com/\nbase dc=example\nthreads 5\ntimelimit 30\n"
    assert detect(nslcd).dialect == "unknown"
    client = b"BASE dc=example,dc=com\nURI ldap://ldap.example.com\nSIZELIMIT 12\n"
    assert detect(client).dialect == "unknown"
