"""Longer lists of an index: slapindex with slapd stopped, undone exactly, also after kill -9."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.ssh import open_shell
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.servers.target import Target, connect
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.revive import revive
from ldap_workbench.tuning.tuner import Tuner
from tests.live.lab.host import chosen
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.users import SUFFIX

pytestmark = [
    pytest.mark.shows("offline edits"),
    pytest.mark.skipif(chosen("openldap") == "openldap-2.4", reason="2.4 has lists of one length"),
]
DATABASE = "olcDatabase={1}mdb,cn=config"
MONITOR = "olcDatabase={2}monitor,cn=config"
TASKS = "cn=Tasklist,cn=Threads,cn=Monitor"
OTHERS = range(1000, 3000)
SAME = 65_600
"""Entries with one value: more than a list of 2^16 holds."""
MOST = 66_500
"""Entries a search may look at: those of the list, and fewer than those of the range."""
SUCCESS, ADMIN_LIMIT = 0, 11


@pytest.fixture(scope="module")
def slapd() -> Iterator[OpenLdap]:
    lab = OpenLdap(users=20, overlays=True)
    try:
        entries = [f"dn: ou=rooms,{SUFFIX}\nobjectClass: organizationalUnit\nou: rooms\n"]
        for n in range(SAME + len(OTHERS)):
            place = "north" if n in OTHERS else "south"
            dn = f"dn: cn=r{n},ou=rooms,{SUFFIX}"
            entries.append(f"{dn}\nobjectClass: device\ncn: r{n}\nl: {place}\n")
        lab.load("\n".join(entries))
        lab.start()
        link = lab.link()
        changes = {
            "olcDbIndex": [("MODIFY_ADD", ["l eq"])],
            "olcSizeLimit": [("MODIFY_REPLACE", [f"size.unchecked={MOST}"])],
        }
        link.modify(DATABASE, changes)
        link.unbind()
        yield lab
    finally:
        lab.stop()


@pytest.fixture
def target(slapd: OpenLdap, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Target]:
    for name, value in slapd.environment.items():
        monkeypatch.setenv(name, value)
    slapd.trust(tmp_path / "home")
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    end = time.monotonic() + 60
    while answer(slapd) == SUCCESS and time.monotonic() < end:
        time.sleep(0.1)  # the index is built in the background
    with closing(connect(slapd.profile, Secrets())) as target:
        yield target


def answer(slapd: OpenLdap) -> int:
    """The result of a search that returns one of the many entries."""
    link = slapd.client()
    link.search(SUFFIX, "(&(l=south)(cn=r5))", attributes=["1.1"])
    result = int(link.result["result"])
    assert len(link.response) == (result == SUCCESS)
    link.unbind()
    return result


def texts(slapd: OpenLdap) -> dict[str, bytes]:
    """All of slapd.d, and the names of the files of its databases."""
    files = [path for path in slapd.stored.rglob("*") if path.is_file()]
    names = dict.fromkeys(map(str, slapd.database.parent.glob("*/*.mdb*")), b"")
    return {str(path): path.read_bytes() for path in files} | names


def test_a_range_becomes_a_list_and_a_range_again(slapd: OpenLdap, target: Target) -> None:
    before = texts(slapd)
    assert answer(slapd) == ADMIN_LIMIT, "a range"
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        tuner.may_stop, tuner.restart_wait_s = True, 20
        applied = tuner.apply(tuner.catalogue.treatment(["olcBkMdbIdlExp=18"], target.facts))
        assert "slapindex built the indexes" in str(applied.changes[0].message)
        assert tuner.read("olcBkMdbIdlExp").value == "18"
        assert answer(slapd) == SUCCESS, "a list"
        tuner.revert(applied.group)
    assert answer(slapd) == ADMIN_LIMIT
    assert texts(slapd) == before


def test_an_index_that_nobody_would_see_built_is_built_by_slapindex(
    slapd: OpenLdap, target: Target
) -> None:
    """As where back-monitor is not loaded, or the bind user does not see the list of tasks."""
    link = slapd.link()
    rule = f'to dn.base="{TASKS}" by * none'
    link.modify(MONITOR, {"olcAccess": [("MODIFY_ADD", ["{0}" + rule])]})
    before = texts(slapd)
    try:
        with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
            tuner.may_stop, tuner.restart_wait_s = True, 20
            wanted = tuner.catalogue.treatment(["index.cn@{1}mdb=eq"], target.facts)
            applied = tuner.apply(wanted)
            assert "slapindex built the indexes" in str(applied.proofs[0].sentence)
            client = slapd.client()
            client.search(SUFFIX, "(cn=r66000)", attributes=["1.1"])
            assert len(client.response) == 1
            assert "cn) not indexed" not in slapd.log.read_text().rpartition("r66000")[2]
            client.unbind()
            tuner.revert(applied.group)
        assert texts(slapd) == before
    finally:
        link = slapd.link()
        link.modify(MONITOR, {"olcAccess": [("MODIFY_DELETE", ["{0}" + rule])]})
        link.unbind()


DIES = """
import os, signal, threading, time
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
    if argv[3:4] == ["slapd-index"] and argv[5] == "build":
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
    return run(argv, **options)

target.shell.run = run_and_die
tuner.apply(tuner.catalogue.treatment(["olcBkMdbIdlExp=18"], target.facts))
"""


@pytest.mark.shows("kill -9")
def test_kill_9_while_slapindex_runs(slapd: OpenLdap, target: Target) -> None:
    """Half an index would hide entries: it is whole again before slapd answers."""
    before, profile = texts(slapd), slapd.profile
    ProfileStore().add(profile)
    died = subprocess.run(
        [sys.executable, "-c", DIES], capture_output=True, check=False, timeout=120
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    with pytest.raises(ConnectError):
        connect(profile, Secrets())
    shell = open_shell(profile, Secrets())
    assert shell is not None
    with (
        closing(Journal()) as journal,
        closing(shell),
        closing(
            revive(profile.ldap_url, shell, journal, lambda: connect(profile, Secrets()))
        ) as again,
        closing(Tuner(again, journal)) as tuner,
    ):
        tuner.may_stop = True
        assert {change.state for change in tuner.recover()} == {ChangeState.REVERTED}
    assert answer(slapd) == ADMIN_LIMIT, "as before, and the index has all"
    assert texts(slapd) == before
