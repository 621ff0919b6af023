"""Knobs of OpenLDAP's slapd: set, proved, put back exactly, also after kill -9 and under load."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import ldap3
import pytest
from ldap3.core.exceptions import LDAPException

from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import ChangeError, ConflictError, KnobError
from ldap_workbench.model.knob import Effect, Knob, Setting, Treatment
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.ldif import ldif_to_apply, ldif_to_undo
from ldap_workbench.tuning.restart import restart
from ldap_workbench.tuning.tuner import Tuner
from ldap_workbench.tuning.versions import lacks
from tests.live.conftest import Tried
from tests.live.lab.host import chosen
from tests.live.lab.openldap import ADMIN, OpenLdap
from tests.live.lab.steps import unchanged_config
from tests.live.lab.users import SUFFIX
from tests.live.lab.walks import OPENLDAP, another_value, one_of_each_kind, to_be_walked

ROUNDS = 8
ALWAYS = [knob for knob in OPENLDAP if not knob.optional]
OVERLAYS = [knob for knob in OPENLDAP if knob.optional]


@pytest.fixture
def target(slapd: OpenLdap) -> Iterator[Target]:
    target = connect(slapd.profile, Secrets())
    yield target
    target.close()


@pytest.fixture
def config(slapd: OpenLdap) -> Iterator[str]:
    """cn=config as it was; the test must leave it so."""
    with unchanged_config(slapd) as before:
        yield before


def treatment(tuner: Tuner, target: Target, *settings: str | Setting) -> Treatment:
    return tuner.catalogue.treatment(settings, target.facts)


def offered(tuner: Tuner, knob: Knob) -> Knob:
    """As the catalogue has it for this version; skips what this version lacks."""
    if all((knob.name, knob.dn) != (each.name, each.dn) for each in of_all_versions(tuner)):
        pytest.skip("this version lacks it")
    here = tuner.catalogue.knob(knob.name)
    if here.effect is Effect.OFFLINE:
        pytest.skip("it ends this version, and is set while it is stopped")
    return here


def of_all_versions(tuner: Tuner) -> list[Knob]:
    """What this version has, by the names of the newest."""
    return [replace(k, name=k.also[0]) if k.also else k for k in tuner.catalogue.knobs]


def setting(tuner: Tuner, knob: Knob) -> Setting:
    """Another value for it, in the database of people."""
    place = place_of(knob)
    return Setting(knob.name, another_value(knob, tuner.read(knob.name, place).value), place)


def place_of(knob: Knob) -> str:
    """The database of people, where a knob has several places."""
    return "{1}mdb" if knob.of_backend else ""


def walk(tuner: Tuner, target: Target, knob: Knob, tried: Tried) -> None:
    """Set, read back, proved where the monitor shows it, put back exactly, also to absent."""
    tuner.patience_s = 5  # one that ended does not come back
    wanted = setting(tuner, knob)
    before = tuner.read(knob.name, wanted.place)
    applied = tuner.apply(treatment(tuner, target, wanted))
    (change,) = applied.changes
    assert change.got == change.asked == (wanted.value,)
    assert not applied.needs_restart
    assert applied.proofs[0].stored
    assert applied.proofs[0].effective is (True if knob.proof.kind == "monitor" else None)
    tuner.revert(applied.group)
    after = tuner.read(knob.name, wanted.place)
    assert (after.value, after.effective) == (before.value, before.effective)
    tried(knob, applied.proofs[0])


@pytest.mark.shows("revert exact")
@pytest.mark.parametrize("knob", one_of_each_kind(ALWAYS), ids=lambda knob: knob.name)
def test_every_knob(tuner: Tuner, target: Target, config: str, knob: Knob, tried: Tried) -> None:
    walk(tuner, target, offered(tuner, knob), tried)


@pytest.fixture(scope="module")
def running_overlays() -> Iterator[OpenLdap]:
    if not chosen("openldap"):
        pytest.skip("this run is about another product")
    lab = OpenLdap(overlays=True)
    try:
        yield lab.start()
    finally:
        lab.stop()


@pytest.fixture
def overlays(
    running_overlays: OpenLdap, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[OpenLdap]:
    """A slapd with the overlays of a provider of replication; its cn=config must stay as it is."""
    running_overlays.revive()
    monkeypatch.setenv("LDAP_WORKBENCH_OPENLDAP_PASSWORD", running_overlays.password)
    running_overlays.trust(tmp_path / "home")
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    before = running_overlays.ldif_of_config()
    yield running_overlays
    assert running_overlays.ldif_of_config() == before


@pytest.mark.shows("revert exact")
@pytest.mark.parametrize("knob", one_of_each_kind(OVERLAYS), ids=lambda knob: knob.name)
def test_every_knob_of_an_overlay(overlays: OpenLdap, knob: Knob, tried: Tried) -> None:
    with (
        closing(connect(overlays.profile, Secrets())) as target,
        closing(Journal()) as journal,
        closing(Tuner(target, journal, to_be_walked(target.facts))) as tuner,
    ):
        walk(tuner, target, offered(tuner, knob), tried)
        assert knob.dn not in {r.knob.dn for r in tuner.readings() if r.unknown}


@pytest.mark.shows("revert exact")
def test_a_limit_of_some_clients_is_added_holds_and_is_taken_out(
    slapd: OpenLdap, tuner: Tuner, target: Target, config: str, tried: Tried
) -> None:
    """Behind one that is there, and once more where there is none."""
    before = ending(slapd)
    wanted = treatment(tuner, target, "olcLimits@{1}mdb+=anonymous size=3")
    first = tuner.apply(treatment(tuner, target, "olcLimits@{1}mdb+=users size=5"))
    tuner.keep(first.group)
    applied = tuner.apply(wanted)
    assert applied.changes[0].got == ("{0}users size=5", "{1}anonymous size=3")
    assert ending(slapd) == ("sizeLimitExceeded", 3)
    tuner.revert(applied.group)
    assert ending(slapd) == before
    tuner.revert(first.group)
    alone = tuner.apply(wanted)
    assert ending(slapd) == ("sizeLimitExceeded", 3)
    tuner.revert(alone.group)
    assert ending(slapd) == before
    tried(tuner.catalogue.knob("olcLimits"), applied.proofs[0])


def ending(slapd: OpenLdap) -> tuple[str, int]:
    """How a search of somebody who did not bind ends, and how many entries it returned."""
    link = slapd.client()
    link.search(SUFFIX, "(uid=user00000*)", attributes=["1.1"])
    found = str(link.result["description"]), len(link.response)
    link.unbind()
    return found


@pytest.mark.parametrize("knob", one_of_each_kind(ALWAYS), ids=lambda knob: knob.name)
def test_slapd_survives_every_knob_under_load(
    slapd: OpenLdap, searching: None, tuner: Tuner, target: Target, config: str, knob: Knob
) -> None:
    """Some that slapd 2.5 takes while it runs crash it after a few changes: they have steps."""
    wanted = treatment(tuner, target, setting(tuner, offered(tuner, knob)))
    tuner.patience_s = 5
    for _ in range(ROUNDS):
        tuner.revert(tuner.apply(wanted).group)
        link = slapd.client()
        assert link.search("", "(objectClass=*)", ldap3.BASE, attributes=["1.1"])
        link.unbind()


def test_what_is_absent_again_works_as_before_at_once(
    slapd: OpenLdap, tuner: Tuner, target: Target, config: str
) -> None:
    """No counter shows it, so a client does: how many entries it gets, and what it may send."""

    def gets() -> int:
        link = slapd.client()
        link.search(SUFFIX, "(objectClass=person)", attributes=["uid"])
        found = len(link.response)
        link.unbind()
        return found

    def may_send(size: int) -> bool:
        link = slapd.client()
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


def test_what_a_version_lacks_is_not_offered_and_would_be_refused(
    tuner: Tuner, target: Target, config: str
) -> None:
    """The catalogue must not be stricter than the server for no reason."""
    lacking = [k for k in OPENLDAP if not k.optional and lacks(target.facts.version, k)]
    for knob in lacking:
        with pytest.raises(KnobError, match=r"is not known in|and older versions"):
            tuner.catalogue.knob(knob.name)
        there = replace(knob, since="", lacking="")
        anyway = Tuner(target, tuner.journal, replace(load_catalogue("openldap"), knobs=(there,)))
        with pytest.raises(ChangeError, match="attribute type undefined"):
            anyway.apply(
                Treatment((Setting(knob.name, another_value(knob, None), place_of(knob)),))
            )
    assert bool(lacking) is (not target.facts.version.startswith("2.6"))


def test_somebody_elses_value_is_left_alone(
    slapd: OpenLdap, tuner: Tuner, target: Target, config: str
) -> None:
    applied = tuner.apply(treatment(tuner, target, "olcIdleTimeout=900"))
    link = slapd.link()
    assert link.modify("cn=config", {"olcIdleTimeout": [(ldap3.MODIFY_REPLACE, ["600"])]})
    link.unbind()
    with pytest.raises(ConflictError) as caught:
        tuner.revert(applied.group)
    values = (caught.value.before, caught.value.ours, caught.value.now)
    assert tuple(map(str, values)) == ("absent", "900", "600")
    tuner.revert(applied.group, force=True)


def test_several_flags_are_shown_and_put_back(
    slapd: OpenLdap, tuner: Tuner, target: Target, config: str
) -> None:
    flags, dn = ["nometasync", "nordahead"], "olcDatabase={1}mdb,cn=config"
    link = slapd.link()
    assert link.modify(dn, {"olcDbEnvFlags": [(ldap3.MODIFY_ADD, flags)]})
    wanted = treatment(tuner, target, "olcDbEnvFlags=nordahead")
    assert "nometasync, nordahead → nordahead" in str(tuner.plan(wanted)[0].describe())
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


@pytest.mark.shows("restarts")
def test_a_restart_is_seen(slapd: OpenLdap, tuner: Tuner, target: Target, config: str) -> None:
    """cn=config is kept by slapd itself: a change outlives the restart, and so does the revert."""
    applied = tuner.apply(treatment(tuner, target, "olcThreads=8"))
    told: list[str] = []
    restart(target, progress=lambda report: told.append(str(report.text)), timeout_s=60)
    assert str(told[-1]) == "The server answers again"
    assert tuner.prove(applied.group)[0].effective is True
    tuner.revert(applied.group)
    assert tuner.read("olcThreads").effective == "16"


DIES = """
import os, signal, sys
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.profile import Profile
from ldap_workbench.servers.target import connect
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner

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


@pytest.mark.shows("kill -9", "revert exact")
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
