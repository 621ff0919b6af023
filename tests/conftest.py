"""What every test needs: the catalogue compiled as it stands in the checkout."""

import runpy
from pathlib import Path

import pytest

CATALOGUE = Path(__file__).parent.parent / "packaging" / "catalogue.py"


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        runpy.run_path(str(CATALOGUE))["compile_all"]()
