"""Indexes of 389 DS and slapd: built, proved by the log, put back exactly, also after kill -9."""

from __future__ import annotations

import json
import re
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import ldap3
import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment.guards import IN_A_ROW, P99_NS, BuildLimits
from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.errors import CancelledError, ExperimentError, KnobError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, Progress, no_progress
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.tuning.indexes import unused
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.conftest import Tried
from tests.live.lab.ds389 import Lab
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.steps import configured, unchanged_config, until, workbench
from tests.live.tuning.kills import MOMENTS, killed

PEOPLE = "dc=example,dc=com"


@pytest.fixture
def config(lab: Lab) -> Iterator[str]:
    with unchanged_config(lab) as before:
        yield before


def applied(tuner: Tuner, target: Target, *settings: str) -> tuple[str, list[Change]]:
    done = tuner.apply(tuner.catalogue.treatment(settings, target.facts))
    return done.group, done.changes


def on_test_server(target: Target) -> Target:
    """Removing what clients may use is for those only."""
    object.__setattr__(target.profile, "test_server", True)
    return target


@pytest.mark.shows("revert exact")
def test_an_index_is_built_used_and_removed_again(
    lab: Lab, tuner: Tuner, target: Target, config: str, tried: Tried
) -> None:
    heard: list[str] = []
    wanted = tuner.catalogue.treatment(["index.employeeNumber=eq"], target.facts)
    (planned,) = tuner.plan(wanted)
    assert re.search(
        r"may add [\d.]+ [KM]iB, and .*\. [\d.]+ GiB is free. (Whether .*)?The build may take",
        str(planned.budget),
    )
    done = tuner.apply(wanted, progress=lambda report: heard.append(str(report.text)))
    (change,) = done.changes
    assert (change.before, change.state) == (None, ChangeState.APPLIED)
    assert "exit code 0" in str(change.message)
    assert "Building the index of employeeNumber" in heard
    assert tuner.read("index.employeenumber").value == "eq"
    assert "index.employeeNumber@userRoot: Index built" in str(done.proofs[0].sentence)
    index = "userRoot/employeeNumber.db"
    assert searched(lab, "(employeeNumber=7)") == 1
    assert index in index_files(lab) or target.facts.db_library == "mdb"
    tuner.revert(done.group)
    assert tuner.read("index.employeeNumber").value is None
    assert searched(lab, "(employeeNumber=7)") == 1
    assert index not in index_files(lab)
    tried(tuner.catalogue.knob("index"), done.proofs[0])


@pytest.mark.shows("revert exact")
def test_a_key_of_an_index_is_skipped_and_read_again(
    lab: Lab, tuner: Tuner, target: Target, tried: Tried
) -> None:
    """With the limit the key that everybody has is not read: by itself it is unindexed."""
    knob = "nsIndexIDListScanLimit.objectclass@userRoot"
    text = f"{knob}+=limit=0 type=eq values=person"
    unbuffered = configured(target, nsslapd_accesslog_logbuffering="off")
    with unbuffered, unchanged_config(lab):
        assert "notes=" not in logged_search(lab, "(objectClass=person)")
        done = tuner.apply(tuner.catalogue.treatment([text], target.facts))
        assert "notes=" in logged_search(lab, "(objectClass=person)")
        assert "notes=" not in logged_search(lab, "(uid=user000007)")
        tuner.revert(done.group)
        assert "notes=" not in logged_search(lab, "(objectClass=person)")
    tried(tuner.catalogue.knob("nsIndexIDListScanLimit"), done.proofs[0])


def test_the_use_of_an_index_is_switched_off_and_the_index_maintained(
    lab: Lab, tuner: Tuner, target: Target
) -> None:
    """Without a build: what is added while nobody uses the index is found by it afterwards."""
    dn, search = f"uid=late,ou=people,{PEOPLE}", "(mail=late@example.com)"
    index = "cn=mail,cn=index,cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
    wanted = tuner.catalogue.treatment([unused(index)], target.facts)
    unbuffered = configured(target, nsslapd_accesslog_logbuffering="off")
    link = lab.slapd.link()
    with unbuffered, unchanged_config(lab):
        assert "notes=" not in logged_search(lab, search)
        begun = time.monotonic()
        done = tuner.apply(wanted)
        assert time.monotonic() - begun < 5, "that is no build"
        attributes = {"cn": "late", "sn": "late", "mail": "late@example.com"}
        assert link.add(dn, ["inetOrgPerson"], attributes)
        try:
            assert re.search("notes=[AU]", logged_search(lab, search))
            tuner.revert(done.group)
            assert "notes=" not in logged_search(lab, search)
            assert searched(lab, search) == 1
        finally:
            link.delete(dn)
            link.unbind()


