"""The small shell that a login becomes (connect/small_shell.py): one command from its input."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_END = b"; }\n"
_SCRIPT = re.compile(
    rb"\{ LC_ALL=C; export LC_ALL; printf '%s%s\\n' (\w+) (\w+); printf [^;]* >&2; "
    rb"exec (?P<line>.*?)(?P<none> </dev/null)?; \}\n",
    re.DOTALL,
)


@dataclass(frozen=True)
class Order:
    """What the small shell is to run, after the number, and whether the input is for that."""

    number: bytes
    line: str
    reads: bool


def order_from(receive: Callable[[int], bytes]) -> Order | None:
    """The command that comes; None where the input ends before or is another script."""
    script = b""
    while not script.endswith(_END):
        piece = receive(1 << 16)
        if not piece:
            return None
        script += piece
    match = _SCRIPT.fullmatch(script)
    if match is None:
        return None
    line = match["line"].decode("utf-8", "replace")
    return Order(match[1] + match[2] + b"\n", line, match["none"] is None)
