"""An error nobody expected ends a command in one line, with a report and status 1."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from ldap_workbench.connect import crashes
from tests.sessions import build_capture_session

FAULTY = """
import sys, threading
from ldap_workbench.cli import main, sessions

def fault(*_):
    raise ZeroDivisionError("uid=secret,dc=example \\x1b[2J")

def in_a_thread(session, names):
    thread = threading.Thread(target=fault)
    thread.start()
    thread.join()
    return []

sessions.chosen_windows = {"here": fault, "thread": in_a_thread}[sys.argv.pop(1)]
main()
"""


def faulty(where, path, **environment):
    return subprocess.run(
        [sys.executable, "-c", FAULTY, where, "tails", path],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    return build_capture_session(tmp_path_factory.mktemp("s") / "s.ldapwb", 2, per_second=10)


@pytest.mark.parametrize("where", ["here", "thread"])
def test_one_line_a_report_and_status_1(session, tmp_path, where):
    done = faulty(where, session, LDAP_WORKBENCH_HOME=str(tmp_path))
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "ZeroDivisionError" in done.stderr
    assert "journal" in done.stderr
    report = Path(re.search(r": (/\S+)$", done.stderr.strip())[1])
    assert report.parent == tmp_path / "state" / "crashes"
    assert stat.S_IMODE(report.stat().st_mode) == 0o600
    written = report.read_text()
    assert "in fault" in written
    assert "secret" not in written
    assert "ldap-workbench" in written


def test_a_home_that_cannot_be_written_keeps_no_report_from_being_written(session, tmp_path):
    (tmp_path / "home").write_text("no folder")
    done = faulty("here", session, LDAP_WORKBENCH_HOME=str(tmp_path / "home"), TMPDIR=str(tmp_path))
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    report = Path(re.search(r": (/\S+)$", done.stderr.strip())[1])
    assert report.is_relative_to(tmp_path)
    assert stat.S_IMODE(report.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(report.stat().st_mode) == 0o600


def test_a_full_disk_under_the_state_folder_is_written_around(monkeypatch, tmp_path):
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    opened = os.open

    def full(path, *args):
        if str(path).startswith(str(tmp_path / "state")):
            raise OSError(28, "No space left on device", str(path))
        return opened(path, *args)

    monkeypatch.setattr(os, "open", full)
    monkeypatch.setattr(crashes.tempfile, "tempdir", str(tmp_path))
    assert not crashes.write_report(ValueError("x")).is_relative_to(tmp_path / "state")


def test_a_file_that_cannot_be_written_is_named_and_no_fault(session, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "ldap_workbench", "export", session, "/dev/null/out", "--csv"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LDAP_WORKBENCH_HOME": str(tmp_path)},
    )
    assert done.returncode == 1
    assert "/dev/null/out" in done.stderr
    assert "Traceback" not in done.stderr
    assert "bug of its own" not in done.stderr
