"""Tuning on 389 DS and on practice: every value taken, proved, put back, also after kill -9."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.change import ChangeState, Origin
from ldap_workbench.model.errors import ChangeError, ConflictError, KnobError
from ldap_workbench.model.knob import Effect, Knob, Risk, Setting, Treatment, ValueKind
from ldap_workbench.model.message import Message
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.tuning.catalogue import Catalogue, load_catalogue
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.ldif import ldif_to_apply, ldif_to_undo
from ldap_workbench.tuning.restart import restart
from ldap_workbench.tuning.tuner import Tuner
from ldap_workbench.tuning.versions import lacks
from tests.live.conftest import Tried
from tests.live.lab.ds389 import Lab
from tests.live.lab.practice_lab import PracticeLab
from tests.live.lab.steps import unchanged_config
from tests.live.lab.walks import (
    BY_ITSELF,
    HOST,
    LIVE,
    RESTART,
    another_value,
    one_of_each_kind,
    to_be_walked,
)

BDB = "cn=bdb,cn=config,cn=ldbm database,cn=plugins,cn=config"


@pytest.fixture(scope="module")
def target(
    running_server: Lab | PracticeLab, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Target]:
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in running_server.environment.items():
            patch.setenv(name, value)
        patch.setenv("LDAP_WORKBENCH_HOME", str(home))
        running_server.trust(home)
        target = connect(running_server.profile, Secrets())
        yield target
        target.close()


@pytest.fixture
def tuner(server: Lab | PracticeLab, target: Target) -> Iterator[Tuner]:
    """With `server`, whose home is the test's own: that of `target` is all these tests'."""
    journal = Journal()
    tuner = Tuner(target, journal, to_be_walked(target.facts))
    yield tuner
    tuner.close()
    journal.close()


@pytest.fixture
def config(server: Lab | PracticeLab) -> Iterator[str]:
    """cn=config as it was; the test must leave it so."""
    with unchanged_config(server) as before:
        yield before


def treatment(tuner: Tuner, target: Target, *settings: str) -> Treatment:
    return tuner.catalogue.treatment(settings, target.facts)


def test_entry_cache_as_a_group(tuner: Tuner, target: Target, config: str) -> None:
    wanted = treatment(tuner, target, "nsslapd-cachememsize=200 MiB")
    applied = tuner.apply(wanted)
    assert [each.knob for each in applied.changes] == [
        "nsslapd-cache-autosize",
        "nsslapd-cachememsize",
    ]
    assert applied.proofs[1].effective is True
    assert "maxentrycachesize is 209715200" in str(applied.proofs[1].sentence)
    assert not applied.needs_restart
    tuner.revert(applied.group)
    reading = tuner.read("cachememsize", "userRoot")
    assert reading.value == reading.effective == applied.changes[1].before[0]


def test_threads_with_restart(tuner: Tuner, target: Target, config: str) -> None:
    applied = tuner.apply(treatment(tuner, target, "threadnumber=8"))
    assert applied.needs_restart
    assert applied.proofs[0].effective is None, "the pool must not have changed yet"
    told: list[str] = []
    restart(target, progress=lambda report: told.append(str(report.text)))
    assert told[-1] == "The server answers again"
    (proof,) = tuner.prove(applied.group)
    assert proof.effective is True
    series = ".".join(target.facts.version.split(".")[:2])
    assert f"threads is {8 + {'1.4': 0, '2.3': 1, '3.1': 2}[series]}" in str(proof.sentence)
    (reverted,) = tuner.revert(applied.group)
    restart(target)
    assert tuner.read("threadnumber").effective == "16"
    if not target.facts.simulated:
        assert reverted.origin is Origin.AUTOMATIC
        assert str(reverted.message) == "removed: nothing is stored, as before"


@pytest.mark.full  # all knobs that wait for a restart are in one, below
def test_database_cache_and_locks_with_restart(tuner: Tuner, target: Target, config: str) -> None:
    wanted = treatment(
        tuner, target, "dbcachesize=64 MiB", "db-locks=20000", "ndn-cache-max-size=40 MiB"
    )
    applied = tuner.apply(wanted)
    restart(target)
    proofs = tuner.prove(applied.group)
    assert [each.effective for each in proofs] == [None, True, True, True], proofs
    tuner.revert(applied.group)
    restart(target)


def test_checkpoint_interval(tuner: Tuner, target: Target, config: str) -> None:
    applied = tuner.apply(treatment(tuner, target, "db-checkpoint-interval=15"))
    assert applied.changes[0].got == ("15",)
    tuner.revert(applied.group)


def test_alternating_arms(tuner: Tuner, target: Target, config: str) -> None:
    applied = tuner.apply(treatment(tuner, target, "enable-upgrade-hash=off"))
    tuner.revert(applied.group)
    again = tuner.apply(applied.treatment)
    assert tuner.read("enable-upgrade-hash").value == "off"
    tuner.revert(again.group)
    assert tuner.read("enable-upgrade-hash").value == "on"


def test_an_unknown_attribute_is_taken_out_again(target: Target, config: str) -> None:
    name = "nsslapd-db-durable-transactions"
    knob = Knob(name, Message(name), ValueKind.SWITCH, Effect.LIVE, Risk.HIGH, dn=BDB)
    tuner = Tuner(target, Journal(), Catalogue("389ds", (knob,)))
    with pytest.raises(ChangeError, match="Unknown config attribute"):
        tuner.apply(Treatment((Setting(name, "off"),)))
    assert tuner.journal.changes(open_only=True) == []


def test_what_a_version_lacks_is_not_offered_and_would_be_refused(
    tuner: Tuner, target: Target, config: str
) -> None:
    """The catalogue must not be stricter than the server for no reason."""
    for knob in (each for each in load_catalogue().knobs if each.lacking or each.since):
        if knob.db_library not in ("", target.facts.db_library) or knob.optional or knob.broken:
            continue
        if not lacks(target.facts.version, knob):
            assert tuner.catalogue.knob(knob.name)
            continue
        with pytest.raises(KnobError, match=r"and older versions|is not known in"):
            tuner.catalogue.knob(knob.name)
        if "plugins,cn=config" in knob.dn and "ldbm" not in knob.dn:
            continue  # entries of plug-ins take any attribute
        place = "userRoot" if knob.of_backend else ""
        wanted = Treatment((Setting(knob.name, another_value(knob, None), place),))
        there = replace(knob, lacking="", since="", effect=Effect.LIVE)
        anyway = Tuner(target, tuner.journal, Catalogue("389ds", (there,)))
        with pytest.raises(ChangeError, match=r"Unknown (config )?attribute"):
            anyway.apply(wanted)
        assert anyway.journal.changes(open_only=True) == []


def test_an_offline_knob_is_left_to_the_operator(tuner: Tuner, target: Target, config: str) -> None:
    with pytest.raises(ChangeError, match="while the server runs"):
        tuner.apply(treatment(tuner, target, "db-durable-transaction=off"))


def test_the_server_would_refuse_what_the_catalogue_calls_offline(
    target: Target, config: str
) -> None:
    """The catalogue must not be stricter than the server for no reason."""
    for knob in load_catalogue().of(target.facts).knobs:
        if knob.effect is Effect.OFFLINE and "cn=ldbm database" in knob.dn:
            now = target.directory.search(knob.dn, attributes=[knob.name])[0].values(knob.name)
            with pytest.raises(Exception, match="can't be modified while"):
                target.directory.replace(knob.dn, knob.name, now or ["1"], expected=now)


def test_somebody_elses_value_is_left_alone(
    server: Lab | PracticeLab, tuner: Tuner, target: Target
) -> None:
    before = server.ldif_of_config()
    applied = tuner.apply(treatment(tuner, target, "lookthroughlimit=20000"))
    change = applied.changes[0]
    other = target.another_directory()
    other.replace(change.dn, change.attribute, ["7000"], expected=["20000"])
    other.close()
    with pytest.raises(ConflictError) as caught:
        tuner.revert(applied.group)
    said = caught.value
    assert [str(each) for each in (said.before, said.ours, said.now)] == ["5000", "20000", "7000"]
    assert tuner.read("lookthroughlimit").value == "7000"
    tuner.revert(applied.group, force=True)
    assert server.ldif_of_config() == before


def offered(tuner: Tuner, target: Target, knob: Knob) -> Knob:
    """As the catalogue has it for this version; skips what this server lacks."""
    if knob.name not in {each.name for each in tuner.catalogue.knobs}:
        pytest.skip("this version lacks it")
    here = tuner.catalogue.knob(knob.name)
    if here.steps:
        pytest.skip("it ends this version, and is left to the operator")
    place = "userRoot" if here.of_backend else ""
    if target.facts.simulated and tuner.read(here.name, place).value is None:
        pytest.skip("the practice directory does not have it")
    return here


@pytest.mark.shows("revert exact")
@pytest.mark.parametrize("knob", one_of_each_kind(LIVE), ids=lambda knob: knob.name)
def test_every_live_knob(
    tuner: Tuner, target: Target, config: str, knob: Knob, tried: Tried
) -> None:
    knob = offered(tuner, target, knob)
    place = "userRoot" if "{backend}" in knob.dn else ""
    wanted = Setting(knob.name, another_value(knob, tuner.read(knob.name, place).value), place)
    applied = tuner.apply(tuner.catalogue.treatment([wanted], target.facts))
    last = applied.changes[-1]
    assert last.got == last.asked
    assert applied.proofs[-1].stored
    assert applied.proofs[-1].effective is (True if knob.proof.kind == "monitor" else None)
    assert "restart" not in str(last.message)
    tuner.revert(applied.group)
    tried(knob, applied.proofs[-1])


@pytest.mark.parametrize("knob", one_of_each_kind(RESTART), ids=lambda knob: knob.name)
def test_every_knob_that_waits_for_a_restart(
    tuner: Tuner, target: Target, config: str, knob: Knob
) -> None:
    knob = offered(tuner, target, knob)
    wanted = Setting(knob.name, another_value(knob, tuner.read(knob.name).value))
    applied = tuner.apply(tuner.catalogue.treatment([wanted], target.facts))
    assert applied.changes[-1].got == applied.changes[-1].asked
    assert applied.needs_restart
    assert applied.proofs[-1].effective is None
    tuner.revert(applied.group)


@pytest.mark.shows("restarts", "revert exact")
def test_what_waits_for_a_restart_works_after_one(
    tuner: Tuner, target: Target, config: str, tried: Tried
) -> None:
    """All of them in one restart, each with what proves it; then those that hide a proof."""
    here = {knob.name: knob for knob in tuner.catalogue.knobs}
    together = [here[k.name] for k in RESTART if k.name in here and k.name not in BY_ITSELF]
    if target.facts.simulated:  # it has not all of them
        together = [knob for knob in together if tuner.read(knob.name).value is not None]
    values = {k.name: another_value(k, tuner.read(k.name).value) for k in together}
    wanted = [Setting(name, value) for name, value in values.items()]
    applied = tuner.apply(tuner.catalogue.treatment(wanted, target.facts))
    restart(target)
    proofs = dict(
        zip((each.knob for each in applied.changes), tuner.prove(applied.group), strict=True)
    )
    for knob in together:
        assert proofs[knob.name].stored, knob.name
        assert proofs[knob.name].effective is (True if knob.proof.kind == "monitor" else None)
        tried(knob, proofs[knob.name])
    tuner.revert(applied.group)
    if not any(name in here for name in BY_ITSELF[:1]):
        restart(target)
        return  # LMDB has nothing that sizes caches
    grown = tuner.apply(treatment(tuner, target, "cache-autosize=50", "ndn-cache-enabled=off"))
    automatic = tuner.read("cachememsize").effective
    restart(target)
    for name, proof in zip(BY_ITSELF, tuner.prove(grown.group), strict=True):
        assert proof.stored
        tried(here[name], proof)
    assert int(tuner.read("cachememsize").effective or 0) > int(automatic or 0)
    tuner.revert(grown.group)
    restart(target)


def test_ldapmodify_takes_the_ldif(
    server: Lab | PracticeLab, tuner: Tuner, target: Target, config: str, tmp_path: Path
) -> None:
    applied = tuner.apply(treatment(tuner, target, "cachememsize=200 MiB"))
    changed = server.ldif_of_config()
    for text, then in ((ldif_to_undo, config), (ldif_to_apply, changed)):
        file = tmp_path / "change.ldif"
        file.write_text(text(applied.changes))
        reached = ["-H", server.profile.ldap_url, "-D", str(server.profile.bind_dn)]
        done = subprocess.run(
            ["ldapmodify", "-x", *reached, "-w", server.password, "-f", str(file)],
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        assert server.ldif_of_config() == then
    tuner.revert(applied.group)


def another_file_value(tuner: Tuner, knob: Knob, now: str) -> str:
    """Half of a number; another scheduler or mode the kernel has."""
    words = {
        "transparent_hugepage": ("never", "madvise"),
        "transparent_hugepage-defrag": ("never", "madvise"),
    }
    if knob.name in words:
        return next(word for word in words[knob.name] if word != now)
    if knob.choices:
        return next(choice for choice in knob.choices if choice != now)
    if now.endswith("%"):
        return str(64 << 20)
    if knob.name == "io-scheduler":
        return "none" if now != "none" else "mq-deadline"
    return str(max(int(now) // 2, knob.minimum or 0))


@pytest.mark.parametrize("knob", one_of_each_kind(HOST), ids=lambda knob: knob.name)
def test_every_kernel_file(
    server: Lab | PracticeLab, tuner: Tuner, target: Target, knob: Knob
) -> None:
    before = tuner.read(knob.name)
    if before.value is None:
        pytest.skip(f"this host does not show it: {before.unknown}")
    other = another_file_value(tuner, knob, before.value)
    wanted = treatment(tuner, target, f"{knob.name}={other}")
    if not server.profile.sudo:
        with pytest.raises(ChangeError, match="could not be set"):
            tuner.apply(wanted)
        assert tuner.read(knob.name).value == before.value
        return
    applied = tuner.apply(wanted)
    try:
        assert applied.proofs[0].effective is True
        assert tuner.read(knob.name).value == other
    finally:
        tuner.revert(applied.group)
    assert tuner.read(knob.name).value == before.value


def test_a_scheduler_nobody_has_is_refused(tuner: Tuner, target: Target) -> None:
    with pytest.raises(KnobError, match="does not offer"):
        tuner.apply(treatment(tuner, target, "io-scheduler=nosuch"))


DIES = """
import os, signal, sys
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.servers.target import connect
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner

