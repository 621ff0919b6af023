"""A kill at any moment of creation leaves nothing, or a session that opens; so does a capture."""

from __future__ import annotations

import errno
import os
import random
import shutil
import stat
import subprocess
import sys
import time

import pytest

from ldap_workbench.model.errors import SessionError
from ldap_workbench.session import creation
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.systems import IS_ROOT, KILLED
from tests.unit.session.test_session import FACTS, WINDOW, in_child

MAKE = """
import sys
from pathlib import Path
from ldap_workbench.session.writer import SessionWriter
print("ready", flush=True)
for number in range(1000):
    writer = SessionWriter.create(Path(sys.argv[1]) / f"{number}.ldapwb")
    print(number, flush=True)
    writer.close()
"""


@pytest.mark.parametrize(
    "seed", [0, 2, *(pytest.param(seed, marks=pytest.mark.full) for seed in (1, 3, 4, 5))]
)
def test_a_kill_while_sessions_are_made_leaves_each_whole_or_none(tmp_path, seed):
    with subprocess.Popen(
        [sys.executable, "-c", MAKE, str(tmp_path)], stdout=subprocess.PIPE
    ) as maker:
        maker.stdout.readline()
        time.sleep(random.Random(seed).uniform(0, 0.4))
        maker.kill()
    made = sorted(tmp_path.glob("*.ldapwb"), key=lambda path: int(path.stem))
    for path in made[-2:]:
        with Session.open(path) as session:
            assert session.windows() == []
        SessionWriter.append(path).close()
    left = [each.name for each in tmp_path.iterdir() if each.suffix != ".ldapwb"]
    assert all(name.startswith(".session-") or ".wal" in name for name in left)


STEPS = ["_write_tables", "sync", "_give_name"]


def die_at(path, step, after):
    work = getattr(creation, step)

    def dying(*words):
        if after:
            work(*words)
        os.kill(os.getpid(), 9)

    setattr(creation, step, dying)
    SessionWriter.create(path)


@pytest.mark.parametrize(("step", "after"), [(STEPS[0], False), *((step, True) for step in STEPS)])
def test_a_kill_at_every_step_leaves_a_session_or_none(tmp_path, step, after):
    path = tmp_path / "s.ldapwb"
    code = (
        f"from {__name__} import die_at; from pathlib import Path; "
        f"die_at(Path({str(path)!r}), {step!r}, {after})"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == KILLED
    assert path.exists() == (step == "_give_name" and after)
    if path.exists():
        Session.open(path).close()
    else:
        SessionWriter.create(path).close()


def test_what_a_kill_left_is_removed_when_it_is_old(tmp_path):
    old, young = tmp_path / ".session-old", tmp_path / ".session-young"
    for folder in (old, young):
        folder.mkdir()
        (folder / "new.ldapwb").touch()
    os.utime(old, (1, 1))
    SessionWriter.create(tmp_path / "s.ldapwb").close()
    assert sorted(each.name for each in tmp_path.iterdir()) == [".session-young", "s.ldapwb"]


def test_a_log_that_lies_there_is_not_taken_for_that_of_a_new_session(tmp_path):
    (tmp_path / "s.ldapwb.wal").write_bytes(b"somebody's")
    with pytest.raises(SessionError, match="wal already exists"):
        SessionWriter.create(tmp_path / "s.ldapwb")
    assert [each.name for each in tmp_path.iterdir()] == ["s.ldapwb.wal"]


@pytest.mark.posix("links are for administrators there")
def test_a_link_to_nowhere_is_not_written_through(tmp_path):
    (tmp_path / "s.ldapwb").symlink_to(tmp_path / "other")
    with pytest.raises(SessionError, match="already exists"):
        SessionWriter.create(tmp_path / "s.ldapwb")
    assert not (tmp_path / "other").exists()


def test_a_name_that_no_database_takes_is_refused_and_nothing_is_left(tmp_path):
    path = tmp_path / "s\udcff.ldapwb"
    with pytest.raises(SessionError, match="is not UTF-8"):
        SessionWriter.create(path)
    assert list(tmp_path.iterdir()) == []


def test_a_session_is_on_the_disk_before_it_has_its_name_and_then_its_name(tmp_path, monkeypatch):
    steps, sync, name = [], creation.sync, creation._give_name
    monkeypatch.setattr(creation, "sync", lambda path: (steps.append(path.name), sync(path)))
    monkeypatch.setattr(creation, "_give_name", lambda *two: (steps.append("named"), name(*two)))
    SessionWriter.create(tmp_path / "s.ldapwb").close()
    assert steps == ["new.ldapwb", "named", tmp_path.name]


@pytest.fixture
def no_links(monkeypatch):
    """A file system that has no links."""

    def refuse(*_):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)


