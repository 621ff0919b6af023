"""The SSH algorithms that are offered; everything else that paramiko knows is not.

No SHA-1 (key exchange, ssh-rsa and ssh-dss signatures, MACs), no MD5, no CBC, no 3DES: what OpenSSH
itself has left out of its defaults. Every sshd since OpenSSH 7.2 (2016) has what is here.

Which of them is preferred is paramiko's choice.
"""

from __future__ import annotations

import paramiko

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
