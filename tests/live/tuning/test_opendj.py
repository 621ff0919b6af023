"""OpenDJ by its LDAP and its administration port; what the in-memory server has not."""

from __future__ import annotations

import json
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import ldap3
import pytest

from ldap_workbench.advice.families.find import findings
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.capture.live.check import try_profile
from ldap_workbench.capture.live.monitor import numbers
from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.capture.live.window import capture
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.experiment.guards import P99_NS, BuildLimits
from ldap_workbench.experiment.plan import make_plan, parse_design
from ldap_workbench.experiment.run import ExperimentRun
from ldap_workbench.figures.overview.findings import findings_of, ranked
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import ChangeError, ExperimentError
from ldap_workbench.model.experiment import State
from ldap_workbench.model.knob import Knob, Setting, Treatment, ValueKind
from ldap_workbench.model.operations import client_operations
from ldap_workbench.model.progress import Cancel, no_progress
from ldap_workbench.model.window import SourceKind, SourceState
from ldap_workbench.servers.monitor import monitor_entries, resolved
from ldap_workbench.servers.opendj import SYSTEM
from ldap_workbench.servers.product import product_of
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.restart import restart
from ldap_workbench.tuning.tuner import Tuner
from tests.live.conftest import Tried
from tests.live.lab.opendj import PASSWORD_VARIABLE, SUFFIX, VERSION, InMemory, OpenDj
from tests.live.lab.steps import seen, unchanged_config, workbench
from tests.live.lab.walks import (
    OPENDJ_JAVA,
    OPENDJ_LIVE,
    OPENDJ_RESTART,
    another_value,
    one_of_each_kind,
)
from tests.live.tuning.kills import MOMENTS, killed

BACKEND = "ds-cfg-backend-id=userRoot,cn=Backends,cn=config"
LIMIT = 50
"""An index-entry-limit that 500 people are more than."""
CACHE, CLEANER = "db-cache-size", "db-run-cleaner"
"""Hide what others do: db-cache-percent, and the number of cleaners."""
WORDS = {"je-property": "je.log.fsyncTimeout=20 ms", "java-args.heap": "300 MiB"}


@pytest.fixture(scope="module")
def running() -> Iterator[OpenDj]:
    lab = OpenDj()
    try:
        yield lab.start()
    finally:
        lab.stop()


