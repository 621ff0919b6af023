"""The side of pytest: which test runs which lines, for the mutator (tests/mutate.py).

Runs under `coverage run`, whose context is the test that runs, with its fixtures; a fixture that
several tests share counts for the first. What runs at import or while tests are collected has none.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

SECONDS = Path("seconds.json")
"""Test -> how long it took, in seconds."""

_seconds: dict[str, float] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Name the test to coverage while it and its fixtures run."""
    measured = coverage.Coverage.current()
    assert measured is not None
    measured.switch_context(item.nodeid)
    began = time.monotonic()
    result = yield
    _seconds[item.nodeid] = time.monotonic() - began
    measured.switch_context("")
    return result


def pytest_sessionfinish() -> None:
    """Leave the times where the mutator reads them."""
    SECONDS.write_text(json.dumps(_seconds), "utf-8")
