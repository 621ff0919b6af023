"""What is started here gets no password of ours, and no profile keeps one."""

import pytest

from ldap_workbench.connect.children import environment
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.model.errors import ProfileError
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.progress import Cancel


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
