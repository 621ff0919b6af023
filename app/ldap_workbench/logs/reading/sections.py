"""The parts of a file of supportconfig (SUSE).

Commands, configuration and log files, one after the other, each under a heading.

    #==[ Command ]======================================#
    # /usr/bin/vmstat 1 4
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_HEADING = re.compile(rb"^#==\[ [^\]\n]{1,60} \]=+#[ \t]*\r?\n# ?([^\r\n]*)\r?\n", re.MULTILINE)
_MOST = 2_000
_NAME = re.compile(r"[^\w.-]+")


def has_sections(head: bytes) -> bool:
    """Whether a text that begins so is one of supportconfig."""
    return _HEADING.search(head) is not None


def sections(text: bytes) -> Iterator[tuple[str, bytes]]:
    """What each part is called, a name for a file, and its text without the heading."""
    parts = _HEADING.split(text)
    for number, (title, body) in enumerate(zip(parts[1::2], parts[2::2], strict=True)):
        if number >= _MOST:
            return
        words = _NAME.sub("_", title.decode("utf-8", "replace")).strip("_.")[:80]
        yield f"{number:04d}-{words or 'part'}", body
