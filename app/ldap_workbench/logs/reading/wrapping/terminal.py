"""What terminals, mail programs and web pages put into lines, not before them."""

from __future__ import annotations

import html
import quopri
import re
from dataclasses import dataclass

from ldap_workbench.logs.reading.wrapping.lines import Layer, Line
from ldap_workbench.model.message import Message

_COLOUR = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b\(B|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)")
_ENCODED = re.compile(rb"(?=.*=3D|.{50,76}=$)(?:[^=]|=[0-9A-F]{2})*+=?$", re.DOTALL)
"""No '=' but of codes and where a line is cut: one of slapd ends in 'text=' and has others."""


_COLOURS = Message("terminal colours")
_MAIL = Message("quoted-printable mail")
_PAGE = Message("escaped HTML")


@dataclass(frozen=True)
class Colours:
    """Colours of grep, ls, journalctl and kubectl."""

    title: Message = _COLOURS
    sure: bool = True

    def fits(self, line: bytes) -> bool:
        return _COLOUR.search(line) is not None

    def start(self) -> Layer:
        return self

    def peel(self, lines: list[Line]) -> list[Line]:
        return [(stream, _COLOUR.sub(b"", text)) for stream, text in lines]

    def finish(self) -> list[Line]:
        return []


@dataclass(frozen=True)
class QuotedPrintable:
    """Mail: '=3D' is '=', and a line that ends in '=' goes on in the next."""

    title: Message = _MAIL
    sure: bool = True

    def fits(self, line: bytes) -> bool:
        return _ENCODED.match(line) is not None

    def start(self) -> Layer:
        return _QuotedPrintableLayer()


class _QuotedPrintableLayer:
    def __init__(self) -> None:
        self._cut = b""
        self._stream = b""

    def peel(self, lines: list[Line]) -> list[Line]:
        out: list[Line] = []
        for stream, text in lines:
            text = text.rstrip(b"\r")
            if text.endswith(b"="):
                self._cut += text[:-1]
                self._stream = stream
            else:
                out.append((stream, quopri.decodestring(self._cut + text)))
                self._cut = b""
        return out

    def finish(self) -> list[Line]:
        cut, self._cut = self._cut, b""
        return [(self._stream, quopri.decodestring(cut))] if cut else []


_TAG = re.compile(rb"</?[a-zA-Z][^<>]*>")
_ESCAPED_QUOTE = re.compile(rb"&(?:amp;)*(?:quot|#34|#x22);")
_ESCAPED_FILTER = re.compile(rb"\(&(?:amp;)+\(|[\w-]&[lg]t;=")
"""No filter has these as they are: '(&' is followed by '('."""


@dataclass(frozen=True)
class EscapedHtml:
    """A log out of a web page: &quot; is '"', &amp; is '&'; a page may leave quotes as they are."""

    title: Message = _PAGE
    sure: bool = True

    def fits(self, line: bytes) -> bool | None:
        text = _TAG.sub(b"", line)
        if _ESCAPED_QUOTE.search(text):
            return b'"' not in text
        if _ESCAPED_FILTER.search(text):
            return True
        return False if b"(&(" in text else None

    def start(self) -> Layer:
        return self

    def peel(self, lines: list[Line]) -> list[Line]:
        return [(stream, _unescaped(text)) for stream, text in lines]

    def finish(self) -> list[Line]:
        return []


def _unescaped(line: bytes) -> bytes:
    text = _TAG.sub(b"", line).decode("utf-8", "surrogateescape")
    return html.unescape(text).replace("\xa0", " ").encode("utf-8", "surrogateescape")
