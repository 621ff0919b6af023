"""Wrong verdicts where the clock of the log is coarse: python -m tests.bench.coarse_clock [N].

N experiments of eight pairs each, with noise of 5 % between windows, whose etimes are cut to whole
steps of 1 ms: of a server that does not change, at medians from below the step to 40 times it, and
of one whose etimes double or halve near the step. Fixed seeds. Judged is the median.
"""

from __future__ import annotations

import sys
from collections import Counter

import numpy as np

from tests.unit.inference.counted import EDGES, Counted, Server, experiment, judge

STEP_S = 1e-3
CASES = (
    *((median_ms, median_ms) for median_ms in (0.5, 2.0, 2.8, 3.0, 3.2, 5.0, 12.0, 40.0)),
    *((2.0, 1.0), (1.0, 2.0), (5.0, 2.5), (2.5, 5.0), (300.0, 0.5), (12.0, 9.0)),
)
"""Median etimes (ms) of A and of B."""


def cut_to_steps(windows: list[Counted]) -> list[Counted]:
    """Counts as of a log that writes whole steps."""
    whole = np.floor(np.sqrt(EDGES[1:] * EDGES[:-1]) / STEP_S + 1e-9) * STEP_S
    bucket = np.clip(np.searchsorted(EDGES, whole, "right") - 1, 0, len(EDGES) - 2)
    for window in windows:
        fine = window.H
        window.H = np.zeros_like(fine)
        np.add.at(window.H, (slice(None), slice(None), bucket), fine)
    return windows


def main(experiments: int = 200) -> None:
    """Print the verdicts of each case."""
    for a_ms, b_ms in CASES:
        a, b = (Server(factor=ms, rate=100, noise=0.05) for ms in (a_ms, b_ms))
        verdicts: Counter[str] = Counter()
        for seed in range(experiments):
            windows = cut_to_steps(experiment(9_000 + seed, 8, a, b))
            said = judge(windows, primary="p50", resolution_ns=round(STEP_S * 1e9))
            verdicts[said.primary.verdict] += 1
        print(f"{a_ms:5.1f} ms -> {b_ms:5.1f} ms  {dict(verdicts.most_common())}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
