"""Defects of a version are told with their evidence only, and only where the fix is missing."""

from functools import partial

import pytest

from ldap_workbench.advice.families.find import findings_in
from ldap_workbench.advice.families.known_defects import branch_of, defects
from ldap_workbench.model.configuration import Configuration, ConfigurationEntry
from ldap_workbench.model.window import Source, SourceKind, SourceState
from tests.unit.advice.material import Log, only, view
from tests.unit.advice.test_beside import load
from tests.unit.advice.test_upkeep import COMPACTION, lines


def logged(version):
    """The source of a log whose head names the server."""
    details = {"version": version}
    kind, state = SourceKind.ACCESS_LOG, SourceState.COMPLETE
    return (Source(1, 1, kind, "access", state, dialect="389", details=details),)


def told(version, operations=None, **columns):
    found = findings_in(view(operations, facts=None, sources=logged(version), **columns))
    return [each for each in found if each.id == "known_defect"]


def ranges(err=1):
    """Range searches beside changes."""
    log = Log().background(60)
    for n in range(10):
        log.add("MOD", 5 * n, 1.0)
        log.add("SRCH", 5 * n + 0.5, 0.1, filter="(uidnumber>=?)", err=err)
    return log


def memberof(*more):
    attributes = {
        "nsslapd-pluginpath": ("libmemberof-plugin",),
        "nsslapd-pluginenabled": ("on",),
        "memberofdeferredupdate": ("on",),
    }
    return Configuration((ConfigurationEntry("cn=M,cn=plugins,cn=config", attributes), *more))


def steps():
    log = Log()
    for n in range(30):
        log.add("MOD", n, 0.1 * (1 + n % 3) + 0.002)
    return log


def turbo(at=0.1005):
    log = Log().background(60)
    for n in range(40):
        log.add("SRCH", n, at, filter="(uid=?)")
    return log


def handed_on_late(arrives=0.5):
    """Requests that wait a second for a worker, so long after the answer before them."""
    log = Log().background(60)
    for n in range(60):
        who = {"conn": 7 + n % 3, "op": 1 + n}
        log.add(
            "SRCH", (1.0005 + arrives) * n / 3, 1.0005, wtime_ns=10**9, optime_ns=400_000, **who
        )
    return log


def quiet():
    return Log().background(60)


OFF = Configuration(
    (ConfigurationEntry("cn=bdb,cn=config", {"nsslapd-db-compactdb-interval": ("0",)}),)
)
COMPACTED = lines((10, COMPACTION[0]), (12, COMPACTION[1]))
SHOWN = {
    "ranges that fail": ("2.4.5", ranges, {}, "7670"),
    "pages": ("3.1.2", load, {}, "6782, 7007"),
    "steps of 100 ms": ("3.1.1", steps, {"configuration": memberof()}, "7710"),
    "compaction that is off": (
        "2.3.1",
        quiet,
        {"configuration": OFF, "errors": COMPACTED},
        "7728",
    ),
    "pauses of 100 ms": ("3.2.2", turbo, {}, "7685"),
    "late workers": ("2.5.1", handed_on_late, {"settings": {"nsslapd-threadnumber": "16"}}, "6284"),
}
NOT_SHOWN = {
    "no evidence": ("2.4.5", quiet, {}),
    "ranges with the client's errors": ("2.4.5", partial(ranges, err=32), {}),
    "a release with the fix": ("3.1.4", load, {}),
    "a branch of which nothing is known": ("2.2.9", load, {}),
    "no version": ("", load, {}),
    "memberOf at once": ("3.1.1", steps, {}),
    "compaction that is on": ("2.3.1", quiet, {"errors": COMPACTED}),
    "pauses of clients": (
        "2.5.1",
        partial(handed_on_late, arrives=0.0),
        {"settings": {"nsslapd-threadnumber": "16"}},
    ),
    "another pause": ("3.2.2", partial(turbo, at=0.09), {}),
    "turbo mode off": ("3.2.2", turbo, {"settings": {"nsslapd-enable-turbo-mode": "off"}}),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_defect_that_shows(name):
    version, operations, columns, issue = SHOWN[name]
    found = only(told(version, operations(), **columns), "known_defect")
    assert found.numbers["issues"] == [issue]
    assert str(found.sentence).startswith(f"389 DS {version}: ")
    assert "ask your vendor" in str(found.sentence)


@pytest.mark.parametrize("name", NOT_SHOWN)
def test_a_defect_that_does_not_show(name):
    version, operations, columns = NOT_SHOWN[name]
    assert told(version, operations(), **columns) == []


def test_versions_are_compared_with_those_of_their_branch():
    fixed = {defect.issue: defect for defect in defects()}["5722"]
    assert fixed.remedy("1.4.3.39-3.module+el8") is None
    assert str(fixed.remedy("1.4.3.16")) == "fixed upstream in 1.4.3.39"
    assert fixed.remedy("2.4.1") is None
    assert str(fixed.remedy("2.4.0")) == "fixed upstream in 2.4.1"
    assert fixed.remedy("2.3.1") is None
    assert (branch_of("1.4.3.39"), branch_of("2.4"), branch_of("")) == ("1.4.3", "2.4", "")
