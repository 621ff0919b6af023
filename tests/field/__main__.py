"""Run a batch and print its score: python -m tests.field batch1 [--case NAME] [--all]"""

from __future__ import annotations

import argparse
import importlib
import tempfile
from pathlib import Path

from tests.field.case import Batch, Case, Healthy
from tests.field.scoring import Said, Score, alarms, ask, judge, table


def load(name: str) -> Batch:
    """A batch by its name."""
    batch: Batch = importlib.import_module(f"tests.field.{name}").BATCH
    return batch


def said_of(one: Case | Healthy) -> Said:
    """What the program says of a case."""
    with tempfile.TemporaryDirectory() as room:
        folder = Path(room) / "files"
        folder.mkdir()
        one.write(folder)
        return ask(sorted(folder.iterdir()), Path(room))


def main() -> None:
    """Score the cases one after the other; print what was said of the missed ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("batch")
    parser.add_argument("--case", help="only this one")
    parser.add_argument("--all", action="store_true", help="what was said of every case")
    chosen = parser.parse_args()
    batch = load(chosen.batch)
    scores: list[Score] = []
    for case in batch.cases:
        if chosen.case in (None, case.name):
            scores.append(judge(case, said_of(case)))
            _print_said(scores[-1], everything=chosen.all)
    silent = [
        (window, alarms(said_of(window)))
        for window in batch.healthy
        if chosen.case in (None, window.name)
    ]
    print(table(scores, silent))


def _print_said(score: Score, *, everything: bool) -> None:
    missed = score.place is None or score.accusations or score.foreign
    if not missed and not everything:
        return
    print(f"{score.case.name}: {score.verdict}. Truth: {score.case.cause}")
    for place, group in enumerate(score.said.groups, 1):
        print(f"  {place}. {'!' * group.severity} {group.heads}".replace("\n", "\n       "))
    for advised in score.said.advice:
        print(f"  advice: {advised.title}")
    print()


if __name__ == "__main__":
    main()
