"""What a verdict costs: python -m tests.bench.verdict_speed [--operations N].

The verdict with all intervals over 2 x 16 windows whose cubes are in memory, and what counting
operations into cubes adds to the import of the log they stand in, in turns within one run. Prints
tables for docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np

from ldap_workbench.inference.counts.cube import Cube
from ldap_workbench.inference.counts.windows import windows_from_cubes
from ldap_workbench.inference.verdict.analyse import analyse
from ldap_workbench.model.operations import Operations
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Session
from tests.bench.acceptance.once import made_cube
from tests.bench.import_speed import imported, reference_log

ARMS = [(arm, pair) for pair in range(16) for arm in "AB"]
BAR_VERDICT_S, BAR_ADDED = 0.3, 0.20


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.verdict_speed")
    parser.add_argument("--operations", type=int, default=100_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    n, took = verdict_s(asked.operations, asked.rounds)
    added = cube_share(asked.rounds)
    print("| what | bar | measured |\n|---|---|---|")
    print(f"| verdict over 2 × 16 windows, {n:,} operations | {BAR_VERDICT_S} s | {took:.2f} s |")
    print(f"| counting into cubes / import | {BAR_ADDED:.0%} | {added:.1%} |")


def verdict_s(operations: int, rounds: int) -> tuple[int, float]:
    """Operations, and median processor seconds of a verdict over them."""
    random = np.random.default_rng(1)
    cubes = [made_cube(random, operations // len(ARMS)) for _ in ARMS]
    seconds = [_cpu_s(lambda: analyse(windows_from_cubes(cubes, ARMS))) for _ in range(rounds)]
    return sum(cube.n for cube in cubes), median(seconds)


def cube_share(rounds: int) -> float:
    """Processor time of counting all operations of a log, as a share of importing that log."""
    shares = []
    with tempfile.TemporaryDirectory() as name:
        log = reference_log(Path(name))
        for _ in range(rounds):
            cpu = imported(log).cpu
            with Session.open(log.with_suffix(".ldapwb")) as session:
                (window,) = session.windows()
                operations = session.operations(window)
            shares.append(_counting_s(operations, window) / cpu)
    return median(shares)


def _counting_s(operations: Operations, window: Window) -> float:
    return _cpu_s(lambda: Cube.from_operations(operations, window.start_ns, window.end_ns))


def _cpu_s(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


if __name__ == "__main__":
    main()
