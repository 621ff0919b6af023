"""A server that takes connections and does not answer is told of, and a slow one is not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ldap_workbench.capture import link as link_module
from ldap_workbench.capture.link import Link
from ldap_workbench.capture.live.window import SILENT_S, note_of, silence_of
from ldap_workbench.model.errors import ConnectError
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Cancel


class Clock:
    """Stands until it is turned."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


class Open:
    def close(self) -> None:
        pass


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(link_module, "time", clock)
    return clock


@pytest.fixture
def link(clock: Clock) -> Link[Open]:
    return Link(Open, Cancel(), patience_s=0.0)


def asked(
    link: Link[Open], clock: Clock, seconds: float, then: Callable[[], None] = lambda: None
) -> str:
    """What is told while an answer takes so long; `then` before it comes."""
    said = []

    def work() -> None:
        clock.now += seconds
        said.append(str(silence_of(link)))
        then()

    link.again(work)
    link.heard()
    return said[0]


def test_nothing_is_told_while_nothing_is_asked(link: Link[Open], clock: Clock) -> None:
    clock.now += 60
    assert silence_of(link) is NOTHING
    assert asked(link, clock, 0.01) == ""
    clock.now += 60
    assert silence_of(link) is NOTHING


@pytest.mark.parametrize("seconds", [0.01, 1.0, 1.99])
def test_an_answer_that_takes_a_second_or_two_is_no_alarm(
    link: Link[Open], clock: Clock, seconds: float
) -> None:
    """Also the first of them, after answers that came at once."""
    assert asked(link, clock, 0.01) == ""
    clock.now += 0.99
    for _ in range(10):
        assert asked(link, clock, seconds) == ""


def test_three_seconds_after_its_last_answer_a_server_is_silent(
    link: Link[Open], clock: Clock
) -> None:
    asked(link, clock, 0.01)
    clock.now += 1.0
    assert asked(link, clock, SILENT_S - 1.0) == "no answer for 3 s"
    assert silence_of(link) is NOTHING, "it has answered"
    assert asked(link, clock, 7.0) == "no answer for 7 s", "asked again at once"


def test_a_first_answer_is_not_late_by_what_came_before_it(link: Link[Open], clock: Clock) -> None:
    """The link is made long before the window begins."""
    clock.now += 30
    assert asked(link, clock, 0.5) == ""


def test_a_link_that_breaks_is_cut_and_no_longer_silent(link: Link[Open], clock: Clock) -> None:
    def work() -> None:
        clock.now += 12
        raise ConnectError(Message("It does not answer."))

    with pytest.raises(ConnectError):
        link.again(work)
    assert link.silent_s == 0.0
    assert str(note_of(link, None)) == "the link has been cut for 12 s"
