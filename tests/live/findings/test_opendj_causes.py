"""OpenDJ's database by its own counters, each made on a real server, and the advice for it."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import ldap3
import pytest

from ldap_workbench.advice.evidence.view import settings_now
from ldap_workbench.advice.families.find import findings
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.session.reader import Session
from tests.live.complaints.complaint import linked, together
from tests.live.complaints.opendj import BACKEND, setting
from tests.live.lab.opendj import ADMIN, SUFFIX, OpenDj
from tests.live.lab.steps import capture_while, connected

pytestmark = [
    pytest.mark.full,
    pytest.mark.clock("the counters have to move in seconds of real load"),
    pytest.mark.timeout(300),
    pytest.mark.skipif(os.geteuid() != 0, reason="addresses of clients and the JVM need root"),
]
USERS = 10_000


@pytest.fixture(scope="module")
def dj() -> Iterator[OpenDj]:
    server = OpenDj(users=USERS).start()
    yield server
    server.stop()


def write(server: OpenDj) -> None:
    link = linked(server, ADMIN, server.password)
    for n in range(400):
        text = [(ldap3.MODIFY_REPLACE, [f"changed {time.time_ns()} " + "x" * 2000])]
        assert link.modify(f"uid=user.{n},ou=People,{SUFFIX}", {"description": text}), link.result
    link.unbind()


def write_and_read(server: OpenDj) -> None:
    """Entries that lie in many files, as each was written at another time."""
    write(server)
    link, chance = linked(server), random.Random(time.time_ns())
    for _ in range(600):
        dn = f"uid=user.{chance.randrange(400)},ou=People,{SUFFIX}"
        link.search(dn, "(objectClass=*)", ldap3.BASE, attributes=["*"])
    link.unbind()


CASES = {
    "je_files": (
        "je-open-files",
        write_and_read,
        {"db_cache_size": "1 mb", "db_log_filecache_size": "3", "db_log_file_max": "1 mb"},
    ),
    "je_checkpoints": (
        "je-checkpoints-rarer",
        write,
        {"db_checkpointer_bytes_interval": "1 mb", "db_log_file_max": "10 mb"},
    ),
}


@pytest.mark.parametrize("which", CASES)
def test_the_database_says_what_it_is_short_of(
    which: str, dj: OpenDj, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    piece, work, values = CASES[which]
    session = tmp_path / "window.ldapwb"
    with setting(dj, BACKEND, restart=True, **values), connected(dj, monkeypatch) as target:
        capture_while(lambda: together(*[lambda: work(dj)] * 3), target, session, 8.0)
        facts = target.facts
    with Session.open(session) as opened:
        found = findings(opened)
        pieces = advise(found, facts, settings=settings_now(opened))
    assert which in {seen.id for seen in found}
    assert piece in {one.id for one in pieces}
