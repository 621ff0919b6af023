"""Folded stacks: a line for each stack, its frames from the outermost inwards, and its samples.

    ns-slapd;start_thread;op_shared_search;id2entry;slapi_str2entry 12

Brendan Gregg's format: stackcollapse-perf.pl, bpftrace, py-spy, async-profiler and others write it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from ldap_workbench.logs.reading.reports import Tally
from ldap_workbench.logs.server.stacks import Dump

Folded = Mapping[tuple[str, ...], int]
"""Samples of each stack, its frames from the outermost inwards."""

MOST_STACKS = 5_000
"""Stacks told apart, those with the most samples; a profile of a busy server has hundreds."""
DEEPEST = 128
"""Frames of a stack, counted from the outermost."""
OTHERS = ("(other stacks)",)
_UNKNOWN = "[unknown]"
_NAME = 200
_MOST_TEXT = 8 << 20
"""Characters of all stacks together."""
_DIGITS = 15
_LINE = re.compile(r"(?P<frames>\S.*?) (?P<count>\d+)\s*")
_ADDRESS = re.compile(r"\[?0x[0-9a-f]+\]?|[0-9a-f]{8,16}")
_NUMBERED = re.compile(r" (?=\d+$)")
"""A number at the end of a name, which would be read as a count."""
_TWO_COUNTS = re.compile(r".* \d+ \d+\s*")


def read_folded(data: bytes, tally: Tally | None = None) -> Folded:
    """The samples of each stack, within bounds; `tally` is told what each line is.

    A line with two counts, as difffolded.pl writes it, is not understood: which of them counts?
    """
    tally = tally if tally is not None else Tally()
    stacks: Counter[tuple[str, ...]] = Counter()
    for line in data.decode("utf-8", "replace").splitlines():
        match = _LINE.fullmatch(line)
        if not line.strip():
            tally.set_aside("blank line")
        elif match is None or _TWO_COUNTS.fullmatch(line) or len(match["count"]) > _DIGITS:
            tally.unknown()
        else:
            tally.understood()
            stacks[_frames(match["frames"].split(";"))] += int(match["count"])
    return bounded(stacks)


def fold(dumps: Iterable[Dump]) -> list[Folded]:
    """Each dump of threads as a profile: a sample is a thread."""
    profiles = []
    for dump in dumps:
        stacks = Counter(_frames(thread.calls[::-1]) for thread in dump.threads if thread.calls)
        profiles.append(bounded(stacks))
    return profiles


def bounded(stacks: Counter[tuple[str, ...]]) -> Folded:
    """The stacks with the most samples, and all others as one."""
    largest: dict[tuple[str, ...], int] = {}
    text = rest = 0
    for stack, count in sorted(stacks.items(), key=lambda item: (-item[1], item[0])):
        text += sum(map(len, stack))
        if not count:
            continue
        if len(largest) < MOST_STACKS and text <= _MOST_TEXT:
            largest[stack] = count
        else:
            rest += count
    return largest | ({OTHERS: largest.get(OTHERS, 0) + rest} if rest else {})


def folded_text(folded: Folded) -> bytes:
    """What `read_folded` reads, an empty line at its end: where the next profile begins."""
    lines = [f"{';'.join(stack)} {count}\n" for stack, count in folded.items()]
    return "".join([*lines, "\n"]).encode()


def profiles_in(text: bytes) -> list[Folded]:
    """The profiles of a text in which each ends with an empty line."""
    profiles = (read_folded(part) for part in text.split(b"\n\n"))
    return [folded for folded in profiles if folded]


def _frames(names: Iterable[str]) -> tuple[str, ...]:
    """Names without what would break a line; an address is another at each start of a server."""
    shortened = []
    for name in list(names)[:DEEPEST]:
        short = _NUMBERED.sub("_", " ".join(name.replace(";", ":").split())[:_NAME].strip())
        shortened.append(_UNKNOWN if not short or _ADDRESS.fullmatch(short) else short)
    return tuple(shortened)
