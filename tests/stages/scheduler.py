"""Runs stages side by side as far as the machine has processors, and ends all it started."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.stages.recorder import RESULTS
from tests.stages.results import ROOT, Result, read_results
from tests.stages.stage import Stage, missing_tools
from tests.stages.yardstick import Yardstick

_TICK_S = 0.2
_PROGRESS_S = 120
_TO_END_S = 60
"""Time a stage has to stop its servers after it was interrupted."""
_PR_SET_CHILD_SUBREAPER = 36


@dataclass
class Outcome:
    """What a stage came to."""

    stage: Stage
    status: int | str
    """The exit status, or why there is none."""
    seconds: float
    processor_s: float = 0.0
    """Processor time of the stage and all it waited for."""
    results: list[Result] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return self.status in self.stage.allowed


class _Running:
    """A stage under way, in a process group of its own, with its output in a file."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        self.stage = stage
        self.started_at = time.monotonic()
        self.output = folder / f"{stage.name}.txt"
        self._results = folder / f"{stage.name}.jsonl"
        self._results.unlink(missing_ok=True)
        environment = {**os.environ, **stage.environment, RESULTS: str(self._results)}
        # Else every worker rewrites the asserts of all tests, and every command compiles all.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        with self.output.open("wb") as file:
            self._process = subprocess.Popen(
                stage.command,
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started_at

    def outcome(self) -> Outcome | None:
        """What it came to, None while it runs; over its limit it is ended."""
        if self.seconds > 60 * self.stage.limit_min:
            self.end()
            return self._ended(f"over its limit of {self.stage.limit_min:g} min")
        pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
        if not pid:
            return None
        self._process.returncode = os.waitstatus_to_exitcode(status)
        self._kill_group(signal.SIGKILL)
        return self._ended(self._process.returncode, usage.ru_utime + usage.ru_stime)

    def _ended(self, status: int | str, processor_s: float = 0.0) -> Outcome:
        results = read_results(self._results)
        return Outcome(self.stage, status, self.seconds, processor_s, results)

    def end(self) -> None:
        """Interrupt it as Ctrl-C would, so that it stops its servers; then kill what is left."""
        # Workers of pytest-xdist are ended by the process they serve, not by the signal.
        self._process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_TO_END_S)
        self._kill_group(signal.SIGKILL)
        self._process.wait()

    def _kill_group(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)


def run(
    stages: list[Stage], folder: Path, cpus: int, yardstick: Yardstick | None = None
) -> list[Outcome]:
    """Run every stage, in their order as far as they fit; a red one ends no other.

    A stage starts once it and all before it fit on the processors, so that a large one is not
    overtaken for ever.
    """
    folder.mkdir(parents=True, exist_ok=True)
    waiting, running, outcomes = list(stages), list[_Running](), list[Outcome]()
    reported_at = time.monotonic()
    try:
        while waiting or running:
            while waiting and _fits(waiting[0], running, cpus):
                _start(waiting.pop(0), folder, running, outcomes)
            for stage_run in list(running):
                if outcome := stage_run.outcome():
                    running.remove(stage_run)
                    outcomes.append(outcome)
                    _print_ended(outcome, stage_run.output)
            _reap_orphans({stage_run.pid for stage_run in running})
            if time.monotonic() - reported_at > _PROGRESS_S:
                reported_at = time.monotonic()
                _print_progress(running)
            if yardstick:
                yardstick.look()
            time.sleep(_TICK_S)
    finally:
        for stage_run in running:
            stage_run.end()
    return outcomes


def _fits(stage: Stage, running: list[_Running], cpus: int) -> bool:
    return not running or stage.processors + sum(r.stage.processors for r in running) <= cpus


def _start(stage: Stage, folder: Path, running: list[_Running], outcomes: list[Outcome]) -> None:
    if program := missing_tools(stage):
        outcomes.append(Outcome(stage, f"{program} is not installed", 0.0))
        return
    print(f"{stage.title}: started", flush=True)
    running.append(_Running(stage, folder))


def _print_ended(outcome: Outcome, output: Path) -> None:
    print(f"\n== {outcome.stage.title}, {outcome.seconds / 60:.1f} min", flush=True)
    sys.stdout.write(output.read_text(errors="replace"))
    if not outcome.passed:
        print(f"== {outcome.stage.title}: {outcome.status}", flush=True)


def _print_progress(running: list[_Running]) -> None:
    under_way = (
        f"{stage_run.stage.title} {stage_run.seconds / 60:.0f} min" for stage_run in running
    )
    print(f"under way: {', '.join(under_way)}", flush=True)


def adopt_orphans() -> None:
    """Let processes whose parent ends become children of this one, so that they can be ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _reap_orphans(stages: set[int]) -> None:
    """Let ended orphans go at once: a test may wait until a process is no longer there."""
    if sys.platform != "linux":
        return
    for pid in _children():
        if pid not in stages:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)


def end_orphans() -> list[str]:
    """Kill what the stages left running; gives the command lines, for the run to name."""
    if sys.platform != "linux":
        return []
    left = []
    while pids := _children():  # killing one may leave its own children behind
        for pid in pids:
            command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            if command:  # a zombie has none
                left.append(command.strip())
    return left


def _children() -> list[int]:
    threads = Path("/proc/self/task").iterdir()
    return [int(pid) for thread in threads for pid in (thread / "children").read_text().split()]
