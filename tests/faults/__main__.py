"""The campaign of faults.

    python -m tests.faults --seeds 40            seeds 1 to 40
    python -m tests.faults --seeds 1000 --jobs 2 --first 1
    python -m tests.faults --seed 17 --replay    one seed once more, with all it said

One line a seed, then a table; status 1 where something that must hold did not. What a violating
seed left is kept in a folder, which is named.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from tests.faults.players import Order, play_all
from tests.faults.scenario import draw
from tests.faults.table import format_table


def _options() -> argparse.Namespace:
    command = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    command.add_argument("--seeds", type=int, default=40, help="how many, from --first on")
    command.add_argument("--first", type=int, default=1)
    command.add_argument("--seed", type=int, help="this one only")
    command.add_argument("--replay", action="store_true", help="keep and print all it said")
    command.add_argument("--jobs", type=int, default=1, help="side by side, each with a lab")
    command.add_argument("--draw", action="store_true", help="print the scenarios, run nothing")
    command.add_argument("--command", default="", help="only seeds of these, with commas")
    command.add_argument("--fault", default="", help="only seeds of these, with commas")
    command.add_argument("--folder", type=Path, help="where artefacts of violating seeds go")
    return command.parse_args()


def _seeds(options: argparse.Namespace) -> list[int]:
    if options.seed is not None:
        return [options.seed]
    found: list[int] = []
    seed = options.first
    while len(found) < options.seeds and seed < options.first + 1_000_000:
        scenario = draw(seed)
        if _wanted(options.command, scenario.command.name) and _wanted(
            options.fault, scenario.fault
        ):
            found.append(seed)
        seed += 1
    return found


def _wanted(names: str, name: str) -> bool:
    return not names or name in names.split(",")


def main() -> int:
    """Play the seeds asked for; 0 where everything held."""
    options = _options()
    seeds = _seeds(options)
    if options.draw:
        for seed in seeds:
            print(f"{seed:5} {draw(seed)}")
        return 0
    folder = options.folder or Path(tempfile.mkdtemp(prefix="ldap-workbench-faults-"))
    folder.mkdir(parents=True, exist_ok=True)
    outcomes = []
    for number in (
        signal.SIGINT,
        signal.SIGTERM,
    ):  # also where a shell started it in the background
        signal.signal(number, signal.default_int_handler)
    try:
        for outcome in play_all(seeds, options.jobs, Order(folder, options.replay)):
            print(outcome, flush=True)
            outcomes.append(outcome)
    except KeyboardInterrupt:
        print("Interrupted: each player has ended its seed.")
    failed = [each for each in outcomes if each.violations]
    print(format_table(outcomes))
    for each in failed:
        print(f"Once more: python -m tests.faults --seed {each.seed} --replay")
    if failed or options.folder or options.replay:
        (folder / "outcomes.json").write_text(json.dumps([asdict(o) for o in outcomes], indent=1))
        print(f"Artefacts: {folder}")
    else:
        shutil.rmtree(folder)
    print(f"{len(outcomes) - len(failed)} passed, {len(failed)} failed")
    return 0 if len(outcomes) == len(seeds) and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
