"""One line of a log's raw text, or the object that it opens."""

from __future__ import annotations

import re

_TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|[{}]|\n(?=\{)')


def first_line(text: bytes) -> str:
    """The first line of `text`.

    Where it opens a JSON object printed over several lines, all of the object as one line.
    Undecodable bytes are shown as escapes.
    """
    line = text.split(b"\n", 1)[0]
    if line.lstrip().startswith(b"{") and (end := _end_of_object(text)) > len(line):
        line = b" ".join(part.strip() for part in text[:end].split(b"\n"))
    return line.decode("utf-8", "backslashreplace")


def _end_of_object(text: bytes) -> int:
    """Behind the brace that closes the first object; 0 where none does, or another begins."""
    depth = 0
    for token in _TOKEN.finditer(text):
        if token[0] == b"\n":
            return 0
        if token[0] == b"{":
            depth += 1
        elif token[0] == b"}":
            depth -= 1
            if not depth:
                return token.end()
    return 0
