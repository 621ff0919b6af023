"""Wrapped text in pieces -> the lines inside, those of each host or file by themselves."""

from __future__ import annotations

import numpy as np

from ldap_workbench.logs.reading.wrapping.detection import HOST, Wrapping
from ldap_workbench.logs.reading.wrapping.lines import Line, is_separator
from ldap_workbench.logs.reading.wrapping.terminal import JoinedLines

_LONGEST = 4 << 20
"""A line that goes on for longer is cut: nothing a server writes is as long."""
_NEWLINE = 10


class Peeler:
    """Takes the layers of one text off, piece by piece.

    `skipped` counts lines that have no line of the log of their own: separators, and parts of
    lines that a wrapper had cut into records of its own.
    """

    def __init__(self, wrapping: Wrapping) -> None:
        self._wrapping = wrapping
        self._layers = [layer.start() for layer in wrapping.layers]
        self._carry = b""
        self._stream = b""
        self._servers: set[bytes] = set()
        self._missing = 0

    @property
    def skipped(self) -> int:
        joined = (layer.joined for layer in self._layers if isinstance(layer, JoinedLines))
        return self._missing - sum(joined)

    def feed(self, piece: bytes) -> list[Line]:
        """(stream, whole lines) of a piece, a stream once or not at all."""
        text = self._carry + piece
        end = text.rfind(b"\n") + 1
        if not end and len(text) > _LONGEST:
            text, end = text + b"\n", len(text) + 1
        self._carry = text[end:]
        return self._whole(text[:end]) if end else []

    def finish(self) -> list[Line]:
        """What is left: a last line without its newline stays one."""
        rest, self._carry = self._carry, b""
        lines = self._through([(b"", rest)] if rest else [], last=True)
        parts = self._by_stream(lines)
        self._missing += bool(rest) - sum(text.count(b"\n") for _, text in parts)
        return [(stream, text[:-1]) for stream, text in parts] if rest else parts

    def _whole(self, text: bytes) -> list[Line]:
        if self._wrapping.hosts and not self._layers and (host := self._one_host(text)):
            return [(host, text)]
        lines = [(b"", line) for line in text[:-1].split(b"\n")]
        parts = self._by_stream(self._through(lines))
        self._missing += len(lines) - sum(part.count(b"\n") for _, part in parts)
        return parts

    def _through(self, lines: list[Line], *, last: bool = False) -> list[Line]:
        for layer in self._layers:
            lines = layer.peel(lines)
            if last:
                lines += layer.finish()
        if self._wrapping.hosts:
            lines = [self._of_host(line) for line in lines]
        return lines

    def _of_host(self, line: Line) -> Line:
        """The line with the host that its syslog names; others are of the host before.

        So are those of other programs on a host where no slapd was seen: it is no server.
        """
        stream, text = line
        if (match := HOST.match(text)) and (match["tag"] or match["host"] in self._servers):
            host = match["host"]
            self._servers.add(host)
            stream = stream + b"/" + host if stream and stream != host else host
        return stream, text

    def _one_host(self, text: bytes) -> bytes:
        """The host that every line names in the same column, b"" for several.

        Most syslogs are of one, and need not be taken apart.
        """
        match = HOST.match(text)
        if match is None or not match["tag"]:
            return b""
        host, column = match["host"], match.start("host") - 1
        marker = b" " + host + b" " + match["tag"]
        data = np.frombuffer(text, np.uint8)
        starts = np.concatenate(([0], np.flatnonzero(data[:-1] == _NEWLINE) + 1)) + column
        for place, byte in enumerate(marker):
            at = np.minimum(starts + place, len(data) - 1)
            if not (data[at] == byte).all():
                return b""
        self._servers.add(host)
        self._stream = host
        return host

    def _by_stream(self, lines: list[Line]) -> list[Line]:
        streams: dict[bytes, list[bytes]] = {}
        for stream, text in lines:
            # What names nobody belongs to what was there before it.
            self._stream = stream or self._stream
            if not is_separator(text):
                streams.setdefault(self._stream, []).append(text)
        return [(stream, b"\n".join(texts) + b"\n") for stream, texts in streams.items()]
