"""Where a replay goes, and as whom its binds are made."""

from __future__ import annotations

import ssl
from dataclasses import dataclass

from ldap_workbench.connect.ldap_url import parse_ldap_url
from ldap_workbench.connect.tls import VerifiedTls
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.replay.script import Script
from ldap_workbench.servers.target import Target


@dataclass(frozen=True)
class Endpoint:
    """A server by TCP. Without a bind DN, binds and writes are left out."""

    host: str
    port: int
    secure: bool = False
    """TLS from the first byte (ldaps)."""
    starttls: bool = False
    ca_file: str | None = None
    bind_dn: str | None = None
    password: str = ""
    scratch: str = ""
    """DN of the entry below which it writes; "" where writes are left out."""

    @property
    def encrypted(self) -> bool:
        return self.secure or self.starttls


def endpoint_of(target: Target) -> Endpoint:
    """The server of a target, with the identity of its profile. Raises UsageError."""
    profile = target.profile
    url = parse_ldap_url(profile.ldap_url)
    if url.socket:
        raise UsageError(
            Message("A replay cannot use {url}: it connects by TCP.", url=profile.ldap_url),
            safe=Message("Nothing was sent."),
            remedy=Message("Use a profile with ldap:// or ldaps://."),
        )
    return Endpoint(
        url.host,
        url.port,
        secure=url.scheme == "ldaps",
        starttls=profile.starttls,
        ca_file=profile.ca_file,
        bind_dn=profile.bind_dn,
        password=target.bind_password() or "",
    )


def refuse_original(script: Script, target: Target) -> None:
    """Raises UsageError where a script was captured from this server, or may have been.

    It may have been where its file or the server does not say which server it is: then only a
    profile of a test server is a target.
    """
    if script.identity and script.identity == target.facts.identity:
        raise UsageError(
            Message(
                "The replay was captured from this server: it would double the load of its clients."
            ),
            safe=Message("Nothing was sent."),
            remedy=Message("Replay onto a test server, or add --this-is-production."),
        )
    if not is_origin_known(script, target) and not target.profile.test_server:
        raise UsageError(
            Message(
                "It is not known whether the replay was captured from this server: it would double "
                "the load of its clients."
            ),
            safe=Message("Nothing was sent."),
            remedy=Message(
                "If this is a test server, add the profile again with --test-server; else add "
                "--this-is-production."
            ),
        )


def is_origin_known(script: Script, target: Target) -> bool:
    """Whether it is known if a script was captured from this server."""
    return bool(script.identity and target.facts.identity)


def context_of(endpoint: Endpoint) -> ssl.SSLContext | None:
    """Verifies certificate and name, as every connection of ours. Raises TlsError."""
    return VerifiedTls(endpoint.ca_file).context if endpoint.encrypted else None
