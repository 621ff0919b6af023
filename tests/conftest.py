"""What every test needs: the catalogue, interrupts that arrive, and a record of its result."""

import os
import runpy
from pathlib import Path

import pytest
from hypothesis import settings

from tests.stages import recorder

CATALOGUE = Path(__file__).parent.parent / "packaging" / "catalogue.py"


# Each run draws other examples: a night's draws as many as ten of the day's.
settings.register_profile("day", max_examples=30)
settings.register_profile("night", max_examples=300)


def pytest_configure(config: pytest.Config) -> None:
    recorder.take_back_interrupt()
    if not hasattr(config, "workerinput"):
        runpy.run_path(str(CATALOGUE))["compile_all"]()
    recorder.register(config)
    settings.load_profile("night" if os.environ.get("LDAP_WORKBENCH_LARGE") else "day")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    recorder.note_clocks(items)
