"""What a server may answer to one question: so many messages, so many bytes, within a time.

ldap3 reads until an answer is whole, however long that takes and however large it grows, for every
byte that comes starts its time-out anew.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.message import Message

_PIECE = 1 << 16
_SEQUENCE = 0x30
_HEAD = 6
"""Bytes of the longest tag and length that LDAP has use for."""


@dataclass(frozen=True)
class Limits:
    """Of the answer to one request. `silence_s` may pass without a byte, `seconds` in all."""

    messages: int
    bytes: int
    seconds: float = 300.0
    silence_s: float = 30.0


ONE_ENTRY = Limits(messages=100, bytes=64 << 20)
"""Of everything but a search below an entry: one entry or one result, and what goes with it."""
MANY_ENTRIES = Limits(messages=1_000_000, bytes=256 << 20)


class BoundedAnswers:
    """Reads the messages of an ldap3 connection in its stead, within limits."""

    def __init__(self, url: str, connection: Any) -> None:
        self._url = url
        self._connection = connection
        self._limits = ONE_ENTRY
        self._end = 0.0
        self._messages = self._bytes = 0
        self._rest = bytearray()
        connection.strategy.receiving = self._receive

    def begin(self, limits: Limits) -> None:
        """A request is about to be sent."""
        self._limits = limits
        self._end = time.monotonic() + limits.seconds
        self._messages = self._bytes = 0

    @property
    def unread(self) -> bool:
        """Whether more came than was asked for."""
        return bool(self._rest)

    def _receive(self) -> list[bytes]:
        """Whole messages, at least one; none where the server has ended the connection."""
        while True:
            if messages := self._whole_messages():
                return messages
            data = self._read()
            if not data:
                return []
            self._rest += data
            self._bytes += len(data)
            self._check()

    def _read(self) -> bytes:
        link, left = self._connection.socket, self._end - time.monotonic()
        if left <= 0:
            raise self._too(self._too_slow())
        link.settimeout(min(self._limits.silence_s, left))
        try:
            return bytes(link.recv(_PIECE))
        except TimeoutError:
            if time.monotonic() >= self._end:
                raise self._too(self._too_slow()) from None
            raise

    def _whole_messages(self) -> list[bytes]:
        messages, at = [], 0
        while size := self._size_at(at):
            if len(self._rest) - at < size:
                break
            messages.append(bytes(self._rest[at : at + size]))
            at += size
        del self._rest[:at]
        self._messages += len(messages)
        self._check()
        return messages

    def _size_at(self, at: int) -> int:
        """Bytes of the message that begins there, 0 where too little of it has come."""
        head = self._rest[at : at + _HEAD]
        if len(head) < 2:
            return 0
        lengths = head[1] & 0x7F if head[1] & 0x80 else 0
        if head[0] != _SEQUENCE or head[1] == 0x80 or lengths > 4:
            raise not_ldap(self._url, Message("no LDAP message starts like this"))
        if len(head) < 2 + lengths:
            return 0
        value = int.from_bytes(head[2 : 2 + lengths], "big") if lengths else head[1]
        if value > self._limits.bytes:
            raise self._too(self._too_large())
        return 2 + lengths + value

    def _check(self) -> None:
        if self._messages > self._limits.messages:
            raise self._too(Message("has more than {n} messages", n=self._limits.messages))
        if self._bytes > self._limits.bytes:
            raise self._too(self._too_large())

    def _too_slow(self) -> Message:
        return Message("takes longer than {limit:g} s", limit=self._limits.seconds)

    def _too_large(self) -> Message:
        return Message("is larger than {limit:size}", limit=self._limits.bytes)

    def _too(self, what: Message) -> ConnectError:
        return ConnectError(
            Message(
                "An answer from {url} {what}; reading stopped there.",
                url=self._url,
                what=what,
            ),
            safe=Message("Nothing was changed by that."),
            remedy=Message(
                "Check that this is the right server and what it sends, then connect again."
            ),
        )


def not_ldap(url: str, why: Message) -> ConnectError:
    """What came is not an answer that a directory server gives."""
    return ConnectError(
        Message("{url} sent data that is not LDAP: {why}.", url=url, why=why),
        safe=Message("Nothing was changed by that."),
        remedy=Message("Check that this is the right server and port, then connect again."),
    )