@pytest.fixture
def opendj(running: OpenDj, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> OpenDj:
    monkeypatch.setenv(PASSWORD_VARIABLE, running.password)
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    return running


@pytest.fixture
def target(opendj: OpenDj) -> Iterator[Target]:
    target = connect(opendj.profile, Secrets())
    yield target
    target.close()


@pytest.fixture
def config(opendj: OpenDj) -> Iterator[str]:
    """cn=config as it was; the test must leave it so."""
    with unchanged_config(opendj) as before:
        yield before


@pytest.fixture
def searching(opendj: OpenDj) -> Iterator[None]:
    """Two clients of it that search all the time."""
    over = threading.Event()
    clients = [threading.Thread(target=opendj.search_until, args=(over,)) for _ in range(2)]
    for each in clients:
        each.start()
    yield
    over.set()
    for each in clients:
        each.join()


def test_facts(opendj: OpenDj, target: Target) -> None:
    facts = target.facts
    assert (facts.product, facts.version) == ("OpenDJ", VERSION)
    assert [(b.name, b.suffix) for b in facts.backends] == [("userRoot", SUFFIX)]
    assert facts.db_library == "je"
    assert facts.db_directory == str(opendj.instance / "db" / "userRoot")
    assert Path(facts.db_directory).is_dir()
    assert facts.access_log == str(opendj.instance / "logs" / "ldap-access.audit.json")
    assert facts.error_log == str(opendj.instance / "logs" / "errors")
    assert facts.started_ns
    assert abs(facts.started_ns - time.time_ns()) < 1200 * 10**9
    assert set(facts.unknown) <= {"device"}


def test_the_administration_port_is_the_same_server(opendj: OpenDj, target: Target) -> None:
    with closing(connect(opendj.admin_profile, Secrets())) as by_admin_port:
        assert by_admin_port.facts.identity == target.facts.identity != ""
        assert by_admin_port.facts.backends == target.facts.backends


@pytest.mark.shows("connect")
def test_every_step_of_a_connection_works(opendj: OpenDj) -> None:
    for profile in (opendj.profile, opendj.admin_profile):
        steps = {str(step.name): step for step in try_profile(profile, Secrets())}
        assert [str(step.text) for step in steps.values() if not step.ok] == []
        assert str(steps["cn=config"].text) == f"readable: OpenDJ Server {VERSION}"
        assert "etime-resolution" in str(steps["cn=config"].remedy)
        assert "ldap-access.audit.json" in str(steps["access log"].text)


def test_every_counter_is_there_and_counts(opendj: OpenDj, target: Target) -> None:
    entries = resolved(monitor_entries(target.facts), target.directory)

    def read() -> dict[str, float]:
        found = {
            entry.dn: target.directory.search(entry.dn, attributes=entry.attributes)
            for entry in entries
        }
        assert [dn for dn, shown in found.items() if not shown] == []
        return {
            sample.series: sample.value
            for shown in found.values()
            for each in shown
            for sample in numbers(each, 0)
        }

    before = read()
    link = opendj.link(None)
    for _ in range(5):
        link.search(SUFFIX, "(uid=user.1)", attributes=["cn"])
    link.unbind()
    after = read()
    searches = next(
        name
        for name in after
        if f"port {opendj.port} " in name and name.endswith(":searchrequests")
    )
    assert after[searches] - before[searches] >= 5
    je = "cn=userroot je database,cn=monitor:environment"
    assert after[f"{je}nlnsfetch"] > 0
    asked = {name.lower() for entry in entries for name in entry.attributes} - {"*"}
    assert asked <= {name.rpartition(":")[2] for name in after}, "the server has all that is asked"


def json_reference(path: Path, start_ns: int, end_ns: int) -> set[int]:
    """Connections of the searches that started in the window, by a plain reading of the log."""
    records = [json.loads(line) for line in path.read_text().splitlines()]
    own = {
        each["request"]["connId"]
        for each in records
        if "cn=ldap-workbench-" in each["request"].get("dn", "")
    }
    found = set()
    for each in records:
        request, response = each["request"], each["response"]
        if request["operation"] != "SEARCH" or request["connId"] in own:
            continue
        at = datetime.fromisoformat(each["timestamp"]).timestamp()
        start = round(at * 1000) - response["elapsedTime"]
        if start_ns // 10**6 <= start < end_ns // 10**6:
            found.add((request["connId"], request["msgId"]))
    return found


@pytest.mark.clock("the window has to hold so many operations of a real load")
@pytest.mark.shows("capture")
def test_a_window_holds_every_operation(
    opendj: OpenDj, searching: None, target: Target, tmp_path: Path
) -> None:
    path = tmp_path / "s.ldapwb"
    with SessionWriter.create(path, target.facts) as writer:
        window = capture(target, writer, CapturePlan(4))
    log = opendj.instance / "logs" / "ldap-access.audit.json"
    expected = json_reference(log, window.start_ns, window.end_ns)
    with Session.open(path) as session:
        operations = session.operations(window)
        sources = {source.kind: source for source in session.sources(window.id)}
        assert isinstance(findings(session), list)
        series = next(
            name
            for name in session.series_names(window)
            if f"port {opendj.port} " in name and name.endswith(":searchrequests")
        )
        polls, searched = session.samples(window, series)
    mine = client_operations(operations)
    found = set(zip(operations.conn[mine].tolist(), operations.op[mine].tolist(), strict=True))
    access = sources[SourceKind.ACCESS_LOG]
    assert access.state is SourceState.COMPLETE, access.why
    assert access.dialect == "opendj-json"
    assert access.lines
    assert access.lines.unknown == 0
    assert len(expected) > 100
    # What starts or ends within the millisecond of an edge may be told apart by rounding.
    assert len(found ^ expected) <= 4, (window, sorted(found - expected), sorted(expected - found))
    assert len(polls) >= 3
    assert searched[-1] - searched[0] > 50
    assert sources[SourceKind.MONITOR].state is SourceState.COMPLETE, sources[
        SourceKind.MONITOR
    ].why
    assert sources[SourceKind.ERROR_LOG].state is SourceState.COMPLETE


@pytest.mark.clock("the window has to hold so many operations of a real load")
def test_the_text_log_is_taken_where_it_is_the_only_one(
    opendj: OpenDj, target: Target, config: str, searching: None, tmp_path: Path
) -> None:
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        applied = tuner.apply(treatment(tuner, target, "json-access-log-enabled=false"))
        try:
            with closing(connect(opendj.profile, Secrets())) as again:
                assert again.facts.access_log == str(opendj.instance / "logs" / "access")
                with SessionWriter.create(tmp_path / "s.ldapwb", again.facts) as writer:
                    window = capture(again, writer, CapturePlan(3))
        finally:
            tuner.revert(applied.group)
    with Session.open(tmp_path / "s.ldapwb") as session:
        access = session.sources(window.id)[0]
        assert access.state is SourceState.COMPLETE, access.why
        assert access.dialect == "opendj"
        assert session.operations(window).conn.size > 50


def test_without_the_privilege_it_says_what_is_missing(opendj: OpenDj, target: Target) -> None:
    steps = {str(step.name): step for step in try_profile(anonymous(opendj), Secrets())}
    assert not steps["cn=config"].ok
    assert "You do not have sufficient privileges" in str(steps["cn=config"].text)
    with closing(connect(anonymous(opendj), Secrets())) as unprivileged:
        facts = unprivileged.facts
    assert (facts.product, facts.version) == ("OpenDJ", VERSION)
    assert {"cn=config", "backends", "access_log"} <= set(facts.unknown)


def anonymous(opendj: OpenDj):
    from dataclasses import replace

    return replace(opendj.profile, bind_dn=None, password_env=None)


def treatment(tuner: Tuner, target: Target, *settings: str | Setting) -> Treatment:
    return tuner.catalogue.treatment(settings, target.facts)


def value_for(tuner: Tuner, knob: Knob) -> str:
    """A value that fits the knob and is not what it has."""
    if knob.name in WORDS:
        return WORDS[knob.name]
    now = tuner.read(knob.name).value or knob.default
    if knob.kind is ValueKind.SIZE:
        return str(max(knob.minimum or 0, 64 << 20))
    if knob.kind is ValueKind.SECONDS:
        return "77"
    if knob.choices and knob.minimum is None:
        return next(choice for choice in knob.choices if choice != now)
    return another_value(knob, now or "7")


@pytest.mark.clock("all searches have to be made within the window")
def test_a_value_that_too_many_entries_have(
    opendj: OpenDj, target: Target, config: str, tmp_path: Path
) -> None:
    """4.6.5 calls a search unindexed where its base has more entries than the limit, too: the limit
    of the whole back end is lowered, and takes effect with the next entry of a value. It does not
    once more, so this comes before the walk over the knobs."""
    root = opendj.link()
    people = [f"uid=many.{n},ou=People,{SUFFIX}" for n in range(2 * LIMIT)]

    def add(dn: str) -> None:
        entry = {"cn": "x", "sn": "x", "givenName": "Many"}
        assert root.add(dn, "inetOrgPerson", entry), root.result

    def search() -> None:
        for n in range(20):
            for name in ("Many", f"Few{n}"):
                root.search(SUFFIX, f"(givenName={name})", attributes=["cn"])

    for dn in people[1:]:
        add(dn)
    before, _ = seen(search, target, tmp_path / "before.ldapwb", 3)
    assert root.modify(BACKEND, {"ds-cfg-index-entry-limit": [(ldap3.MODIFY_REPLACE, [LIMIT])]})
    add(people[0])
    after, advised = seen(search, target, tmp_path / "after.ldapwb", 3)
    assert root.modify(BACKEND, {"ds-cfg-index-entry-limit": [(ldap3.MODIFY_REPLACE, [])]})
    for dn in people:
        assert root.delete(dn), root.result
    root.unbind()
    assert "index_entry_limit" not in before
    assert after["index_entry_limit"].numbers["searches"] == 20
    assert "(givenName=Many)" in str(after["index_entry_limit"].sentence)
    assert "index-entry-limit" in advised


@pytest.mark.shows("revert exact")
@pytest.mark.parametrize("knob", one_of_each_kind(OPENDJ_LIVE), ids=lambda knob: knob.name)
def test_every_live_knob(
    opendj: OpenDj, target: Target, config: str, searching: None, knob: Knob, tried: Tried
) -> None:
    """Set under load, read back, proved where something shows it, put back exactly."""
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        before = tuner.read(knob.name)
        asked = treatment(tuner, target, f"{knob.name}={value_for(tuner, knob)}")
        applied = tuner.apply(asked)
        assert [change.got for change in applied.changes] == [
            (setting.value,) for setting in asked.settings
        ]
        assert not applied.needs_restart
        assert all(proof.stored for proof in applied.proofs)
        expected = True if knob.proof.kind == "monitor" else None
        assert applied.proofs[-1].effective is expected, applied.proofs[-1].sentence
        tuner.revert(applied.group)
        assert tuner.read(knob.name).value == before.value
        assert tuner.read(knob.name).effective == before.effective
        tried(knob, applied.proofs[-1])


@pytest.mark.shows("restarts", "revert exact")
def test_all_restart_knobs_in_one_group(
    opendj: OpenDj, target: Target, config: str, tried: Tried
) -> None:
    """One restart for all of them, each proved or stored, and another after the revert."""
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        together = [knob for knob in OPENDJ_RESTART if knob.name not in (CACHE, CLEANER)]
        settings = [f"{knob.name}={value_for(tuner, knob)}" for knob in together]
        applied = tuner.apply(treatment(tuner, target, *settings))
        assert applied.needs_restart
        assert {proof.effective for proof in applied.proofs} == {None}
        restart(target, timeout_s=180)
        by_knob = zip(together, tuner.prove(applied.group), strict=True)
        for knob, proof in by_knob:
            expected = True if knob.proof.kind == "monitor" else None
            assert (proof.stored, proof.effective) == (True, expected), proof.sentence
            tried(knob, proof)
        tuner.revert(applied.group)
        restart(target, timeout_s=180)


@pytest.mark.parametrize(
    "knob",
    [pytest.param(k, marks=[pytest.mark.full] if n else []) for n, k in enumerate(OPENDJ_JAVA)],
    ids=lambda knob: knob.name,
)
@pytest.mark.shows("restarts", "revert exact")
def test_an_option_of_the_jvm(
    opendj: OpenDj, target: Target, config: str, tried: Tried, knob: Knob
) -> None:
    """Proved by the JVM itself after a restart; the file is put back to the byte."""
    before = opendj.java_properties.read_bytes()
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        was = tuner.read(knob.name)
        applied = tuner.apply(treatment(tuner, target, f"{knob.name}={value_for(tuner, knob)}"))
        assert applied.needs_restart
        assert [proof.effective for proof in applied.proofs] == [None]
        restart(target, timeout_s=180)
        [proof] = tuner.prove(applied.group)
        assert (proof.stored, proof.effective) == (True, True), proof.sentence
        tuner.revert(applied.group)
        assert opendj.java_properties.read_bytes() == before
        restart(target, timeout_s=180)
        assert tuner.read(knob.name) == was
        tried(knob, proof)


TOO_MUCH = "java-args.heap=3000 GiB"
"""With it the JVM ends at once."""


def too_much(tuner: Tuner, target: Target) -> Treatment:
    """As for a host with more memory than the server may have: a limit of its container, say."""
    return tuner.catalogue.treatment([TOO_MUCH], replace(target.facts, ram_bytes=1 << 50))


@pytest.mark.full  # by the command it is undone in every run
def test_a_heap_too_large_to_start_with_is_undone_over_the_host(
    opendj: OpenDj, target: Target, config: str
) -> None:
    """Nothing answers LDAP: who runs the experiment puts the file back and has it started."""
    before = opendj.java_properties.read_bytes()
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        tuner.apply(too_much(tuner, target))
        with pytest.raises(ExperimentError):
            restart(target, timeout_s=10)
        assert opendj.java_properties.read_bytes() != before
        changes = tuner.put_back()
        assert [change.state for change in changes] == [ChangeState.REVERTED]
        assert opendj.java_properties.read_bytes() == before
        assert tuner.read("java-args.heap").value


def test_a_heap_too_large_to_start_with_is_undone_by_the_command(
    opendj: OpenDj, target: Target, config: str
) -> None:
    before = opendj.java_properties.read_bytes()
    ProfileStore().add(opendj.profile)
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        tuner.apply(too_much(tuner, target))
        with pytest.raises(ExperimentError):
            restart(target, timeout_s=5)
    refused = workbench("revert", "opendj", "--all")
    assert refused.returncode != 0
    assert "--offline" in refused.stderr
    assert opendj.java_properties.read_bytes() != before
    reverted = workbench("revert", "opendj", "--all", "--offline")
    assert reverted.returncode == 0, reverted.stderr
    assert opendj.java_properties.read_bytes() == before
    with closing(Journal()) as journal:
        assert [change.state for change in journal.changes()] == [ChangeState.REVERTED]


def test_a_password_on_the_command_line_of_the_jvm_is_kept_nowhere(
    opendj: OpenDj, target: Target, config: str, tmp_path: Path
) -> None:
    """OpenDJ shows its arguments in cn=monitor and writes them to its log at each start."""
    properties, name = opendj.java_properties, tmp_path / "s.ldapwb"
    before = properties.read_bytes()
    log = opendj.instance / "logs" / "errors"
    properties.write_bytes(
        before.replace(b"start-ds.java-args=", b"start-ds.java-args=-Dx.keyStorePassword=hunter2 ")
    )
    try:
        restart(target, timeout_s=180)
    finally:
        properties.write_bytes(before)
    assert b"hunter2" in log.read_bytes()
    entry = target.directory.search(SYSTEM, attributes=("jvmArguments",))[0]
    assert "hunter2" in str(entry.values("jvmArguments"))
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        shown = {reading.knob.name: reading.value for reading in tuner.readings()}
    assert "-Dx.keyStorePassword=..." in (shown["java-args"] or "")
    assert "hunter2" not in str(shown)
    done = workbench("import", str(log), "-o", str(name))
    assert done.returncode == 0, done.stderr
    with Session.open(name) as session:
        [source] = session.sources()
        text = session.raw(source.id, 0, 1 << 26)
    assert b"-Dx.keyStorePassword=*******" in text
    assert b"hunter2" not in text
    restart(target, timeout_s=180)


@pytest.mark.shows("findings")
def test_a_small_cache_and_one_worker_are_seen(
    opendj: OpenDj, target: Target, config: str, tried: Tried, tmp_path: Path
) -> None:
    """Searches without an index, one after the other, of entries that do not fit the cache."""
    path = tmp_path / "s.ldapwb"
    over = threading.Event()
    clients = [threading.Thread(target=read_everything, args=(opendj, over)) for _ in range(3)]
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        # A cache of 100 kB holds less than the 500 people; it counts from the restart on. So does
        # a cleaner that is off.
        settings = ("num-worker-threads=1", f"{CACHE}=100000", f"{CLEANER}=false")
        applied = tuner.apply(treatment(tuner, target, *settings))
        try:
            restart(target, timeout_s=180)
            _, *proofs = tuner.prove(applied.group)
            for name, proof in zip((CACHE, CLEANER), proofs, strict=True):
                assert proof.stored
                tried(tuner.catalogue.knob(name), proof)
            for client in clients:
                client.start()
            with SessionWriter.create(path, target.facts) as writer:
                capture(target, writer, CapturePlan(8))
        finally:
            over.set()
            for client in clients:
                client.join()
            tuner.revert(applied.group)
            restart(target, timeout_s=180)
    with Session.open(path) as session:
        seen = {finding.id: finding for finding in findings(session)}
    assert {"je_cache", "pool_full"} <= seen.keys()
    assert seen["je_cache"].numbers["backend"] == "userRoot"
    advised = {piece.id for piece in advise([*seen.values()], target.facts)}
    assert "heap-larger" in advised


def read_everything(opendj: OpenDj, over: threading.Event) -> None:
    """Searches that read all entries, by the administrator, who may."""
    link = opendj.link()
    while not over.is_set():
        link.search(SUFFIX, "(employeeNumber=7)", attributes=["cn"])
    link.unbind()


def test_what_the_server_refuses_is_said_and_nothing_is_left(
    opendj: OpenDj, target: Target, config: str
) -> None:
    """Half of a group is taken back when the other half is refused."""
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        with pytest.raises(ChangeError, match="was refused"):
            tuner.apply(
                treatment(tuner, target, "ldap-buffer-size=8192", "db-cache-size=2147483648")
            )
        states = {each.knob: each.state for each in journal.changes()}
    assert states == {
        "ldap-buffer-size": ChangeState.REVERTED,
        "db-cache-size": ChangeState.REFUSED,
    }


@pytest.mark.clock("the window has to hold so many operations of a real load")
@pytest.mark.shows("experiment")
def test_an_experiment_from_start_to_end(
    opendj: OpenDj, target: Target, config: str, searching: None, tmp_path: Path
) -> None:
    # A change of num-worker-threads takes it five seconds, each time.
    change = Treatment((Setting("ldap-buffer-size", "8192"),))
    plan = make_plan(change, parse_design("ab"), window_s=2, seed=1, settle_s=0)
    path = tmp_path / "s.ldapwb"
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        with SessionWriter.create(path, target.facts) as writer:
            run = ExperimentRun(target, tuner, writer, plan).run()
        assert run.state is State.REVERTED
        states = {each.state for each in journal.changes()}
    assert states == {ChangeState.REVERTED}
    with Session.open(path) as session:
        windows = session.windows()
        assert sorted(window.arm for window in windows) == ["A", "B"]
        counted = [session.operations(window).conn.size for window in windows]
    assert min(counted) > 50


@pytest.mark.shows("revert exact")
def test_an_index_is_built_used_and_removed_again(
    opendj: OpenDj, target: Target, small_limit: None, tried: Tried
) -> None:
    """Whether it is used is seen by who may not search without an index.

    The last of this server: a back end whose limit was lowered once keeps no more values for it.
    """
    assert as_anybody(opendj, BY_NUMBER) == "insufficientAccessRights"
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        wanted = treatment(tuner, target, "index.employeeNumber@userRoot=eq")
        (planned,) = tuner.plan(wanted)
        assert "clients are told that its entries do not exist (err=32)" in str(planned.describe())
        assert re.search(r"The database has [\d.]+ .* is free\.", str(planned.budget))
        applied = tuner.apply(wanted)
        assert "COMPLETED_SUCCESSFULLY" in str(applied.changes[0].message)
        assert tuner.read("index.employeeNumber").value == "eq"
        assert as_anybody(opendj, BY_NUMBER) == "success"
        tuner.keep(applied.group)
        more = tuner.apply(treatment(tuner, target, "index.employeeNumber=eq,sub"))
        assert as_anybody(opendj, BY_NUMBER) == as_anybody(opendj, BY_PART) == "success"
        tuner.revert(more.group)
        assert tuner.read("index.employeeNumber").value == "eq"
        assert as_anybody(opendj, BY_NUMBER) == "success"
        tuner.revert(applied.group)
        assert tuner.read("index.employeeNumber").value is None
        tried(tuner.catalogue.knob("index"), applied.proofs[0])
    assert as_anybody(opendj, BY_NUMBER) == "insufficientAccessRights"


@pytest.fixture
def small_limit(opendj: OpenDj, config: str) -> Iterator[None]:
    """500 people are too many for a search without an index."""
    root = opendj.link()
    assert root.modify(BACKEND, {"ds-cfg-index-entry-limit": [(ldap3.MODIFY_REPLACE, [LIMIT])]})
    yield
    assert root.modify(BACKEND, {"ds-cfg-index-entry-limit": [(ldap3.MODIFY_REPLACE, [])]})
    root.unbind()


BY_NUMBER, BY_PART = "(employeeNumber=7)", "(employeeNumber=*12*)"
ASKS = f"""
import sys, time, ldap3
url, password, seconds = sys.argv[1:]
link = ldap3.Connection(ldap3.Server(url), "cn=Directory Manager", password, auto_bind=True)
end = time.monotonic() + float(seconds)
while time.monotonic() < end:
    link.search("{SUFFIX}", "{BY_NUMBER}", attributes=["cn"])
"""


def as_anybody(opendj: OpenDj, text: str) -> str:
    """What a search of somebody without privileges gets."""
    link = opendj.link(None)
    link.search(SUFFIX, text, attributes=["cn"])
    result: str = link.result["description"]
    link.unbind()
    return result


@pytest.mark.clock("the gain has to show in two windows of three seconds")
@pytest.mark.shows("experiment")
def test_a_missing_index_is_tried_and_proved_by_the_log(
    opendj: OpenDj, small_limit: None, tmp_path: Path
) -> None:
    ProfileStore().add(opendj.profile)
    asks = shlex.join([sys.executable, "-c", ASKS, opendj.profile.ldap_url, opendj.password])
    load = f"{asks} {{seconds}}"
    done = workbench(
        *("experiment", opendj.profile.name, "-o", str(tmp_path / "s.ldapwb"), "--window", "3"),
        *("--settle", "0", "--set", "index.employeeNumber=eq", "--load", load),
        *("--primary", "SRCH[(employeenumber=?)]:p50", "--then", "revert", "--yes", "--json"),
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["state"] == "reverted"
    # Its log has whole milliseconds alone. A busy machine has few searches without the index, or so
    # few that the two windows differ in their load as well: none of these is a claim.
    assert said["verdict"]["primary"]["verdict"] in (
        "suggests better", "not enough data", "not comparable",
    )  # fmt: skip
    assert any("Mechanism verified" in str(warning) for warning in said["verdict"]["warnings"])


IS_REFUSED = f"""
import sys, time, ldap3
link = ldap3.Connection(ldap3.Server(sys.argv[1]), auto_bind=True)
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    link.search("{SUFFIX}", "{BY_NUMBER}", attributes=["cn"])
    time.sleep(0.01)
"""


@pytest.mark.full
@pytest.mark.clock("a window needs forty searches")
@pytest.mark.shows("experiment")
def test_an_index_for_what_is_refused_is_tried_from_its_advice(
    opendj: OpenDj, small_limit: None, config: str, tmp_path: Path
) -> None:
    """No etime shows the gain, as a refusal is quick: the share that fails does."""
    ProfileStore().add(opendj.profile)
    name, seen_in = opendj.profile.name, tmp_path / "seen.ldapwb"
    argv = [sys.executable, "-c", IS_REFUSED, opendj.profile.ldap_url]
    with subprocess.Popen([*argv, "30"]) as client:
        done = workbench("capture", name, "-o", str(seen_in), "--seconds", "6")
        client.terminate()
    assert done.returncode == 0, done.stderr
    with Session.open(seen_in) as session:
        seen = ranked(findings_of(session), session, "p99.9")
    [advice] = [piece for piece in seen.advice if piece.id == "index-what-is-refused"]
    assert str(advice.treatment) == "index.employeeNumber=eq (userRoot)"
    assert advice.primary == "SRCH[(employeenumber=?)]:failed"
    (setting,) = advice.treatment.settings
    done = workbench(
        # All fail, so that each second is one independent event; the verdict takes five.
        *("experiment", name, "-o", str(tmp_path / "s.ldapwb"), "--window", "8", "--settle", "0"),
        *("--set", f"{setting.knob}@{setting.place}={setting.value}"),
        *("--load", f"{shlex.join(argv)} {{seconds}}", "--primary", advice.primary),
        *("--then", "revert", "--yes", "--json"),
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["state"] == "reverted"
    first = said["verdict"]["primary"]
    assert (first["verdict"], first["a"], first["b"]) == ("suggests better", 1.0, 0.0), first
    assert as_anybody(opendj, BY_NUMBER) == "insufficientAccessRights"


DIES = """
import os, signal, sys
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.servers.target import connect
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner

target = connect(ProfileStore().get("opendj"), Secrets())
tuner = Tuner(target, Journal())

def die(report):
    if "Building" in str(report.text):
        os.kill(os.getpid(), signal.SIGKILL)

wanted = tuner.catalogue.treatment(["index.employeeNumber=eq"], target.facts)
tuner.apply(wanted, progress=die)
"""


@pytest.mark.shows("kill -9")
def test_a_kill_while_an_index_is_built(opendj: OpenDj, small_limit: None) -> None:
    """The rebuild goes on, and has disabled the back end: its end is waited for."""
    ProfileStore().add(opendj.profile)
    died = subprocess.run(
        [sys.executable, "-c", DIES], capture_output=True, check=False, timeout=60
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    with (
        closing(connect(opendj.profile, Secrets())) as target,
        closing(Journal()) as journal,
        closing(Tuner(target, journal)) as tuner,
    ):
        assert {change.state for change in tuner.recover()} == {ChangeState.REVERTED}
        assert tuner.open_changes() == []
    assert as_anybody(opendj, BY_NUMBER) == "insufficientAccessRights"
    assert as_anybody(opendj, "(uid=user.7)") == "success"


def test_a_limit_that_is_crossed_undoes_an_index(
    opendj: OpenDj, target: Target, config: str
) -> None:
    """Its rebuild cannot be cancelled: it is waited for, and the index is undone."""
    limits = BuildLimits(target, {P99_NS: 1.0}, no_progress, Cancel())
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        wanted = treatment(tuner, target, "index.employeeNumber@userRoot=eq")
        with pytest.raises(ExperimentError, match="A safety limit was crossed"):
            tuner.apply(wanted, progress=limits)
        assert tuner.open_changes() == []
        assert tuner.read("index.employeeNumber").value is None
    assert as_anybody(opendj, "(uid=user.7)") == "success"


@pytest.mark.parametrize("number", MOMENTS)
def test_a_kill_at_any_moment_leaves_what_the_journal_says(
    opendj: OpenDj, target: Target, config: str, number: int
) -> None:
    """Also while a rebuild has disabled the back end, and between two of them."""
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        left = killed(tuner, "index.employeeNumber@userRoot=eq", number, 8.0)
        assert left or tuner.read("index.employeeNumber").value is None
        recovered = tuner.recover()
        assert [change.id for change in recovered] == [change.id for change in left]
        assert {change.state for change in recovered} <= {ChangeState.REVERTED}
        assert tuner.open_changes() == []
        assert tuner.read("index.employeeNumber").value is None
    assert as_anybody(opendj, "(uid=user.7)") == "success"


@pytest.mark.shows("revert exact")
def test_an_index_that_was_there_is_put_back(opendj: OpenDj, target: Target, tried: Tried) -> None:
    """All is as before but who has made the entry and when: that the server writes itself."""
    object.__setattr__(target.profile, "test_server", True)
    before = opendj.ldif_of_config()
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        applied = tuner.apply(treatment(tuner, target, "index.telephoneNumber=absent"))
        assert tuner.read("index.telephoneNumber").value is None
        (reverted,) = tuner.revert(applied.group)
        assert "COMPLETED_SUCCESSFULLY" in str(reverted.message)
        longer = tuner.apply(treatment(tuner, target, "backend-index-entry-limit.mail=5000"))
        assert "COMPLETED_SUCCESSFULLY" in str(longer.changes[0].message)
        tuner.revert(longer.group)
        tried(tuner.catalogue.knob("backend-index-entry-limit"), longer.proofs[0])
    assert as_anybody(opendj, "(telephoneNumber=1*)") == "success"
    assert opendj.ldif_of_config() == before


@pytest.fixture
def in_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[InMemory]:
    server = InMemory()
    monkeypatch.setenv(PASSWORD_VARIABLE, server.password)
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    try:
        yield server.start()
    finally:
        server.stop()


@pytest.mark.shows("connect", "capture")
def test_the_in_memory_server_says_what_it_has_not(in_memory: InMemory, tmp_path: Path) -> None:
    steps = {str(step.name): step for step in try_profile(in_memory.profile, Secrets())}
    assert steps["bind"].ok
    assert not steps["cn=config"].ok
    path = tmp_path / "s.ldapwb"
    with closing(connect(in_memory.profile, Secrets())) as target:
        facts = target.facts
        with SessionWriter.create(path, facts) as writer:
            window = capture(target, writer, CapturePlan(2))
    assert (facts.product, product_of(facts)) == ("UnboundID in-memory", "unboundid")
    assert re.fullmatch(r"\d+\.\d+\.\d+", facts.version)
    assert "nothing can be tuned" in str(facts.unknown["cn=config"])
    with Session.open(path) as session:
        sources = {source.kind: source for source in session.sources(window.id)}
    assert sources[SourceKind.ACCESS_LOG].state is SourceState.COMPLETE
    assert sources[SourceKind.ACCESS_LOG].dialect == "unboundid"
    assert sources[SourceKind.MONITOR].state is SourceState.MISSING
    assert "no counters" in str(sources[SourceKind.MONITOR].why)
