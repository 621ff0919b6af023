"""What terminals, mail programs, chats and web pages put into lines, not before them."""

from __future__ import annotations

import html
import quopri
import re
from dataclasses import dataclass
from itertools import pairwise

from ldap_workbench.logs.reading.wrapping.lines import Layer, Line, begins_a_line
from ldap_workbench.model.message import Message

_COLOUR = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]|\x1b\(B|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)")
_ENCODED = re.compile(rb"(?=.*=3D|.{50,76}=$)(?:[^=]|=[0-9A-F]{2})*+=?$", re.DOTALL)
"""No '=' but of codes and where a line is cut: one of slapd ends in 'text=' and has others."""


_COLOURS = Message("terminal colours")
_MAIL = Message("quoted-printable mail")
_PAGE = Message("escaped HTML")
_BROKEN_TITLE = Message("lines broken by mail or a terminal")
_ABOUT = re.compile(rb"\bconn=-?\d+ (?:op|fd)=")
_LONGEST = 1 << 20
"""Bytes of a line that is put together."""


@dataclass(frozen=True)
class Colours:
    """Colours of grep, ls, journalctl and kubectl."""

    title: Message = _COLOURS
    sure: bool = True

    def fits(self, line: bytes) -> bool | None:
        """grep colours the lines with a match; others tell nothing."""
        return True if _COLOUR.search(line) else None

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


_BLANKS = re.compile(rb"\xc2\xa0|\xe2\x80[\x82-\x8a\xaf]")
"""Blanks at which no line may be broken, and those of typographers, in UTF-8."""
_NO_WIDTH = re.compile(rb"\xe2\x80\x8b|\xef\xbb\xbf|\xc2\xad")
_QUOTES = re.compile(rb"\xe2\x80[\x9c-\x9f]")
_TYPESET = re.compile(
    rb"(?:\bconn=-?\d+|\]|\d\d:\d\d:\d\d(?:\.\d+)?|^\w{3})(?: ?(?:" + _BLANKS.pattern + rb"))"
    rb"|\b\w+=(?:" + _QUOTES.pattern + rb")"
)
"""Where a server writes a plain blank or quote: values in quotes may have any."""
_PASTED = Message("blanks and quotes of a word processor or chat")


@dataclass(frozen=True)
class Typeset:
    """A log pasted from Teams, Outlook, Word or Confluence: no-break spaces and curly quotes."""

    title: Message = _PASTED
    sure: bool = True

    def fits(self, line: bytes) -> bool | None:
        """A line without quotes does not tell whether they are curly."""
        if _TYPESET.search(line):
            return True
        return False if b'"' in line else None

    def start(self) -> Layer:
        return self

    def peel(self, lines: list[Line]) -> list[Line]:
        return [(stream, _plain(text)) for stream, text in lines]

    def finish(self) -> list[Line]:
        return []


def _plain(line: bytes) -> bytes:
    return _QUOTES.sub(b'"', _BLANKS.sub(b" ", _NO_WIDTH.sub(b"", line)))


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


_MOST_WIDE = 132
"""Columns of a line of mail or of a terminal."""
_FITTING = 0.7
"""Breaks that a width explains, and rests with a field, of all: a greeting may follow."""
_BROKEN = 0.2
"""Of the lines about connections, so many are broken at least: short ones stay whole."""


@dataclass(frozen=True)
class BrokenLines:
    """Lines that a mail program or a terminal has broken: what begins without a time goes on.

    `between` is what the break stands for: mail breaks at blanks, a terminal in its last column.
    """

    between: bytes = b" "
    title: Message = _BROKEN_TITLE
    sure: bool = False

    @classmethod
    def of(cls, lines: list[bytes]) -> BrokenLines | None:
        """How some lines were broken; None where they were not, or not by a width."""
        about = begun = 0
        broken: list[tuple[bytes, bytes]] = []
        belongs = False
        for line, following in pairwise([*lines, b""]):
            begins = _ABOUT.search(line) is not None
            about += begins
            goes_on = not (following[:1].isspace() or begins_a_line(following))
            belongs = (begins or belongs) and goes_on
            begun += begins and goes_on
            if belongs:
                broken.append((line, following))
        if begun < max(1, _BROKEN * about):
            return None
        widths = {len(line) for line, _ in broken}
        if len(broken) > 1 and widths == {max(map(len, lines))}:
            return cls(b"")
        # A line of one word alone may be longer than the width.
        width = max(len(line) for line in lines if b" " in line.strip())
        full = sum(_has_no_room(*pair, width) for pair in broken)
        parts = sum(b"=" in following for _, following in broken)
        if width > _MOST_WIDE or min(full, parts) < _FITTING * len(broken):
            return None
        return cls()

    def fits(self, _: bytes) -> bool | None:
        """One line alone does not tell."""
        return None

    def start(self) -> Layer:
        return JoinedLines(self.between)


def _has_no_room(line: bytes, following: bytes, width: int) -> bool:
    """Whether the first word of the next line would have made a line wider than any is."""
    return len(line) + 1 + len(following.split(None, 1)[0]) > width


class JoinedLines:
    """Puts broken lines together; `joined` counts what went on, and was no line of the log."""

    def __init__(self, between: bytes) -> None:
        self.joined = 0
        self._between = between
        self._pending: Line | None = None

    def peel(self, lines: list[Line]) -> list[Line]:
        out: list[Line] = []
        for stream, text in lines:
            text = text.rstrip(b"\r")
            pending = self._pending
            if pending is None or begins_a_line(text):
                out += [pending] if pending is not None else []
                self._pending = stream, text
            elif len(pending[1]) < _LONGEST:
                self.joined += 1
                self._pending = pending[0], pending[1].rstrip(b" ") + self._between + text
        return out

    def finish(self) -> list[Line]:
        pending, self._pending = self._pending, None
        return [pending] if pending is not None else []
