"""A second start, and a start after one that ended badly."""

import os
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtNetwork import QLocalSocket
from PySide6.QtWidgets import QPushButton

from ldap_workbench.connect import folders
from ldap_workbench.gui.shell import crash, instance
from ldap_workbench.gui.shell.instance import FirstInstance, address, hand_over
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.message import verbatim
from tests.gui.conftest import idle

SECOND = """
import sys
from PySide6.QtCore import QCoreApplication
from ldap_workbench.gui.shell.instance import hand_over
app = QCoreApplication([])
sys.exit(17 if hand_over(sys.argv[1:]) else 18)
"""


@pytest.fixture
def first(qapp):
    made = FirstInstance()
    assert made.listen()
    yield made
    made.close()


def test_without_a_window_there_is_nobody_to_hand_over_to(qapp):
    assert hand_over(["x.ldapwb"]) is False


@pytest.mark.qt_log_ignore(r"does not support raise", extend=True)
def test_a_second_start_hands_its_file_to_the_window(qtbot, window, first, session_file):
    first.handedOver.connect(window.take_over)
    second = subprocess.Popen([sys.executable, "-c", SECOND, str(session_file)])
    qtbot.waitUntil(lambda: second.poll() is not None)
    assert second.returncode == 17
    idle(qtbot, window)
    assert window.workbench.opened.path == session_file


def test_only_one_listens(first):
    assert FirstInstance().listen() is False


def test_words_that_are_none_of_ours_are_not_taken(qtbot, first):
    told = []
    first.handedOver.connect(told.append)
    none_of_ours = (
        *(b"hello\n", b"[1]\n", b'{"a": 1}\n', b'["relative"]\n', b'["/a\\u0000b"]\n'),
        *(b"[" * 100_000 + b"\n", b"[" + b'"/x",' * 300 + b'"/x"]\n', b"x" * (2 << 20)),
    )
    for words in none_of_ours:
        socket = QLocalSocket()
        socket.connectToServer(address())
        assert socket.waitForConnected(1000)
        socket.write(words)
        socket.flush()
        qtbot.waitUntil(
            lambda s=socket: s.state() == QLocalSocket.LocalSocketState.UnconnectedState
        )
    assert told == []


@pytest.fixture
def private(monkeypatch):
    """A runtime folder of a login session; its path is short, as a socket's must be."""
    with tempfile.TemporaryDirectory(prefix="run-") as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield Path(folder)


def test_the_socket_is_in_a_folder_of_this_user_alone(qapp, private):
    made = FirstInstance()
    assert made.listen()
    where = Path(address())
    assert where.parent == private / "ldap-workbench"
    assert where.is_socket()
    assert stat.S_IMODE(where.parent.stat().st_mode) == 0o700
    made.close()


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_a_runtime_folder_that_others_may_enter_is_not_used(private, monkeypatch, tmp_path, mode):
    private.chmod(mode)
    monkeypatch.setattr(folders.tempfile, "gettempdir", lambda: str(tmp_path))
    assert Path(address()).parent == tmp_path / f"ldap-workbench-{os.getuid()}"


def test_a_folder_that_somebody_else_made_first_is_not_used(monkeypatch, tmp_path, qapp):
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    monkeypatch.setattr(folders.tempfile, "gettempdir", lambda: str(tmp_path))
    taken = tmp_path / f"ldap-workbench-{os.getuid()}"
    (tmp_path / "theirs").mkdir(mode=0o700)
    taken.symlink_to(tmp_path / "theirs")
    assert address() == ""
    assert hand_over(["/x"]) is False
    made = FirstInstance()
    assert made.listen() is False
    made.close()


def test_a_socket_somebody_else_has_bound_is_given_nothing(qtbot, monkeypatch, first):
    told = []
    first.handedOver.connect(told.append)
    where = address()
    monkeypatch.setattr(instance, "address", lambda: where)
    monkeypatch.setattr(instance.os, "getuid", lambda: os.geteuid() + 1)
    assert hand_over(["/secret.ldapwb"]) is False
    qtbot.wait(50)
    assert told == []


def test_a_connection_of_somebody_else_is_ended(qtbot, monkeypatch, first):
    told = []
    first.handedOver.connect(told.append)
    monkeypatch.setattr(instance, "is_ours", lambda socket: False)
    socket = QLocalSocket()
    socket.connectToServer(address())
    socket.write(b'["/x"]\n')
    socket.flush()
    qtbot.waitUntil(lambda: socket.state() == QLocalSocket.LocalSocketState.UnconnectedState)
    assert told == []


def test_a_folder_of_its_own_is_a_window_of_its_own(monkeypatch, tmp_path):
    here = address()
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "other"))
    assert address() != here


def test_a_run_that_ends_well_leaves_nothing():
    report = crash.RunReport("version 1")
    assert report.path.read_text().startswith("Started ")
    report.end()
    assert crash.left_behind() is None


def test_a_report_tells_where_and_keeps_the_words_to_itself():
    report = crash.RunReport("version 1")
    try:
        _fail("ldap://secret.example.com", "s3cret")
    except ConnectError as error:
        report.note(error)
    text = report.path.read_text()
    report.end()
    assert "ConnectError" in text
    assert "KeyError" in text
    assert Path(__file__).name in text
    assert "s3cret" not in text.replace(_SOURCE, ""), "but for the line of this test"
    assert "example.com" not in text.replace(_SOURCE, "")


_SOURCE = '_fail("ldap://secret.example.com", "s3cret")'


def _fail(server: str, password: str) -> None:
    raise ConnectError(verbatim(f"{server} refused {password}")) from KeyError(password)


def test_the_band_after_a_crash_opens_what_was_open(qtbot, window, session_file):
    crash.RunReport("version 1")._file.close()
    report = crash.left_behind()
    assert report is not None
    band = window.show_recovery(report, session_file)
    assert band.isVisible()
    assert str(report) in band.sentence.text()
    again = next(b for b in band.findChildren(QPushButton) if session_file.name in b.text())
    qtbot.mouseClick(again, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    assert window.workbench.opened.path == session_file
    assert not band.isVisible()
    assert crash.left_behind() is None, "told of once"


@pytest.mark.slow
def test_a_killed_window_is_told_of_and_its_session_is_remembered(qtbot, home, session_file):
    program = [sys.executable, "-m", "ldap_workbench", "open", str(session_file)]
    killed = subprocess.Popen(program, env=dict(os.environ, QT_QPA_PLATFORM="offscreen"))
    kept = home / "config" / "window.json"
    deadline = time.monotonic() + 60
    while not (kept.exists() and f'"open_session": "{session_file}"' in kept.read_text()):
        assert time.monotonic() < deadline
        qtbot.wait(50)
    killed.send_signal(signal.SIGKILL)
    qtbot.waitUntil(lambda: killed.poll() is not None)
    again = FirstInstance()
    assert again.listen(), "what the killed window left is no hindrance"
    again.close()
    assert crash.left_behind() is not None
