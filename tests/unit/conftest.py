"""What all unit tests share: where bytecode goes, what starts first, and examples without limit."""

import os
import sys
from pathlib import Path

BYTECODE = Path(__file__).parents[2] / ".pytest_cache" / "bytecode"

# pytest rewrites the asserts of some 300 files and every command compiles the whole program. Where
# the environment forbids bytecode, that is done in each run, each worker and each process again;
# here it is done once, outside of the tree.
if sys.dont_write_bytecode:
    sys.dont_write_bytecode = False
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(BYTECODE)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


# After that: pytest rewrites all of hypothesis, which takes half a second where it is not kept.
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

# How long an example takes is a matter of the machine, and of what else it does. Each run draws
# other examples; a night's draws as many as ten of the day's.
settings.register_profile(
    "any machine",
    deadline=None,
    max_examples=300 if os.environ.get("LDAP_WORKBENCH_LARGE") else 30,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("any machine")

_LONGEST = ("test_hostile_sessions", "test_pages", "test_hostile")
"""Files of few tests that take minutes: where several run at once, nobody waits for the last."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.stem not in _LONGEST)
