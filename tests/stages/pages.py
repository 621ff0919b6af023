"""The times of the last whole run, as CONTRIBUTING.md and tests/slowest.md show them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import Any

from tests.stages.results import FOLDER, ROOT, Result, read_results
from tests.stages.scheduler import Outcome

_WHOLE = FOLDER / "whole.json"
_SLOWEST = 50
_TABLE = re.compile(r"(?<=<!-- times -->\n).*?(?=<!-- end -->)", re.DOTALL)


def keep(outcomes: list[Outcome], minutes: float, slowness: float) -> None:
    """Remember the times of a whole run and how slow its processors were, for `write`."""
    stages = [
        {
            "name": outcome.stage.name,
            "title": outcome.stage.title,
            "minutes": round(outcome.seconds / 60, 1),
            "processor_minutes": round(outcome.processor_s / 60, 1),
            "tests": len(outcome.results),
        }
        for outcome in outcomes
    ]
    whole = {"minutes": round(minutes, 1), "slowness": round(slowness, 1), "stages": stages}
    _WHOLE.write_text(json.dumps(whole))


def write() -> None:
    """Write both pages. Raises FileNotFoundError where no whole run has ended yet."""
    whole = json.loads(_WHOLE.read_text())
    contributing = ROOT / "CONTRIBUTING.md"
    contributing.write_text(_TABLE.sub(lambda _: _table(whole), contributing.read_text()))
    (ROOT / "tests" / "slowest.md").write_text(_slowest(whole))


def _table(whole: dict[str, Any]) -> str:
    lines = ["| stage | tests | minutes | of processors |", "|---|---:|---:|---:|"]
    lines += [
        f"| {stage['title']} | {stage['tests'] or ''} | {stage['minutes']}"
        f" | {stage['processor_minutes']} |"
        for stage in whole["stages"]
    ]
    lines.append(f"| all, some side by side | | {whole['minutes']} | |")
    slowness = f"A processor took {whole['slowness']} times as long as that of a laptop meanwhile."
    return "\n".join([*lines, "", slowness]) + "\n"


def _slowest(whole: dict[str, Any]) -> str:
    results = [
        result
        for stage in whole["stages"]
        for result in read_results(FOLDER / "last" / f"{stage['name']}.jsonl")
    ]
    slowest = sorted(results, key=lambda result: -result.total_s)[:_SLOWEST]
    lines = [
        f"# The {_SLOWEST} slowest tests",
        "",
        "Written by `tests/run --pages` from the last whole run. A test waits for its server to"
        " start in its set-up, and for what the server does in its call. The last seconds are those"
        " of processors.",
        "",
        "| s | set-up | call | tear-down | of processors | test |",
        "|---:|---:|---:|---:|---:|---|",
    ]
    for result in slowest:
        phases = (f"{result.seconds.get(p, 0):.1f}" for p in ("setup", "call", "teardown"))
        lines.append(
            f"| {result.total_s:.1f} | {' | '.join(phases)} | {result.processor_s:.1f}"
            f" | `{result.test}` |"
        )
    return "\n".join([*lines, *_busiest_files(results)]) + "\n"


def _busiest_files(results: list[Result]) -> list[str]:
    """The files that keep processors busy for longest."""
    busy_s, total_s = defaultdict[str, float](float), defaultdict[str, float](float)
    for result in results:
        file = result.test.partition("::")[0]
        busy_s[file] += result.processor_s
        total_s[file] += result.total_s
    busiest = sorted(busy_s, key=lambda file: -busy_s[file])[:_SLOWEST]
    return [
        "",
        f"# The {_SLOWEST} files that take most of the processors",
        "",
        "| s of processors | s | file |",
        "|---:|---:|---|",
        *(f"| {busy_s[file]:.1f} | {total_s[file]:.1f} | `{file}` |" for file in busiest),
    ]
