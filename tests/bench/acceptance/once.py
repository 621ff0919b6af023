"""The checks that are not shares of many experiments: rows 13 to 16."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ldap_workbench.inference.counts.buckets import edges_ns
from ldap_workbench.inference.counts.counting import Tally
from ldap_workbench.inference.counts.cube import Cube
from ldap_workbench.inference.counts.windows import WindowCounts, windows_from_cubes
from ldap_workbench.inference.verdict.analyse import analyse
from ldap_workbench.model.operations import TYPES
from tests.bench.acceptance.simulated import Case, simulator, windows

SLO_NS = 100_000_000


@dataclass(frozen=True)
class Answer:
    row: int
    what: str
    bar: str
    measured: str
    good: bool
    reference: str


def giant_in_one_arm(seed: int) -> Answer:
    """One stall of 240 s in one arm of a one-shot: its p99.9 is one event."""
    made = simulator()
    random = np.random.default_rng(seed)
    made_windows = []
    calm = replace(made.Config(), interval=1e9)
    for arm in "AB":
        window = made.window_hist(
            random, calm, made.SCENARIOS["stationary"], arm, 0.0, 2400.0, 1.0, _level
        )
        window.pair = 0
        made_windows.append(window)
    _put_stall(made, made_windows[1], random, 240.0)
    verdict = analyse(_counts(made, made_windows), primary="p99.9")
    word = verdict.primary.verdict
    what = "one-shot, one 240 s stall in one arm: p99.9"
    return Answer(13, what, "not enough data", word, word == "not enough data", "yes")


def _level(t: Any) -> Any:
    return np.ones_like(t), np.zeros_like(t), np.zeros_like(t)


def _counts(made: Any, found: list[Any]) -> list[WindowCounts]:
    from tests.window_counts import windows_from_counts

    return windows_from_counts(found, np.exp(made.LOGEDGES), made.TYPES)


def _put_stall(made: Any, window: Any, random: Any, length: float) -> None:
    """All that arrive in a stall wait for its end and then drain."""
    config = made.Config()
    span = length / (1 - config.rho)
    n = random.poisson(config.rate * span)
    after = random.random(n) * span
    waited = length - (1 - config.rho) * after
    second = np.minimum((600 + after + waited).astype(int), window.H.shape[1] - 1)
    kind = random.choice(len(made.TYPES), n, p=np.array(config.mix) / sum(config.mix))
    np.add.at(window.H, (kind, second, made.bucket(waited + 1e-3)), 1)


def fuzz(seed: int) -> Answer:
    """Windows that allow no verdict: no exception, no NaN, never better or worse."""
    base = Case("realistic", "none", "pairs:8", 1, 1)
    bad = []
    for name, damage in DAMAGES.items():
        for effect in ("none", "lock"):
            given = damage(windows(replace(base, effect=effect), seed))
            with np.errstate(all="raise"):
                for design in (None, "ab"):
                    text = json.dumps(analyse(given, design=design).to_json(), allow_nan=False)
                    if '"verdict": "better"' in text or '"verdict": "worse"' in text:
                        bad.append(f"{name}, {effect}, {design}")
    what = f"fuzz: {', '.join(DAMAGES)}"
    return Answer(14, what, "finite, never better/worse", "; ".join(bad) or "so", not bad, "yes")


def _only(found: list[WindowCounts], keep: Any) -> list[WindowCounts]:
    return [w._only(keep(w)) for w in found]


def _empty_one(found: list[WindowCounts]) -> list[WindowCounts]:
    return [w._only(np.full(len(w.bin), i != 3)) for i, w in enumerate(found)]


def _one_bucket(found: list[WindowCounts]) -> list[WindowCounts]:
    return [replace(w, bucket=np.full_like(w.bucket, 120)) for w in found]


DAMAGES = {
    "all empty": lambda found: _only(found, lambda w: np.zeros(len(w.bin), bool)),
    "an empty window": _empty_one,
    "one type": lambda found: [
        replace(w, pair=w.pair) for w in _only(found[:10], lambda w: w.kind == 0)
    ],
    "no stalls": lambda found: _only(found[:10], lambda w: w.bucket < 150),
    "one bucket": _one_bucket,
    "3 pairs": lambda found: found[:6],
    "one operation": lambda found: _only(found, lambda w: np.arange(len(w.bin)) == 0),
}


def speed(seed: int, operations: int = 100_000_000) -> Answer:
    """A verdict with all its intervals from 2 x 16 windows of 10^8 operations in memory."""
    random = np.random.default_rng(seed)
    arms = [(arm, pair) for pair in range(16) for arm in "AB"]
    cubes = [made_cube(random, operations // len(arms)) for _ in arms]
    took = []
    for _ in range(3):
        given = windows_from_cubes(cubes, arms)
        started = time.process_time()
        analyse(given, seed=seed)
        took.append(time.process_time() - started)
    n = sum(cube.n for cube in cubes)
    what = f"verdict from 2 x 16 windows of {n:,} operations"
    return Answer(15, what, "< 1 s", f"{min(took):.2f} s", min(took) < 1.0, "0.02 s")


def made_cube(random: Any, n: int, seconds: int = 300) -> Cube:
    """A cube as it is made of operations, with about as many cells."""
    edges = edges_ns(SLO_NS)
    logs = np.log(edges[1:].astype(float) / 1e6)
    parts = []
    for kind, share in ((0, 0.72), (1, 0.13), (2, 0.12), (3, 0.03)):
        density = np.exp(-0.5 * (logs / 0.8) ** 2) + 2e-4 * np.exp(-0.5 * ((logs - 5) / 0.8) ** 2)
        mean = density / density.sum() * n * share / seconds
        counts = random.poisson(np.broadcast_to(mean, (seconds, len(mean))))
        second, bucket = np.nonzero(counts)
        parts.append((second, np.full(len(second), kind), bucket, counts[second, bucket]))
    second, kind, bucket, count = (np.concatenate(c) for c in zip(*parts, strict=True))
    order = np.lexsort((bucket, kind, second))
    return Cube(
        second[order].astype(np.int32),
        kind[order].astype(np.uint8),
        bucket[order].astype(np.uint16),
        count[order].astype(np.uint32),
        np.full((len(TYPES), seconds), n // seconds // len(TYPES), np.uint32),
        SLO_NS,
        0,
        float(seconds),
        np.empty(0, np.int64),
        np.empty(0, np.int64),
        Tally(),
    )


def same_again(seed: int) -> Answer:
    """The same windows and seed give the same JSON, to the last bit."""
    case = Case("realistic", "lock", "pairs:16", 1, 1)
    texts = {json.dumps(analyse(windows(case, seed), seed=5).to_json()) for _ in range(2)}
    shuffled = windows(case, seed)[::-1]
    texts.add(json.dumps(analyse(shuffled, seed=5).to_json()))
    good = len(texts) == 1
    said = "identical" if good else "different"
    return Answer(16, "same input and seed: JSON", "identical", said, good, "yes")


ONCE = {13: giant_in_one_arm, 14: fuzz, 15: speed, 16: same_again}
