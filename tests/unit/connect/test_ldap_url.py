"""LDAP URLs, and whether what is sent there leaves the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldap_workbench.connect import ldap_url
from ldap_workbench.connect.ldap_url import LdapUrl, parse_ldap_url
from ldap_workbench.connect.socket_relay import is_remote
from ldap_workbench.model.errors import ProfileError
from ldap_workbench.model.profile import Profile, SshAddress
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
