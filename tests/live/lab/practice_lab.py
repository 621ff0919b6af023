"""The practice directory in the lab's place: the same words for the same tests."""

from __future__ import annotations

import shlex
from pathlib import Path

import ldap3

from ldap_workbench.connect.host_keys import accept_fingerprint
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.ssh import open_shell
from ldap_workbench.model.profile import Profile
from ldap_workbench.practice.address import USER
from ldap_workbench.practice.process import Practice
from tests.live.lab.ds389 import config_through
from tests.live.lab.slapd import ROOT_DN

SPEED = 10.0
"""Practice seconds in a second: windows, settling and restarts are so much shorter."""


AS_INSTALLED = {"nsslapd-cache-autosize": "25"}
"""The caches as 389 DS has them by itself; lessons name their sizes, and for that it must be 0."""


class PracticeLab:
    """One practice directory with the scenario of the password rehash, whose load is its own."""

    real = False
    has_sudo = True
    slack_s = 5.0
    """Seconds of its clock that may pass while a window begins or ends."""
    ten_users = "(uid=user000000*)"
    user = USER

    def __init__(self) -> None:
        self._practice = Practice.start("rehash", speed=SPEED, seed=5, settings=AS_INSTALLED)

    def stop(self) -> None:
        self._practice.stop()

    @property
    def profile(self) -> Profile:
        return self._practice.profile

    @property
    def environment(self) -> dict[str, str]:
        return self._practice.environment

    @property
    def password(self) -> str:
        return self._practice.address.password

    login_password = password

    @property
    def port(self) -> int:
        return self._practice.address.ldap_port

    @property
    def secure_url(self) -> str:
        return self._practice.ldaps_url

    @property
    def ca_file(self) -> Path:
        return Path(self._practice.address.ca_file)

    @property
    def access_log(self) -> Path:
        """Where the log really is; the practice host shows it below /var/log."""
        return self.ca_file.parent / "logs" / "access"

    @property
    def identity(self) -> Path:
        return Path(self._practice.address.identity)

    @property
    def fingerprint(self) -> str:
        return self._practice.fingerprint

    def trust(self, home: Path) -> None:
        """Note its host key in the LDAP_WORKBENCH_HOME that is set, which must be `home`."""
        assert self.profile.ssh is not None
        accept_fingerprint(self.profile.ssh, self.fingerprint)

    def drive(self, kind: str, seconds: float, threads: int = 4) -> list[str]:
        """A load that only waits: the clients are part of the simulation."""
        return ["sleep", f"{seconds:g}"]

    def drive_steadily(self, kind: str, seconds: float, rate: float = 200) -> list[str]:
        return self.drive(kind, seconds)

    def stop_server(self) -> None:
        self._control("stop")

    def start_server(self) -> None:
        self._control("start")

    def _control(self, verb: str) -> None:
        shell = open_shell(self.profile, Secrets())
        assert shell is not None
        done = shell.run(shlex.split(f"systemctl {verb} dirsrv@practice"), sudo=True, timeout=30)
        shell.close()
        assert done.status == 0, done.stderr

    def ldif_of_config(self) -> str:
        """All of cn=config, as the lab's."""
        return config_through(as_manager(self.profile.ldap_url, self.password))


def as_manager(url: str, password: str) -> ldap3.Connection:
    """A plain link with all rights, beside the workbench's own."""
    server = ldap3.Server(url, get_info=ldap3.NONE, connect_timeout=5)
    return ldap3.Connection(
        server, ROOT_DN, password, auto_bind=True, check_names=False, receive_timeout=60
    )
