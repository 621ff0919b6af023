"""Which year the times of syslog are in, which print none: told by when the text was written."""

from __future__ import annotations

import calendar
import re
from datetime import UTC, datetime

from ldap_workbench.logs.access.dialects import DIALECTS
from ldap_workbench.logs.access.grammar import Style
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.model.units import NS_PER_S

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
