"""OpenLDAP's slapd: what it tells, its counters, every knob set and put back, a window captured."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import ldap3
import pytest
from ldap3.core.exceptions import LDAPException

from ldap_workbench.capture import CapturePlan, capture
from ldap_workbench.capture.monitor import numbers
from ldap_workbench.connect.check import try_profile
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import ChangeError, ConflictError
from ldap_workbench.model.knob import Effect, Knob, Setting, Treatment, ValueKind
from ldap_workbench.model.operations import client_operations
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.window import SourceKind, SourceState
from ldap_workbench.servers import Target, connect
from ldap_workbench.servers.monitor import is_counter, monitor_entries
from ldap_workbench.session import Session, SessionWriter
from ldap_workbench.tuning import (
    Journal,
    Tuner,
    ldif_to_apply,
    ldif_to_undo,
    load_catalogue,
    restart,
)
from tests.live.lab_openldap import ADMIN, PASSWORD_VARIABLE, SLAPD, OpenLdap, missing
from tests.live.lab_users import SUFFIX

pytestmark = pytest.mark.skipif(
    bool(missing()) and not os.environ.get("CI"),
    reason=f"{SLAPD} and ldap-utils are not installed: apt-get install {' '.join(missing())}",
)
KNOBS = [
    knob
    for knob in load_catalogue("openldap").knobs
    if knob.verified and knob.effect is Effect.LIVE and not knob.on_host
]
WORDS = {
    "olcLogLevel": "stats stats2",
    "olcSizeLimit": "1000",
    "olcTimeLimit": "1800",
    "olcSortVals": "member",
    "olcDbCheckpoint": "0 5",
    "olcDbMultival": "member 100,10",
}
"""A value for each knob that takes text."""
ROUNDS = 8
RESULT = re.compile(r"^(\w+)\.(\w+) \w+ conn=(\d+) op=(\d+) .*RESULT .*etime=([\d.]+)")


@pytest.fixture(scope="module")
def slapd() -> Iterator[OpenLdap]:
    lab = OpenLdap()
    try:
        yield lab.start()
    finally:
        lab.stop()


@pytest.fixture(autouse=True)
def _home(slapd: OpenLdap, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, slapd.password)
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))


@pytest.fixture
def target(slapd: OpenLdap) -> Iterator[Target]:
    target = connect(slapd.profile, Secrets())
    yield target
    target.close()


@pytest.fixture
def tuner(target: Target) -> Iterator[Tuner]:
    journal = Journal()
    tuner = Tuner(target, journal)
    yield tuner
    tuner.close()
    journal.close()


@pytest.fixture
def config(slapd: OpenLdap) -> Iterator[str]:
    """cn=config as it was; the test must leave it so."""
    before = slapd.ldif_of_config()
    yield before
    assert slapd.ldif_of_config() == before


def search_until(slapd: OpenLdap, over: threading.Event) -> None:
    """Search; a link that slapd closes, as some settings make it, is opened anew."""
    number = 0
    while not over.is_set():
        try:
            link = client(slapd)
            while not over.is_set():
                link.search(SUFFIX, f"(uid=user{number % 500:06d})", attributes=["cn"])
                number += 1
            link.unbind()
        except LDAPException:
            over.wait(0.1)


@pytest.fixture
def searching(slapd: OpenLdap) -> Iterator[None]:
    """Two clients that search all the time."""
    over = threading.Event()
    clients = [threading.Thread(target=search_until, args=(slapd, over)) for _ in range(2)]
    for each in clients:
        each.start()
    yield
    over.set()
    for each in clients:
        each.join()


def treatment(tuner: Tuner, target: Target, *settings: str | Setting) -> Treatment:
    return tuner.catalogue.treatment(settings, target.facts)


def client(slapd: OpenLdap) -> ldap3.Connection:
    """A link of somebody who did not bind."""
    server = ldap3.Server("127.0.0.1", slapd.port, get_info=ldap3.NONE)
    return ldap3.Connection(server, auto_bind=True, receive_timeout=30, check_names=False)


def test_facts(slapd: OpenLdap, target: Target) -> None:
    facts = target.facts
    assert facts.product == "OpenLDAP"
    assert re.fullmatch(r"2\.\d+\.\d+", facts.version)
    assert [(b.name, b.suffix) for b in facts.backends] == [("{1}mdb", SUFFIX)]
    assert (facts.db_library, facts.db_directory) == ("mdb", str(slapd.database))
    assert facts.access_log == str(slapd.log)
    assert facts.started_ns
    assert abs(facts.started_ns - time.time_ns()) < 600 * 10**9
    assert facts.cores == len(os.sched_getaffinity(0))
    assert set(facts.unknown) <= {
        "error_log",
        "device",
    }  # in a container the database may be on no disk


def test_this_user_may_all_over_the_socket(slapd: OpenLdap) -> None:
    """As Debian sets it up for root: EXTERNAL on ldapi, and no password."""
    profile = Profile("socket", slapd.ldapi_url, local=True)
    with_rights = connect(profile, Secrets())
    tuner, journal = None, Journal()
    try:
        assert with_rights.facts.version.startswith("2.")
        assert set(with_rights.facts.unknown) <= {"device"}
        tuner = Tuner(with_rights, journal)
        applied = tuner.apply(tuner.catalogue.treatment(["olcThreads=8"], with_rights.facts))
        assert applied.proofs[0].effective is True
        tuner.revert(applied.group)
    finally:
        if tuner:
            tuner.close()
        journal.close()
        with_rights.close()


def test_every_step_of_a_connection_works(slapd: OpenLdap) -> None:
    steps = {step.name: step for step in try_profile(slapd.profile, Secrets())}
    assert [step.text for step in steps.values() if not step.ok] == []
    assert steps["cn=config"].text == "readable: OpenLDAP"
    assert "slapd 2." in steps["cn=monitor"].text
    assert str(slapd.log) in steps["access log"].text


def test_every_counter_is_there_and_counts(slapd: OpenLdap, target: Target) -> None:
    def read() -> dict[str, float]:
        found = [
            (
                entry,
                target.directory.search(entry.dn, scope=entry.scope, attributes=entry.attributes),
            )
            for entry in monitor_entries(target.facts)
        ]
        assert [entry.dn for entry, shown in found if not shown] == []
        return {
            sample.series: sample.value
            for _, shown in found
            for each in shown
            for sample in numbers(each, 0)
        }

    before = read()
    link = client(slapd)
    for _ in range(5):
        link.search(SUFFIX, "(uid=user000001)", attributes=["cn"])
    link.unbind()
    after = read()
    searches = "cn=search,cn=operations,cn=monitor:monitoropcompleted"
    assert is_counter(searches)
    assert after[searches] - before[searches] >= 5
    assert [name for name in after if is_counter(name) and after[name] < before[name]] == []
    assert after["cn=database 1,cn=databases,cn=monitor:olmmdbentries"] > 500
    assert after["cn=max,cn=threads,cn=monitor:monitoredinfo"] == 16


def another_value(knob: Knob, now: str | None) -> str:
    """A value that fits the knob and is not what it has."""
    if knob.kind is ValueKind.TEXT:
        return WORDS[knob.name]
    if knob.choices:
        return next(each for each in knob.choices if each not in (now, knob.default))
    if knob.kind is ValueKind.SIZE:
        return str(2 * max(int(now or 0), knob.minimum or 0, 64 << 20))
    return str(max(int(now or knob.default or 0), knob.minimum or 1) + 1)


@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.name)
def test_every_knob(tuner: Tuner, target: Target, config: str, knob: Knob) -> None:
    """Set, read back, proved where the monitor shows it, put back exactly, also to absent."""
    before = tuner.read(knob.name)
    value = another_value(knob, before.value)
    applied = tuner.apply(treatment(tuner, target, f"{knob.name}={value}"))
    (change,) = applied.changes
    assert change.got == change.asked == (value,)
    assert not applied.needs_restart
    assert applied.proofs[0].stored
    assert applied.proofs[0].effective is (True if knob.proof.kind == "monitor" else None)
    tuner.revert(applied.group)
    assert tuner.read(knob.name).value == before.value
    if knob.name != "olcDbMaxReaders":  # the lock file keeps its slots: see the knob's trap
        assert tuner.read(knob.name).effective == before.effective


@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.name)
def test_slapd_survives_every_knob_under_load(
    slapd: OpenLdap, searching: None, tuner: Tuner, target: Target, config: str, knob: Knob
) -> None:
    """Some that slapd 2.5 takes while it runs crash it after a few changes: they have steps."""
    wanted = treatment(
        tuner, target, f"{knob.name}={another_value(knob, tuner.read(knob.name).value)}"
    )
    for _ in range(ROUNDS):
        tuner.revert(tuner.apply(wanted).group)
        link = client(slapd)
        assert link.search("", "(objectClass=*)", ldap3.BASE, attributes=["1.1"])
        link.unbind()


def test_what_is_absent_again_works_as_before_at_once(
    slapd: OpenLdap, tuner: Tuner, target: Target, config: str
) -> None:
    """No counter shows it, so a client does: how many entries it gets, and what it may send."""

    def gets() -> int:
        link = client(slapd)
        link.search(SUFFIX, "(objectClass=person)", attributes=["uid"])
        found = len(link.response)
        link.unbind()
        return found

    def may_send(size: int) -> bool:
        link = client(slapd)
        try:
            return bool(
                link.search("", f"(cn={'x' * size})", ldap3.BASE, attributes=["cn"]) or True
            )
        except LDAPException:
            return False
        finally:
            link.unbind()

    assert (gets(), may_send(5000)) == (500, True)
    limits = treatment(tuner, target, "olcSizeLimit=7", "olcSockbufMaxIncoming=2048")
    applied = tuner.apply(limits)
    assert [change.before for change in applied.changes] == [None, None]
    assert (gets(), may_send(5000)) == (7, False)
    tuner.revert(applied.group)
    assert (gets(), may_send(5000)) == (500, True)


def test_an_attribute_of_a_newer_version_is_refused(
    tuner: Tuner, target: Target, config: str
) -> None:
    if not target.facts.version.startswith("2.5"):
        pytest.skip("this slapd is not 2.5, and knows the attribute")
    with pytest.raises(ChangeError, match="attribute type undefined"):
        tuner.apply(treatment(tuner, target, "olcThreads=8", "olcLogFileOnly=TRUE"))
    states = {each.knob: each.state for each in tuner.journal.changes()}
    assert states == {"olcThreads": ChangeState.REVERTED, "olcLogFileOnly": ChangeState.REFUSED}


def test_somebody_elses_value_is_left_alone(
    slapd: OpenLdap, tuner: Tuner, target: Target, config: str
) -> None:
    applied = tuner.apply(treatment(tuner, target, "olcIdleTimeout=900"))
    link = slapd.link()
    assert link.modify("cn=config", {"olcIdleTimeout": [(ldap3.MODIFY_REPLACE, ["600"])]})
    link.unbind()
    with pytest.raises(ConflictError) as caught:
        tuner.revert(applied.group)
    assert (caught.value.before, caught.value.ours, caught.value.now) == ("absent", "900", "600")
    tuner.revert(applied.group, force=True)


def test_indexes_are_left_to_the_operator(tuner: Tuner, target: Target, config: str) -> None:
    with pytest.raises(ChangeError, match="cannot be set") as caught:
        tuner.apply(treatment(tuner, target, "olcDbIndex=sn eq"))
    assert "ldapmodify" in caught.value.remedy


def test_several_flags_are_shown_and_put_back(
    slapd: OpenLdap, tuner: Tuner, target: Target, config: str
) -> None:
    flags, dn = ["nometasync", "nordahead"], "olcDatabase={1}mdb,cn=config"
    link = slapd.link()
    assert link.modify(dn, {"olcDbEnvFlags": [(ldap3.MODIFY_ADD, flags)]})
    wanted = treatment(tuner, target, "olcDbEnvFlags=nordahead")
    assert "nometasync, nordahead → nordahead" in tuner.plan(wanted)[0].describe()
    applied = tuner.apply(wanted)
    tuner.revert(applied.group)
    assert tuner.read("olcDbEnvFlags").value == "nometasync, nordahead"
    assert link.modify(dn, {"olcDbEnvFlags": [(ldap3.MODIFY_DELETE, [])]})
    link.unbind()


def test_ldapmodify_takes_the_ldif(
    slapd: OpenLdap, tuner: Tuner, target: Target, config: str, tmp_path: Path
) -> None:
    applied = tuner.apply(treatment(tuner, target, "olcThreads=8", "olcDbRtxnSize=500"))
    changed = slapd.ldif_of_config()
    for text, then in ((ldif_to_undo, config), (ldif_to_apply, changed)):
        file = tmp_path / "change.ldif"
        file.write_text(text(applied.changes))
        command = ["ldapmodify", "-x", "-H", slapd.profile.ldap_url, "-D", ADMIN]
        done = subprocess.run(
            [*command, "-w", slapd.password, "-f", str(file)], capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        assert slapd.ldif_of_config() == then
    tuner.revert(applied.group)


def test_a_restart_is_seen(slapd: OpenLdap, tuner: Tuner, target: Target, config: str) -> None:
    """cn=config is kept by slapd itself: a change outlives the restart, and so does the revert."""
    applied = tuner.apply(treatment(tuner, target, "olcThreads=8"))
    told: list[str] = []
    restart(target, progress=lambda report: told.append(report.text), timeout_s=60)
    assert told[-1] == "The server answers again"
    assert tuner.prove(applied.group)[0].effective is True
    tuner.revert(applied.group)
    assert tuner.read("olcThreads").effective == "16"


DIES = """
import os, signal, sys
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.profile import Profile
from ldap_workbench.servers import connect
from ldap_workbench.tuning import Journal, Tuner