def test_a_missing_index_is_tried_and_proved_by_the_log(
    lab: Lab, target: Target, tmp_path: Path
) -> None:
    """One switch, as the server is not marked as a test server; kept in no run."""
    ProfileStore().add(lab.profile)
    load = [*lab.drive("search", 600)[:-1], "(employeeNumber=XXXX)"]
    before = lab.ldif_of_config()
    with configured(target, nsslapd_accesslog_logbuffering="off"):
        done = workbench(
            *("experiment", "lab", "-o", str(tmp_path / "s.ldapwb"), "--window", "3"),
            *("--settle", "0", "--set", "index.employeeNumber=eq", "--load", shlex.join(load)),
            *("--primary", "SRCH[(employeenumber=?)]:p50", "--then", "revert", "--yes", "--json"),
        )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    verdict = said["verdict"]
    assert (said["state"], verdict["primary"]["verdict"]) == ("reverted", "suggests better")
    assert verdict["primary"]["ratio"] < 0.5
    assert lab.ldif_of_config() == before
    assert any("Mechanism verified" in str(warning) for warning in verdict["warnings"])


def test_a_type_is_added_and_no_search_misses_an_entry_meanwhile(
    lab: Lab, tuner: Tuner, target: Target
) -> None:
    """389 DS takes a type that is new in an entry for built, and answers by it that nothing is."""
    on_test_server(target)
    before = lab.ldif_of_config()
    group, _ = applied(tuner, target, "index.description=eq")
    tuner.keep(group)
    found = set()

    def search(_: Progress) -> None:
        found.add((searched(lab, "(description=*er 15*f the*)"),
                   searched(lab, "(description=user 15 of the lab)")))  # fmt: skip

    search(Progress(Message("before")))
    [(substrings, one)] = found
    wanted = tuner.catalogue.treatment(["index.description=sub,eq"], target.facts)
    added = tuner.apply(wanted, progress=search)
    search(Progress(Message("after")))
    assert tuner.read("index.description").value == "eq,sub"
    tuner.revert(added.group)
    search(Progress(Message("reverted")))
    tuner.revert(group)
    assert found == {(substrings, one)}
    # Other tests of this server delete entries.
    assert substrings > 10
    assert one == 1
    assert lab.ldif_of_config() == before


def test_a_removed_index_is_built_again_before_it_counts(
    lab: Lab, tuner: Tuner, target: Target
) -> None:
    """All is as before but who has made the entry and when: that the server writes itself."""
    with pytest.raises(KnobError, match="would be removed"):
        applied(tuner, target, "index.mail=absent")
    on_test_server(target)
    before = lab.ldif_of_config()
    group, (change,) = applied(tuner, target, "index.mail=absent")
    assert change.asked is None
    assert tuner.read("index.mail").value is None
    (reverted,) = tuner.revert(group)
    assert "exit code 0" in str(reverted.message)
    assert lab.ldif_of_config() == before
    assert searched(lab, "(mail=user000007@example.com)") == 1


@pytest.mark.shows("revert exact")
def test_a_type_of_an_index_is_removed_and_built_again(
    lab: Lab, tuner: Tuner, target: Target
) -> None:
    """As `sub` of member: what searches for parts is answered without it, and right.

    All is as before but who has made the entry and when: that the server writes itself.
    """
    with pytest.raises(KnobError, match="would be removed"):
        applied(tuner, target, "index.mail=pres,eq")
    on_test_server(target)
    part, one = "(mail=*00007@ex*)", "(mail=user000007@example.com)"
    before, config = (searched(lab, part), searched(lab, one)), lab.ldif_of_config()
    with configured(target, nsslapd_accesslog_logbuffering="off"):
        assert "notes=" not in logged_search(lab, part)
        group, _ = applied(tuner, target, "index.mail=pres,eq")
        assert tuner.read("index.mail").value == "pres,eq"
        assert (searched(lab, part), searched(lab, one)) == before
        assert "notes=" in logged_search(lab, part)
        assert "notes=" not in logged_search(lab, one)
        tuner.revert(group)
        assert tuner.read("index.mail").value == "pres,eq,sub"
        assert (searched(lab, part), searched(lab, one)) == before
        assert "notes=" not in logged_search(lab, part)
    assert lab.ldif_of_config() == config


