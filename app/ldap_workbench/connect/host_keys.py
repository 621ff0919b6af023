"""The SSH host keys the operator has accepted: our own known_hosts, beside the profiles.

The SSH algorithms that are offered; everything else that paramiko knows is not. No SHA-1 (key
exchange, ssh-rsa and ssh-dss signatures, MACs), no MD5, no CBC, no 3DES: what OpenSSH itself has
left out of its defaults. Every sshd since OpenSSH 7.2 (2016) has what is here.

Which of them is preferred is paramiko's choice.
"""

from __future__ import annotations

import base64
import hashlib
import socket
from pathlib import Path

import paramiko
from paramiko.hostkeys import InvalidHostKey

from ldap_workbench.connect.folders import config_folder, write_atomically
from ldap_workbench.model.errors import ChangedHostKeyError, ConnectError, UnknownHostKeyError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import SshAddress

TIMEOUT_S = 30
"""Of each step of a login. The exchange of keys crosses the line several times: with two seconds
each way it takes about twelve."""


def known_hosts_path() -> Path:
    """Our own known hosts; ~/.ssh/known_hosts is neither read nor written."""
    return config_folder() / "known_hosts"


def known_keys(address: SshAddress) -> dict[str, paramiko.PKey]:
    """The keys accepted for a host, by type."""
    client = paramiko.SSHClient()
    load_known_hosts(client)
    keys = client._system_host_keys.lookup(host_name(address.host, address.port))
    return dict(keys or {})


def load_known_hosts(client: paramiko.SSHClient) -> None:
    """Let a client know what is accepted. Raises ConnectError where the file cannot be read."""
    path = known_hosts_path()
    try:
        if path.exists():
            client.load_system_host_keys(str(path))
    except (OSError, paramiko.SSHException, InvalidHostKey, UnicodeDecodeError) as error:
        raise ConnectError(
            Message(
                "The file of known host keys, {path}, cannot be read: {reason}.",
                path=str(path),
                reason=str(error),
            ),
            safe=Message("Nothing was sent."),
            remedy=Message("Repair it, or move it away and accept the keys again."),
        ) from error


def host_name(host: str, port: int) -> str:
    """As OpenSSH writes it into known_hosts."""
    return host if port == 22 else f"[{host}]:{port}"


def accept_host_key(error: UnknownHostKeyError) -> None:
    """Remember the key that the operator has compared and accepted."""
    _remember(error.host, error.port, error.key_type, error.key_base64)


def accept_fingerprint(address: SshAddress, fingerprint: str) -> None:
    """Accept the key the host shows now, if its SHA256 is the one given; else ConnectError."""
    key = shown_key(address)
    if fingerprint_of(key) != fingerprint.rstrip("="):
        raise ChangedHostKeyError(
            Message(
                "{host}:{port:plain} shows {key}, not {fingerprint}.",
                host=address.host,
                port=address.port,
                key=fingerprint_of(key),
                fingerprint=fingerprint,
            ),
            safe=Message("The key was not accepted."),
            remedy=Message("Check on the host itself which one is right: ssh-keygen -lf."),
        )
    check_key(address, key, or_unknown=False)
    _remember(address.host, address.port, key.get_name(), key.get_base64())


def check_key(address: SshAddress, key: paramiko.PKey, *, or_unknown: bool = True) -> None:
    """Raises ChangedHostKeyError, or UnknownHostKeyError for a host never seen before."""
    known = known_keys(address)
    if known and known.get(key.get_name()) != key:
        raise changed(address, key, known.get(key.get_name()) or next(iter(known.values())))
    if not known and or_unknown:
        raise unknown(address, key)


def fingerprint_of(key: paramiko.PKey) -> str:
    """SHA256:... as ssh-keygen -lf shows it."""
    digest = hashlib.sha256(key.asbytes()).digest()
    return "SHA256:" + base64.b64encode(digest).decode().rstrip("=")


def unknown(address: SshAddress, key: paramiko.PKey) -> UnknownHostKeyError:
    """The error that asks the operator."""
    return UnknownHostKeyError(
        address.host, address.port, key.get_name(), key.get_base64(), fingerprint_of(key)
    )


