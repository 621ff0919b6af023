"""How to reach one server; never a secret in it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote, unquote


@dataclass(frozen=True)
class SshAddress:
    """USER@HOST:PORT of the host the directory server runs on."""

    host: str
    user: str
    port: int = 22
    identity: str | None = None
    """Path of a private key file; without one the agent, then a password."""

    def __str__(self) -> str:
        return f"{self.user}@{self.host}:{self.port}"


@dataclass(frozen=True)
class Profile:
    """How to reach one server: LDAP URL, bind, TLS, SSH host, sudo, instance.

    `ldap_url` is ldap://, ldaps:// or ldapi:// (percent-encoded socket path). `bind_dn` None means
    anonymous, or SASL EXTERNAL on ldapi. `password_env`/`password_fd` name where a headless run
    finds the password. A socket of ldapi is on the host of `ssh` where there is one. `ssh` None
    with `local` True runs commands on this machine. `access_log` overrides the path the server
    tells. `restart_command` is run on the host, as given, through sudo where `sudo` is set.
    """

    name: str
    ldap_url: str
    bind_dn: str | None = None
    password_env: str | None = None
    password_fd: int | None = None
    ca_file: str | None = None
    starttls: bool = False
    allow_plain: bool = False
    ssh: SshAddress | None = None
    ssh_password_env: str | None = None
    local: bool = False
    sudo: bool = False
    instance: str | None = None
    access_log: str | None = None
    restart_command: str | None = None
    log_command: str | None = None
    """Prints the access log as it is written, where no file holds it: journalctl -f and the like.
    Only ever the operator's own, or journalctl of a unit: no server and no file names it."""
    test_server: bool = False
    """A test server, or a clone: a replay may come from anywhere, and may write below a DN."""
    socket: str | None = None
    """Path of the socket that ldapi:/// means, where a test found it; other URLs ignore it.

    Beside the URL, as journal, lock and keyring know the server by that: it must stay as it is."""

    @property
    def address(self) -> str:
        """The URL to connect to: that of `socket` for ldapi:///."""
        if self.socket and self.ldap_url.strip().lower().rstrip("/") == "ldapi:":
            return socket_url(self.socket)
        return self.ldap_url

    @property
    def server_url(self) -> str:
        """By which the server is known: a socket is one of its host, and every host may have it."""
        scheme, _, rest = self.ldap_url.strip().partition(":")
        if self.ssh is None or scheme.lower() != "ldapi":
            return self.ldap_url
        path = unquote(rest.removeprefix("//").partition("/")[0])
        return f"ldapi://{self.ssh.host.lower()}:{self.ssh.port}{path}"


def socket_url(path: str) -> str:
    """The URL that names this socket and no other."""
    return f"ldapi://{quote(path, safe='')}"
