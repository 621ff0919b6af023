"""The files of the blind exam: the same every time, small, as their truth says, and read whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.field.__main__ import load
from tests.field.case import Case, Healthy
from tests.field.scoring import read_files
from tests.field.simulation import Waited

BATCHES = (
    "batch1",
    "batch2",
    "batch3",
    "batch4",
    "batch5",
    "batch6",
    "batch7",
    "batch8",
    "batch9",
    "batch10",
    "batch11",
    "batch12",
    "batch13",
    "batch14",
    "batch15",
    "batch16",
    "batch17",
    "batch18",
    "batch19",
    "batch20",
    "batch21",
)


def _of_every_batch() -> Iterator[object]:
    """The newest batch in every run; files of the others are written as they were."""
    for name in BATCHES:
        batch = load(name)
        marks = [] if name == BATCHES[-1] else [pytest.mark.full]
        for one in (*batch.cases, *batch.healthy):
            yield pytest.param(one, id=one.name, marks=marks)


def _written(one: Case | Healthy, folder: Path) -> tuple[Waited, dict[str, bytes]]:
    folder.mkdir()
    waited = one.write(folder)
    return waited, {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("one", [*_of_every_batch()])
def test_files_of_a_case_are_the_same_each_time_small_and_true(
    one: Case | Healthy, tmp_path: Path
) -> None:
    waited, files = _written(one, tmp_path / "first")
    assert _written(one, tmp_path / "second") == (waited, files)
    lines = sum(text.count(b"\n") for text in files.values())
    assert 1_000 < lines < 90_000
    assert sum(map(len, files.values())) < 12_000_000
    if isinstance(one, Case) and one.share is not None:
        assert waited.share == pytest.approx(one.share, abs=0.02)


@pytest.mark.parametrize("one", [*_of_every_batch()])
def test_files_of_a_case_are_read_without_a_line_that_is_unknown(
    one: Case | Healthy, tmp_path: Path
) -> None:
    _written(one, tmp_path / "files")
    said = read_files(sorted((tmp_path / "files").iterdir()), tmp_path)
    # A schema says nothing of time, and is refused by its name.
    assert all("schema of a directory server" in why for why in said["left_out"].values())
    assert said["damaged"] == []
    assert said["lines"]["unknown"] == 0


@pytest.mark.parametrize("name", BATCHES)
def test_truth_of_a_case_has_a_source_and_patterns_that_can_match(name: str) -> None:
    for case in load(name).cases:
        assert case.source.startswith("https://")
        for pattern in (case.mechanism, case.remedy, *case.names, *case.accused):
            assert re.search(pattern, "") is None, case.name


@pytest.mark.parametrize("name", BATCHES)
def test_batch_has_ten_cases_and_two_healthy_windows(name: str) -> None:
    batch = load(name)
    assert batch.name == name
    assert len({case.source for case in batch.cases}) == 10
    assert len(batch.healthy) == 2
