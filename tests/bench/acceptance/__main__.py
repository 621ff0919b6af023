"""Run the acceptance table and print it: measured against bar."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.bench.acceptance.once import ONCE, Answer
from tests.bench.acceptance.rows import CHECKS, Check
from tests.bench.acceptance.simulated import Case, outcome

SEED = 731_000
QUICK = 0.05
"""Share of the experiments that --quick runs, at least 8 of each kind."""


def main() -> int:
    asked = _arguments()
    rows = {int(r) for r in asked.rows.split(",")} if asked.rows else set(range(1, 17))
    kept = Kept(Path(asked.output), asked.seed)
    checks = [check for check in CHECKS if check.row in rows]
    for case in dict.fromkeys(case for check in checks for case in check.cases):
        count = max(8, round(case.n * QUICK)) if asked.quick else case.n
        kept.measure(case, count)
    answers = [_answer(check, kept, quick=asked.quick) for check in checks]
    answers += [ask(asked.seed) for row, ask in ONCE.items() if row in rows]
    print(table(answers))
    return 0 if all(answer.good for answer in answers) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.acceptance")
    parser.add_argument("--quick", action="store_true", help="a twentieth of the experiments")
    parser.add_argument("--rows", default="", help="only these rows, such as 1,2,13")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--output", default="acceptance.jsonl", help="what was measured so far")
    return parser.parse_args()


class Kept:
    """Outcomes by kind of experiment and number, appended to a file as they come."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path, self.seed = path, seed
        self.found: dict[str, dict[int, Any]] = {}
        for line in path.read_text().splitlines() if path.exists() else ():
            entry = json.loads(line)
            if entry["seed"] == seed:
                self.found.setdefault(entry["case"], {})[entry["i"]] = entry["outcome"]

    def measure(self, case: Case, count: int) -> None:
        """Run what is missing of the first `count` experiments of a kind."""
        done = self.found.setdefault(case.key, {})
        missing = [i for i in range(count) if i not in done]
        started = time.monotonic()
        with self.path.open("a") as file:
            for i in missing:
                done[i] = outcome(case, self.seed + i)
                entry = {"case": case.key, "seed": self.seed, "i": i, "outcome": done[i]}
                file.write(json.dumps(entry) + "\n")
                file.flush()
        if missing:
            took = time.monotonic() - started
            print(f"{case.key}: {len(missing)} in {took:.0f} s", file=sys.stderr, flush=True)

    def outcomes(self, case: Case) -> Iterable[Any]:
        return self.found[case.key].values()


def _answer(check: Check, kept: Kept, *, quick: bool) -> Answer:
    outcomes = [o for case in check.cases for o in kept.outcomes(case)]
    share = 100 * sum(map(check.holds, outcomes)) / len(outcomes)
    # With few experiments the bar is moved by two standard errors of the bar itself.
    slack = 200 * (max(check.bar / 100 * (1 - check.bar / 100), 0) / len(outcomes)) ** 0.5
    slack = slack if quick else 0.0
    good = share >= check.bar - slack if check.at_least else share <= check.bar + slack
    where = check.cases[0].key if len(check.cases) == 1 else f"{len(check.cases)} scenarios"
    sign = "≥" if check.at_least else "≤"
    what = f"{where} (n = {len(outcomes)}): {check.what}"
    return Answer(
        check.row, what, f"{sign} {check.bar:g} %", f"{share:.1f} %", good, check.reference
    )


def table(answers: Iterable[Answer]) -> str:
    """The answers as a Markdown table."""
    lines = ["| # | check | bar | measured | reference | |", "|---|---|---|---|---|---|"]
    for a in answers:
        mark = "ok" if a.good else "**missed**"
        lines.append(f"| {a.row} | {a.what} | {a.bar} | {a.measured} | {a.reference} | {mark} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
