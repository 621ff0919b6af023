"""The campaign of faults.

    python -m tests.faults --seeds 40            seeds 1 to 40
    python -m tests.faults --seeds 1000 --jobs 2 --first 1
    python -m tests.faults --seed 17 --replay    one seed once more, with all it said
    python -m tests.faults --table RUN RUN       what came of these runs, for docs/reliability.md

One line a seed, then a table; status 1 where something that must hold did not, 5 where the lab
cannot be had here. What a violating seed left is kept in a folder, which is named.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from tests.faults import record
from tests.faults.players import Order, play_all
from tests.faults.scenario import draw
from tests.faults.table import Outcome, format_record, format_table
from tests.live.lab.ds389 import missing

_NOT_PLAYED = 5
"""As pytest ends where it found no test."""


def _options() -> argparse.Namespace:
    command = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    command.add_argument("--seeds", type=int, default=40, help="how many, from --first on")
    command.add_argument("--first", type=int, default=1)
    command.add_argument("--seed", type=int, help="this one only")
    command.add_argument("--replay", action="store_true", help="keep and print all it said")
    command.add_argument("--times", type=int, default=1, help="how often each seed is played")
    command.add_argument("--jobs", type=int, default=1, help="side by side, each with a lab")
    command.add_argument("--draw", action="store_true", help="print the scenarios, run nothing")
    command.add_argument("--command", default="", help="only seeds of these, with commas")
    command.add_argument("--fault", default="", help="only seeds of these, with commas")
    command.add_argument("--folder", type=Path, help="where artefacts of violating seeds go")
    command.add_argument("--table", type=Path, nargs="+", help="folders of runs; runs nothing")
    return command.parse_args()


def _seeds(options: argparse.Namespace) -> list[int]:
    if options.seed is not None:
        return [options.seed] * options.times
    found: list[int] = []
    seed = options.first
    while len(found) < options.seeds and seed < options.first + 1_000_000:
        scenario = draw(seed)
        if _wanted(options.command, scenario.command.name) and _wanted(
            options.fault, scenario.fault
        ):
            found.append(seed)
        seed += 1
    return found * options.times


def _wanted(names: str, name: str) -> bool:
    return not names or name in names.split(",")


def main() -> int:
    """Play the seeds asked for; 0 where everything held."""
    options = _options()
    if options.table:
        print(format_record(record.read(options.table)))
        return 0
    seeds = _seeds(options)
    if options.draw:
        for seed in seeds:
            print(f"{seed:5} {draw(seed)}")
        return 0
    if packages := missing():
        print(f"Not played: the lab needs packages that are not installed: {' '.join(packages)}")
        return _NOT_PLAYED
    return _campaign(options, seeds)


def _campaign(options: argparse.Namespace, seeds: list[int]) -> int:
    began = time.monotonic()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="ldap-workbench-faults-"))
    folder.mkdir(parents=True, exist_ok=True)
    outcomes: list[Outcome] = []
    for number in (
        signal.SIGINT,
        signal.SIGTERM,
    ):  # also where a shell started it in the background
        signal.signal(number, signal.default_int_handler)
    try:
        _play(seeds, options.jobs, Order(folder, options.replay), outcomes)
    except KeyboardInterrupt:
        print("Interrupted: each player has ended its seed.")
    print(format_table(outcomes))
    failed = [outcome.seed for outcome in outcomes if outcome.violations]
    for seed in dict.fromkeys(failed):
        print(f"Replay it: python -m tests.faults --seed {seed} --replay")
    if failed or options.folder or options.replay:
        print(f"Artefacts: {folder}")
    else:
        shutil.rmtree(folder)
    seconds = time.monotonic() - began
    print(f"{len(outcomes) - len(failed)} passed, {len(failed)} failed in {seconds:.0f} s")
    return 0 if len(outcomes) == len(seeds) and not failed else 1


def _play(seeds: list[int], jobs: int, order: Order, outcomes: list[Outcome]) -> None:
    """Play the seeds; each outcome is printed, written down and added as it comes."""
    commit = record.commit_now()
    for played in play_all(seeds, jobs, order):
        outcome = replace(played, commit=commit)
        print(outcome, flush=True)
        record.append(order.folder, outcome)
        outcomes.append(outcome)


if __name__ == "__main__":
    sys.exit(main())
