"""What is started here gets no password of ours, and no profile keeps one."""

import sys

import pytest

from ldap_workbench.connect.children import environment
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.gui.screens.report.pdf import print_pdf
from ldap_workbench.model.errors import ProfileError, SessionError
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.progress import Cancel
from ldap_workbench.practice.process import Practice

pytestmark = pytest.mark.posix("their environment is read by a script for sh")


@pytest.fixture(autouse=True)
def secret(monkeypatch):
    monkeypatch.setenv("LDAP_PW", "hunter2")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")


def test_commands_on_this_machine_get_none():
    ran = LocalShell().run(["cat", "/proc/self/environ"]).stdout
    pieces = []
    LocalShell().stream(["cat", "/proc/self/environ"], pieces.append, cancel=Cancel())
    for environ in (ran, b"".join(pieces)):
        assert b"PATH=" in environ
        assert b"hunter2" not in environ


def test_what_a_program_needs_is_left():
    assert {"PATH", "LC_ALL"} <= environment().keys()


@pytest.fixture
def environ_of_child(tmp_path, monkeypatch):
    """Where a Python we start leaves the environment it was started with."""
    seen, python = tmp_path / "environ", tmp_path / "python"
    python.write_text(f'#!/bin/sh\nenv >> {seen}\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    return seen


def test_the_practice_server_gets_none(environ_of_child):
    with Practice.start("healthy"):
        environ = environ_of_child.read_text()
    assert "PATH=" in environ
    assert "hunter2" not in environ


def test_the_process_that_prints_a_pdf_gets_none(environ_of_child, tmp_path):
    print_pdf("<title>t</title><p>Hello</p>", tmp_path / "r.pdf")
    assert (tmp_path / "r.pdf").read_bytes().startswith(b"%PDF")
    environ = environ_of_child.read_text()
    assert "PATH=" in environ
    assert "hunter2" not in environ


def test_a_pdf_that_cannot_be_printed_is_an_error_with_its_reason(tmp_path, monkeypatch):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\ncat > /dev/null\necho 'no font found' >&2\nexit 1\n")
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    with pytest.raises(SessionError, match="no font found") as raised:
        print_pdf("<p>Hello</p>", tmp_path / "r.pdf")
    assert "html" in str(raised.value.remedy)


@pytest.mark.parametrize(
    "profile",
    [
        Profile("a", "ldap://x", restart_command="PW=hunter2 systemctl restart dirsrv"),
        Profile("a", "ldap://x", restart_command="dsctl x restart --password hunter2"),
        Profile("a", "ldap://admin:hunter2@x"),
    ],
)
def test_no_profile_keeps_a_password(tmp_path, profile):
    store = ProfileStore(tmp_path / "profiles.toml")
    with pytest.raises(ProfileError):
        store.add(profile)
    assert not store.path.exists()
