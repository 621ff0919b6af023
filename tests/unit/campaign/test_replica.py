"""One server of a canary, whose treatment is changed between its windows by us."""

from contextlib import ExitStack

import pytest

from ldap_workbench.campaign.replica import Replica
from ldap_workbench.experiment.guards import LostWindowError
from ldap_workbench.model.progress import Cancel
from tests.unit.experiment.acting import stage_in


@pytest.fixture
def stage(tmp_path, monkeypatch):
    with ExitStack() as stack:
        yield stage_in(tmp_path, monkeypatch, stack)


@pytest.fixture
def replica(stage):
    made = Replica(stage.server, stage.tuner, stage.path, stage.plan(), lambda _: None)
    yield made
    made.writer.close()


def test_a_change_of_ours_between_two_windows_is_nobody_elses(replica, stage):
    replica.measure(0, Cancel())
    replica.arms.enter("B")
    assert stage.server.treated
    replica.measure(1, Cancel())
    replica.arms.leave()


def test_a_change_of_somebody_else_in_a_window_loses_it(replica, stage):
    stage.windows.during[1] = lambda: stage.server.set_by_another("nsslapd-sizelimit", "9")
    with pytest.raises(LostWindowError, match="Another administrator changed"):
        replica.measure(0, Cancel())
