"""The side of pytest: which file of tests runs which lines, for the mutator (tests/mutate.py).

Runs under `coverage run`, whose context is the file of the test that runs: fixtures that several
tests share count for all of it. What runs at import or while tests are collected has no context.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

SECONDS = Path("seconds.json")
"""File of tests -> how long its tests took, in seconds."""

_seconds: defaultdict[str, float] = defaultdict(float)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Name the file of the test to coverage while the test and its fixtures run."""
    measured = coverage.Coverage.current()
    assert measured is not None
    file = item.path.relative_to(item.config.rootpath).as_posix()
    measured.switch_context(file)
    began = time.monotonic()
    result = yield
    _seconds[file] += time.monotonic() - began
    measured.switch_context("")
    return result


def pytest_sessionfinish() -> None:
    """Leave the times where the mutator reads them."""
    SECONDS.write_text(json.dumps(_seconds), "utf-8")
