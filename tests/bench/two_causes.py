"""A campaign on a directory with two causes at once: python -m tests.bench.two_causes [--speed 60].

Starts the lesson two-causes, runs the campaign that `ldap-workbench practice two-causes` prints,
and compares its end with the model's truth: the two treatments that help are in force, nothing
else is changed, the interval of the confirmation holds the true ratio, and `revert` gives back the
directory as it was. Prints the table of docs/practice-model.md. Status 1 where any of it is not so.

At 30 times the speed its 100 windows took 24 minutes on two processors that were busy with other
work; at 60 times it needs most of a processor for itself.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from ldap_workbench.cli.practice import campaign_on
from ldap_workbench.connect.profiles import ProfileStore
from tests.live.lab.lessons import Lesson, lesson

LESSON = "two-causes"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.two_causes")
    parser.add_argument("--speed", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=3, help="of the practice directory")
    parser.add_argument("options", nargs="*", help="of the campaign, after --: instead of its own")
    asked = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="two-causes-") as folder,
        lesson(LESSON, asked.speed, Path(folder) / "home", seed=asked.seed) as taken,
    ):
        ProfileStore().add(taken.practice.profile)
        options = ["--seed", str(asked.seed), *asked.options]
        wrong = campaign(taken, Path(folder), options)
    print(*(wrong or ["The campaign ended at the known best settings."]), sep="\n")
    sys.exit(bool(wrong))


def campaign(taken: Lesson, folder: Path, options: list[str]) -> list[str]:
    """Run it to its end, then revert; what is not as the model says."""
    before = taken.configuration().splitlines()
    words = [*shlex.split(campaign_on(taken.practice.scenario)), "--yes", "--json", *options]
    print(shlex.join(words), flush=True)
    done = json.loads(_command(words[1:], folder))
    print(table(done, taken), flush=True)
    wrong = [*_wrong_end(done, taken), *_wrong_changes(before, taken)]
    if done["kept"]:
        change = str(done["confirmation"]["change"])
        _command(["revert", taken.practice.profile.name, change], folder)
    if taken.configuration().splitlines() != before:
        wrong.append("The directory is not as it was after the revert.")
    return wrong


def table(done: dict[str, Any], taken: Lesson) -> str:
    """One line for each treatment and the confirmation, in hours of practice time."""
    entries = [*done["treatments"], *([done["confirmation"]] if done["confirmation"] else [])]
    lines = ["| tried | ratio | interval | p | tested at | outcome | hours |", "|" + "---|" * 7]
    lines += [_row(each, taken.practice.speed) for each in entries]
    hours = sum(each["took_s"] for each in entries) * taken.practice.speed / 3600
    return "\n".join([*lines, "", str(done["headline"]), f"{hours:.1f} hours in all."])


def _row(entry: dict[str, Any], speed: float) -> str:
    found = entry["verdict"] or {"ratio": None}
    cells = ["", "", ""]
    if found["ratio"] is not None:
        between = f"{found['low']:.3g} to {found['high']:.3g}"
        cells = [f"{found['ratio']:.3g}", between, f"{found['p']:.2g}"]
    hours = f"{entry['took_s'] * speed / 3600:.1f}"
    ends = (f"{entry['level']:.3g}", entry["fate"], hours)
    return f"| {' | '.join((entry['treatment'], *cells, *ends))} |"


def _wrong_end(done: dict[str, Any], taken: Lesson) -> list[str]:
    scenario = taken.practice.scenario
    best = {str(each) for each in scenario.treatment.settings}
    stayed = [each["treatment"] for each in done["treatments"] if each["fate"] == "kept"]
    # What a setting needs before it, and the server had already, is part of its treatment.
    had = {f"{knob}={value}" for knob, value in scenario.settings.items()}
    kept = {setting for each in stayed for setting in each.split(" + ")} - had
    if kept != best or not done["kept"]:
        return [f"Kept are {sorted(kept)}, best are {sorted(best)}."]
    found, true = done["confirmation"]["verdict"], scenario.ratios[scenario.primary]
    if not found["low"] <= true <= found["high"]:
        return [f"{found['low']} to {found['high']} does not hold the true ratio {true}."]
    return []


def _wrong_changes(before: list[str], taken: Lesson) -> list[str]:
    """Lines of cn=config that differ and are of no treatment that helps."""
    best = {each.knob.lower() for each in taken.practice.scenario.treatment.settings}
    changed = {*before} ^ {*taken.configuration().splitlines()}
    return [f"Changed: {line}" for line in sorted(changed) if not _names_one(line, best)]


def _names_one(line: str, knobs: set[str]) -> bool:
    return any(knob in line.lower() for knob in knobs)


def _command(words: list[str], folder: Path) -> str:
    """What it prints; its progress goes to our standard error. Raises CalledProcessError."""
    whole = [sys.executable, "-m", "ldap_workbench", *words]
    return subprocess.run(whole, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout


if __name__ == "__main__":
    main()
