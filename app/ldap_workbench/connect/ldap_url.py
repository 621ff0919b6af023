"""LDAP URLs as the workbench takes them: ldap://, ldaps:// and ldapi://.

`parse_uri` of ldap3 refuses [::1] and every ldapi:// (2.9.1): the standard library splits them.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from ldap_workbench.model.errors import ProfileError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import socket_url

_PORTS = {"ldap": 389, "ldaps": 636}
_SOCKETS = ("/run/slapd/ldapi", "/run/openldap/ldapi", "/var/run/ldapi", "/var/run/slapd/ldapi")
"""Where slapd of Debian, of Red Hat and of its sources listens for ldapi:///, as its tools do."""


@dataclass(frozen=True)
class LdapUrl:
    """Where a directory server listens: host and port, or the path of a socket (ldapi)."""

    scheme: str
    host: str = ""
    port: int = 0
    socket: str = ""

    @property
    def is_here(self) -> bool:
        """Whether what is sent there never leaves this machine."""
        if self.socket:
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host.lower() == "localhost"


def parse_ldap_url(text: str) -> LdapUrl:
    """Raises ProfileError for anything else than the three kinds of URL."""
    try:
        parts = urlsplit(text.strip())
        port = parts.port or _PORTS.get(parts.scheme, 0)
    except ValueError as error:
        raise _not_a_url(text) from error
    if paths := sockets_of(text):
        return LdapUrl("ldapi", socket=(*sockets_here(text), *paths)[0])
    if parts.scheme not in _PORTS or not parts.hostname:
        raise _not_a_url(text)
    return LdapUrl(parts.scheme, parts.hostname, port)


def sockets_of(text: str) -> tuple[str, ...]:
    """Where the socket of an ldapi URL may be: one path, or the usual ones for ldapi:///."""
    if not text.strip().lower().startswith("ldapi:"):
        return ()
    parts = urlsplit(text.strip())
    if unquote(parts.netloc).startswith("/"):
        return (unquote(parts.netloc),)
    return _SOCKETS if not parts.netloc and parts.path in ("", "/") else ()


def sockets_here(text: str) -> tuple[str, ...]:
    """Those of an ldapi URL that are on this machine; one with two names (/var/run) counts once."""
    here: dict[str, str] = {}
    for path in filter(os.path.exists, sockets_of(text)):
        here.setdefault(os.path.realpath(path), path)
    return tuple(here.values())


def several_sockets(paths: Sequence[str]) -> ProfileError:
    """ldapi:/// with more than one socket: which of them answers must not depend on the hour."""
    return ProfileError(
        Message("ldapi:/// may be any of these sockets: {paths}.", paths=", ".join(paths)),
        safe=Message("Nothing was sent."),
        remedy=Message(
            "Store the first that accepts the login in the profile: ldap-workbench profile test "
            "NAME --store. Or name one there: {urls}.",
            urls=", ".join(map(socket_url, paths)),
        ),
    )


def _not_a_url(text: str) -> ProfileError:
    return ProfileError(
        Message("'{text}' is not an LDAP URL.", text=text),
        remedy=Message(
            "Write ldap://host:389, ldaps://host:636, ldapi:/// for slapd on this machine or "
            "on the host of --ssh, or ldapi://%2Fpath%2Fto%2Fsocket."
        ),
    )
