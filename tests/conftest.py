"""What every test needs: the catalogue, interrupts that arrive, and a record of its result."""

import os
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.stages import recorder

CATALOGUE = Path(__file__).parent.parent / "packaging" / "catalogue.py"


def pytest_configure(config: pytest.Config) -> None:
    recorder.take_back_interrupt()
    if not hasattr(config, "workerinput"):
        runpy.run_path(str(CATALOGUE))["compile_all"]()
    recorder.register(config)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    recorder.note_clocks(items)
    if "hypothesis" in sys.modules:  # it takes a second to import, and few tests need it
        _draw_examples(sys.modules["hypothesis"].settings)


def _draw_examples(settings: Any) -> None:
    """Each run draws other examples; a night's draws as many as ten of the day's."""
    night = bool(os.environ.get("LDAP_WORKBENCH_LARGE"))
    settings.register_profile("this run", max_examples=300 if night else 30)
    settings.load_profile("this run")
