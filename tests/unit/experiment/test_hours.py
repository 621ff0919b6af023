"""The hours of the day in which a server may be measured."""

from datetime import UTC, datetime, time

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
