"""A fake server and a journal of the test's own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.unit.tuning.fakes import FakeTarget

# It reads what the lab tried, and the lab needs users and signals of POSIX.
collect_ignore = ["test_walks.py"] if sys.platform == "win32" else []


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def journal(home: Path) -> Iterator[Journal]:
    journal = Journal()
    yield journal
    journal.close()


@pytest.fixture
def target() -> FakeTarget:
    return FakeTarget(restart_command="restart-it now")


@pytest.fixture
def tuner(target: FakeTarget, journal: Journal) -> Iterator[Tuner]:
    tuner = Tuner(target, journal)
    yield tuner
    tuner.close()
