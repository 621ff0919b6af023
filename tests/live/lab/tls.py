"""A certificate authority of the lab's own and a server certificate signed by it."""

from __future__ import annotations

import datetime
import ipaddress
import subprocess
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_NICKNAME = "Server-Cert"
_TRANSPORT_PASSWORD = "from-file-to-file"


class Authority:
    """Signs server certificates; `certificate` is what a client must trust."""

    def __init__(self, name: str = "Lab CA") -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        subject = _name(name)
        usage = x509.KeyUsage(
            digital_signature=True,
            key_cert_sign=True,
            crl_sign=True,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            encipher_only=False,
            decipher_only=False,
        )
        self.certificate = (
            _builder(subject, subject, self._key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False
            )
            .sign(self._key, hashes.SHA256())
        )

    def write(self, path: Path) -> Path:
        """The CA certificate as PEM."""
        path.write_bytes(self.certificate.public_bytes(serialization.Encoding.PEM))
        return path

    def sign(
        self, *names: str, days: int = 2
    ) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
        """A key and a certificate for DNS names and IP addresses, good for `days` from now."""
        key = ec.generate_private_key(ec.SECP256R1())
        issuer = self._key.public_key()
        certificate = (
            _builder(_name(names[0]), self.certificate.subject, key.public_key(), days)
            .add_extension(x509.SubjectAlternativeName(list(map(_san, names))), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer), critical=False
            )
            .sign(self._key, hashes.SHA256())
        )
        return key, certificate


def write_pem(path: Path, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> Path:
    """Key and certificate in one PEM file, as Python's ssl module wants them."""
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    return path


def fill_nss_database(folder: Path, authority: Authority) -> None:
    """The server's certificate store (NSS, no password) with a certificate for 127.0.0.1."""
    key, certificate = authority.sign("localhost", "127.0.0.1")
    bundle, ca_file = folder / "server.p12", authority.write(folder / "ca.pem")
    bundle.write_bytes(
        pkcs12.serialize_key_and_certificates(
            _NICKNAME.encode(),
            key,
            certificate,
            None,
            serialization.BestAvailableEncryption(_TRANSPORT_PASSWORD.encode()),
        )
    )
    store = f"sql:{folder}"
    _run("certutil", "-N", "-d", store, "--empty-password")
    _run("certutil", "-A", "-d", store, "-n", "Lab CA", "-t", "CT,,", "-a", "-i", str(ca_file))
    _run("pk12util", "-d", store, "-i", str(bundle), "-W", _TRANSPORT_PASSWORD)
    bundle.unlink()


def _run(*argv: str) -> None:
    subprocess.run(argv, check=True, capture_output=True, timeout=60)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _san(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, days: int = 2
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=3))
        .not_valid_after(now + datetime.timedelta(days=days))
    )
