"""What slapd may not survive while it runs, set in its slapd.d: put back exactly."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import ldap3
import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.ssh import open_shell
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import ChangeError, ConflictError, ConnectError
from ldap_workbench.model.knob import Effect
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.revive import interrupted, revive
from ldap_workbench.tuning.tuner import Tuner
from tests.live.conftest import Tried
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.steps import first_start_fails
from tests.live.lab.users import SUFFIX
from tests.live.lab.walks import OPENLDAP_OFFLINE

pytestmark = pytest.mark.shows("offline edits")
VALUES = {
    "olcThreadQueues": "2",
    "olcListenerThreads": "2",
    "olcLogFile": "/tmp/ldap-workbench-slapd.log",
    "olcDbMaxSize": "2147483648",
    "olcDbMaxReaders": "200",
    "olcTCPBuffer": "read=65536",
    "olcBkMdbIdlExp": "17",
    "olcIndexHash64": "TRUE",
    "olcIndexSubstrIfMinLen": "3",
    "olcIndexSubstrIfMaxLen": "6",
    "olcIndexSubstrAnyLen": "3",
    "olcIndexSubstrAnyStep": "1",
}
"""Of what has a value, another one: each is set while slapd is stopped."""


@pytest.fixture(scope="module")
def own_slapd() -> Iterator[OpenLdap]:
    slapd = OpenLdap(users=100)
    try:
        yield slapd.start()
    finally:
        slapd.stop()


@pytest.fixture
def target(
    own_slapd: OpenLdap, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Target]:
    for name, value in own_slapd.environment.items():
        monkeypatch.setenv(name, value)
    own_slapd.trust(tmp_path / "home")
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    with closing(connect(own_slapd.profile, Secrets())) as target:
        yield target


@pytest.fixture
def tuner(target: Target) -> Iterator[Tuner]:
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        tuner.may_stop, tuner.restart_wait_s = True, 20
        yield tuner


@pytest.fixture
def files(own_slapd: OpenLdap) -> Iterator[dict[str, bytes]]:
    """All of slapd.d; the test must leave it so to the byte, and no copies beside it."""
    before = texts(own_slapd)
    yield before
    assert texts(own_slapd) == before


def texts(slapd: OpenLdap) -> dict[str, bytes]:
    paths = [path for path in slapd.stored.rglob("*") if path.is_file()]
    return {str(path.relative_to(slapd.stored)): path.read_bytes() for path in paths}


def test_every_offline_knob_in_one_stop(
    tuner: Tuner, target: Target, own_slapd: OpenLdap, files: dict[str, bytes], tried: Tried
) -> None:
    """Settings of two entries, so of two files; slapd finds their checksums right."""
    walked = {knob.name for knob in OPENLDAP_OFFLINE if not knob.optional}
    assert walked == VALUES.keys()
    knobs = [
        knob
        for knob in tuner.catalogue.knobs
        if knob.effect is Effect.OFFLINE and knob.name in walked
    ]
    assert len(knobs) >= 3
    before = {knob.name: tuner.read(knob.name, place(knob.dn)).value for knob in knobs}
    settings = [f"{knob.name}{at(knob.dn)}={VALUES[knob.name]}" for knob in knobs]
    said: list[str] = []
    wanted = tuner.catalogue.treatment(settings, target.facts)
    applied = tuner.apply(wanted, progress=lambda report: said.append(str(report.text)))
    assert sum(text.startswith("Stopping") for text in said) == 1
    assert sum(text.startswith("slapindex") for text in said) == 1
    for knob, proof in zip(knobs, applied.proofs, strict=True):
        assert proof.stored
        expected = True if knob.proof.kind == "monitor" else None
        assert proof.effective is expected, proof.sentence
        assert tuner.read(knob.name, place(knob.dn)).value == VALUES[knob.name]
        if not knob.crashes:  # the record is of what a running slapd survives
            tried(knob, proof)
    copies = list(own_slapd.stored.rglob(f"*.before-{applied.group}"))
    assert len(copies) == len({planned.location.dn for planned in tuner.plan(wanted)})
    tuner.revert(applied.group)
    assert {knob.name: tuner.read(knob.name, place(knob.dn)).value for knob in knobs} == before
    output = (own_slapd.stored.parent / "logs" / "output").read_text()
    assert "checksum" not in output


@pytest.fixture
def overlays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[OpenLdap]:
    """A slapd with overlays; the test must leave its slapd.d so to the byte."""
    slapd = OpenLdap(users=1000, overlays=True)
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    for name, value in slapd.environment.items():
        monkeypatch.setenv(name, value)
    slapd.trust(tmp_path / "home")
    try:
        slapd.start()
        before = texts(slapd)
        yield slapd
        assert texts(slapd) == before
    finally:
        slapd.stop()


@pytest.fixture
def tuner_of_overlays(overlays: OpenLdap) -> Iterator[tuple[Tuner, Target]]:
    with (
        closing(connect(overlays.profile, Secrets())) as target,
        closing(Journal()) as journal,
        closing(Tuner(target, journal)) as tuner,
    ):
        tuner.may_stop, tuner.restart_wait_s = True, 20
        yield tuner, target


def test_settings_of_overlays_that_a_running_slapd_does_not_take_well(
    overlays: OpenLdap, tuner_of_overlays: tuple[Tuner, Target]
) -> None:
    """Their files lie one folder deeper. Absent again, sorting works as before."""
    tuner, target = tuner_of_overlays
    here = {knob.name: knob.effect for knob in tuner.catalogue.knobs}
    names = [name for name in OF_OVERLAYS if here.get(name) is Effect.OFFLINE]
    assert len(names) == len(OF_OVERLAYS) - 1
    settings = [f"{name}@{{1}}mdb={OF_OVERLAYS[name]}" for name in names]
    applied = tuner.apply(tuner.catalogue.treatment(settings, target.facts))
    for name in names:
        assert tuner.read(name, "{1}mdb").value == OF_OVERLAYS[name]
    assert sorts_at_once(overlays) < SORTERS
    tuner.revert(applied.group)
    assert sorts_at_once(overlays) == SORTERS


def test_dynamic_lists_are_others_and_the_same_again(
    overlays: OpenLdap, tuner_of_overlays: tuple[Tuner, Target], tried: Tried
) -> None:
    """slapd takes groupOfURLs for one where none is set, but not where one was until now."""
    tuner, target = tuner_of_overlays
    link = overlays.link(f"cn=admin,{SUFFIX}")
    url = f"ldap:///{SUFFIX}?cn?sub?(uid=user000007)"
    assert link.add(f"cn=everybody,{SUFFIX}", "groupOfURLs", {"memberURL": url}), link.result
    link.unbind()
    before = names_of_everybody(overlays)
    assert len(before) == 2
    name = next(knob.name for knob in tuner.catalogue.knobs if knob.name in DYNAMIC_LISTS)
    words = [f"{name}@{{1}}mdb+={value}" for value in ("person labeledURI", EXPANDED)]
    first, second = (tuner.catalogue.treatment([word], target.facts) for word in words)
    another = tuner.apply(first)
    assert names_of_everybody(overlays) == ["everybody"]
    tuner.keep(another.group)
    both = tuner.apply(second)
    assert both.changes[0].got == ("{0}person labeledURI", f"{{1}}{EXPANDED}")
    tuner.revert(both.group)
    assert names_of_everybody(overlays) == ["everybody"]
    tuner.revert(another.group)
    assert names_of_everybody(overlays) == before
    tried(tuner.catalogue.knob(name), both.proofs[0])


def names_of_everybody(slapd: OpenLdap) -> list[str]:
    """Those of a group, and of its members where it is expanded."""
    link = slapd.link(f"cn=admin,{SUFFIX}")
    link.search(f"cn=everybody,{SUFFIX}", "(objectClass=*)", ldap3.BASE, attributes=["cn"])
    names = sorted(link.entries[0].entry_attributes_as_dict["cn"])
    link.unbind()
    return names


DYNAMIC_LISTS, EXPANDED = ("olcDynListAttrSet", "olcDlAttrSet"), "groupOfURLs memberURL"
"""The setting in 2.5 and later, and in 2.4; and what slapd expands of itself."""
OF_OVERLAYS = {
    "olcSpSessionlog": "100",
    "olcSpSessionlogSource": "cn=accesslog",
    "olcSssVlvMax": "1",
}
"""Either of the first two has ended the versions that do not have the other. The last one's absence
is taken for none by a slapd that runs."""
SORTERS, _SORTS, _BUSY = 3, 8, 51
_RULE = b"caseIgnoreOrderingMatch"
_KEY = b"\x04\x02cn\x80" + bytes([len(_RULE)]) + _RULE
_KEYS = b"\x30" + bytes([len(_KEY)]) + _KEY
SORT = ("1.2.840.113556.1.4.473", True, b"\x30" + bytes([len(_KEYS)]) + _KEYS)
"""By cn (RFC 2891)."""


def sorts_at_once(slapd: OpenLdap) -> int:
    """How many of as many clients have all their sorted searches served."""
    ends: list[set[int]] = []

    def client() -> None:
        link = slapd.client()
        results = set()
        for _ in range(_SORTS):
            link.search(SUFFIX, "(cn=*)", attributes=["cn"], controls=[SORT])
            results.add(link.result["result"])
        link.unbind()
        ends.append(results)

    clients = [threading.Thread(target=client) for _ in range(SORTERS)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join()
    return sum(_BUSY not in results for results in ends)


def place(dn: str) -> str:
    return "{1}mdb" if "{backend}" in dn else ""


def at(dn: str) -> str:
    return f"@{place(dn)}" if place(dn) else ""


def test_a_file_slapd_does_not_start_with_is_put_back(
    tuner: Tuner, target: Target, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    first_start_fails(target, monkeypatch)
    wanted = tuner.catalogue.treatment(["olcListenerThreads=4"], target.facts)
    with pytest.raises(ChangeError, match="failed on") as caught:
        tuner.apply(wanted)
    assert "put back" in str(caught.value.safe)
    assert tuner.journal.open_changes(tuner.server) == []


def test_somebody_elses_value_is_not_overwritten(
    tuner: Tuner, target: Target, own_slapd: OpenLdap, files: dict[str, bytes]
) -> None:
    applied = tuner.apply(tuner.catalogue.treatment(["olcListenerThreads=2"], target.facts))
    link = own_slapd.link()
    link.modify("cn=config", {"olcIdleTimeout": [("MODIFY_REPLACE", ["77"])]})
    link.modify("cn=config", {"olcIdleTimeout": [("MODIFY_REPLACE", [])]})
    file = own_slapd.stored / "cn=config.ldif"
    own_slapd._run_control("stop")
    file.write_text(file.read_text().replace("olcListenerThreads: 2", "olcListenerThreads: 4"))
    own_slapd.start()
    target.reconnect()
    with pytest.raises(ConflictError):
        tuner.revert(applied.group)
    tuner.revert(applied.group, force=True)
    own_slapd._run_control("stop")
    file.write_bytes(files["cn=config.ldif"])  # slapd has noted who changed it, and when
    own_slapd.start()


DIES = """
import os, signal, sys
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.servers.target import connect
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner

