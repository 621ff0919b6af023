"""OpenLDAP's slapd: what it tells, its counters, and a window captured."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from ldap_workbench.advice.families.find import findings
from ldap_workbench.capture.live.check import try_profile
from ldap_workbench.capture.live.monitor import numbers
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.connect import ldap
from ldap_workbench.connect.answers import ONE_ENTRY
from ldap_workbench.connect.directory import Entry
from ldap_workbench.connect.ldap import LdapDirectory
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment.capture_job import CaptureJob
from ldap_workbench.experiment.settings import remember_settings
from ldap_workbench.model.errors import NoAnswerError
from ldap_workbench.model.operations import client_operations, text_at
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.progress import Progress
from ldap_workbench.model.window import NO_ANSWER, SourceKind, SourceState
from ldap_workbench.servers.monitor import monitor_entries
from ldap_workbench.servers.target import Target, connect, connect_to_host
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.steps import freeze, until
from tests.live.lab.users import SUFFIX

RESULT = re.compile(r"^(\w+)\.(\w+) \w+ conn=(\d+) op=(\d+) .*RESULT .*etime=([\d.]+)")


@pytest.fixture
def target(slapd: OpenLdap) -> Iterator[Target]:
    target = connect(slapd.profile, Secrets())
    yield target
    target.close()


def test_a_slapd_that_died_is_started_for_the_next_test(slapd: OpenLdap) -> None:
    died = slapd.pid
    os.kill(died, signal.SIGKILL)
    until(lambda: not slapd.alive)
    assert slapd.revive()
    assert slapd.alive
    assert slapd.pid != died
    slapd.link().unbind()
    assert not slapd.revive(), "it runs, and is left alone"


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


def test_an_instance_is_the_same_by_every_url(slapd: OpenLdap, target: Target) -> None:
    local = slapd.profile.ldap_url.replace("127.0.0.1", "localhost")
    again = connect(replace(slapd.profile, ldap_url=local), Secrets())
    assert again.facts.identity == target.facts.identity != ""
    again.close()


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
    steps = {str(step.name): step for step in try_profile(slapd.profile, Secrets())}
    assert [step.text for step in steps.values() if not step.ok] == []
    assert str(steps["cn=config"].text) == "readable: OpenLDAP"
    assert "slapd 2." in str(steps["cn=monitor"].text)
    assert str(slapd.log) in str(steps["access log"].text)


def test_slapd_is_asked_only_for_attributes_of_openldap(
    slapd: OpenLdap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Checked, captured with its settings, changed and reverted: every name is in its schema.

    Its schema leaves out those of its monitor, and those of overlays that are not loaded.
    """
    asked: set[str] = set()
    search = LdapDirectory.search

    def noting(self: LdapDirectory, base: str, **given: Any) -> list[Entry]:
        asked.update(name.lower() for name in given.get("attributes", ()))
        return search(self, base, **given)

    monkeypatch.setattr(LdapDirectory, "search", noting)
    try_profile(slapd.profile, Secrets())
    with closing(connect(slapd.profile, Secrets())) as target, closing(Journal()) as journal:
        tuner = Tuner(target, journal)
        with SessionWriter.create(tmp_path / "s.ldapwb", target.facts) as writer:
            window = capture(target, writer, CapturePlan(1.0))
            remember_settings(writer, tuner, window)
        applied = tuner.apply(tuner.catalogue.treatment(["olcThreads=8"], target.facts))
        tuner.revert(applied.group)
        (schema,) = target.directory.search("cn=Subschema", attributes=("attributeTypes",))
    names = {
        name.lower()
        for described in schema.values("attributeTypes") or ()
        for name in re.findall(r"'([^']+)'", described)
    }
    assert "olcthreads" in asked & names
    foreign = {name for name in asked - names if not name.startswith(("olc", "olm", "monitor"))}
    assert foreign <= {"*", "+", "1.1"}


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
    link = slapd.client()
    for _ in range(5):
        link.search(SUFFIX, "(uid=user000001)", attributes=["cn"])
    link.unbind()
    after = read()
    searches = "cn=search,cn=operations,cn=monitor:monitoropcompleted"
    assert after[searches] - before[searches] >= 5
    assert after["cn=database 1,cn=databases,cn=monitor:olmmdbentries"] > 500
    assert after["cn=max,cn=threads,cn=monitor:monitoredinfo"] == 16


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


