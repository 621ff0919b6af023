"""What the tests of a run came to: who may run again, the ledger of those, and the slowest."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "tests"
"""Beside the checkout's other products: results and output of the last run, and the ledger."""
LEDGER = "LDAP_WORKBENCH_TEST_LEDGER"
"""Variable with the file of the ledger, where it must outlive the checkout."""
_RUNS = 10
_DEFECT = 3
"""Second runs of a test within the last ten runs from which on it is a defect to mend."""


@dataclass(frozen=True)
class Result:
    """One test of a run."""

    test: str
    outcome: str
    seconds: dict[str, float]
    """By phase: setup, call, teardown."""
    clock: str
    """Why it may run a second time; empty where it may not."""
    load: float
    """Processes that were ready to run, over the minute before it ended."""
    processor_s: float = 0.0
    """Processor time, that of the processes which it started and waited for included."""

    @property
    def total_s(self) -> float:
        return sum(self.seconds.values())


def read_results(path: Path) -> list[Result]:
    """The results in a file of the recorder, [] where no test was run."""
    if not path.exists():
        return []
    return [Result(**json.loads(line)) for line in path.read_text().splitlines()]


def failed(results: Iterable[Result]) -> list[Result]:
    return [result for result in results if result.outcome == "failed"]


def may_run_again(results: Iterable[Result]) -> list[Result]:
    """The failed tests if a clock may be to blame for all of them, else []: the run is red."""
    failures = failed(results)
    return failures if all(result.clock for result in failures) else []


@dataclass(frozen=True)
class SecondRun:
    """A test marked `clock` that failed and ran once more."""

    test: str
    reason: str
    first_s: float
    load: float
    passed: bool


class Ledger:
    """The runs on this machine, one JSON object a line, each with its second runs."""

    def __init__(self, path: Path | None = None) -> None:
        named = os.environ.get(LEDGER)
        self._path = path or (Path(named) if named else FOLDER / "ledger.jsonl")

    def add(self, minutes: float, second_runs: list[SecondRun]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        entry: dict[str, Any] = {
            "at": int(time.time()),
            "minutes": round(minutes, 1),
            "second_runs": [asdict(second) for second in second_runs],
        }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def summary(self) -> list[str]:
        """Lines a run ends with: each test that ran a second time in the last ten runs."""
        lines = self._path.read_text().splitlines() if self._path.exists() else []
        runs = [json.loads(line) for line in lines[-_RUNS:]]
        seconds = [SecondRun(**second) for run in runs for second in run["second_runs"]]
        if not seconds:
            return [f"Second runs in the last {len(runs)} runs: none"]
        times = Counter(second.test for second in seconds)
        summary = [f"Second runs in the last {len(runs)} runs:"]
        for test, count in times.most_common():
            last = [second for second in seconds if second.test == test][-1]
            verdict = "  A DEFECT: mend it" if count >= _DEFECT else ""
            summary.append(
                f"  {count} times  {test} ({last.first_s:.0f} s, load {last.load:.1f}):"
                f" {last.reason}{verdict}"
            )
        return summary