target = connect(ProfileStore().get("openldap"), Secrets())
tuner = Tuner(target, Journal())
tuner.may_stop = True
run = target.shell.run

def run_and_die(argv, **options):
    if argv[-1] == "start":
        os.kill(os.getpid(), signal.SIGKILL)
    return run(argv, **options)

target.shell.run = run_and_die
tuner.apply(tuner.catalogue.treatment(["olcListenerThreads=2", "olcDbMaxReaders@{1}mdb=200"],
                                      target.facts))
"""


@pytest.mark.shows("kill -9")
def test_kill_9_while_slapd_is_stopped(
    own_slapd: OpenLdap, target: Target, files: dict[str, bytes]
) -> None:
    profile = own_slapd.profile
    ProfileStore().add(profile)
    died = subprocess.run(
        [sys.executable, "-c", DIES], capture_output=True, check=False, timeout=120
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    with pytest.raises(ConnectError):
        connect(profile, Secrets())
    with closing(Journal()) as journal:
        assert len(interrupted(journal, profile.ldap_url)) == 2
        shell = open_shell(profile, Secrets())
        assert shell is not None
        with (
            closing(shell),
            closing(
                revive(profile.ldap_url, shell, journal, lambda: connect(profile, Secrets()))
            ) as again,
            closing(Tuner(again, journal)) as tuner,
        ):
            tuner.may_stop = True
            assert {each.state for each in tuner.recover()} == {ChangeState.REVERTED}
