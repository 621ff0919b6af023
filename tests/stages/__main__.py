"""Every check CI makes, or a part of it.

    tests/run                          static checks, unit, live, faults, window tests
    tests/run --all                    all of it: every version, knob and seed, overnight
    tests/run --only unit,window       these stages
    tests/run --changed [REVISION]     what a change since a revision can break, in two minutes
    tests/run --servers all|NAME...    live tests on servers of other versions
    tests/run --mutate ROOM            whether the tests of a room notice changes of its code
    tests/run PYTEST-ARGUMENT...       pytest on those

A test that fails makes the run red. One that is marked `clock` runs once more when everything else
has ended and has to pass then; the ledger at the end counts these. Output and results of the last
run are in build/tests/.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.stages import pages
from tests.stages.changed import changed_files, choose
from tests.stages.recorder import take_back_interrupt
from tests.stages.results import (
    FOLDER,
    ROOT,
    Ledger,
    Result,
    SecondRun,
    failed,
    may_run_again,
    read_results,
)
from tests.stages.scheduler import Outcome, adopt_orphans, end_orphans, run
from tests.stages.stage import CPUS, PYTHON, Stage, stages
from tests.stages.yardstick import Yardstick

_OTHERS = {"--servers": "tests.live.lab.servers", "--mutate": "tests.mutate"}
_OWN = ("--all", "--only", "--changed", "--pages", "--help", "-h", *_OTHERS)


def main(arguments: Sequence[str]) -> int:
    """Run what is asked for; 0 where all of it passed."""
    if arguments and arguments[0].partition("=")[0] not in _OWN:
        return _exec("pytest", *arguments)
    if arguments and arguments[0] in _OTHERS:
        return _exec(_OTHERS[arguments[0]], *arguments[1:])
    options = _options(arguments)
    if options.pages:
        pages.write()
        return 0
    if options.changed:
        return _run_changed(options.changed)
    chosen = stages(everything=options.all)
    if options.only:
        chosen = [stage for stage in chosen if stage.name in options.only]
    return _run_stages(chosen, whole=not options.only and not options.all)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    command = argparse.ArgumentParser(
        prog="tests/run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [stage.name for stage in stages(everything=True)]
    command.add_argument("--all", action="store_true", help="every version, every knob, all seeds")
    command.add_argument(
        "--only", type=_names_of(names), metavar="STAGE,...", help=", ".join(names)
    )
    command.add_argument("--changed", nargs="?", const="HEAD", metavar="REVISION")
    command.add_argument(
        "--pages", action="store_true", help="write the times of the last whole run into the pages"
    )
    return command.parse_args(arguments)


def _names_of(known: list[str]) -> Callable[[str], list[str]]:
    def parse(text: str) -> list[str]:
        names = text.split(",")
        if unknown := [name for name in names if name not in known]:
            raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(known)}")
        return names

    return parse


def _exec(module: str, *arguments: str) -> int:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    return subprocess.call([PYTHON, "-m", module, *arguments], cwd=ROOT)


def _run_stages(chosen: list[Stage], *, whole: bool) -> int:
    began = time.monotonic()
    take_back_interrupt()
    adopt_orphans()
    yardstick = Yardstick()
    outcomes = run(chosen, FOLDER / "last", CPUS, yardstick)
    second_runs = _run_again(outcomes)
    left = end_orphans()
    minutes = (time.monotonic() - began) / 60
    red = _red(outcomes, second_runs)
    ledger = Ledger()
    if whole:
        ledger.add(minutes, second_runs)
        pages.keep(outcomes, minutes, yardstick.usual)
    print(f"\nDurations, {minutes:.1f} min in all:")
    print(*map(_row, outcomes), yardstick.summary(), *ledger.summary(), sep="\n")
    if left:
        print("Left running by the tests, and ended:", *sorted(set(left)), sep="\n  ")
    if red:
        print("RED:", *red, sep="\n  ")
    return 1 if red else 0


def _run_again(outcomes: list[Outcome]) -> list[SecondRun]:
    """Run the tests marked `clock` once more, stage by stage, with the machine to themselves."""
    second_runs: list[SecondRun] = []
    if any(not outcome.passed and not _doubtful(outcome) for outcome in outcomes):
        return []  # red whatever they come to
    for outcome in outcomes:
        doubtful = _doubtful(outcome)
        if outcome.passed or not doubtful:
            continue
        print(f"\nOnce more, {outcome.stage.title} that depend on a clock:", flush=True)
        (again,) = run([_only(outcome.stage, doubtful)], FOLDER / "again", CPUS)
        passed = {result.test for result in again.results if result.outcome == "passed"}
        second_runs += [
            SecondRun(first.test, first.clock, first.total_s, first.load, first.test in passed)
            for first in doubtful
        ]
    return second_runs


def _doubtful(outcome: Outcome) -> list[Result]:
    """The failed tests of a stage that may all run again."""
    return may_run_again(outcome.results) if outcome.status == 1 else []


def _only(stage: Stage, tests: list[Result]) -> Stage:
    """The stage with nothing but some of its tests, one after the other."""
    position = stage.command.index("pytest") + 1
    command = (*stage.command[:position], "-q", "-n", "0", *(result.test for result in tests))
    return replace(stage, command=command)


def _red(outcomes: list[Outcome], second_runs: list[SecondRun]) -> list[str]:
    """What makes the run red: a test each, or the stage where none tells."""
    passed = {second.test for second in second_runs if second.passed}
    red = []
    for outcome in outcomes:
        failures = [result.test for result in failed(outcome.results)]
        open_failures = [test for test in failures if test not in passed]
        if not outcome.passed and (open_failures or not failures):
            red += open_failures or [f"{outcome.stage.title}: {outcome.status}"]
    return red


def _row(outcome: Outcome) -> str:
    status = "" if outcome.passed else f"  {outcome.status}"
    return (
        f"{outcome.seconds:6.0f} s  {outcome.stage.title}"
        f" ({outcome.processor_s:.0f} s of processors, {len(outcome.results)} tests){status}"
    )


def _run_changed(base: str) -> int:
    paths = changed_files(base)
    last_run = [
        result
        for name in ("unit", "window")
        for result in read_results(FOLDER / "last" / f"{name}.jsonl")
    ]
    choice = choose(paths, last_run, CPUS)
    print(f"{len(paths)} files differ from {base}; {len(choice.files)} files of tests run.")
    print(f"Left for the full run: live tests, and {len(choice.left)} files", *choice.left[:20])
    if choice.unmapped:
        print("No import leads to:", *choice.unmapped[:20])
    if not choice.files:
        return 0
    spread = ("-n", str(CPUS), "--dist", "loadfile")
    return _exec("pytest", "-q", "-m", "not full and not xcb", *spread, *choice.files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
