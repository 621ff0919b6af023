"""A client whose searches cost what their filter says, and that asks on a schedule or waits.

`python asking.py PORT BASE after|every SECONDS PARTS`. PARTS are attribute=value, with commas: an
entry must have all of them. `#300` in a value becomes one of 000000 to 000299, by chance. With
`after` it waits for each answer, and so long, before it asks again: the slower it is served, the
less it asks. With `every` it asks on a schedule, and makes up for what it is late. It asks until
SIGTERM, and connects again when the server is gone for a while.
"""

from __future__ import annotations

import random
import re
import socket
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from steady import ask, element, number, text

_RETRY_S = 0.2
_NUMBER = re.compile(r"#(\d+)")


def search_all_of(base: str, parts: list[str], chance: random.Random) -> bytes:
    """A search of a subtree for entries that have all of these values; asks for no attributes."""
    chosen = [_NUMBER.sub(lambda of: f"{chance.randrange(int(of[1])):06d}", each) for each in parts]
    tests = [element(0xA3, *map(text, part.split("=", 1))) for part in chosen]
    subtree, never, no_limit, values = number(2, 0x0A), number(0, 0x0A), number(0), b"\x01\x01\x00"
    both = element(0xA0, *tests) if len(tests) > 1 else tests[0]
    attributes = element(0x30, text("1.1"))
    return element(0x63, text(base), subtree, never, no_limit, no_limit, values, both, attributes)


def ask_on(port: int, search: Callable[[], bytes], seconds: float, *, scheduled: bool) -> None:
    """One connection, until it breaks."""
    with socket.create_connection(("127.0.0.1", port), timeout=120) as link:
        begin = time.monotonic()
        for asked in range(1_000_000):
            ask(link, 1 + asked, search())
            due = begin + (1 + asked) * seconds - time.monotonic()
            time.sleep(max(0.0, due) if scheduled else seconds)


def main() -> None:
    port, base, mode, seconds, parts = sys.argv[1:]
    search = partial(search_all_of, base, parts.split(","), random.Random())
    while True:
        try:
            ask_on(int(port), search, float(seconds), scheduled=mode == "every")
        except OSError:
            time.sleep(_RETRY_S)


if __name__ == "__main__":
    main()
