"""The hours of the day in which a server may be measured."""

from datetime import UTC, datetime, time, timedelta

import pytest

from ldap_workbench.experiment.hours import Hours, parse_hours
from ldap_workbench.model.errors import CancelledError, UsageError
from ldap_workbench.model.progress import Cancel

HOUR = 3600


def at(clock, hours="01:00-05:00"):
    parsed = parse_hours(hours)
    now = datetime.combine(datetime(2026, 11, 22), time.fromisoformat(clock), UTC)
    return Hours(parsed.start, parsed.end, now=lambda: now)


@pytest.mark.parametrize(
    ("clock", "hours", "needed_s", "wait_s"),
    [
        ("02:00", "01:00-05:00", HOUR, 0),
        ("04:30", "01:00-05:00", HOUR, 20.5 * HOUR),
        ("00:30", "01:00-05:00", HOUR, HOUR / 2),
        ("12:00", "01:00-05:00", HOUR, 13 * HOUR),
        ("23:30", "22:00-02:00", HOUR, 0),
        ("01:30", "22:00-02:00", HOUR, 20.5 * HOUR),
        ("01:00", "01:00-05:00", 9 * HOUR, 0),
        ("01:01", "01:00-05:00", 9 * HOUR, 0),
        ("03:30", "01:00-05:00", 9 * HOUR, 21.5 * HOUR),
        ("04:00", "01:00-05:00", HOUR, 0),
        ("04:00", "01:00-05:00", HOUR + 1, 21 * HOUR),
        ("03:00", "01:00-05:00", 9 * HOUR, 0),
        ("03:01", "01:00-05:00", 9 * HOUR, 22 * HOUR - 60),
        ("05:00", "01:00-05:00", 1, 20 * HOUR),
        ("00:59", "01:00-05:00", 1, 60),
        ("02:00", "22:00-02:00", 1, 20 * HOUR),
        ("01:59", "22:00-02:00", 60, 0),
        ("22:00", "22:00-02:00", 4 * HOUR, 0),
    ],
)
def test_it_waits_until_there_is_room(clock, hours, needed_s, wait_s):
    assert at(clock, hours).wait_s(needed_s) == wait_s


@pytest.mark.parametrize(
    "text", ["1-5", "25:00-26:00", "01:00", "01:00-01:00", "-", "01:00 to 02:00"]
)
def test_what_names_no_hours_is_refused(text):
    with pytest.raises(UsageError, match="hours of the day"):
        parse_hours(text)


def test_none_are_all():
    assert parse_hours(" ") is None
    assert str(parse_hours(" 01:00 - 05:30")) == "01:00-05:30"


def test_waiting_is_said_and_can_be_cancelled():
    cancel, said = Cancel(), []

    def tell(report):
        said.append(str(report.text))
        cancel.set()

    hours = at("12:00")
    with pytest.raises(CancelledError):
        hours.wait(HOUR, tell, cancel)
    assert len(hours.waits_s) == 1
    assert hours.waits_s[0] >= 0
    assert said == ["Paused: only 01:00-05:00 is allowed."]


@pytest.mark.parametrize(
    ("hours", "seconds"),
    [("01:00-05:30", 4.5 * HOUR), ("22:00-02:00", 4 * HOUR), ("00:01-00:00", 24 * HOUR - 60)],
)
def test_hours_have_a_length_also_over_midnight(hours, seconds):
    assert parse_hours(hours).seconds == seconds


def test_a_refusal_shows_how_hours_are_written():
    with pytest.raises(UsageError) as caught:
        parse_hours("noon")
    assert str(caught.value.what) == "'noon' does not name hours of the day."
    assert str(caught.value.remedy) == "Write them as 01:00-05:00."


class Waiting(Cancel):
    """Lets time pass instead of waiting."""

    def __init__(self, clock):
        super().__init__()
        self.clock = clock
        self.waited = []

    def wait(self, seconds):
        self.waited.append(seconds)
        self.clock.append(self.clock[-1] + timedelta(seconds=seconds))
        return False


def test_it_looks_again_every_half_minute_until_they_open():
    clock = [datetime(2026, 11, 22, 0, 58, 50, tzinfo=UTC)]
    parsed, said = parse_hours("01:00-05:00"), []
    hours = Hours(parsed.start, parsed.end, now=lambda: clock[-1])
    waiting = Waiting(clock)
    hours.wait(HOUR, lambda _: said.append(hours.opens), waiting)
    assert waiting.waited == [30, 30, 10]
    assert said == [datetime(2026, 11, 22, 1, tzinfo=UTC)] * 3
    assert hours.opens is None
    assert len(hours.waits_s) == 1
    hours.wait(HOUR, said.append, waiting)
    assert len(waiting.waited) == 3, "they are open"
    assert len(hours.waits_s) == 2


def test_the_clock_is_that_of_this_machine_with_its_zone():
    assert Hours(time(1), time(5)).now().tzinfo is not None
