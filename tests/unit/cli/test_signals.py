"""What asks a command to stop: heard once as a request, and while a question is open at once."""

from __future__ import annotations

import signal
import sys

import pytest

from ldap_workbench.cli import console
from ldap_workbench.cli.signals import stopped_by_signals
from ldap_workbench.model.errors import CancelledError
from ldap_workbench.model.progress import Progress

HANGUP = signal.SIGBREAK if sys.platform == "win32" else signal.SIGHUP
STOPPING = [signal.SIGINT, signal.SIGTERM, HANGUP]


@pytest.mark.parametrize("number", STOPPING)
def test_the_first_asks_and_the_second_ends_at_once(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    with stopped_by_signals() as stop:
        signal.raise_signal(number)
        assert stop
        assert "Press Ctrl-C again" in capfd.readouterr().err
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)


@pytest.mark.parametrize("number", STOPPING)
def test_one_who_insists_is_answered_where_that_is_not_interrupted(
    number: signal.Signals, capfd: pytest.CaptureFixture[str]
) -> None:
    with stopped_by_signals("It takes at most 2 min.") as stop:
        for _ in range(3):
            signal.raise_signal(number)
        assert stop
    assert capfd.readouterr().err.count("It takes at most 2 min.") == 3


def test_a_question_that_is_open_is_left() -> None:
    with stopped_by_signals("yes") as stop:
        with pytest.raises(CancelledError), stop.while_asking():
            signal.raise_signal(HANGUP)
        with pytest.raises(CancelledError), stop.while_asking():
            pytest.fail("nobody is asked any more")


def test_what_nohup_ignores_stays_ignored() -> None:
    before = signal.signal(HANGUP, signal.SIG_IGN)
    try:
        with stopped_by_signals() as stop:
            signal.raise_signal(HANGUP)
            assert not stop
    finally:
        signal.signal(HANGUP, before)


def test_handlers_are_as_before() -> None:
    before = [signal.getsignal(number) for number in STOPPING]
    with stopped_by_signals():
        assert [signal.getsignal(number) for number in STOPPING] != before
    assert [signal.getsignal(number) for number in STOPPING] == before


def test_a_terminal_that_is_gone_asks_to_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(_: str) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(console, "note", gone)
    with console.long_work() as (tell, stop):
        tell(Progress("Measuring"))
        assert stop
