"""The certificate a server shows to a stranger: for a person to compare, trusted by nobody."""

from __future__ import annotations

import ssl
from typing import Any

import ldap3
from ldap3.core.exceptions import LDAPException

from ldap_workbench.connect.ldap_url import parse_ldap_url
from ldap_workbench.connect.tls import VerifiedTls
from ldap_workbench.model.errors import ShownCertificate
from ldap_workbench.model.profile import Profile

TIMEOUT_S = 10


def shown_certificate(profile: Profile) -> ShownCertificate | None:
    """What the server of a profile shows over LDAPS or StartTLS; None where it shows nothing.

    Nobody binds over this connection, and nothing is asked on it.
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