def test_an_index_of_the_server_itself_is_refused(tuner: Tuner, target: Target) -> None:
    on_test_server(target)
    with pytest.raises(KnobError, match="the server itself needs"):
        applied(tuner, target, "index.entryrdn=absent")


def test_a_cancelled_build_is_waited_for_and_removed(
    lab: Lab, tuner: Tuner, target: Target, config: str
) -> None:
    cancel = Cancel()

    def stop(report: Progress) -> None:
        if "Building" in str(report.text):
            cancel.set()

    wanted = tuner.catalogue.treatment(["index.description=eq,sub"], target.facts)
    with pytest.raises(CancelledError):
        tuner.apply(wanted, progress=stop, cancel=cancel)
    assert tuner.open_changes() == []


def cross_a_limit(tuner: Tuner, target: Target, setting: str) -> None:
    """Every answer while the index is built is above this limit."""
    limits = BuildLimits(target, {P99_NS: 1.0}, no_progress, Cancel())

    def hear(report: Progress) -> None:
        for _ in range(IN_A_ROW if "uild" in str(report.text) else 0):
            limits(report)

    with pytest.raises(ExperimentError, match="A safety limit was crossed"):
        tuner.apply(tuner.catalogue.treatment([setting], target.facts), progress=hear)
    assert tuner.open_changes() == []


def test_a_limit_that_is_crossed_ends_a_build(
    lab: Lab, tuner: Tuner, target: Target, config: str
) -> None:
    cross_a_limit(tuner, target, "index.description=eq,sub")
    assert tuner.read("index.description").value is None


def test_knobs_list_the_indexes_of_each_back_end(tuner: Tuner) -> None:
    readings = {(reading.knob.name, reading.place): reading.value for reading in tuner.readings()}
    assert readings["index.mail", "userRoot"] == "pres,eq,sub"


@pytest.fixture
def slapd_target(slapd: OpenLdap) -> Iterator[Target]:
    target = connect(slapd.profile, Secrets())
    yield target
    target.close()


@pytest.fixture
def slapd_tuner(slapd: OpenLdap, slapd_target: Target) -> Iterator[Tuner]:
    with unchanged_config(slapd), closing(Journal()) as journal:
        tuner = Tuner(slapd_target, journal)
        yield tuner
        tuner.close()


@pytest.mark.parametrize(
    ("setting", "there"),
    [("index.sn=eq,sub", ("sn eq,sub",)), ("olcDbIndex@{1}mdb+=sn,cn eq", ("sn,cn eq",)),
     ("index.uid@{1}mdb=eq,pres", ("member eq", "uid eq,pres"))],
)  # fmt: skip
def test_slapd_builds_an_index_and_gets_its_list_back(
    slapd_tuner: Tuner,
    slapd_target: Target,
    slapd: OpenLdap,
    setting: str,
    there: tuple[str, ...],
    tried: Tried,
) -> None:
    before = ("objectClass eq", "uid,member eq")
    wanted = slapd_tuner.catalogue.treatment([setting], slapd_target.facts)
    (planned,) = slapd_tuner.plan(wanted)
    assert str(planned.budget).startswith("The database has "), planned.budget
    done = slapd_tuner.apply(wanted)
    (change,) = done.changes
    kept = before if len(there) == 1 else before[:1]
    assert (change.before, change.got) == (before, (*kept, *there))
    assert "its task is no longer in cn=Tasklist" in str(change.message)
    (reverted,) = slapd_tuner.revert(done.group)
    assert reverted.state is ChangeState.REVERTED
    name = planned.setting.knob.partition(".")[0]
    tried(slapd_tuner.catalogue.knob(name), done.proofs[0])


ASKS = """
import sys, time, ldap3
link = ldap3.Connection(ldap3.Server(sys.argv[1]), auto_bind=True)
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    link.search("dc=example,dc=com", "(givenName=Frances)", attributes=["cn"])
"""


@pytest.mark.clock("the gain has to show in two windows of three seconds")
def test_an_index_of_slapd_is_tried_and_its_proof_is_told(slapd: OpenLdap, tmp_path: Path) -> None:
    """At level stats slapd 2.5 writes no line 'not indexed': then it is not proved."""
    ProfileStore().add(slapd.profile)
    before = slapd.ldif_of_config()
    load = shlex.join([sys.executable, "-c", ASKS, slapd.profile.ldap_url]) + " {seconds}"
    name, session = slapd.profile.name, str(tmp_path / "s.ldapwb")
    done = workbench(
        *("experiment", name, "-o", session, "--window", "3", "--settle", "0", "--load", load),
        *("--set", "index.givenName@{1}mdb=eq", "--primary", "SRCH[(givenname=?)]:p50"),
        *("--then", "revert", "--yes", "--json"),
    )
    assert done.returncode == 0, done.stderr
    verdict = json.loads(done.stdout)["verdict"]
    assert verdict["primary"]["verdict"] == "suggests better"
    said = " ".join(map(str, verdict["warnings"]))
    assert "is not proved" in said or "Mechanism verified" in said
    assert slapd.ldif_of_config() == before


