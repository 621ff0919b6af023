"""Imports of 389 DS that take in few entries a second, or ever fewer, and what they wait for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

import numpy as np

from ldap_workbench.advice.evidence.companions import StackDump
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S

_PROGRESS = re.compile(
    r"import (\S+): Processed (\d+) entries -- average rate ([\d.]+)/sec, recent rate [\d.]+/sec"
    r"(?:, hit ratio (\d+)%)?"
)
_WAITS_ITSELF = re.compile(r"^_|pthread|futex|cond_(?:timed)?wait|lock_wait|^PR_|sleep|^poll")
"""Frames that say that a thread waits; the frame that called them says for what."""
Progress = tuple[int, int, float, int]
"""Time in ns, entries so far and a second on average, hit ratio in percent (unknown: 100)."""


def find(view: WindowView) -> list[Finding]:
    """The finding of the import that is slowest at its end, if one is slow."""
    slow = [seen for name, lines in _imports(view).items() for seen in _slow(view, name, lines)]
    return sorted(slow, key=lambda seen: float(seen.numbers["rate_per_s"]))[:1]


def _imports(view: WindowView) -> dict[str, list[Progress]]:
    """The progress of each import by back end; where one begins again, the last alone."""
    imports: dict[str, list[Progress]] = {}
    for line in view.errors:
        if match := _PROGRESS.search(line.text):
            name, entries, average, ratio = match.groups()
            lines = imports.setdefault(name, [])
            if lines and int(entries) < lines[-1][1]:
                lines.clear()
            lines.append((line.time_ns, int(entries), float(average), int(ratio or 100)))
    return imports


def _slow(view: WindowView, name: str, lines: list[Progress]) -> list[Finding]:
    limit = limits("import_slow")
    if len(lines) <= limit["lines"]:
        return []
    times, entries = np.array([line[:2] for line in lines], np.int64).T
    rates = np.diff(entries) * NS_PER_S / np.maximum(np.diff(times), 1)
    *earlier, now = (float(np.median(part)) for part in np.array_split(rates, 3))
    before = max(earlier)
    fell = now <= limit["fell"] * before
    if now > limit["rate_per_s"] and not fell:
        return []
    threads, frame, of = waiting_frame(view.stacks)
    text = Message("{n} lines of progress.", n=len(lines))
    return [
        finding(
            "import_slow",
            numbers={"entries": lines[-1][1], "rate_per_s": now, "before_per_s": before},
            evidence=[Evidence(text, lines[0][0], lines[-1][0])],
            name=name,
            average=lines[-1][2],
            fell=fell,
            hits=lines[-1][3] / 100 if fell and lines[-1][3] < limit["hits"] else None,
            frame=frame,
            threads=threads,
            of=of,
        )
    ]


def waiting_frame(stacks: Iterable[StackDump]) -> tuple[int, str, int]:
    """Where most threads of an import wait, over all dumps: (threads, function, of how many).

    The function is "" where they work, or do not wait in one place.
    """
    every = (frames for dump in stacks for frames in dump.threads.values())
    threads = [frames for frames in every if any("import" in frame for frame in frames)]
    waiting = [frames for frames in threads if _WAITS_ITSELF.search(frames[0])]
    callers = ([f for f in frames if not _WAITS_ITSELF.search(f)] for frames in waiting)
    outer = Counter(frames[0] for frames in callers if frames)
    frame, count = max(outer.items(), key=lambda item: item[1], default=("", 0))
    return (count, frame if 2 * count >= len(threads) > 1 else "", len(threads))
