"""Whether dates of numbers are day first or month first: told by all dates of a text together."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ldap_workbench.logs.reading.reports import Clock
from ldap_workbench.logs.reading.stamps import report_time
from ldap_workbench.model.message import Message

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