def test_a_limit_that_is_crossed_undoes_an_index_of_slapd(
    slapd_tuner: Tuner, slapd_target: Target
) -> None:
    """Nothing ends its build: it is waited for, and then undone."""
    cross_a_limit(slapd_tuner, slapd_target, "index.sn@{1}mdb=eq,sub")
    assert slapd_tuner.read("index.sn", "{1}mdb").value is None


def test_slapd_takes_one_value_of_many_out_and_back_in_its_place(
    slapd_tuner: Tuner, slapd_target: Target
) -> None:
    on_test_server(slapd_target)
    group, (change,) = applied(slapd_tuner, slapd_target, "olcDbIndex-=objectClass eq")
    assert change.got == ("uid,member eq",)
    slapd_tuner.revert(group)


@pytest.mark.parametrize("number", MOMENTS)
def test_a_kill_at_any_moment_leaves_what_the_journal_says(
    lab: Lab, tuner: Tuner, config: str, number: int
) -> None:
    left = killed(tuner, "index.employeeNumber=eq,sub", number, 1.5)
    there = tuner.read("index.employeeNumber").value
    assert left or there is None
    recovered = tuner.recover()
    assert [change.id for change in recovered] == [change.id for change in left]
    assert tuner.open_changes() == []
    assert tuner.read("index.employeeNumber").value is None
    assert searched(lab, "(employeeNumber=7)") == 1


@pytest.mark.parametrize("number", MOMENTS)
def test_a_kill_while_a_type_is_removed_leaves_what_the_journal_says(
    lab: Lab, tuner: Tuner, target: Target, number: int
) -> None:
    """Its entry is deleted and added each way: it is there again, and is built."""
    on_test_server(target)
    part, one = "(mail=*00007@ex*)", "(mail=user000007@example.com)"
    before, config = (searched(lab, part), searched(lab, one)), lab.ldif_of_config()
    left = killed(tuner, "index.mail=pres,eq", number, 2.0)
    assert [change.id for change in tuner.recover()] == [change.id for change in left]
    assert tuner.open_changes() == []
    assert (searched(lab, part), searched(lab, one)) == before
    assert lab.ldif_of_config() == config


@pytest.mark.parametrize("number", MOMENTS)
def test_a_kill_while_slapd_builds_leaves_what_the_journal_says(
    slapd_tuner: Tuner, number: int
) -> None:
    left = killed(slapd_tuner, "index.sn=eq,sub", number, 1.0)
    assert left or slapd_tuner.read("index.sn", "{1}mdb").value is None
    assert len(slapd_tuner.recover()) == len(left)
    assert slapd_tuner.open_changes() == []


def index_files(lab: Lab) -> set[str]:
    """The index files the database of BDB has open."""
    link = lab.slapd.link()
    monitor = "cn=monitor,cn=userRoot,cn=ldbm database,cn=plugins,cn=config"
    link.search(monitor, "(objectClass=*)", ldap3.BASE, attributes=["*"])
    names = link.entries[0].entry_attributes_as_dict
    link.unbind()
    return {value for name, values in names.items() if "filename" in name for value in values}


def logged_search(lab: Lab, filter_: str) -> str:
    """The line of the access log with the result of one search, as soon as it is written."""
    link, before = lab.slapd.link(), len(lab.access_log.read_text())
    link.search(PEOPLE, filter_, ldap3.SUBTREE, attributes=["1.1"], size_limit=3)
    link.unbind()

    def result() -> str:
        since = lab.access_log.read_text()[before:]
        asked = re.findall(rf" (conn=\d+ op=\d+) SRCH .*{re.escape(filter_)}", since)
        last = f" {asked[-1]} RESULT " if asked else "none"
        return next((x for x in since.splitlines() if last in x), "")

    return until(result)


def searched(lab: Lab, filter_: str) -> int:
    link = lab.slapd.link()
    link.search(PEOPLE, filter_, ldap3.SUBTREE, attributes=["cn"])
    found = len(link.entries)
    link.unbind()
    return found
