"""The file of profiles: what comes back, and what is refused without harm."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.model.errors import ProfileError
from ldap_workbench.model.profile import Profile, SshAddress
from tests.systems import is_private

FULL = Profile(
    name="corp ä",
    ldap_url="ldaps://ldap1.example.com:1636",
    bind_dn="cn=Directory Manager",
    password_env="PW",
    password_fd=0,
    ca_file="/etc/ca.pem",
    starttls=True,
    allow_plain=True,
    ssh=SshAddress("ldap1", "op", 2222, "~/.ssh/id"),
    ssh_password_env="SSHPW",
    local=True,
    sudo=True,
    instance="corp",
    access_log='/var/log/a "b"\\c',
    restart_command="systemctl restart dirsrv@corp",
)
PLAIN = Profile(name="plain", ldap_url="ldap://127.0.0.1")


def test_comes_back_as_it_was(home: Path) -> None:
    store = ProfileStore()
    assert store.all() == []
    store.add(FULL)
    store.add(PLAIN)
    assert ProfileStore().all() == [FULL, PLAIN]
    assert store.path == home / "config" / "profiles.toml"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    name=st.text(min_size=1).filter(lambda text: text == text.strip()),
    dn=st.none() | st.text(),
    descriptor=st.none() | st.integers(0, 2**31),
    user=st.text(),
)
def test_any_text_comes_back(
    tmp_path: Path, name: str, dn: str | None, descriptor: int | None, user: str
) -> None:
    store = ProfileStore(tmp_path / "any.toml")
    profile = Profile(
        name, "ldap://h", bind_dn=dn, password_fd=descriptor, ssh=SshAddress("h", user)
    )
    store.add(profile)
    assert store.get(name) == profile


def test_only_its_owner_may_read_it() -> None:
    store = ProfileStore()
    store.add(PLAIN)
    assert is_private(store.path)
    assert [path.name for path in store.path.parent.iterdir()] == ["profiles.toml"]


def test_replaced_and_removed() -> None:
    store = ProfileStore()
    store.add(PLAIN)
    store.add(Profile(name="plain", ldap_url="ldap://other"))
    assert store.get("plain").ldap_url == "ldap://other"
    store.remove("plain")
    assert store.names() == []
    with pytest.raises(ProfileError, match="no profile 'plain'"):
        store.remove("plain")


def test_an_unknown_name_tells_those_there_are() -> None:
    store = ProfileStore()
    store.add(PLAIN)
    with pytest.raises(ProfileError) as error:
        store.get("plian")
    assert "plain" in str(error.value.remedy)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("version = 2\n", "version 2"),
        ("", "version None"),
        ("version = 1\nprofiles = 3\n", "something other than profiles"),
        ("version = 1\n[profiles\n", "not valid TOML"),
        ("version = 1\n[profiles.a]\n", "lacks ldap_url"),
        ('version = 1\n[profiles.a]\nldap_url = "ldap://h"\ncolour = "red"\n', "colour"),
        ('version = 1\n[profiles.a]\nldap_url = "ldap://h"\nsudo = "yes"\n', "should be a bool"),
        ('version = 1\n[profiles.a]\nldap_url = "ldap://h"\nssh = "h"\n', "is not a table"),
        ('version = 1\n[profiles.a]\nldap_url = "ldap://h"\n[profiles.a.ssh]\nhost="h"\n', "user"),
    ],
)
def test_a_file_it_does_not_understand_is_left_alone(text: str, says: str) -> None:
    store = ProfileStore()
    store.path.write_text(text)
    with pytest.raises(ProfileError, match=says):
        store.all()
    if "[profiles.a]" not in text:
        with pytest.raises(ProfileError):
            store.add(PLAIN)
    assert store.path.read_text() == text


@pytest.mark.parametrize("name", ["", " a", "a "])
def test_names_it_refuses(name: str) -> None:
    with pytest.raises(ProfileError, match="name"):
        ProfileStore().add(Profile(name=name, ldap_url="ldap://h"))


@pytest.mark.parametrize(
    ("command", "taken"),
    [
        ("journalctl -f -n 0 -o short-unix _COMM=slapd", True),
        ("tail -F '/var/log/a & b'", True),
        ("journalctl -f | grep slapd", False),
        ("journalctl -f|grep slapd", False),
        ("tail -F /var/log/syslog 2>/dev/null", False),
        ("tail -F x; true", False),
        ("tail -F 'x", False),
        ("grep -E 'a|b;c' /var/log/syslog", True),
        ('grep -E "a|b" /var/log/syslog', True),
        (r"grep -E a\|b /var/log/syslog", True),
        ("grep slapd$ /var/log/syslog", True),
        ("tail -F `ls /var/log`", False),
        ("tail -F $LOG", False),
        ('tail -F "$LOG"', False),
    ],
)
def test_a_log_command_is_one_command(command: str, taken: bool) -> None:
    profile = Profile("a", "ldap://h", log_command=command)
    if taken:
        ProfileStore().add(profile)
        return
    with pytest.raises(ProfileError, match="contains shell syntax"):
        ProfileStore().add(profile)
    assert ProfileStore().names() == []


def test_a_url_it_refuses() -> None:
    with pytest.raises(ProfileError, match="not an LDAP URL"):
        ProfileStore().add(Profile(name="a", ldap_url="http://h"))


def test_a_full_disk_leaves_the_old_file(monkeypatch: pytest.MonkeyPatch) -> None:
    store = ProfileStore()
    store.add(PLAIN)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ProfileError, match="No space left"):
        store.add(FULL)
    assert store.all() == [PLAIN]
    assert [path.name for path in store.path.parent.iterdir()] == ["profiles.toml"]


def test_a_server_for_the_writes_of_replays_is_a_test_server(home: Path) -> None:
    """As the setting was called before it said more."""
    store = ProfileStore()
    store.add(Profile("lab", "ldap://lab", test_server=True))
    written = store.path.read_text("utf-8")
    assert "test_server = true" in written
    store.path.write_text(written.replace("test_server", "replay_writes"), "utf-8")
    assert store.get("lab") == Profile("lab", "ldap://lab", test_server=True)
    store.add(store.get("lab"))
    assert store.path.read_text("utf-8") == written
