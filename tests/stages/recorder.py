"""The side of pytest: writes what each test came to, for the run that started it."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Generator
from pathlib import Path

import pytest

RESULTS = "LDAP_WORKBENCH_TEST_RESULTS"
"""Variable with the file that gets a line of JSON for each test; without it nothing is written."""


PROCESSOR = "processor_s"


class Meter:
    """Lets the last report of a test carry its processor time, that of ended children included.

    What a test waits for depends on the machine and its load; what it computes hardly does.
    """

    def __init__(self) -> None:
        self._began_s = 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Generator[None, object, object]:
        self._began_s = _processor_s()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when == "teardown":
            report.user_properties.append((PROCESSOR, round(_processor_s() - self._began_s, 3)))
        return report


def _processor_s() -> float:
    return sum(os.times()[:4])


class Recorder:
    """Adds up the phases of each test and writes a line when its last one has ended."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._phases: dict[str, list[pytest.TestReport]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        phases = self._phases.setdefault(report.nodeid, [])
        phases.append(report)
        if report.when == "teardown" or report.when not in ("setup", "call"):
            self._write(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        # A worker that died has sent no end of its test.
        for test in list(self._phases):
            self._write(test)

    def _write(self, test: str) -> None:
        phases = self._phases.pop(test)
        properties = dict(phases[-1].user_properties)
        line = {
            "test": test,
            "outcome": _outcome(phases),
            "seconds": {str(phase.when): round(phase.duration, 3) for phase in phases},
            "clock": properties.get("clock", ""),
            PROCESSOR: properties.get(PROCESSOR, 0.0),
            "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0,
        }
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")


def _outcome(phases: list[pytest.TestReport]) -> str:
    for outcome in ("failed", "skipped"):
        if any(phase.outcome == outcome for phase in phases):
            return outcome
    return "passed"


def register(config: pytest.Config) -> None:
    """Record this run where its caller asked for it; workers report to the process they serve."""
    path = os.environ.get(RESULTS)
    if path:
        config.pluginmanager.register(Meter(), "processor time of tests")
    if path and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(path)), "results of this run")


def take_back_interrupt() -> None:
    """Let an interrupt arrive where a shell took it from what it started in the background.

    Programs inherit that, and tests interrupt those that they start.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def note_clocks(items: list[pytest.Item]) -> None:
    """Let the reports of a test marked `clock` carry its reason, and refuse a mark without one."""
    for item in items:
        mark = item.get_closest_marker("clock")
        if mark is None:
            continue
        if not mark.args:
            raise pytest.UsageError(f"{item.nodeid}: clock needs its reason")
        item.user_properties.append(("clock", str(mark.args[0])))
