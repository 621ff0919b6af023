"""What version 0.1 wrote is opened by this version: nothing is lost, and originals stay."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path

import pytest
import zstandard

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.inference.counts.tails import tails
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import ChangeError
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from ldap_workbench.tuning.journal import VERSION, Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.tuning.fakes import LDBM, FakeTarget

WRITTEN = Path(__file__).parent / "from_0_1"
"""Made by the program of commit f5bee4a: profiles and tails by its command, the journal and the
window's settings by their classes, the session by its tests/sessions.py (6 pairs of 10 s, 10
operations a second). Session and journal are of schema version 1."""
SERVER = "ldaps://ldap1.example.com"


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return Path(shutil.copy(WRITTEN / "journal.sqlite", tmp_path))


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "experiment.ldapwb"
    packed = (WRITTEN / "experiment.ldapwb.zst").read_bytes()
    path.write_bytes(zstandard.ZstdDecompressor().stream_reader(packed).read())
    return path


def test_profiles_are_read_and_kept_beside_a_new_one(tmp_path: Path) -> None:
    path = Path(shutil.copy(WRITTEN / "profiles.toml", tmp_path))
    written = tomllib.loads(path.read_text("utf-8"))["profiles"]
    store = ProfileStore(path)
    assert store.names() == sorted(written)
    production = store.get("production")
    assert production.ldap_url == SERVER
    assert production.ssh is not None
    assert (production.ssh.host, production.ssh.port) == ("ldap1.example.com", 2222)
    assert production.restart_command == "systemctl restart dirsrv@main"
    for name in store.names():
        store.add(store.get(name))
    assert tomllib.loads(path.read_text("utf-8"))["profiles"] == written


def test_changes_of_the_journal_are_there_and_open_ones_can_be_reverted(journal: Path) -> None:
    before = rows(journal)
    opened = Journal(journal)
    try:
        reverted, applied, intended = opened.changes(SERVER)
        assert opened.open_changes(SERVER) == [applied, intended]
        assert (applied.before, applied.asked, applied.got) == (None, ("24",), ("24",))
        assert str(reverted.message) == "read back: 60"
        group = opened.application(applied.group)
        assert (group.starttime, group.identity) == ("20261121060000Z", "")
        assert [each.knob for each in group.treatment.settings] == ["nsslapd-threadnumber"]
        opened.update(applied, state=ChangeState.REVERTED, got=None)
        assert opened.open_changes(SERVER) == [intended]
    finally:
        opened.close()
    assert [row for row in rows(journal) if row[0] != applied.id] == [
        row for row in before if row[0] != applied.id
    ]


def test_what_0_1_left_in_force_is_put_back(
    journal: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    target = FakeTarget()
    monkeypatch.setattr(target.directory, "url", SERVER)
    entry = target.directory.entries[LDBM]
    entry |= {"nsslapd-threadnumber": ("24",), "nsslapd-cachememsize": ("134217728",)}
    with closing(Journal(journal)) as opened, closing(Tuner(target, opened)) as tuner:
        intended, applied = tuner.recover()
        assert opened.open_changes(SERVER) == []
    assert str(intended.message) == "never reached the server"
    assert {intended.state, applied.state} == {ChangeState.REVERTED}
    assert "nsslapd-threadnumber" not in entry
    assert target.directory.written == [("nsslapd-threadnumber", None)]


def test_a_journal_is_of_one_version_wherever_its_upgrade_is_cut(
    journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = rows(journal)
    with monkeypatch.context() as cut:
        cut.setattr(sqlite3, "connect", cut_before_the_version)
        with pytest.raises(ChangeError):
            Journal(journal)
    Journal(journal).close()
    assert rows(journal) == before
    with sqlite3.connect(journal) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)


class Cut(sqlite3.Connection):
    """A database that fails where the number of its version would be written."""

    def execute(self, sql: str, *values: object) -> sqlite3.Cursor:
        if sql.startswith("PRAGMA user_version ="):
            raise sqlite3.OperationalError("killed")
        return super().execute(sql, *values)


_connect = sqlite3.connect


def cut_before_the_version(path: Path, **options: object) -> sqlite3.Connection:
    return _connect(path, factory=Cut, **options)


def rows(path: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(path) as db:
        return db.execute("SELECT * FROM change ORDER BY id").fetchall()


def test_a_session_has_the_tails_it_had_and_is_not_changed_by_reading(session: Path) -> None:
    before = session.read_bytes()
    expected = json.loads((WRITTEN / "tails.json").read_text())
    with Session.open(session) as opened:
        assert opened.meta["written_by"] == "ldap-workbench 0.1.0"
        first = opened.windows()[0]
        found = tails(opened.latencies(first), window=first.name)
        assert [each.to_json() for each in found] == expected
        [experiment] = opened.experiments()
        assert experiment.verdict is not None
        assert str(experiment.verdict.sentence).startswith("Better: p50 went from 1.37 ms to 558")
        assert len(opened.changes()) == 10
        assert opened.facts is not None
    assert session.read_bytes() == before


def test_a_session_goes_on_with_what_is_added(session: Path) -> None:
    with Session.open(session) as opened:
        windows, experiments = opened.windows(), opened.experiments()
        counted = [len(opened.operations(window)) for window in windows]
    with SessionWriter.append(session) as writer:
        added = Window(writer.next_id("capture_window"), "later", 10**18, 10**18 + 1)
        writer.put_window(added)
    with Session.open(session) as opened:
        kept = [window for window in opened.windows() if window.id != added.id]
        assert kept == windows
        assert opened.experiments() == experiments
        assert [len(opened.operations(window)) for window in windows] == counted
