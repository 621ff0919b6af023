"""A server that sticks at any moment of a capture: what its host tells is kept.

A window this short may have no sample of its host; tests/faults has longer ones, on real hosts.
"""

from dataclasses import replace

import pytest

from ldap_workbench.capture.live.plan import CapturePlan
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.model.errors import ConnectError, NoAnswerError
from ldap_workbench.model.message import Message
from ldap_workbench.model.window import SourceKind, SourceState
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.unit.capture.test_window_end import BusyServer, capture, target_of

KINDS = frozenset({SourceKind.ACCESS_LOG, SourceKind.MONITOR, SourceKind.HOST})
PLAN = CapturePlan(0.3, KINDS, poll_s=0.2, linger_s=0.0, patience_s=0.1, host_alone=True)
SILENT = NoAnswerError(Message("The connection to ldap://a broke: timed out."))


class StickingServer(BusyServer):
    """From the first search on whose base `sticks`, nobody answers."""

    def __init__(self, log, clock, sticks):
        super().__init__(log, clock)
        self._sticks = sticks
        self.stuck = False

    def search(self, base, **_):
        self.stuck = self.stuck or self._sticks(base)
        if self.stuck:
            raise NoAnswerError(SILENT.what)
        return super().search(base)

    def close(self):
        pass


@pytest.fixture
def sticking(tmp_path):
    def make(sticks):
        target = target_of(tmp_path / "access")
        target.directory = StickingServer(tmp_path / "access", target.clock, sticks)
        target.shell = LocalShell()
        target.reconnect = lambda: target.directory.search("cn=ldap-workbench-connection")
        target.another_directory = lambda: target.directory
        return target

    return make


def of_window(target, path, plan=PLAN):
    with SessionWriter.create(path, target.facts) as writer:
        window = capture(target, writer, plan)
    with Session.open(path) as session:
        return {source.kind: source for source in session.sources(window.id)}


MOMENTS = {
    "before its log is looked at": lambda base: base == "cn=config",
    "at the window's first search": lambda base: base.startswith("cn=ldap-workbench-"),
    "in the window": lambda base: base == "cn=monitor" or base.endswith("-end"),
    "at the window's last search": lambda base: base.endswith("-end"),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_the_host_is_captured_whenever_the_server_sticks(sticking, tmp_path, moment):
    target = sticking(MOMENTS[moment])
    sources = of_window(target, tmp_path / "s.ldapwb")
    assert target.directory.stuck
    log, monitor = sources[SourceKind.ACCESS_LOG], sources[SourceKind.MONITOR]
    assert log.state is SourceState.PARTIAL
    assert "the server did not answer then" in str(log.why)
    assert sources[SourceKind.HOST].state in (SourceState.COMPLETE, SourceState.MISSING)
    assert monitor.details["no_worker_s"] == 30
    assert monitor.details["no_answer"]


def test_a_server_that_sticks_before_the_window_fails_the_monitor_with_its_reason(
    sticking, tmp_path
):
    sources = of_window(sticking(MOMENTS["before its log is looked at"]), tmp_path / "s.ldapwb")
    assert sources[SourceKind.MONITOR].state is SourceState.FAILED
    assert "timed out" in str(sources[SourceKind.MONITOR].why)


def test_a_window_of_an_experiment_is_not_content_with_the_host(sticking, tmp_path):
    target = sticking(MOMENTS["at the window's first search"])
    with pytest.raises(NoAnswerError):
        of_window(target, tmp_path / "s.ldapwb", replace(PLAN, host_alone=False))


def test_without_a_host_there_is_nothing_to_capture(sticking, tmp_path):
    target = sticking(MOMENTS["at the window's first search"])
    target.shell = None
    with pytest.raises(NoAnswerError):
        of_window(target, tmp_path / "s.ldapwb")


def test_a_server_that_refuses_connections_ends_the_capture(sticking, tmp_path):
    target = sticking(MOMENTS["at the window's first search"])

    def refused():
        raise ConnectError(Message("refused"))

    target.reconnect = refused
    with pytest.raises(ConnectError, match="refused"):
        of_window(target, tmp_path / "s.ldapwb")
