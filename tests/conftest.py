"""What every test needs: the catalogue compiled from the checkout, and its result recorded."""

import runpy
from pathlib import Path

import pytest

from tests.stages import recorder

CATALOGUE = Path(__file__).parent.parent / "packaging" / "catalogue.py"


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        runpy.run_path(str(CATALOGUE))["compile_all"]()
    _give_examples_their_time()
    recorder.register(config)


def _give_examples_their_time() -> None:
    """How long an example takes is a matter of the machine, and of what else it does."""
    # Not at the top: unit tests say first where bytecode goes (unit/conftest.py), and pytest
    # rewrites all of hypothesis, which takes half a second where it is not kept.
    from hypothesis import HealthCheck, settings

    settings.register_profile(
        "any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("any machine")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    recorder.note_clocks(items)
