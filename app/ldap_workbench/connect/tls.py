"""TLS that verifies, under ldap3."""

from __future__ import annotations

import ssl
from typing import Any

import ldap3

from ldap_workbench.model.errors import TlsError, UntrustedCertificateError

_NOTHING_SENT = "No password was sent."
# What OpenSSL says, in part -> what to do about it. The first that fits counts.
_REMEDIES = (
    ("ismatch", "Use the name in the server's certificate in the LDAP URL."),
    ("expired", "Renew the server's certificate; see also whether this machine's clock is right."),
    ("not yet valid", "See whether this machine's clock is right."),
    ("key usage", "The CA's certificate lacks a key usage; have it issued anew with keyCertSign."),
    ("self-signed", "Name the certificate of the CA that signed the server's in the profile."),
    ("self signed", "Name the certificate of the CA that signed the server's in the profile."),
    ("issuer", "Name the certificate of the CA that signed the server's in the profile."),
    ("WRONG_VERSION", "The server does not speak TLS on this port; try ldap:// with StartTLS."),
    ("PROTOCOL", "The server offers only TLS versions that are not safe any more."),
    ("timed out", "See whether the port speaks TLS: ldaps is 636, StartTLS is 389."),
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
            why = error.strerror if type(error) is not ssl.SSLError else "no certificate in it"
            raise TlsError(
                f"The CA file {ca_file} cannot be used: {why}.",
                safe="Nothing was sent.",
                remedy="Name a file with the CA's certificate in PEM form.",
            ) from error
        self._context.minimum_version = ssl.TLSVersion.TLSv1_2

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


def tls_error(url: str, failure: Exception) -> TlsError:
    """In plain words why no safe link came about, and what to do."""
    why = getattr(failure, "verify_message", None) or str(failure)
    remedy = next((do for sign, do in _REMEDIES if sign.lower() in why.lower()), _REMEDIES[-1][1])
    untrusted = isinstance(failure, ssl.SSLCertVerificationError)
    kind = UntrustedCertificateError if untrusted else TlsError
    return kind(f"TLS with {url} failed: {why}.", safe=_NOTHING_SENT, remedy=remedy)