def test_what_any_workbench_asks_over_the_socket_is_no_clients(
    slapd: OpenLdap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else is connected, and a log over ldapi shows neither an address nor a bind DN."""
    monkeypatch.setattr(ldap, "ANNOUNCED_FOR_S", 0.2)
    profile = Profile("socket", slapd.ldapi_url, local=True)
    path = tmp_path / "s.ldapwb"
    over = threading.Event()

    def read(another: Target) -> None:
        """Its link is older than the window; early in the window it opens a few more."""
        for _ in range(5):
            another.another_directory().close()
        while not over.wait(0.02):
            another.directory.search("cn=config")
            another.directory.search(f"uid=nobody,{SUFFIX}")

    def begin(report: Progress) -> None:
        if str(report.text).startswith("Measuring") and not reading.is_alive():
            reading.start()

    with closing(connect(profile, Secrets())) as target, closing(connect(profile, Secrets())) as b:
        reading = threading.Thread(target=read, args=(b,))
        try:
            with SessionWriter.create(path, target.facts) as writer:
                window = capture(target, writer, CapturePlan(3), progress=begin)
        finally:
            over.set()
            reading.join()
    with Session.open(path) as session:
        operations = session.operations(window)
    bases = {text_at(operations.bases, int(place)) for place in operations.base}
    assert f"uid=nobody,{SUFFIX}" in bases, "the other one has asked in this window"
    assert operations.own.all()


@pytest.mark.clock("the window has to hold so many operations of a real load")
def test_a_log_that_a_command_prints_holds_every_operation(
    slapd: OpenLdap, searching: None, tmp_path: Path
) -> None:
    """As journalctl -f prints slapd's where no file holds it."""
    profile = replace(slapd.profile, log_command=f"tail -n 0 -F {slapd.log}")
    path = tmp_path / "s.ldapwb"
    with (
        closing(connect(profile, Secrets())) as target,
        SessionWriter.create(path, target.facts) as writer,
    ):
        window = capture(target, writer, CapturePlan(4))
    expected = reference(slapd.log.read_text(), window.start_ns, window.end_ns)
    with Session.open(path) as session:
        operations = session.operations(window)
        sources = {source.kind: source for source in session.sources(window.id)}
    access = sources[SourceKind.ACCESS_LOG]
    mine = client_operations(operations)
    found = set(zip(operations.conn[mine].tolist(), operations.op[mine].tolist(), strict=True))
    assert access.state is SourceState.COMPLETE, access.why
    assert access.name == profile.log_command
    assert len(expected) > 100
    assert found == expected
    assert sources[SourceKind.HOST].state is SourceState.COMPLETE


@pytest.mark.clock("the window has to hold so many operations of a real load")
def test_a_window_holds_every_operation(
    slapd: OpenLdap, searching: None, target: Target, tmp_path: Path
) -> None:
    if target.facts.version.startswith("2.4"):
        pytest.skip("2.4 logs no etimes: test_versions.py looks at its windows")
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
    assert str(sources[SourceKind.MONITOR].why) == ""
    assert SourceKind.ERROR_LOG not in sources, "errors are in its one log"


def test_a_server_that_is_down_for_some_seconds_is_named(slapd: OpenLdap, tmp_path: Path) -> None:
    def down() -> None:
        subprocess.run([str(slapd.control), "stop"], check=True)
        time.sleep(4)
        slapd.start()

    def begin(report: Progress) -> None:
        if str(report.text).startswith("Measuring") and not begun:
            begun.append(threading.Timer(1, down))
            begun[0].start()

    begun: list[threading.Timer] = []
    path = tmp_path / "s.ldapwb"
    try:
        with (
            closing(connect(slapd.profile, Secrets())) as target,
            SessionWriter.create(path, target.facts) as writer,
        ):
            window = capture(target, writer, CapturePlan(9), progress=begin)
    finally:
        begun[0].join()
        slapd.revive()
    with Session.open(path) as session:
        sources = {source.kind: source for source in session.sources(window.id)}
        [mark] = [mark for mark in session.marks() if mark.kind == NO_ANSWER]
        named = {each.id: str(each.sentence) for each in findings(session)}
    assert sources[SourceKind.MONITOR].state is not SourceState.COMPLETE
    assert str(mark.text).startswith("no answer from ")
    assert "Its host answered meanwhile" in named["no_answer"]


def test_a_server_that_does_not_answer_gets_a_session_from_its_host(
    slapd: OpenLdap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All workers are stuck: the kernel takes connections for it, and nobody answers them."""
    monkeypatch.setattr(ldap, "ONE_ENTRY", replace(ONE_ENTRY, silence_s=1.0))
    path = tmp_path / "s.ldapwb"
    profile = replace(slapd.profile, access_log=str(slapd.log), bind_dn=None)
    freeze(slapd.pid)
    try:
        with pytest.raises(NoAnswerError) as silent:
            connect(profile, Secrets())
        with closing(connect_to_host(profile, Secrets(), silent.value)) as target:
            tuner, plan = Tuner(target, Journal()), CapturePlan(2)
            captured = CaptureJob(path, plan).run(target, tuner, lambda _: None)
    finally:
        os.kill(slapd.pid, signal.SIGCONT)
    with Session.open(path) as session:
        sources = {source.kind: source for source in session.sources(captured.window.id)}
        named = {each.id: str(each.sentence) for each in findings(session)}
    assert "no free worker answered for 30 s" in named["no_answer"]
    assert sources[SourceKind.MONITOR].state is SourceState.FAILED
    assert sources[SourceKind.HOST].samples >= 1
    log = sources[SourceKind.ACCESS_LOG]
    assert "the server did not answer then" in str(log.why)
    assert log.state is SourceState.PARTIAL
