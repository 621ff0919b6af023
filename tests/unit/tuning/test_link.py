"""A link that breaks: what is tried again, how long, and what is not."""

from __future__ import annotations

import pytest

from ldap_workbench.model.errors import (
    AuthenticationError,
    ChangedHostKeyError,
    ChangeError,
    CommandError,
    ConnectError,
    DirectoryError,
    TlsError,
    UnknownHostKeyError,
    WorkbenchError,
)
from ldap_workbench.model.message import Message
from ldap_workbench.tuning import link
from ldap_workbench.tuning.link import is_broken_link, over_any_link
from tests.unit.tuning.fakes import Clock, FakeTarget

WHY = Message("It is so.")


def command_error(status: int | None) -> CommandError:
    return CommandError(WHY, status=status, stderr="")


def directory_error(code: int) -> DirectoryError:
    return DirectoryError(WHY, code=code, message="")


@pytest.mark.parametrize(
    ("error", "broken"),
    [
        (ConnectError(WHY), True),
        (directory_error(51), True),
        (directory_error(52), True),
        (directory_error(50), False),
        (directory_error(53), False),
        (command_error(None), True),
        (command_error(1), False),
        (command_error(0), False),
        (AuthenticationError(WHY), False),
        (TlsError(WHY), False),
        (ChangedHostKeyError(WHY), False),
        (UnknownHostKeyError("a", 22, "rsa", "AAAA", "SHA256:x"), False),
        (ChangeError(WHY), False),
        (ValueError(), False),
    ],
)
def test_a_link_is_broken_where_the_server_may_answer_later(
    error: BaseException, broken: bool
) -> None:
    assert is_broken_link(error) is broken


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(500.0)
    monkeypatch.setattr(link, "time", clock)
    return clock


class Work:
    """Breaks so many times, then is done."""

    def __init__(self, times: int, error: WorkbenchError | None = None) -> None:
        self.calls = 0
        self._times = times
        self._error = error or ConnectError(Message("It broke."))

    def __call__(self) -> str:
        self.calls += 1
        if self.calls <= self._times:
            raise self._error
        return "done"


def test_work_is_done_again_over_a_new_link(clock: Clock) -> None:
    target, work, texts = FakeTarget(), Work(2), list[str]()
    result = over_any_link(
        target, work, patience_s=120.0, progress=lambda step: texts.append(str(step.text))
    )
    assert result == "done"
    assert (work.calls, target.reconnects) == (3, 2)
    assert clock.slept == [0.5, 0.5]
    assert texts == [
        "The server does not answer; retrying for another 120 s",
        "The server does not answer; retrying for another 120 s",
    ]


def test_work_that_does_not_break_connects_to_nothing(clock: Clock) -> None:
    target = FakeTarget()
    assert over_any_link(target, Work(0)) == "done"
    assert (target.reconnects, clock.slept) == (0, [])


def test_patience_ends_and_the_last_pause_is_no_longer_than_it(clock: Clock) -> None:
    target, work = FakeTarget(), Work(99)
    with pytest.raises(ConnectError, match="It broke"):
        over_any_link(target, work, patience_s=1.2)
    assert clock.slept == pytest.approx([0.5, 0.5, 0.2])
    assert work.calls == 4


def test_patience_begins_where_the_link_breaks_not_with_the_work(clock: Clock) -> None:
    """A build, or a start that is waited for, takes longer than any patience."""
    target, work = FakeTarget(), Work(3)

    def long_work() -> str:
        if not work.calls:
            clock.sleep(300.0)
        return work()

    assert over_any_link(target, long_work, patience_s=120.0) == "done"
    assert clock.slept == [300.0, 0.5, 0.5, 0.5]


def test_without_patience_it_is_tried_once_more(clock: Clock) -> None:
    target, work = FakeTarget(), Work(99)
    with pytest.raises(ConnectError):
        over_any_link(target, work, patience_s=0.0)
    assert (work.calls, target.reconnects, clock.slept) == (2, 1, [0.0])


@pytest.mark.parametrize("error", [directory_error(53), AuthenticationError(WHY)])
def test_what_the_server_refused_is_raised_at_once(clock: Clock, error: WorkbenchError) -> None:
    work = Work(1, error)
    with pytest.raises(type(error)):
        over_any_link(FakeTarget(), work)
    assert (work.calls, clock.slept) == (1, [])
