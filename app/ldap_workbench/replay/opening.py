"""Opening a connection: TCP, and TLS from the start or after StartTLS (RFC 4511, 4.14)."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable

from ldap_workbench.model.message import Message
from ldap_workbench.replay.endpoint import Endpoint
from ldap_workbench.replay.wire import EXTENDED_DONE, START_TLS, Answer, take_answers

_TIMEOUT_S = 30.0
_PIECE = 1 << 16


async def open_line(
    endpoint: Endpoint, tls: ssl.SSLContext | None, line: Callable[[], asyncio.Protocol]
) -> None:
    """Connect; the protocol of `line` is told once the link is as safe as the endpoint asks.

    Raises OSError, of which ssl.SSLError is one, where that fails, and ValueError for what is no
    LDAP.
    """
    async with asyncio.timeout(_TIMEOUT_S):
        if endpoint.starttls:
            await _open_with_start_tls(endpoint, tls, line)
            return
        name = endpoint.host if tls else None
        loop = asyncio.get_running_loop()
        await loop.create_connection(
            line, endpoint.host, endpoint.port, ssl=tls, server_hostname=name
        )


async def _open_with_start_tls(
    endpoint: Endpoint, tls: ssl.SSLContext | None, line: Callable[[], asyncio.Protocol]
) -> None:
    assert tls
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    plain, _ = await loop.create_connection(
        lambda: asyncio.StreamReaderProtocol(reader), endpoint.host, endpoint.port
    )
    try:
        plain.write(START_TLS)
        await _agreed(reader)
        inside = line()
        secured = await loop.start_tls(plain, inside, tls, server_hostname=endpoint.host)
    except BaseException:
        plain.abort()
        raise
    assert secured
    inside.connection_made(secured)


async def _agreed(reader: asyncio.StreamReader) -> None:
    """Return once the server has agreed to StartTLS, in one answer and nothing else."""
    received = bytearray()
    answers: list[Answer] = []
    while not answers:
        data = await reader.read(_PIECE)
        if not data:
            raise ConnectionError(str(Message("the server closed the connection")))
        received += data
        answers = take_answers(received)
    if answers[0].tag != EXTENDED_DONE or answers[0].code != 0:
        reason = Message("the server refused StartTLS ({code:plain})", code=answers[0].code)
        raise ConnectionError(str(reason))
    if received or len(answers) > 1:  # sent in the clear, by whomever
        raise ConnectionError(str(Message("it sent more than the answer to StartTLS")))
