"""Where a running practice server is, and what opens it."""

from __future__ import annotations

from dataclasses import dataclass

LOOPBACK = "127.0.0.1"
"""The only address it listens on."""
USER = "operator"
"""The login on the practice host; sudo needs no password there."""


@dataclass(frozen=True)
class Address:
    """Ports on 127.0.0.1; `password` opens both cn=Directory Manager and the login.

    `ca_file` and `identity` (a private key for the login) are files that go with the server.
    """

    ldap_port: int
    ldaps_port: int
    ssh_port: int
    password: str
    ca_file: str
    identity: str
    host_key_type: str
    host_key_base64: str
    fingerprint: str
    """Of the SSH host key, as ssh-keygen -lf shows it: SHA256:..."""
