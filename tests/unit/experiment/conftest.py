"""Experiments on a server that is acted."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.unit.experiment.acting import Stage, stage_in


@pytest.fixture
def new_stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Stage]]:
    """Makes stages, with the files of each in a folder of its own."""
    with ExitStack() as stack:

        def make(folder: Path = tmp_path / "first", **how: object) -> Stage:
            folder.mkdir(exist_ok=True)
            return stage_in(folder, monkeypatch, stack, **how)

        yield make


@pytest.fixture
def stage(new_stage: Callable[..., Stage]) -> Stage:
    """One on which the treatment changes nothing."""
    return new_stage()
