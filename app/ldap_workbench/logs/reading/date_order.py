"""Whether dates of numbers are day first or month first: told by all dates of a text together.

Which year the times of syslog are in, which print none: told by when the text was written.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, datetime

from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.access.grammar import Style
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.logs.reading.stamps import report_time
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S

_SLASHES = re.compile(r"(?<![\d/])(\d\d)/(\d\d)/(\d{2,4})(?![\d/])")
_COMMA = re.compile(r"(?<![\d,])\d+,\d{1,2}(?![\d,])")


@dataclass(frozen=True)
class DateOrder:
    """`notes` say what was chosen where the text leaves it open, and how to choose otherwise."""

    day_first: bool
    notes: tuple[Message, ...] = ()


def order_of(text: str, clock: Clock) -> DateOrder:
    """How '03/04/2026' is to be read in a text.

    What somebody said holds; then a number above 12; then the moment of the logs beside it; then
    decimal commas, which no place with the month first has. sysstat prints the month first in the
    C locale.
    """
    dates = list(dict.fromkeys(_SLASHES.findall(text)))
    if clock.day_first is not None:
        return DateOrder(clock.day_first)
    if any(int(first) > 12 for first, _, _ in dates):
        return DateOrder(day_first=True)
    if not dates or any(int(second) > 12 for _, second, _ in dates):
        return DateOrder(day_first=False)
    shown = "/".join(dates[0])
    day_first = _by_near(shown, clock)
    if day_first is None:
        day_first = _COMMA.search(text) is not None
    chosen, other = Message("day/month"), "month-first"
    if not day_first:
        chosen, other = Message("month/day"), "day-first"
    if dates[0][0] == dates[0][1] and len(dates) == 1:
        return DateOrder(day_first)
    return DateOrder(
        day_first,
        (
            Message(
                "Its dates such as {date} are read as {order}. If that is not so: --dates {other}.",
                date=shown,
                order=chosen,
                other=other,
            ),
        ),
    )


def _by_near(date: str, clock: Clock) -> bool | None:
    """The order that puts a date nearest to the logs beside it; None where nothing says."""
    if clock.near_ns is None:
        return None
    noon = f"{date} 12:00:00"
    far = {}
    for day_first in (False, True):
        time_ns = report_time(noon, clock.zone_offset_ns, day_first=day_first)
        far[day_first] = abs((time_ns or 0) - clock.near_ns)
    return far[True] < far[False] if far[True] != far[False] else None


_DAY_NS = 86_400 * NS_PER_S
"""A zone that is not known, and clocks that differ, move a time by less."""
_LEAP_DAY = re.compile(rb"^Feb 29 \d\d:", re.MULTILINE)
_LEAST = 1970
_MOST = 2200


def may_show_no_year(dialect: str) -> bool:
    """Whether lines of this dialect may carry the times of syslog."""
    styles = (Style.SLAPD, Style.NUMBERS_FIRST)
    return dialect in DIALECTS and DIALECTS[dialect].style in styles


def year_before(text: bytes, dialect: str, written_ns: int, zone_offset_ns: int = 0) -> int:
    """The latest year in which the first line of `text` is not after `written_ns`.

    `written_ns` is when the file was written last. A log of more than a year in one file cannot be
    told from a younger one.
    """
    year = year_of(written_ns, zone_offset_ns)
    first = _first_time(text, dialect, year, zone_offset_ns)
    if first is not None and first > written_ns + _DAY_NS:
        year -= 1
    while _LEAP_DAY.search(text) and not calendar.isleap(year):
        year -= 1
    return year


def year_after(text: bytes, dialect: str, began_ns: int, zone_offset_ns: int = 0) -> int:
    """The first year in which the first line of `text` is not before `began_ns` of its file."""
    year = year_of(began_ns, zone_offset_ns)
    first = _first_time(text, dialect, year, zone_offset_ns)
    return year + 1 if first is not None and first < began_ns - _DAY_NS else year


def _first_time(text: bytes, dialect: str, year: int, zone_offset_ns: int) -> int | None:
    scanner = Scanner(dialect, year=year, zone_offset_ns=zone_offset_ns)
    scanner.feed(text)
    return scanner.first_time_ns


def year_of(time_ns: int, zone_offset_ns: int = 0) -> int:
    """The year of an instant in a zone."""
    seconds = (time_ns + zone_offset_ns) // NS_PER_S
    seconds = min(max(seconds, 0), _DAY_NS // NS_PER_S * 365 * (_MOST - _LEAST))
    return datetime.fromtimestamp(seconds, UTC).year
