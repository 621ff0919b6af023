"""LDAP URLs, and whether what is sent there leaves the machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.connect import ldap_url
from ldap_workbench.connect.ldap import reach
from ldap_workbench.connect.ldap_url import LdapUrl, parse_ldap_url
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.connect.socket_relay import is_remote, socket_on, sockets_on
from ldap_workbench.model.errors import ConnectError, ProfileError
from ldap_workbench.model.profile import Profile, SshAddress, socket_url
from ldap_workbench.tuning.journal import server_name


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("ldap://h", LdapUrl("ldap", "h", 389)),
        ("LDAP://Host.Example:3389/", LdapUrl("ldap", "host.example", 3389)),
        (" ldaps://h ", LdapUrl("ldaps", "h", 636)),
        ("ldap://[::1]:390", LdapUrl("ldap", "::1", 390)),
        ("ldapi://%2Frun%2Fslapd-x.socket", LdapUrl("ldapi", socket="/run/slapd-x.socket")),
    ],
)
def test_understood(text: str, url: LdapUrl) -> None:
    assert parse_ldap_url(text) == url


@pytest.mark.parametrize(
    "text", ["", "h:389", "http://h", "ldap://", "ldap://h:port", "ldap://h:99999", "ldapi://x"]
)
def test_refused(text: str) -> None:
    with pytest.raises(ProfileError, match="not an LDAP URL"):
        parse_ldap_url(text)


@pytest.mark.parametrize(
    ("text", "here"),
    [
        ("ldap://127.0.0.1", True),
        ("ldap://127.9.9.9", True),
        ("ldap://[::1]", True),
        ("ldap://LocalHost", True),
        ("ldapi://%2Frun%2Fs", True),
        ("ldap://192.168.1.1", False),
        ("ldap://localhost.example.com", False),
        ("ldap://127.0.0.1.example.com", False),
    ],
)
def test_is_here(text: str, here: bool) -> None:
    assert parse_ldap_url(text).is_here is here


@pytest.mark.parametrize(
    ("url", "user", "server"),
    [
        ("ldap://h:1389", "root", "ldap://h:1389"),
        ("ldapi:", "root", "ldapi://ds1:22"),
        ("ldapi:///", "", "ldapi:///"),
        ("ldapi:///", "root", "ldapi://ds1:22"),
        ("ldapi:///", "admin", "ldapi://ds1:22"),
        ("ldapi://%2Frun%2Fs", "root", "ldapi://ds1:22/run/s"),
        (" LDAPI://%2frun%2fs", "root", "ldapi://ds1:22/run/s"),
    ],
)
def test_a_socket_is_one_of_its_host(url: str, user: str, server: str) -> None:
    """The journal must not take two servers for one, nor one for two by who logs in."""
    ssh = SshAddress("DS1", user) if user else None
    profile = Profile("p", url, ssh=ssh)
    assert profile.server_url == server
    assert server_name(profile.server_url) == server.rstrip("/")
    assert is_remote(profile) is (ssh is not None and "://h" not in url)


def test_what_is_no_url_is_no_socket() -> None:
    """A file of profiles may hold anything, and is listed all the same."""
    profile = Profile("p", "ldap://[h", ssh=SshAddress("h", "root"))
    assert profile.server_url == "ldap://[h"
    assert not is_remote(profile)


@pytest.mark.parametrize("text", ["ldapi:///", "ldapi://", " ldapi:/// "])
def test_the_socket_of_slapd_without_a_path(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    red_hat = tmp_path / "ldapi"
    monkeypatch.setattr(ldap_url, "_SOCKETS", ("/run/none/ldapi", str(red_hat)))
    assert parse_ldap_url(text).socket == "/run/none/ldapi"
    red_hat.touch()
    assert parse_ldap_url(text) == LdapUrl("ldapi", socket=str(red_hat))


@pytest.fixture
def two_sockets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """Two servers' sockets, where ldapi:/// looks; the first has a second name, as /var/run is."""
    folders = [tmp_path / "run", tmp_path / "opt"]
    paths = []
    for folder in folders:
        folder.mkdir()
        (folder / "ldapi").touch()
        paths.append(str(folder / "ldapi"))
    (tmp_path / "var").symlink_to(folders[0])
    usual = (str(tmp_path / "none"), paths[0], str(tmp_path / "var" / "ldapi"), paths[1])
    monkeypatch.setattr(ldap_url, "_SOCKETS", usual)
    return paths[0], paths[1]


@pytest.mark.posix("there no server listens on a socket of the file system")
def test_the_socket_of_a_profile_is_used_and_its_url_stays(
    two_sockets: tuple[str, str], tmp_path: Path
) -> None:
    """Journal, lock and keyring know the server by the URL."""
    store = ProfileStore(tmp_path / "profiles.toml")
    written = Profile("p", "ldapi:///")
    store.add(written)
    assert store.get("p") == written
    store.add(replace(written, socket=two_sockets[1]))
    profile = store.get("p")
    assert (profile.ldap_url, profile.server_url) == ("ldapi:///", written.server_url)
    assert parse_ldap_url(profile.address).socket == two_sockets[1]
    with pytest.raises(ConnectError):  # no refusal for several: it is one, which nobody listens on
        reach(profile, Secrets())
    for other in ("ldap://h:389", "ldapi://%2frun%2Fslapd-x.socket"):
        assert replace(profile, ldap_url=other).address == other


@pytest.mark.posix("there no server listens on a socket of the file system")
def test_ldapi_without_a_path_is_refused_while_it_may_be_two_servers(
    two_sockets: tuple[str, str],
) -> None:
    with pytest.raises(ProfileError, match="any of these sockets") as refused:
        reach(Profile("p", "ldapi:///"), Secrets())
    for path in two_sockets:
        assert socket_url(path) in str(refused.value.remedy)


class _Host:
    """A host with these files and links."""

    name = "h"

    def __init__(self, real: dict[str, str]) -> None:
        self._real = real

    def run(self, argv: list[str], **_: object) -> CommandResult:
        real = self._real.get(argv[-1])
        if argv[0] == "readlink":
            return CommandResult(0, f"{real}\n".encode(), b"")
        return CommandResult(0 if real else 1, b"", b"")


def test_the_sockets_of_a_host_are_counted_once_each() -> None:
    profile = Profile("p", "ldapi:///", ssh=SshAddress("h", "root"))
    debian = dict.fromkeys(("/run/slapd/ldapi", "/var/run/slapd/ldapi"), "/run/slapd/ldapi")
    assert socket_on(_Host(debian), profile) == "/run/slapd/ldapi"  # type: ignore[arg-type]
    two = _Host(debian | {"/var/run/ldapi": "/run/ldapi"})
    stored = replace(profile, socket="/var/run/ldapi")
    assert socket_on(two, stored) == "/var/run/ldapi"  # type: ignore[arg-type]
    assert sockets_on(two, profile) == ("/run/slapd/ldapi", "/var/run/ldapi")  # type: ignore[arg-type]
    with pytest.raises(ProfileError, match="any of these sockets"):
        socket_on(two, profile)  # type: ignore[arg-type]
