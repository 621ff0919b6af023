"""Outcomes on disk, a line of JSON each, written as they come: an interrupted run keeps them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from tests.faults.table import Outcome

_ROOT = Path(__file__).parents[2]
_FILE = "outcomes.jsonl"


def append(folder: Path, outcome: Outcome) -> None:
    """Add one outcome to the folder's record."""
    with (folder / _FILE).open("a") as file:
        file.write(json.dumps(asdict(outcome)) + "\n")


def read(folders: Iterable[Path]) -> list[Outcome]:
    """The outcomes of several runs, in order of their seeds."""
    found = []
    for folder in folders:
        for line in (folder / _FILE).read_text().splitlines():
            told = json.loads(line)
            found.append(Outcome(**(told | {"violations": tuple(told["violations"])})))
    return sorted(found, key=lambda outcome: outcome.seed)


def commit_now() -> str:
    """The commit that is checked out, with a + where it was changed since; '' outside a clone."""
    said = subprocess.run(
        ["git", "describe", "--always", "--dirty=+", "--exclude=*"],
        cwd=_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return said.stdout.strip()
