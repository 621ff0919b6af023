"""Housekeeping of the server in the window: compaction, backups, imports, index builds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from ldap_workbench.advice.evidence.companions import StackDump
from ldap_workbench.advice.evidence.tasks import Task, tasks_in
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import Operations, client_operations
from ldap_workbench.model.units import NS_PER_S


def find(view: WindowView) -> list[Finding]:
    """The findings of this family in one window."""
    lines = [(line.time_ns, line.text) for line in view.errors]
    tasks = tasks_in(lines, view.window.end_ns)
    return [*_compaction(view, tasks), *_ran(view, tasks)]


def slowdown(operations: Operations, task: Task, fewest: float) -> tuple[int, int, int] | None:
    """Client etimes during some work and at other times, in ns; None where a side has too few.

    The p95 of both, and what waiting during the work cost above the usual.
    """
    clients = np.flatnonzero(client_operations(operations))
    starts, etimes = operations.start_ns[clients], operations.etime_ns[clients]
    ends = operations.end_ns[clients]
    during = (starts < task.end_ns) & (ends > task.start_ns)
    if min(during.sum(), (~during).sum()) < fewest:
        return None
    inside, outside = etimes[during], etimes[~during]
    excess = int(inside.sum() - np.mean(outside) * len(inside))
    return int(np.percentile(inside, 95)), int(np.percentile(outside, 95)), max(excess, 0)


def _compaction(view: WindowView, tasks: list[Task]) -> Iterator[Finding]:
    """One during which operations are slow."""
    limit = limits("compaction")
    for task in tasks:
        if task.kind != "compaction":
            continue
        slow = slowdown(view.operations, task, limit["operations"])
        if slow and slow[0] >= limit["times"] * slow[1] and slow[0] >= limit["p95_ms"] * 1e6:
            inside, outside, excess = slow
            yield finding(
                "compaction",
                numbers={"length_ns": task.end_ns - task.start_ns, "times": inside / outside},
                evidence=[_evidence(view, task)],
                user_ns=excess,
                at=task.start_ns,
                during=inside,
                otherwise=outside,
            )
            return
    return


def _ran(view: WindowView, tasks: list[Task]) -> Iterator[Finding]:
    if not tasks or not len(view.operations):
        return
    what = tuple(dict.fromkeys(str(task.title) for task in tasks))
    yield finding(
        "server_tasks",
        numbers={"tasks": [task.kind for task in tasks]},
        evidence=[_evidence(view, task) for task in tasks],
        what=tuple(Message(title) for title in what),
    )


def _evidence(view: WindowView, task: Task) -> Evidence:
    slow = slowdown(view.operations, task, limits("compaction")["operations"])
    effect = NOTHING
    if slow:
        effect = phrase("server_tasks", "effect", during=slow[0], otherwise=slow[1])
    length = task.end_ns - task.start_ns
    text = phrase("server_tasks", what=task.title, length=length, effect=effect)
    return Evidence(text, task.start_ns, task.end_ns)


_PROGRESS = re.compile(
    r"import (\S+): Processed (\d+) entries -- average rate ([\d.]+)/sec, recent rate [\d.]+/sec"
    r"(?:, hit ratio (\d+)%)?"
)
_WAITS_ITSELF = re.compile(r"^_|pthread|futex|cond_(?:timed)?wait|lock_wait|^PR_|sleep|^poll")
"""Frames that say that a thread waits; the frame that called them says for what."""
Progress = tuple[int, int, float, int]
"""Time in ns, entries so far and a second on average, hit ratio in percent (unknown: 100)."""


def find_imports(view: WindowView) -> list[Finding]:
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
