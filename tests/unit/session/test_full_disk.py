"""On a real full disk: true words, no waiting, and what was durable opens."""

from __future__ import annotations

import subprocess
import threading

import numpy as np
import pytest

from ldap_workbench.model.errors import SessionError
from ldap_workbench.session import write_thread as writing
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.systems import IS_ROOT
from tests.unit.session.test_session import FACTS, SOURCE, WINDOW, operations


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 3 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)]
    if not IS_ROOT or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def fill(writer):
    noise = np.random.default_rng(1)
    for _ in range(60):
        writer.add_raw(1, noise.bytes(200_000))
        writer.flush()


def test_a_full_disk_is_said_and_what_was_durable_opens(small_disk):
    path = small_disk / "s.ldapwb"
    writer = SessionWriter.create(path, FACTS)
    writer.put_window(WINDOW)
    writer.put_source(SOURCE)
    writer.add_operations(1, operations(10))
    writer.flush()
    with pytest.raises(SessionError) as full:
        fill(writer)
    assert "stays readable" in str(full.value.safe)
    assert "journal" in str(full.value.safe)
    assert "room" in str(full.value.remedy)
    with pytest.raises(SessionError):
        writer.put_window(WINDOW)
    with pytest.raises(SessionError):
        writer.close()
    writer.close()
    with Session.open(path) as session:
        assert session.windows() == [WINDOW]
        assert len(session.operations(WINDOW)) == 10


def test_a_session_that_has_no_room_to_begin_leaves_nothing(small_disk):
    (small_disk / "ballast").write_bytes(bytes(3_100_000))
    with pytest.raises(SessionError) as full:
        SessionWriter.create(small_disk / "s.ldapwb")
    assert "Nothing was written" in str(full.value.safe)
    assert [each.name for each in small_disk.iterdir()] == ["ballast"]


def test_a_disk_that_never_answers_holds_up_nobody(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "PATIENCE_S", 0.2)
    writer = SessionWriter.create(tmp_path / "s.ldapwb", FACTS)
    answers = threading.Event()
    writer._thread.do(lambda _: answers.wait())
    with pytest.raises(SessionError, match="has not answered"):
        writer.flush()
    for late in (lambda: writer.put_window(WINDOW), writer.flush, writer.close):
        with pytest.raises(SessionError, match="has not answered"):
            late()
    answers.set()
    writer._thread._thread.shutdown(wait=True)
    writer._thread._database.close()
