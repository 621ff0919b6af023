"""TLS that verifies, under ldap3; and the certificate a server shows to a stranger."""

from __future__ import annotations

import ssl
from typing import Any

import ldap3
from ldap3.core.exceptions import LDAPException

from ldap_workbench.connect.ldap_url import parse_ldap_url
from ldap_workbench.model.errors import (
    ConnectError,
    NoAnswerError,
    ShownCertificate,
    TlsError,
    UntrustedCertificateError,
)
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile

TIMEOUT_S = 10

# What OpenSSL says, in part -> what to do about it. The first that fits counts.
_REMEDIES = (
    ("ismatch", Message("Use the name in the server's certificate in the LDAP URL.")),
    ("expired", Message("Renew the server's certificate; check this machine's clock as well.")),
    ("not yet valid", Message("Check this machine's clock.")),
    (
        "key usage",
        Message("The CA's certificate lacks a key usage; have it reissued with keyCertSign."),
    ),
    (
        "self-signed",
        Message(
            "Set the certificate of the CA that signed the server's as the CA file of the profile."
        ),
    ),
    (
        "self signed",
        Message(
            "Set the certificate of the CA that signed the server's as the CA file of the profile."
        ),
    ),
    (
        "issuer",
        Message(
            "Set the certificate of the CA that signed the server's as the CA file of the profile."
        ),
    ),
    (
        "WRONG_VERSION",
        Message("The server does not speak TLS on this port; try ldap:// with StartTLS."),
    ),
    (
        "PROTOCOL",
        Message(
            "The server offers only TLS versions that are no longer safe: let it offer TLS 1.2 "
            "or later."
        ),
    ),
    ("timed out", Message("Check that the port speaks TLS: 636 is for ldaps, 389 for StartTLS.")),
)


class VerifiedTls(ldap3.Tls):  # type: ignore[misc]
    """Verifies the server's certificate and name, IP addresses too, and sends SNI.

    ldap3's own Tls verifies nothing unless told, sends no SNI and knows no IP addresses. `failure`
    keeps what went wrong, for ldap3 hands on only its text.
    """

    def __init__(self, ca_file: str | None) -> None:
        """Raises TlsError where the CA file cannot be used."""
        super().__init__(validate=ssl.CERT_REQUIRED)
        self.failure: Exception | None = None
        try:
            self._context = ssl.create_default_context(cafile=ca_file)
        except (OSError, ssl.SSLError) as error:
            in_it = Message("it holds no certificate")
            why = error.strerror if type(error) is not ssl.SSLError else in_it
            raise TlsError(
                Message("The CA file {file} cannot be used: {why}.", file=ca_file, why=why),
                safe=Message("Nothing was sent."),
                remedy=Message("Choose a file with the CA's certificate in PEM format."),
            ) from error
        self._context.minimum_version = ssl.TLSVersion.TLSv1_2

    @property
    def context(self) -> ssl.SSLContext:
        """What it verifies with, for connections of our own."""
        return self._context

    def wrap_socket(self, connection: Any, do_handshake: bool = False) -> None:
        plain = connection.socket
        try:
            connection.socket = self._context.wrap_socket(
                plain,
                server_hostname=connection.server.host,
                do_handshake_on_connect=do_handshake,
            )
        except (OSError, ValueError) as error:
            self.failure = error
            plain.close()
            raise


def tls_error(url: str, failure: Exception) -> ConnectError:
    """In plain words why no safe link came about, and what to do.

    A server of which no worker is free takes the connection and never answers the handshake.
    """
    why = getattr(failure, "verify_message", None) or str(failure)
    remedy = next((do for sign, do in _REMEDIES if sign.lower() in why.lower()), _REMEDIES[-1][1])
    what = Message("TLS with {url} failed: {why}.", url=url, why=why)
    if isinstance(failure, TimeoutError):
        return NoAnswerError(what, safe=TlsError.unharmed, remedy=remedy)
    untrusted = isinstance(failure, ssl.SSLCertVerificationError)
    kind = UntrustedCertificateError if untrusted else TlsError
    return kind(what, remedy=remedy)


def shown_certificate(profile: Profile) -> ShownCertificate | None:
    """What the server of a profile shows over LDAPS or StartTLS; None where it shows nothing.

    It is for a person to compare and trusted by nobody: nobody binds over this connection, and
    nothing is asked on it.
    """
    url = parse_ldap_url(profile.ldap_url)
    secure = url.scheme == "ldaps"
    server = ldap3.Server(
        url.host,
        port=url.port,
        use_ssl=secure,
        tls=_Stranger(),
        get_info=ldap3.NONE,
        connect_timeout=TIMEOUT_S,
    )
    link = ldap3.Connection(server, client_strategy=ldap3.SAFE_SYNC, receive_timeout=TIMEOUT_S)
    try:
        link.open()
        if not secure:
            link.start_tls()
        return _read(link.socket)
    except (LDAPException, OSError):
        return None
    finally:
        link.strategy.close()


class _Stranger(VerifiedTls):
    """Takes whatever certificate it is shown."""

    def __init__(self) -> None:
        super().__init__(None)
        self._context.check_hostname = False
        self._context.verify_mode = ssl.CERT_NONE


def _read(link: Any) -> ShownCertificate | None:
    from cryptography import x509  # takes its time to load, and is rarely needed
    from cryptography.hazmat.primitives.hashes import SHA256

    encoded = link.getpeercert(binary_form=True) if isinstance(link, ssl.SSLSocket) else None
    if not encoded:
        return None
    certificate = x509.load_der_x509_certificate(encoded)
    return ShownCertificate(
        certificate.subject.rfc4514_string(),
        certificate.issuer.rfc4514_string(),
        f"{certificate.not_valid_after_utc:%Y-%m-%d}",
        certificate.fingerprint(SHA256()).hex(":").upper(),
    )
