"""One practice server in this process: engine, LDAP, SSH and a folder of its own.

Its certificates are of an authority made for this run.
"""

from __future__ import annotations

import datetime
import ipaddress
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import paramiko
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.x509.oid import NameOID

from ldap_workbench.practice.address import Address
from ldap_workbench.practice.host.commands import Commands
from ldap_workbench.practice.host.files import PracticeHost
from ldap_workbench.practice.host.server import SshServer
from ldap_workbench.practice.ldap.connection import LdapServer
from ldap_workbench.practice.ldap.directory import PracticeDirectory
from ldap_workbench.practice.model.engine import Engine, PracticeClock
from ldap_workbench.practice.model.scenario import load_scenario

DOWN_S = 2.0
"""Practice seconds a restart takes."""


class PracticeServer:
    """Runs from its making to `close`, which leaves nothing behind.

    `settings` are attributes it starts with instead of the scenario's own values; `mended` starts
    it as it is after the lesson's remedy.
    """

    def __init__(
        self,
        scenario: str,
        speed: float = 1.0,
        seed: int = 0,
        settings: Mapping[str, str] | None = None,
        *,
        mended: bool = False,
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ldap-workbench-practice-"))
        logs = self.folder / "logs"
        logs.mkdir()
        ca_file, certificate = make_certificates(self.folder)
        host_key, self._user_key = _key(self.folder / "host"), _key(self.folder / "identity")
        password = secrets.token_hex(18)
        loaded = load_scenario(scenario, mended=mended).with_settings(settings or {})
        self.engine = Engine(loaded, PracticeClock(speed), seed, logs)
        self.commands = Commands()
        self._restarting = threading.Lock()
        directory = PracticeDirectory(self.engine, password)
        self.ldap = LdapServer(self.engine, directory, certificate)
        self.engine.listens_on(self.ldap.port)
        host = PracticeHost(self.engine, logs)
        self._ssh = SshServer(host, self.commands, self.control, host_key, password, self._user_key)
        self.address = Address(
            self.ldap.port,
            self.ldap.secure_port,
            self._ssh.port,
            password,
            str(ca_file),
            str(self.folder / "identity"),
            host_key.get_name(),
            host_key.get_base64(),
            host_key.fingerprint,
        )

    def control(self, verb: str) -> int:
        """restart, stop or start the directory server; returns an exit status."""
        with self._restarting:
            if verb in ("restart", "stop") and self.engine.running:
                self.ldap.close()
                self.engine.stop()
            if verb in ("restart", "start") and not self.engine.running:
                time.sleep(self.engine.clock.wall_seconds(DOWN_S))
                self.engine.start()
                self.ldap.listen()
        return 0

    def close(self) -> None:
        """End everything and remove the folder."""
        self._ssh.close()
        self.ldap.close()
        self.engine.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _key(path: Path) -> paramiko.PKey:
    """Make an Ed25519 key, write it in OpenSSH's format, and load it."""
    private = Ed25519PrivateKey.generate()
    text = private.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.OpenSSH,
        serialization.NoEncryption(),
    )
    path.touch(mode=0o600)
    path.write_bytes(text)
    return paramiko.Ed25519Key.from_private_key_file(str(path))


_LIFE = datetime.timedelta(days=7)


def make_certificates(folder: Path) -> tuple[Path, Path]:
    """Write ca.pem and server.pem (key and certificate for localhost, 127.0.0.1); their paths."""
    ca_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    ca_name = _name("LDAP Tuning Workbench practice CA")
    usage = x509.KeyUsage(
        digital_signature=True, key_cert_sign=True, crl_sign=True, content_commitment=False,
        key_encipherment=False, data_encipherment=False, key_agreement=False,
        encipher_only=False, decipher_only=False,
    )  # fmt: skip
    ca = (
        _builder(ca_name, ca_name, ca_key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(ca_key.public_key()), False)
        .sign(ca_key, hashes.SHA256())
    )
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    issuer_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key())
    certificate = (
        _builder(_name("localhost"), ca_name, key.public_key())
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(issuer_key, critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    return _written(folder, ca, key, certificate)


def _written(
    folder: Path, ca: x509.Certificate, key: ec.EllipticCurvePrivateKey, own: x509.Certificate
) -> tuple[Path, Path]:
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    ca_file, server_file = folder / "ca.pem", folder / "server.pem"
    ca_file.write_bytes(ca.public_bytes(pem))
    server_file.touch(mode=0o600)
    server_file.write_bytes(secret + own.public_bytes(pem))
    return ca_file, server_file


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + _LIFE)
    )