def test_where_there_are_no_links_a_session_gets_its_name_all_the_same(tmp_path, no_links):
    SessionWriter.create(tmp_path / "s.ldapwb", FACTS).close()
    with Session.open(tmp_path / "s.ldapwb") as session:
        assert session.facts == FACTS
    assert [each.name for each in tmp_path.iterdir()] == ["s.ldapwb"]


def test_nor_is_anything_overwritten_there(tmp_path, no_links, monkeypatch):
    path, write = tmp_path / "s.ldapwb", creation._write_tables
    monkeypatch.setattr(
        creation, "_write_tables", lambda draft: (write(draft), path.write_text("faster"))
    )
    with pytest.raises(SessionError, match="already exists"):
        SessionWriter.create(path)
    assert path.read_text() == "faster"


def test_of_two_who_make_a_session_one_is_told(tmp_path, monkeypatch):
    path, write = tmp_path / "s.ldapwb", creation._write_tables

    def slowly(draft):
        write(draft)
        path.write_text("faster")

    monkeypatch.setattr(creation, "_write_tables", slowly)
    with pytest.raises(SessionError, match="already exists"):
        SessionWriter.create(path)
    assert path.read_text() == "faster"


def as_nobody(path):
    """Open it with no right but to read."""
    os.setgid(65534)
    os.setuid(65534)
    with Session.open(path) as session:
        ok = session.windows() == [WINDOW] and len(session.operations(WINDOW)) == 100
    os._exit(0 if ok else 1)


def forked(work, *words):
    """Status of a process that has all loaded already: the account may not read our modules."""
    child = os.fork()
    if child == 0:
        try:
            work(*words)
        finally:
            os._exit(9)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not IS_ROOT, reason="only root becomes somebody else")
@pytest.mark.parametrize("killed", [False, True])
def test_a_session_in_a_folder_that_cannot_be_written_opens(tmp_path_factory, killed):
    folder = tmp_path_factory.mktemp("disc")
    path = folder / "s.ldapwb"
    assert in_child("write_and_die", path) == KILLED
    assert path.with_name("s.ldapwb.wal").stat().st_size
    if not killed:
        SessionWriter.append(path).close()
    for each in folder.iterdir():
        each.chmod(0o444)
    here = shutil.copytree(folder, f"/tmp/.read-only-{os.getpid()}-{killed}")
    os.chmod(here, 0o555)
    try:
        assert forked(as_nobody, type(path)(here) / "s.ldapwb") == 0
    finally:
        shutil.rmtree(here)


def test_facts_are_there_at_once(tmp_path):
    with SessionWriter.create(tmp_path / "s.ldapwb", FACTS) as writer, writer.reader() as session:
        assert session.facts == FACTS


def test_files_are_written_out_through_descriptors_that_may_write(tmp_path, monkeypatch):
    """Windows refuses to write out a file that was opened for reading."""
    fcntl = pytest.importorskip("fcntl")
    modes = []
    fsync = os.fsync

    def watched(descriptor: int) -> None:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            modes.append(fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    SessionWriter.create(tmp_path / "s.ldapwb").close()
    assert modes
    assert os.O_RDONLY not in modes