url, bind_dn, password_env, when = sys.argv[1:]
target = connect(Profile("openldap", url, bind_dn=bind_dn, password_env=password_env), Secrets())
tuner = Tuner(target, Journal())
replace = target.directory.replace

def replace_and_die(dn, name, values, *, expected):
    if name == "olcDbRtxnSize" and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    said = replace(dn, name, values, expected=expected)
    if name == "olcDbRtxnSize":
        os.kill(os.getpid(), signal.SIGKILL)
    return said

target.directory.replace = replace_and_die
tuner.apply(tuner.catalogue.treatment(["olcThreads=8", "olcDbRtxnSize=500"], target.facts))
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_kill_9_leaves_nothing_changed(
    slapd: OpenLdap, tuner: Tuner, config: str, when: str
) -> None:
    profile = slapd.profile
    reached = [profile.ldap_url, str(profile.bind_dn), str(profile.password_env), when]
    died = subprocess.run(
        [sys.executable, "-c", DIES, *reached], capture_output=True, check=False, timeout=60
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    left = tuner.journal.open_changes(profile.ldap_url)
    assert [each.knob for each in left] == ["olcThreads", "olcDbRtxnSize"]
    assert tuner.read("olcThreads").effective == "8"
    recovered = tuner.recover()
    assert {each.state for each in recovered} == {ChangeState.REVERTED}
    assert tuner.journal.open_changes(profile.ldap_url) == []
    assert tuner.read("olcThreads").effective == "16"


def reference(log: str, start_ns: int, end_ns: int) -> set[tuple[int, int]]:
    """(conn, op) of what started in the window, by a plain reading of the log."""
    own = {
        int(found[1])
        for line in log.splitlines()
        if "cn=ldap-workbench-" in line and (found := re.search(r"conn=(\d+)", line))
    }
    answered = set()
    for line in log.splitlines():
        if found := RESULT.match(line):
            second, ns, conn, op, etime = found.groups()
            start = int(second, 16) * 10**9 + int(ns, 16) - int(Decimal(etime) * 10**9)
            if start_ns <= start < end_ns and int(conn) not in own:
                answered.add((int(conn), int(op)))
    return answered


def test_a_window_holds_every_operation(
    slapd: OpenLdap, searching: None, target: Target, tmp_path: Path
) -> None:
    path = tmp_path / "s.ldapwb"
    with SessionWriter.create(path, target.facts) as writer:
        window = capture(target, writer, CapturePlan(5))
    expected = reference(slapd.log.read_text(), window.start_ns, window.end_ns)
    with Session.open(path) as session:
        operations = session.operations(window)
        sources = {source.kind: source for source in session.sources(window.id)}
        polls, searched = session.samples(
            window, "cn=search,cn=operations,cn=monitor:monitoropcompleted"
        )
    mine = client_operations(operations)
    found = set(zip(operations.conn[mine].tolist(), operations.op[mine].tolist(), strict=True))
    access = sources[SourceKind.ACCESS_LOG]
    assert access.state is SourceState.COMPLETE, access.why
    assert access.dialect == "openldap"
    assert access.lines
    assert access.lines.unknown == 0
    assert len(expected) > 100
    assert found == expected
    assert (operations.wtime_ns[mine] >= 0).all(), "2.5 gives qtime"
    assert len(polls) >= 4
    assert searched[-1] - searched[0] > 50
    assert sources[SourceKind.MONITOR].state is SourceState.COMPLETE
    assert sources[SourceKind.MONITOR].why == ""
    assert SourceKind.ERROR_LOG not in sources, "errors are in its one log"
