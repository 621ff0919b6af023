"""Housekeeping of the server in the window: compaction, backups, imports, index builds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ldap_workbench.advice.evidence.tasks import Task, tasks_in
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.operations import Operations, client_operations


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
