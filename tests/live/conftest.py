"""One lab for all live tests of a run; they are skipped where it cannot be had, but not in CI."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.servers import Target, connect
from tests.live.lab import Lab, missing

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    lacking = missing()
    for item in items:
        if _HERE not in item.path.parents:
            continue
        item.add_marker(pytest.mark.live)
        if lacking and not os.environ.get("CI"):
            reason = f"the lab needs packages that are not installed: {' '.join(lacking)}"
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def running_lab() -> Iterator[Lab]:
    lab = Lab().start()
    yield lab
    lab.stop()


@pytest.fixture
def lab(running_lab: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Lab:
    """The lab, with its passwords in the environment and a home of the test's own."""
    for name, value in running_lab.environment.items():
        monkeypatch.setenv(name, value)
    running_lab.trust(tmp_path / "home")
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path / "home"))
    return running_lab


@pytest.fixture
def target(lab: Lab) -> Iterator[Target]:
    """The lab, connected with all rights."""
    target = connect(lab.profile, Secrets())
    yield target
    target.close()
