"""How long a server that the restart command does not bring back is waited for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from ldap_workbench.experiment.arms import Restarts
from ldap_workbench.model.errors import ChangeError, ExperimentError
from ldap_workbench.model.progress import Cancel, no_progress
from ldap_workbench.tuning.offline import OfflineEditor
from ldap_workbench.tuning.stopped_host import Host
from tests.unit.tuning.fakes import FakeTarget


@pytest.fixture
def dead_after_restart() -> FakeTarget:
    target = FakeTarget(restart_command="restart-it now")
    target.directory.restart = target.directory.close  # type: ignore[method-assign]
    target.reconnect = lambda: None  # type: ignore[method-assign]
    return target


def test_a_restart_is_waited_for_as_long_as_the_plan_says(dead_after_restart: FakeTarget) -> None:
    restarts = Restarts(
        cast(Any, dead_after_restart),
        cast(Any, SimpleNamespace()),
        no_progress,
        with_treatment=False,
        wait_s=0.2,
    )
    for act in (lambda: restarts.restart(Cancel(), with_treatment=True), restarts.restart_in_abort):
        dead_after_restart.directory.broken = False
        with pytest.raises(ExperimentError, match="does not answer"):
            act()
        assert restarts.with_treatment, "it may have come back with it"


def test_a_start_after_an_edit_is_waited_for_as_long(dead_after_restart: FakeTarget) -> None:
    shell = dead_after_restart.shell
    assert shell is not None
    host = Host(shell, "restart-it", "restart-it")
    with pytest.raises(ChangeError, match=r"0\.2 s after it was told to start"):
        OfflineEditor(dead_after_restart, wait_s=0.2)._start(host)
