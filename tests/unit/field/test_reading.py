"""The program reads every file of the blind exam, and each of their lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.field.__main__ import load
from tests.field.case import Case, Healthy
from tests.field.scoring import read_files
from tests.unit.field.test_generators import BATCHES


@pytest.mark.parametrize(
    "one",
    [one for name in BATCHES for one in (*load(name).cases, *load(name).healthy)],
    ids=lambda one: one.name,
)
def test_files_of_a_case_are_read_without_a_line_that_is_unknown(
    one: Case | Healthy, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    one.write(folder)
    said = read_files(sorted(folder.iterdir()), tmp_path)
    assert said["left_out"] == {}
    assert said["damaged"] == []
    assert said["lines"]["unknown"] == 0
