"""Which knobs the live tests walk through, and the values they set them to.

Every knob that is not told in steps is walked on every server that has it; some have tests of their
own (ELSEWHERE). What a walk set, read back, proved and put back is recorded (record.py), and only
that may be called verified: see test_walks.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from ldap_workbench.model.knob import Effect, Knob, ValueKind
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers.product import product_of
from ldap_workbench.tuning.catalogue import Catalogue, load_catalogue


def _walked(product: str, effect: Effect | None = None) -> list[Knob]:
    return [
        knob
        for knob in load_catalogue(product).knobs
        if not knob.steps
        and not knob.on_host
        and effect in (None, knob.effect)
        and not (knob.per_attribute or knob.many)
    ]


def _of_389ds(effect: Effect) -> list[Knob]:
    names = {knob.name for knob in ELSEWHERE}
    every = [knob for knob in _walked("389ds", effect) if knob.name not in names]
    return [knob for knob in every if knob.db_library != "mdb" and not knob.optional]


ELSEWHERE = [
    load_catalogue().knob(name)
    for name in ("index", "vlv", "nsIndexIDListScanLimit", "nsslapd-auditlog",
                 "nsslapd-db-logdirectory")
] + [
    load_catalogue("openldap").knob(name)
    for name in ("index", "olcDbIndex", "olcLimits", "olcDynListAttrSet", "olcTLSCipherSuite")
]  # fmt: skip
"""Those that need an entry, a file, a folder or a certificate: tests of their own set them."""
LIVE = _of_389ds(Effect.LIVE)
RESTART = _of_389ds(Effect.RESTART)
OFFLINE = _of_389ds(Effect.OFFLINE)
LMDB = [knob for knob in _walked("389ds") if knob.db_library == "mdb"]
REPLICATION = [knob for knob in _walked("389ds") if knob.optional and not knob.of_bind_dn]
BIND_DN = [knob for knob in load_catalogue().knobs if knob.of_bind_dn]
HOST = [knob for knob in load_catalogue().knobs if knob.on_host and knob.verified]
OPENLDAP = [
    knob
    for knob in _walked("openldap", Effect.LIVE)
    if not knob.db_library and knob not in ELSEWHERE
]
OPENLDAP_OFFLINE = [
    knob
    for knob in _walked("openldap")
    if knob.effect is Effect.OFFLINE or (knob.crashes and knob.name == "olcTCPBuffer")
]
"""Set while slapd is stopped: everywhere, or where it ends a version that runs."""
_OPENDJ = [
    knob
    for knob in load_catalogue("opendj").knobs
    if knob.verified and not knob.steps and not knob.on_host
]
OPENDJ_INDEXES = [knob for knob in _OPENDJ if knob.per_attribute]
OPENDJ_LIVE = [knob for knob in _OPENDJ if knob.effect is Effect.LIVE and not knob.per_attribute]
OPENDJ_JAVA = [knob for knob in _OPENDJ if knob.java_options]
"""One after the other: they stand on one line."""
OPENDJ_RESTART = [
    knob for knob in _OPENDJ if knob.effect is Effect.RESTART and not knob.java_options
]
BY_ITSELF = ("nsslapd-cache-autosize", "nsslapd-ndn-cache-enabled")
"""Wait for a restart, and set like this they take away what proves others of RESTART."""
WITHOUT_REGIONS = "nsslapd-db-private-mem"
"""With it Berkeley DB has no region files."""

_WORDS = {
    "passwordStorageScheme": "SSHA512",
    "nsslapd-maxdescriptors": "8192",
    "nsslapd-db-logbuf-size": "1048576",
    "nsslapd-db-logfile-size": "20971520",
    "nsslapd-db-compactdb-time": "03:30",
    "nsslapd-mdb-max-size": str(3 << 30),
    "nsslapd-mdb-max-readers": "200",
    "nsslapd-mdb-max-dbs": "600",
    "nsslapd-auditlog-maxlogsize": "50",
    "nsslapd-auditfaillog-maxlogsize": "50",
    "nsslapd-errorlog-maxlogsize": "50",
    "nsslapd-securitylog-maxlogsize": "50",
    "nsslapd-dynamic-lists-attr": "uniqueMember",
    "nsslapd-dynamic-lists-oc": "groupOfURLs",
    "nsslapd-dynamic-lists-url-attr": "labeledURI",
    "nsslapd-malloc-mxfast": "128",
    "nsslapd-malloc-trim-threshold": "1048576",
    "nsslapd-malloc-mmap-threshold": "1048576",
    "nsslapd-scheme-list-no-upgrade-hash": "crypt,clear,ssha512",
    "memberOfGroupAttr": "uniqueMember",
    "memberOfEntryScope": "ou=people,dc=example,dc=com",
    "nsslapd-include-suffix": "ou=people,dc=example,dc=com",
    "nsslapd-exclude-suffix": "ou=groups,dc=example,dc=com",
    "nsslapd-exclude-attrs": "userPassword",
    "nsslapd-changelogmaxage": "3d",
    "nsds5ReplicaStripAttrs": "modifiersname modifytimestamp",
    "nsDS5ReplicatedAttributeList": "(objectclass=*) $ EXCLUDE memberOf",
    "olcLogLevel": "stats stats2",
    "olcLogFileRotate": "5 100 24",
    "olcSizeLimit": "1000",
    "olcTimeLimit": "1800",
    "olcSortVals": "member",
    "olcDbCheckpoint": "0 5",
    "olcDbMultival": "member 100,10",
    "olcPasswordHash": "{SMD5}",
    "olcTCPBuffer": "read=65536",
    "olcAccessLogPurge": "07+00:00 01+00:00",
    "olcAccessLogOps": "session",
    "olcSpCheckpoint": "100 10",
    "olcSpSessionlogSource": "cn=accesslog",
    "olcDynListAttrSet": "groupOfURLs memberURL",
}
"""Where not every value that fits would do (a log must fit into the space all its files may take),
and for each that is text."""


def one_of_each_kind(knobs: Iterable[Knob]) -> list[pytest.ParameterSet]:
    """Parameters of a walk: the first knob of each kind is walked in every run, all of them in a
    full one.

    Of one kind are those that take the same kind of value, are proved in the same way and stand in
    the same kind of place: the workbench does the same with each of them.
    """
    kinds: set[object] = set()
    walk = []
    for knob in knobs:
        kind = (knob.kind, knob.effect, knob.proof.kind, knob.of_backend)
        walk.append(pytest.param(knob, marks=[pytest.mark.full] if kind in kinds else []))
        kinds.add(kind)
    return walk


def to_be_walked(facts: TargetFacts) -> Catalogue:
    """The catalogue for a walk: what ended another version only is tried on this one, too.

    So it is proved here or ends this one; until then an operator is not offered it.
    """
    known = load_catalogue(product_of(facts))
    knobs = (k if facts.version in k.crashes else replace(k, crashes=()) for k in known.knobs)
    return replace(known, knobs=tuple(knobs))


def another_value(knob: Knob, now: str | None) -> str:
    """A value that fits the knob, and is neither what it has nor what it would have when absent."""
    for name in (knob.name, *knob.also):
        if name in _WORDS:
            return _WORDS[name]
    default = knob.default if now is None else now
    if knob.kind is ValueKind.SWITCH:
        return "off" if default == "on" else "on"
    if knob.choices and knob.minimum is None:
        return next(choice for choice in knob.choices if choice not in (now, default))
    if knob.kind is ValueKind.SIZE:
        return str(max(knob.minimum or 0, 32 * 1024**2))
    number = max(int(default or 0), knob.minimum or 1)
    return str(number - 1 if number == knob.maximum else number + 1)
