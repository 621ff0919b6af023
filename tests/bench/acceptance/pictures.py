"""Draw the pictures of docs/verdict.md: python -m tests.bench.acceptance.pictures [FOLDER].

A simulated server whose checkpoint runs every 15 s instead of every 60 s: stalls a quarter as long
and four times as often, 16 randomised pairs of windows of 5 minutes.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ldap_workbench.figures.verdict.pairs import PairsPart
from ldap_workbench.figures.verdict.stored import PairValue
from ldap_workbench.inference.verdict.analyse import analyse
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.report.pair_charts import ladder_chart, pairs_chart
from tests.bench.acceptance.rows import CKPT_16
from tests.bench.acceptance.simulated import windows

SEED = 12
FOLDER = Path(__file__).resolve().parents[3] / "docs" / "images"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    measured = windows(CKPT_16, SEED)
    verdict = analyse(measured, primary="stall_len", seed=SEED)
    first = {w.pair: w.arm for w in sorted(measured, key=lambda w: w.start_s or 0.0, reverse=True)}
    pictures = {
        "verdict-pairs.svg": pairs_chart(pairs(verdict, "p99.9", first)),
        "verdict-ladder.svg": ladder_chart(
            [verdict.primary, *(m for m in verdict.metrics.values() if m != verdict.primary)]
        ),
    }
    for name, svg in pictures.items():
        (folder / name).write_text(standing_alone(svg), encoding="utf-8")
    print(verdict.sentence)


def pairs(verdict: Verdict, metric: str, first: dict[int, str]) -> PairsPart:
    """One metric in both windows of each pair."""
    values = {(w.pair, w.arm): w.value(metric) for w in verdict.details.windows}
    numbers = sorted({pair for pair, _ in values})
    return PairsPart(
        metric,
        "ALL",
        tuple(PairValue(n, values[n, "A"], values[n, "B"], first[n] == "B") for n in numbers),
    )


def standing_alone(svg: str) -> str:
    """An SVG of a page as a file of its own, on white paper."""
    if "xmlns=" not in svg:
        svg = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    opening, rest = svg.split(">", 1)
    return f'{opening}><rect width="100%" height="100%" fill="#ffffff"/>{rest}\n'


if __name__ == "__main__":
    main()
