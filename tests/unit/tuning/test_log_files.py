"""The transaction log's files: copied, whole in the folder in force, and removed elsewhere."""

from __future__ import annotations

import os
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.log_files import LogFiles, LogMove, folder_in, log_move
from ldap_workbench.tuning.tuner import Tuner
from tests.systems import IS_ROOT
from tests.unit.tuning.fakes import FakeTarget

LDBM = "cn=config,cn=ldbm database,cn=plugins,cn=config"


def dse(log_folder: str = "") -> str:
    line = f"nsslapd-db-logdirectory: {log_folder}\n" if log_folder else ""
    return f"dn: {LDBM}\nnsslapd-directory: /db\n\ndn: cn=bdb,{LDBM}\ncn: bdb\n{line}"


def run(argv: list[str]) -> bytes:
    done = subprocess.run(argv, capture_output=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr.decode())
    return done.stdout


@pytest.fixture
def move(tmp_path: Path) -> LogMove:
    old, new = tmp_path / "db", tmp_path / "other"
    for folder in (old, new):
        folder.mkdir()
    for number in (1, 2):
        (old / f"log.{number:010}").write_text(f"log {number}")
    (old / "userRoot").write_text("no log")
    return LogMove(str(old), str(new))


def logs(folder: str) -> dict[str, str]:
    return {path.name: path.read_text() for path in Path(folder).iterdir()}


def test_where_they_are_by_the_configuration() -> None:
    assert folder_in(dse()) == "/db"
    assert folder_in(dse("/log")) == "/log"
    assert folder_in("dn: cn=config\nolcThreads: 16\n") == "", "slapd has none"
    assert log_move(dse(), dse("/log")) == LogMove("/db", "/log")
    assert log_move(dse("/log"), dse()) == LogMove("/log", "/db")
    assert log_move(dse("/log"), dse("/log")) is None
    assert log_move(dse(), dse("/db")) is None


def test_they_are_copied_and_removed_where_they_are_not_in_force(move: LogMove) -> None:
    files = LogFiles(run)
    files.check(move)
    before = logs(move.old)
    files.copy(move)
    assert logs(move.old) == before, "until the configuration names the other folder"
    files.drop(move.old, move.new)
    assert logs(move.old) == {"userRoot": "no log"}
    assert logs(move.new) == {name: text for name, text in before.items() if "log." in name}
    Path(move.new, "log.0000000003").write_text("log 3")
    Path(move.old, "log.0000000001").write_text("stale")
    files.copy(LogMove(move.new, move.old))
    files.drop(move.new, move.old)
    assert logs(move.old) == before | {"log.0000000003": "log 3"}
    assert logs(move.new) == {}


def test_a_server_that_has_written_nothing_has_none(move: LogMove) -> None:
    files = LogFiles(run)
    files.drop(move.old, move.new)
    files.check(move)
    files.copy(move)
    assert logs(move.new) == {}


def test_the_folder_in_force_is_never_emptied(move: LogMove) -> None:
    alias = Path(move.old).parent / "alias"
    alias.symlink_to(move.old)
    before = logs(move.old)
    LogFiles(run).drop(move.old, str(alias))
    LogFiles(run).copy(LogMove(move.old, str(alias)))
    assert logs(move.old) == before


@pytest.mark.parametrize("why", ["there already", "may not write"])
def test_a_folder_that_cannot_take_them_is_refused(move: LogMove, why: str) -> None:
    new = Path(move.new)
    if why == "there already":
        (new / "log.0000000001").write_text("of another instance")
    else:
        new.rmdir()
    with pytest.raises(AssertionError, match=why):
        LogFiles(run).check(move)


@pytest.mark.skipif(not IS_ROOT, reason="only root gives folders away")
def test_a_folder_of_another_account_is_refused(move: LogMove) -> None:
    """They would be moved by root, where that account may lay links."""
    os.chown(move.new, 65534, 65534)
    with pytest.raises(AssertionError, match="do not belong to the same account"):
        LogFiles(run).check(move)


def test_links_are_not_copied(move: LogMove, tmp_path: Path) -> None:
    before = logs(move.old)
    (tmp_path / "victim").write_text("not the server's")
    Path(move.old, "log.0000000003").symlink_to(tmp_path / "victim")
    LogFiles(run).copy(move)
    assert logs(move.new) == {name: text for name, text in before.items() if "log." in name}


def test_a_disk_without_room_is_refused(move: LogMove, tmp_path: Path) -> None:
    df = tmp_path / "bin" / "df"
    df.parent.mkdir()
    df.write_text("#!/bin/sh\necho Avail\necho 4096\n")
    df.chmod(0o755)

    def run_with_full_disk(argv: list[str]) -> bytes:
        return run(["env", f"PATH={df.parent}:/usr/bin:/bin:/usr/sbin:/sbin", *argv])

    with pytest.raises(AssertionError, match="has 4096 bytes free, and the log files take"):
        LogFiles(run_with_full_disk).check(move)


def test_the_plan_says_what_becomes_of_them() -> None:
    target = FakeTarget()
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        wanted = tuner.catalogue.treatment(["nsslapd-db-logdirectory=/log"], target.facts)
        [planned] = tuner.plan(wanted)
    assert "copied while the server is stopped" in str(planned.describe())
