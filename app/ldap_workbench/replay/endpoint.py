"""Where a replay goes, and as whom its binds are made.

What of a script is sent to a server: all of it, or without binds, or without writes.
"""

from __future__ import annotations

import ssl
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ldap_workbench.connect.ldap_url import parse_ldap_url
from ldap_workbench.connect.tls import VerifiedTls
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message
from ldap_workbench.replay.script import Conversation, Request, Script
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


_BIND = Request(False, 0, None)


def playable(script: Script, endpoint: Endpoint) -> Script:
    """The script with what goes to this endpoint alone; what is left out is counted as skipped.

    A connection that writes before it binds is bound first: the capture began after its bind.
    """
    skipped = Counter(script.skipped)
    conversations = []
    for conversation in script.conversations:
        requests = tuple(_sent(conversation.requests, endpoint, skipped))
        if requests:
            conversations.append(Conversation(conversation.arrival_ns, _bound(requests)))
    return replace(script, conversations=tuple(conversations), skipped=dict(skipped))


def _sent(
    requests: Iterable[Request], endpoint: Endpoint, skipped: Counter[str]
) -> Iterator[Request]:
    """The requests that are sent; the think time of one that is left out passes to the next."""
    gap_ns, waited = 0, False
    for request in requests:
        reason = _left_out(request, endpoint)
        if reason:
            skipped[reason] += 1
            gap_ns, waited = gap_ns + request.gap_ns, waited or request.waited
            continue
        if gap_ns or waited:
            waited = waited or request.waited
            request = replace(request, gap_ns=gap_ns + request.gap_ns, waited=waited)
        yield request
        gap_ns, waited = 0, False


def _left_out(request: Request, endpoint: Endpoint) -> str:
    """Why a request is not sent; "" where it is."""
    if request.kind == "BIND" and not endpoint.bind_dn:
        return "BIND, the profile has no bind DN"
    if request.write and not (endpoint.scratch and endpoint.bind_dn):
        return f"{request.write}, without --writes-under"
    return ""


def _bound(requests: tuple[Request, ...]) -> tuple[Request, ...]:
    kinds = [request.kind for request in requests]
    first_write = next((n for n, request in enumerate(requests) if request.write), len(kinds))
    if first_write == len(kinds) or "BIND" in kinds[:first_write]:
        return requests
    return (_BIND, replace(requests[0], waited=True), *requests[1:])
