"""Run the cells of the table of truths: `python -m tests.bench.acceptance.cells`.

    --runs N         experiments of each cell (400)
    --only TEXT      cells whose name has this in it
    --part K/N       every Nth experiment from the Kth on, so that N processes share the work
    --results FILE   one line an experiment, appended as it comes (build/cells.jsonl)
    --write          put the tables of what is in FILE into docs/verdict.md; run nothing

What the file has already is not run again, so a run that was stopped goes on where it was, and a
larger --runs adds to it. After a change of the method begin a new file.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from scipy import special

from ldap_workbench.model.verdict import Judgement
from tests.bench.acceptance import loops, truths, unseen
from tests.bench.acceptance.operations import Truth
from tests.bench.acceptance.truths import CLAIMS, NO_DIFFERENCE, Check, word_of

RUNS = 400
RESULTS = Path("build/cells.jsonl")
PAGE = Path(__file__).resolve().parents[3] / "docs" / "verdict.md"
POOLED = 6.0
"""Bound of all false verdicts of one sort together, in %."""
CONFIDENCE = 0.95

TABLES = {"truths": truths.CHECKS, "loops": loops.CHECKS, "unseen": unseen.CHECKS}

Words = dict[str, dict[int, str]]
"""Name of a truth -> number of the experiment -> what was said."""


def main() -> int:
    asked = _arguments()
    results = Path(asked.results)
    if asked.write:
        write(read(results))
        return 0
    part, parts = map(int, asked.part.split("/"))
    known = read(results)
    for count in rounds(asked.runs):
        for scene in scenes(check for checks in TABLES.values() for check in checks):
            wanted = [truth for truth in scene if asked.only in truth.name]
            run(wanted, range(part - 1, count, parts), results, known)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.acceptance.cells")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--only", default="")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--results", default=RESULTS)
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


def rounds(runs: int) -> list[int]:
    """How many experiments of every cell to run before more of any: each time twice as many."""
    return [runs >> halvings for halvings in range(5, -1, -1) if runs >> halvings]


def scenes(checks: Iterable[Check]) -> list[list[Truth]]:
    """Truths by what happens in them: those of one scene are questions about the same windows."""
    found: dict[str, dict[Truth, None]] = {}
    for check in sorted(checks, key=lambda check: check.at_least):
        found.setdefault(scene_of(check.truth), {})[check.truth] = None
    return [list(scene) for scene in found.values()]


def scene_of(truth: Truth) -> str:
    """The part of a name that says what happens; what follows says what is asked."""
    return truth.name.partition(": ")[0]


def seed_of(truth: Truth, number: int) -> int:
    """Of an experiment: the same for all questions about a scene, another for another scene."""
    return 100_000 * zlib.crc32(scene_of(truth).encode()) + number


def run(
    truths_of_scene: Sequence[Truth], numbers: Iterable[int], results: Path, known: Words
) -> None:
    """Append what is missing of some experiments of a scene, and add it to what is known."""
    results.parent.mkdir(parents=True, exist_ok=True)
    started, count = time.process_time(), 0
    with results.open("a") as file:
        for number in numbers:
            for truth in truths_of_scene:
                so_far = known.setdefault(truth.name, {})
                if number in so_far:
                    continue
                word = so_far[number] = word_of(truth, seed_of(truth, number), number)
                line = {"cell": truth.name, "i": number, "word": word}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                file.flush()
                count += 1
    if count:
        took = time.process_time() - started
        name = scene_of(truths_of_scene[0])
        print(f"{name}: {count} in {took:.0f} s of the processor", file=sys.stderr, flush=True)


def read(results: Path) -> Words:
    """What was said so far."""
    words: Words = {}
    for line in results.read_text().splitlines() if results.exists() else ():
        entry = json.loads(line)
        words.setdefault(entry["cell"], {})[entry["i"]] = entry["word"]
    return words


def write(words: Words) -> None:
    """Put the tables into the page."""
    page = PAGE.read_text()
    parts = {name: table(checks, words) for name, checks in TABLES.items()}
    parts["pooled"] = pooled([c for checks in TABLES.values() for c in checks], words)
    for name, text in parts.items():
        marked = re.compile(rf"(?<=<!-- {name} -->\n).*?(?=<!-- /{name} -->)", re.DOTALL)
        page, replaced = marked.subn(lambda _, text=text: text, page)
        if replaced != 1:
            raise SystemExit(f"{PAGE.name} has no place for the table {name}")
    PAGE.write_text(page)


def table(checks: Sequence[Check], words: Words) -> str:
    """A row a check: what was said, how much of it is wrong or right, and what that may be."""
    lines = [
        "| truth | runs | said of the primary metric, % | bound | measured % | 95 % limit % | |",
        "|---|---:|---|---|---:|---:|---|",
    ]
    for check in checks:
        said = list(words.get(check.truth.name, {}).values())
        if said:
            lines.append(_row(check, said))
    return "\n".join(lines) + "\n"


def _row(check: Check, said: Sequence[str]) -> str:
    of_these = sum(word in check.words for word in said)
    share = 100 * of_these / len(said)
    limit = (at_least if check.at_least else at_most)(of_these, len(said))
    mark = "ok" if check.holds(share) else "**missed**"
    return (
        f"| {check.truth.name} | {len(said)} | {_shares(Counter(said))} | {_bound(check)} "
        f"| {share:.1f} | {limit:.1f} | {mark if check.bound is not None else ''} |"
    )


def _shares(words: Mapping[str, int]) -> str:
    n = sum(words.values())
    ordered = sorted(words.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{word} {100 * count / n:.1f}" for word, count in ordered)


def _bound(check: Check) -> str:
    words = " or ".join(check.words)
    if check.bound is None:
        return f"{words}: no bound"
    return f"{words} {'≥' if check.at_least else '≤'} {check.bound:g} %"


def pooled(checks: Sequence[Check], words: Words) -> str:
    """The false verdicts of all cells together, by sort."""
    bounded = [c for c in checks if c.bound is not None and not c.at_least]
    sorts = {
        "nothing changed: better or worse": [c for c in bounded if set(c.words) == set(CLAIMS)],
        "the opposite of the truth: better or worse": [
            c for c in bounded if len(c.words) == 1 and c.words[0] in CLAIMS
        ],
        "something changed: no material change or too small": [
            c for c in bounded if set(c.words) == set(NO_DIFFERENCE)
        ],
        "settled: not settled": [c for c in bounded if c.words == (Judgement.NOT_SETTLED,)],
    }
    lines = [
        "| false verdicts of all cells | cells | runs | bound | measured % | 95 % limit % | |",
        "|---|---:|---:|---|---:|---:|---|",
    ]
    for name, of_sort in sorts.items():
        said = [(c, w) for c in of_sort for w in words.get(c.truth.name, {}).values()]
        if not said:
            continue
        wrong = sum(word in check.words for check, word in said)
        share = 100 * wrong / len(said)
        mark = "ok" if share <= POOLED else "**missed**"
        lines.append(
            f"| {name} | {len(of_sort)} | {len(said)} | ≤ {POOLED:g} % | {share:.2f} "
            f"| {at_most(wrong, len(said)):.2f} | {mark} |"
        )
    return "\n".join(lines) + "\n"


def at_most(count: int, n: int) -> float:
    """The largest share, in %, that `count` of `n` leave possible (95 %, Clopper-Pearson)."""
    return (
        100.0 if count == n else 100 * float(special.betaincinv(count + 1, n - count, CONFIDENCE))
    )


def at_least(count: int, n: int) -> float:
    """The smallest share likewise."""
    return 100 - at_most(n - count, n)


if __name__ == "__main__":
    sys.exit(main())
