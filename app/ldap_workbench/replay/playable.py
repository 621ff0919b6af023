"""What of a script is sent to a server: all of it, or without binds, or without writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ldap_workbench.replay.endpoint import Endpoint
from ldap_workbench.replay.script import Conversation, Request, Script

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
