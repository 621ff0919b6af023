"""The stages of a run, in the order in which they start."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

PYTHON = sys.executable
CPUS = os.cpu_count() or 1
NO_TESTS = 5
"""Exit status of pytest, the fault campaign and try-windows where there was nothing to run."""


@dataclass(frozen=True)
class Stage:
    """One command of a run."""

    name: str
    title: str
    command: tuple[str, ...]
    processors: int
    """How many it keeps busy; stages run side by side while the machine has that many."""
    limit_min: float
    pytest: bool = True
    """Whether it is a run of pytest, whose tests marked `clock` may run a second time."""
    environment: Mapping[str, str] = field(default_factory=dict)
    allowed: frozenset[int] = frozenset({0})
    """Exit statuses that are no failure."""


def _pytest(*arguments: str) -> tuple[str, ...]:
    return (PYTHON, "-m", "pytest", "-q", *arguments)


def _tool(name: str) -> str:
    return os.path.join(os.path.dirname(PYTHON), name)


def _static() -> tuple[str, ...]:
    # What only POSIX has stands behind a test of the platform, which the Windows run cannot reach.
    for_windows = "--platform win32 --no-warn-unreachable --cache-dir .mypy_cache/win32"
    checks = (
        f"{_tool('ruff')} format --check app tests packaging",
        f"{_tool('ruff')} check app tests packaging",
        _tool("mypy"),
        f"{_tool('mypy')} {for_windows}",
        _tool("lint-imports"),
        "packaging/kernel check",
    )
    return ("sh", "-c", " && ".join(checks))


def _display(*arguments: str) -> tuple[str, ...]:
    screen = "-screen 0 1400x940x24 -dpi 96"
    return ("xvfb-run", "-a", "-s", screen, *_pytest(*arguments))


def stages(*, everything: bool = False) -> list[Stage]:
    """The stages of `packaging/run test`, or of `--all`.

    Unit tests wait for their disk now and then, which leaves room for the static checks. Live tests
    and faults measure, their loads take every processor that is idle, and window tests watch for
    stalls of 100 ms: nothing runs beside them.
    """
    short = "" if everything else " and not full"
    only = () if everything else ("-m", "not full")
    # One more than there are processors: tests wait for a disk, a timer or a server now and then.
    spread = ("-n", str(CPUS + 1), "--dist", "loadfile")
    # Else files of few tests come last, whatever their tests take.
    in_order = "--no-loadscope-reorder"
    seeds = "1000" if everything else "24"
    lab_is_required = "CI" in os.environ
    offscreen = {"QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")}
    chosen = [
        Stage("static", "static checks", _static(), 1, 10, pytest=False),
        Stage(
            "unit",
            "unit tests, parts of the campaign",
            _pytest("tests/unit", "tests/faults", *only, *spread, in_order),
            max(1, CPUS - 1),
            30,
            environment=offscreen,
        ),
        Stage(
            "faults",
            f"campaign of faults, {seeds} seeds",
            (PYTHON, "-m", "tests.faults", "--seeds", seeds, "--jobs", "4"),
            CPUS,
            15,
            pytest=False,
            allowed=frozenset({0} if lab_is_required else {0, NO_TESTS}),
        ),
        Stage(
            "live",
            "live tests",
            _pytest("tests/live", *only, "-n", "4", "--dist", "loadfile", in_order),
            CPUS,
            35,
            environment=offscreen,
        ),
        Stage(
            "window",
            "window tests",
            _pytest("tests/gui", "-m", f"not xcb{short}", *spread),
            CPUS,
            25,
            environment=offscreen,
        ),
        Stage(
            "display",
            "window tests on a display",
            # Focus, drag and drop and window state need a real display.
            _display("tests/gui", "-m", f"xcb{short}"),
            CPUS,
            10,
            environment={"QT_QPA_PLATFORM": "xcb"},
        ),
    ]
    if everything:
        overnight = [replace(stage, limit_min=240) for stage in chosen]
        large = {"LDAP_WORKBENCH_LARGE": "1"}
        servers = (PYTHON, "-m", "tests.live.lab.servers", "all")
        chosen = [replace(stage, environment={**stage.environment, **large}) for stage in overnight]
        chosen.append(Stage("servers", "every server", servers, CPUS, 900, pytest=False))
        windows = ("packaging/try-windows", "all")
        where = frozenset({0, NO_TESTS})
        chosen.append(
            Stage("windows", "on Windows, under Wine", windows, CPUS, 180, False, allowed=where)
        )
    return chosen


def missing_tools(stage: Stage) -> str:
    """The program that a stage starts and that is not installed here; empty where it is."""
    return "" if shutil.which(stage.command[0]) else stage.command[0]