profile, doing, when, attribute = sys.argv[1:]
target = connect(ProfileStore().get(profile), Secrets())
tuner = Tuner(target, Journal())
replace = target.directory.replace
armed = doing == "apply"

def replace_and_die(dn, name, values, *, expected):
    if armed and name == attribute and when == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    said = replace(dn, name, values, expected=expected)
    if armed and name == attribute and when == "after":
        os.kill(os.getpid(), signal.SIGKILL)
    return said

target.directory.replace = replace_and_die
treatment = tuner.catalogue.treatment(["cachememsize=200 MiB", "threadnumber=8"], target.facts)
applied = tuner.apply(treatment)
armed = True
tuner.revert(applied.group)
"""


def kills() -> Iterator[pytest.ParameterSet]:
    """At every write of a group; each run has one in the middle each way, as its faults have."""
    every_run = [
        ("apply", "after", "nsslapd-cachememsize"),
        ("revert", "before", "nsslapd-cachememsize"),
    ]
    attributes = ("nsslapd-cache-autosize", "nsslapd-cachememsize", "nsslapd-threadnumber")
    for kill in product(("apply", "revert"), ("before", "after"), attributes):
        yield pytest.param(*kill, marks=[] if kill in every_run else [pytest.mark.full])


@pytest.mark.parametrize(("doing", "when", "attribute"), [*kills()])
def test_kill_9_leaves_nothing_changed(
    server: Lab | PracticeLab, tuner: Tuner, config: str, doing: str, when: str, attribute: str
) -> None:
    ProfileStore().add(server.profile)
    arguments = [server.profile.name, doing, when, attribute]
    died = subprocess.run(
        [sys.executable, "-c", DIES, *arguments], capture_output=True, check=False, timeout=60
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    left_open = tuner.journal.open_changes(server.profile.ldap_url)
    assert left_open, "the next start must find an open change"
    recovered = tuner.recover()
    assert [each.id for each in recovered] == [each.id for each in reversed(left_open)]
    assert {each.state for each in recovered} == {ChangeState.REVERTED}
    assert tuner.journal.open_changes(server.profile.ldap_url) == []
