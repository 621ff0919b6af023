"""A short run of the fuzz target, and of its own check."""

from __future__ import annotations

import random

from tests.fuzz import fuzz_archives
from tests.fuzz.fuzz_logs import SEEDS, main, mutated, one_input


def test_seeds_and_a_second_of_mutations() -> None:
    for seed in SEEDS:
        one_input(seed)
    assert main(1.0, seed=389) > 0


def test_archives_and_some_mutations() -> None:
    for archive in fuzz_archives.ARCHIVES:
        fuzz_archives.one_archive(archive)
    assert fuzz_archives.main(1.0, seed=389) > 0


def test_mutations_differ() -> None:
    rng = random.Random(1)
    assert len({mutated(rng) for _ in range(50)}) > 45
