"""Reaching a server over LDAP: every way that works, and every refusal in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from ldap_workbench.connect.ldap import open_directory
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.errors import (
    AuthenticationError,
    ConflictError,
    ConnectError,
    DirectoryError,
    TlsError,
)
from ldap_workbench.model.profile import Profile
from tests.live.lab.ds389 import SUFFIX, Lab
from tests.live.lab.practice_lab import PracticeLab

Server = Lab | PracticeLab


@contextmanager
def bound(profile: Profile, secrets: Secrets | None = None) -> Iterator[Any]:
    directory = open_directory(profile, secrets or Secrets())
    try:
        yield directory
    finally:
        directory.close()


class TestLdap:
    def test_reads_configuration_with_names_in_any_case(self, server: Server) -> None:
        with bound(server.profile) as directory:
            entry = directory.search("cn=config", attributes=["NSSLAPD-Port"])[0]
        assert entry.first("nsslapd-port") == str(server.port)

    def test_a_base_that_is_not_there_is_an_empty_list(self, server: Server) -> None:
        with bound(server.profile) as directory:
            assert directory.search("cn=nobody,cn=config") == []

    def test_scopes(self, server: Server) -> None:
        people = f"ou=people,{SUFFIX}"
        with bound(server.profile) as directory:
            assert len(directory.search(people)) == 1
            found = directory.search(SUFFIX, scope="one", attributes=["ou"])
            assert {"groups", "people"} <= {entry.first("ou") for entry in found}
            found = directory.search(people, scope="sub", filter=server.ten_users)
            assert len(found) == 10

    def test_binary_values_do_no_harm(self, lab: Lab) -> None:
        with bound(lab.profile) as directory:
            found = directory.search("cn=config", scope="sub", filter="(nsState=*)")
        assert "\\x" in (found[0].first("nsState") or "")

    def test_a_wrong_password_is_refused_and_not_offered_again(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        answers = iter(["wrong", server.password])
        secrets = Secrets(ask=lambda _user, _question: next(answers))
        profile = replace(server.profile, password_env=None)
        with pytest.raises(AuthenticationError, match="invalidCredentials") as refused:
            open_directory(profile, secrets)
        assert "wrong" not in str(refused.value)
        assert "password" in str(refused.value.remedy)
        with bound(profile, secrets) as directory:
            assert directory.search("cn=config", attributes=["cn"])

    def test_a_server_that_is_not_there(self, server: Server) -> None:
        with pytest.raises(ConnectError, match=r"cannot be reached.*refused"):
            open_directory(replace(server.profile, ldap_url="ldap://127.0.0.1:1"), Secrets())

    def test_anonymous_sees_the_root_but_not_the_configuration(self, server: Server) -> None:
        with bound(replace(server.profile, bind_dn=None)) as directory:
            assert directory.search("", attributes=["vendorVersion"])[0].first("vendorVersion")
            assert directory.search("cn=config") == []

    def test_socket_with_external(self, lab: Lab) -> None:
        profile = replace(lab.profile, ldap_url=lab.slapd.ldapi_url, bind_dn=None)
        with bound(profile) as directory:
            assert directory.search("cn=config", attributes=["nsslapd-port"])

    def test_socket_with_a_password(self, lab: Lab) -> None:
        with bound(replace(lab.profile, ldap_url=lab.slapd.ldapi_url)) as directory:
            assert directory.search("cn=config", attributes=["nsslapd-port"])

    def test_no_socket(self, server: Server) -> None:
        profile = replace(
            server.profile, ldap_url="ldapi://%2Fnowhere%2Fslapd.socket", bind_dn=None
        )
        with pytest.raises(ConnectError, match=r"cannot be reached|no socket /nowhere"):
            open_directory(profile, Secrets())


class TestTls:
    def secure(self, server: Server, **changes: object) -> Profile:
        secured = {"ldap_url": server.secure_url, "ca_file": str(server.ca_file)}
        return replace(server.profile, **{"starttls": False, **secured, **changes})

    def test_ldaps(self, server: Server) -> None:
        with bound(self.secure(server)) as directory:
            assert directory.encryption.startswith("TLSv1.")
            assert directory.search("cn=config", attributes=["nsslapd-port"])

    def test_starttls(self, server: Server) -> None:
        with bound(
            self.secure(server, ldap_url=server.profile.ldap_url, starttls=True)
        ) as directory:
            assert directory.encryption.startswith("TLSv1.")
            assert directory.search("cn=config", attributes=["nsslapd-port"])

    @pytest.mark.parametrize("starttls", [False, True])
    def test_a_certificate_nobody_vouches_for(self, server: Server, starttls: bool) -> None:
        url = server.profile.ldap_url if starttls else self.secure(server).ldap_url
        profile = self.secure(server, ldap_url=url, starttls=starttls, ca_file=None)
        with pytest.raises(TlsError, match=r"issuer|self-signed") as refused:
            open_directory(profile, Secrets())
        assert "CA" in str(refused.value.remedy)
        assert str(refused.value.safe) == "No password was sent."

    def test_tls_on_the_plain_port(self, server: Server) -> None:
        url = f"ldaps://127.0.0.1:{server.port}"
        with pytest.raises(TlsError):
            open_directory(self.secure(server, ldap_url=url), Secrets())


class TestReplace:
    DN, ATTRIBUTE = "cn=config", "nsslapd-idletimeout"

    def test_sets_and_restores(self, server: Server) -> None:
        before = server.ldif_of_config()
        with bound(server.profile) as directory:
            assert directory.replace(self.DN, self.ATTRIBUTE, ["120"], expected=["3600"]) == ""
            entry = directory.search(self.DN, attributes=[self.ATTRIBUTE])[0]
            assert entry.values(self.ATTRIBUTE) == ("120",)
            directory.replace(self.DN, self.ATTRIBUTE, ["3600"], expected=["120"])
        assert server.ldif_of_config() == before

    def test_refuses_what_reads_otherwise_now(self, server: Server) -> None:
        before = server.ldif_of_config()
        with bound(server.profile) as directory, pytest.raises(ConflictError) as conflict:
            directory.replace(self.DN, self.ATTRIBUTE, ["1"], expected=["60"])
        assert (str(conflict.value.before), str(conflict.value.now)) == ("60", "3600")
        assert server.ldif_of_config() == before

    def test_from_absent_and_back(self, server: Server) -> None:
        before = server.ldif_of_config()
        with bound(server.profile) as directory:
            said = directory.replace(LDBM, "nsslapd-no-such-thing", ["7"], expected=None)
            assert "Unknown config attribute" in said
            directory.replace(LDBM, "nsslapd-no-such-thing", None, expected=["7"])
            assert directory.replace(LDBM, "nsslapd-no-such-thing", None, expected=None) == ""
        assert server.ldif_of_config() == before

    def test_hands_on_what_the_server_says_with_success(self, server: Server) -> None:
        with bound(server.profile) as directory:
            name = "nsslapd-maxdescriptors"
            now = directory.search(self.DN, attributes=[name])[0].values(name)
            said = directory.replace(self.DN, name, now, expected=now)
        assert "restart" in said

    def test_a_refused_value_keeps_the_words_of_the_server(self, server: Server) -> None:
        with bound(server.profile) as directory, pytest.raises(DirectoryError) as refused:
            directory.replace(self.DN, "nsslapd-threadnumber", ["abc"], expected=["16"])
        assert refused.value.code == 1
        assert "must range from" in refused.value.message

    def test_no_such_entry(self, server: Server) -> None:
        with bound(server.profile) as directory, pytest.raises(DirectoryError) as refused:
            directory.replace("cn=none,cn=config", "cn", ["x"], expected=None)
        assert refused.value.code == 32


LDBM = "cn=bdb,cn=config,cn=ldbm database,cn=plugins,cn=config"
