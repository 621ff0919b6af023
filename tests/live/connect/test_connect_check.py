"""Trying a profile step by step on real servers."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ldap_workbench.capture.live import check
from ldap_workbench.connect.host_keys import known_hosts_path
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.model.profile import Profile
from tests.live.lab.ds389 import Lab
from tests.live.lab.practice_lab import PracticeLab
from tests.live.lab.steps import root_only, workbench

Server = Lab | PracticeLab


class TestCheck:
    def steps(self, profile: Profile) -> dict[str, check.StepResult]:
        return {str(step.name): step for step in check.try_profile(profile, Secrets())}

    def test_everything_works(self, server: Server) -> None:
        steps = self.steps(server.profile)
        assert [name for name, step in steps.items() if not step.ok] == []
        assert {"bind", "cn=config", "cn=monitor", "SSH host key", "access log"} <= steps.keys()
        assert ("sudo" in steps) is server.profile.sudo
        assert "389-Directory" in str(steps["cn=config"].text)

    def test_a_wrong_password_leaves_the_host_to_be_tried(
        self, server: Server, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(str(server.profile.password_env), "wrong")
        steps = self.steps(server.profile)
        assert not steps["bind"].ok
        assert "invalidCredentials" in str(steps["bind"].text)
        assert steps["LDAP connection"].ok
        assert not steps["cn=config"].tried
        assert steps["iostat"].ok

    def test_no_sudo(self, lab: Lab) -> None:
        root_only(lab)
        lab.sshd.set_sudo(False)
        try:
            steps = self.steps(lab.profile)
        finally:
            lab.sshd.set_sudo(True)
        assert not steps["sudo"].ok
        assert "password is required" in str(steps["sudo"].text)
        assert not steps["access log"].ok
        assert "sudo" in str(steps["access log"].remedy)

    def test_anonymous(self, server: Server) -> None:
        steps = self.steps(replace(server.profile, bind_dn=None))
        assert steps["bind"].ok
        assert not steps["cn=config"].ok
        assert steps["cn=monitor"].ok

    def test_a_wrong_port(self, server: Server) -> None:
        steps = self.steps(replace(server.profile, ldap_url="ldap://127.0.0.1:1", ssh=None))
        assert steps["LDAP address"].ok
        assert steps["LDAP port"].failed
        assert not any(step.tried for step in list(steps.values())[2:])

    def test_an_unknown_host_key(self, server: Server) -> None:
        known_hosts_path().unlink()
        steps = self.steps(server.profile)
        assert not steps["SSH host key"].ok
        assert server.fingerprint in str(steps["SSH host key"].text)
        assert not steps["host login"].tried


@pytest.mark.clock("the share is that of measured times")
def test_the_networks_share_is_a_number_with_an_interval(lab: Lab) -> None:
    ProfileStore().add(lab.profile)
    done = workbench("profile", "network", "lab", "--pairs", "6", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["pairs"] == 6
    assert found["network_ns"] > 0
    assert found["low"] <= found["share"] <= found["high"] < 1
