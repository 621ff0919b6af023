"""What every test needs: the catalogue, interrupts that arrive, and a record of its result."""

import runpy
import sys
from pathlib import Path

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
    if sys.platform == "win32":
        for item in items:
            if mark := item.get_closest_marker("posix"):
                item.add_marker(pytest.mark.skip(f"of POSIX: {mark.args[0]}"))
