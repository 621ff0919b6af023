"""The files of the blind exam: the same every time, small, and as their truth says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.field.__main__ import load
from tests.field.case import Case, Healthy
from tests.field.simulation import Waited

BATCHES = ("batch1", "batch2", "batch3", "batch4", "batch5", "batch6", "batch7")
EVERY = [one for name in BATCHES for one in (*load(name).cases, *load(name).healthy)]


def _written(one: Case | Healthy, folder: Path) -> tuple[Waited, dict[str, bytes]]:
    folder.mkdir()
    waited = one.write(folder)
    return waited, {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("one", EVERY, ids=lambda one: one.name)
def test_files_of_a_case_are_the_same_each_time_and_small(
    one: Case | Healthy, tmp_path: Path
) -> None:
    waited, files = _written(one, tmp_path / "first")
    assert _written(one, tmp_path / "second") == (waited, files)
    lines = sum(text.count(b"\n") for text in files.values())
    assert 1_000 < lines < 40_000
    assert sum(map(len, files.values())) < 8_000_000


@pytest.mark.parametrize(
    "case", [one for one in EVERY if isinstance(one, Case)], ids=lambda one: one.name
)
def test_culprit_has_the_share_of_the_waiting_that_the_truth_names(
    case: Case, tmp_path: Path
) -> None:
    waited = case.write(tmp_path)
    if case.share is not None:
        assert waited.share == pytest.approx(case.share, abs=0.02)


@pytest.mark.parametrize(
    "case", [one for one in EVERY if isinstance(one, Case)], ids=lambda one: one.name
)
def test_truth_of_a_case_has_a_source_and_patterns_that_can_match(case: Case) -> None:
    assert case.source.startswith("https://")
    for pattern in (case.mechanism, case.remedy, *case.names, *case.accused):
        assert re.search(pattern, "") is None


@pytest.mark.parametrize("name", BATCHES)
def test_batch_has_ten_cases_and_two_healthy_windows(name: str) -> None:
    batch = load(name)
    assert batch.name == name
    assert len({case.source for case in batch.cases}) == 10
    assert len(batch.healthy) == 2
