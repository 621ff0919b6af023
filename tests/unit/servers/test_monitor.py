"""Which numbers of the cn=monitor family count from the start, held against what servers gave."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ldap_workbench.model.target import Backend, TargetFacts
from ldap_workbench.servers.monitor import is_counter, monitor_entries

_CORPUS = Path(
    os.environ.get("LDAP_WORKBENCH_CORPUS")
    or Path(__file__).parents[3].parent / "shared" / "corpus"
)
BACKEND = "cn=monitor,cn=userroot,cn=ldbm database,cn=plugins,cn=config"
DATABASE = "cn=database,cn=monitor,cn=ldbm database,cn=plugins,cn=config"


def facts(*backends: str) -> TargetFacts:
    found = tuple(Backend(name, f"dc={name}", f"cn={name}") for name in backends)
    return TargetFacts("p", "389", "2.3.1", "h", backends=found)


def test_an_entry_for_each_backend() -> None:
    dns = [entry.dn for entry in monitor_entries(facts("userRoot", "other"))]
    assert "cn=monitor,cn=other,cn=ldbm database,cn=plugins,cn=config" in dns
    assert len(dns) == len(monitor_entries(facts())) + 2


def test_the_entry_that_locks_every_connection_is_read_rarely() -> None:
    every = {entry.dn: entry.every for entry in monitor_entries(facts("userRoot"))}
    assert every.pop("cn=monitor") >= 10
    assert set(every.values()) == {1.0}


@pytest.mark.parametrize(
    "series",
    [
        "cn=monitor:opscompleted",
        "cn=snmp,cn=monitor:searchops",
        f"{BACKEND}:entrycachetries",
        f"{BACKEND}:dbfilecachehit[userroot/uid.db]",
        f"{DATABASE}:nsslapd-db-page-read-rate",
        "CN=Monitor:OpsCompleted",
    ],
)
def test_counters(series: str) -> None:
    assert is_counter(series)


@pytest.mark.parametrize(
    "series",
    [
        "cn=monitor:threads",
        "cn=snmp,cn=monitor:connections",
        f"{BACKEND}:entrycachehitratio",
        f"{BACKEND}:currententrycachesize",
        f"{DATABASE}:nsslapd-db-dirty-pages",
        f"{DATABASE}:nsslapd-db-log-bytes-since-checkpoint",
        "iostat:vda:util",
        "cn=elsewhere:opscompleted",
        "nothing",
    ],
)
def test_no_counters(series: str) -> None:
    assert not is_counter(series)


@pytest.mark.parametrize("library", ["bdb", "mdb"])
def test_nothing_called_a_counter_ever_falls(library: str) -> None:
    folder = _CORPUS / "389ds-2.3.1-lab" / library
    if not folder.is_dir():
        pytest.skip(f"the monitor readings of {folder} are not here")
    readings = [_numbers(folder / f"monitor-t{n}.ldif") for n in (1, 2, 3)]
    steps = [
        (series, values[0], values[-1])
        for series in readings[0]
        if len(values := [reading[series] for reading in readings if series in reading]) == 3
    ]
    assert len(steps) > 100
    assert [series for series, first, last in steps if is_counter(series) and last < first] == []
    counted = [series for series, first, last in steps if is_counter(series) and last > first]
    assert len(counted) > 15


def _numbers(path: Path) -> dict[str, float]:
    """The first value of each numeric attribute, file counters by number as the server has them."""
    found: dict[str, float] = {}
    dn = ""
    for line in path.read_text().splitlines():
        name, _, value = line.partition(": ")
        if name == "dn":
            dn = value.lower()
        elif value.lstrip("-").isdigit():
            found.setdefault(f"{dn}:{name.lower()}", float(value))
    return found
