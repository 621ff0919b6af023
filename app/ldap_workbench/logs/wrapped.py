"""Text that a container runtime has wrapped, a JSON record around each line -> the text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

_RECORD = re.compile(rb'\s*\{"(?:log|stream)":')
_OWN_TIME = re.compile(
    r"\[?\d{1,4}[-/]|[0-9a-f]{8}[. ]|[A-Z][a-z]{2} [ \d]\d \d\d:|\{|<\d+>|\s|$", re.ASCII
)


def is_wrapped(head: bytes) -> bool:
    """Whether a text begins with a record of Docker's json-file driver."""
    return _RECORD.match(head) is not None


def unwrapped(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The lines inside; those without a time of their own get that of the record.

    A line that is no record stays as it is.
    """
    carry = b""
    begins = True
    for piece in pieces:
        *lines, carry = (carry + piece).split(b"\n")
        text, begins = _texts(lines, begins)
        yield text
    if carry:
        yield _texts([carry], begins)[0]


def _texts(lines: list[bytes], begins: bool) -> tuple[bytes, bool]:
    """(the lines inside, whether the next one begins a line)."""
    parts = []
    for line in lines:
        part = _text(line, begins)
        parts.append(part)
        begins = part.endswith(b"\n") or not part
    return b"".join(parts), begins


def _text(line: bytes, begins: bool) -> bytes:
    try:
        record = json.loads(line)
        text = record["log"]
        time = str(record.get("time", ""))
    except (ValueError, TypeError, KeyError, RecursionError):
        return line + b"\n" if line.strip() else b""
    if not isinstance(text, str):
        return line + b"\n"
    if begins and time and not _OWN_TIME.match(text):
        text = f"{time} {text}"
    return text.encode("utf-8", "replace")