def changed(
    address: SshAddress, shown: paramiko.PKey, expected: paramiko.PKey
) -> ChangedHostKeyError:
    """The error that lets nobody through."""
    return ChangedHostKeyError(
        Message(
            "{host}:{port:plain} shows another SSH host key than the one on record: "
            "{shown} instead of {expected}.",
            host=address.host,
            port=address.port,
            shown=fingerprint_of(shown),
            expected=fingerprint_of(expected),
        ),
        safe=Message("Nothing was sent; a changed key is never accepted here."),
        remedy=Message(
            "Either the host was reinstalled, or the connection is intercepted: "
            "ask whoever runs it. If the key is right, remove the line for "
            "{host} from {file}.",
            host=host_name(address.host, address.port),
            file=str(known_hosts_path()),
        ),
    )


def shown_key(address: SshAddress) -> paramiko.PKey:
    """The key a host shows to a stranger. Raises ConnectError."""
    try:
        with socket.create_connection((address.host, address.port), TIMEOUT_S) as link:
            transport = paramiko.Transport(link, disabled_algorithms=DISABLED)
            try:
                transport.start_client(timeout=TIMEOUT_S)
                return transport.get_remote_server_key()
            finally:
                transport.close()
    except (paramiko.SSHException, OSError, EOFError) as error:
        raise not_reached(address, error) from error


def not_reached(address: SshAddress, error: Exception) -> ConnectError:
    """No SSH connection came about, or it broke."""
    if isinstance(error, paramiko.ssh_exception.IncompatiblePeer):
        reason = str(error).partition("(")[2].rstrip(")") or str(error)
        return ConnectError(
            Message(
                "{address} and this machine have no safe SSH algorithm in common: {reason}.",
                address=str(address),
                reason=reason,
            ),
            safe=Message("Nothing was sent."),
            remedy=Message(
                "Update OpenSSH on the host (7.2 or later), or let its sshd_config "
                "offer current algorithms."
            ),
        )
    return ConnectError(
        Message(
            "{address} cannot be reached over SSH: {reason}.",
            address=str(address),
            reason=str(error).rstrip(".") or type(error).__name__,
        ),
        safe=Message("Nothing was changed."),
        remedy=Message(
            "Check host and port, that sshd is running, and that no firewall blocks the port."
        ),
    )


def _remember(host: str, port: int, key_type: str, key_base64: str) -> None:
    """Add or confirm a line; a different key on record for the same host is left alone."""
    path, line = known_hosts_path(), f"{host_name(host, port)} {key_type} {key_base64}"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    if line not in lines:
        write_atomically(path, "\n".join([*lines, line]) + "\n")


_SIGNATURES = (
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "rsa-sha2-512",
    "rsa-sha2-256",
)
OFFERED = {
    "kex": (
        "mlkem768x25519-sha256",
        "curve25519-sha256",
        "curve25519-sha256@libssh.org",
        "ecdh-sha2-nistp256",
        "ecdh-sha2-nistp384",
        "ecdh-sha2-nistp521",
        "diffie-hellman-group16-sha512",
        "diffie-hellman-group-exchange-sha256",
        "diffie-hellman-group14-sha256",
    ),
    "ciphers": (
        "aes128-ctr",
        "aes192-ctr",
        "aes256-ctr",
        "aes128-gcm@openssh.com",
        "aes256-gcm@openssh.com",
    ),
    "macs": (
        "hmac-sha2-512-etm@openssh.com",
        "hmac-sha2-256-etm@openssh.com",
        "hmac-sha2-512",
        "hmac-sha2-256",
    ),
    "keys": _SIGNATURES,
    "pubkeys": _SIGNATURES,
}
"""By paramiko's names of the kinds; `keys` sign for the host, `pubkeys` for the user."""

DISABLED = {
    kind: [name for name in getattr(paramiko.Transport, f"_preferred_{kind}") if name not in names]
    for kind, names in OFFERED.items()
}
