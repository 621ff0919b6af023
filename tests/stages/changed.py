"""The tests that a change can break, nearest first, as many as two minutes allow."""

from __future__ import annotations

import functools
import subprocess
from collections import defaultdict, deque
from dataclasses import dataclass
from pathlib import Path

import grimp

from tests.stages.results import ROOT, Result

_BUDGET_S = 110
"""Wall time for the tests that are chosen, on the processors of this machine."""
_UNKNOWN_S = 4.0
"""A file of tests that no run has timed yet: 110 of them took 236 s on two processors."""
_ROOMS = ("tests.unit", "tests.gui", "tests.faults")
"""Live tests need servers: they are left for the full run."""


@dataclass(frozen=True)
class Choice:
    """What `--changed` runs and what it leaves."""

    files: list[str]
    left: list[str]
    """Files of tests that the change can reach, but that two minutes do not hold."""
    unmapped: list[str]
    """Changed files that no import leads to: data, documents, scripts."""


def changed_files(base: str) -> list[str]:
    """Paths below the root that differ from a revision, those git does not know yet included."""
    differing = _git("diff", "--name-only", base)
    return sorted({*differing, *_git("ls-files", "--others", "--exclude-standard")})


def _git(*arguments: str) -> list[str]:
    ended = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return ended.stdout.splitlines()


def choose(paths: list[str], last_run: list[Result], cpus: int) -> Choice:
    """The tests nearest to what changed, by the number of imports between."""
    graph = _imports()
    modules = {path: module for path in paths if (module := _module_of(path)) in graph.modules}
    distances = _distances(graph, list(modules.values()))
    seconds: dict[str, float] = defaultdict(float)
    for result in last_run:
        seconds[result.test.partition("::")[0]] += result.total_s
    candidates = sorted(
        (distance, seconds.get(_path_of(module), _UNKNOWN_S), _path_of(module))
        for module, distance in distances.items()
        if module.startswith(_ROOMS) and module.rpartition(".")[2].startswith("test_")
    )
    files, left, budget = list[str](), list[str](), float(_BUDGET_S * cpus)
    for distance, cost, path in candidates:
        if distance == 0 or cost <= budget:
            files.append(path)
            budget -= cost
        else:
            left.append(path)
    return Choice(files, left, [path for path in paths if path not in modules])


@functools.cache
def _imports() -> grimp.ImportGraph:
    return grimp.build_graph("ldap_workbench", "tests", cache_dir=None)


def _distances(graph: grimp.ImportGraph, changed: list[str]) -> dict[str, int]:
    """Every module that imports one of the changed ones, directly or not -> imports between."""
    distances = dict.fromkeys(changed, 0)
    queue = deque(changed)
    while queue:
        module = queue.popleft()
        for importer in graph.find_modules_that_directly_import(module):
            if importer not in distances:
                distances[importer] = distances[module] + 1
                queue.append(importer)
    return distances


def _module_of(path: str) -> str:
    parts = Path(path).with_suffix("").parts
    if not path.endswith(".py"):
        return ""
    parts = parts[1:] if parts[0] == "app" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _path_of(module: str) -> str:
    return f"{module.replace('.', '/')}.py"
