"""Times that programs print, as integer nanoseconds since 1970 UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from ldap_workbench.logs.reading.months import MONTHS

_S = 1_000_000_000
LATEST_NS = 4_102_444_800 * _S
"""The year 2100. A later time is damaged and none: 64 bits of nanoseconds end in 2262."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_BRACKET = re.compile(
    r"\[(\d{1,2})/([A-Za-z]{3,9})/(\d{4}):(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))? ([+-])(\d\d)(\d\d)\]"
)
_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s?(Z|[+-]\d\d:?\d\d)?"
)
_AMERICAN = re.compile(r"(\d\d)/(\d\d)/(\d{2,4}) (\d\d):(\d\d):(\d\d)(?: ([AP]M))?")
_CTIME = re.compile(r"\w{3} (\w{3}) +(\d{1,2}) (\d\d):(\d\d):(\d\d)(?: [A-Z]{3,4})? (\d{4})")
_AUDIT = re.compile(r"time: (\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$", re.ASCII)
_NAMED = re.compile(
    r"(?<!\d)((?:19|20)\d\d|\d\d)[-_.]?(\d\d)[-_.]?(\d\d)[-_.:T ]?"
    r"([01]\d|2[0-3])[-_.:h]?([0-5]\d)[-_.:m]?([0-5]\d)(?!\d)"
)
_CLOCK = re.compile(r"(?<!\d)([01]\d|2[0-3])[-_.:h]?([0-5]\d)[-_.:m]?([0-5]\d)(?!\d)")
_NEAR_NS = 2 * 3600 * _S
_EPOCH = re.compile(r"(?<!\d)(1\d{9})(?:\d{3})?(?!\d)")
_DOTTED = re.compile(r"(\d\d)[.-](\d\d)[.-](\d{2,4}) (\d\d):(\d\d):(\d\d)")
_SPOKEN_CLOCK = re.compile(r"(?<![\d:])(\d{1,2}):(\d\d):(\d\d)(?: ?([AP]M))?(?![\d:])")
_LONGEST_DATE = 60


def _instant(moment: datetime, fraction: str | None, zone_ns: int = 0) -> int | None:
    nanoseconds = int((fraction or "").ljust(9, "0")[:9])
    whole = moment - datetime(1970, 1, 1, tzinfo=UTC)
    return _known((whole.days * 86400 + whole.seconds) * _S + nanoseconds - zone_ns)


def _known(time_ns: int) -> int | None:
    return time_ns if 0 <= time_ns < LATEST_NS else None


def bracket_time(text: str) -> tuple[int, int] | None:
    """(time, index behind it) of '[21/Nov/2026:02:19:59.903111192 +0000]' at the start."""
    match = _BRACKET.match(text)
    if match is None or match[2][:3].lower() not in _MONTHS:
        return None
    day, _, year, hour, minute, second = match.groups()[:6]
    month = _MONTHS.index(match[2][:3].lower()) + 1
    zone = timedelta(hours=int(match[9]), minutes=int(match[10]))
    try:
        # A leap second is the first one of the next minute to every clock that counts.
        moment = datetime(
            int(year), month, int(day), int(hour), int(minute),
            tzinfo=timezone(-zone if match[8] == "-" else zone),
        ) + timedelta(seconds=int(second))  # fmt: skip
    except (ValueError, OverflowError):
        return None
    time_ns = _instant(moment, match[7])
    return None if time_ns is None else (time_ns, match.end())


def report_time(text: str, zone_offset_ns: int = 0, *, day_first: bool = False) -> int | None:
    """The time of an iostat or vmstat report; ISO times may have their own zone.

    Others are local times `zone_offset_ns` east of UTC. A date with slashes is read month first,
    as sysstat prints it in the C locale, unless `day_first` or where only that makes a date of it.
    """
    text = text.strip()
    if match := _ISO.match(text):
        year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
        zone = zone_offset_ns if match[8] is None else _zone_ns(match[8])
        return _local(year, month, day, hour, minute, second, zone, match[7])
    if match := _AMERICAN.match(text):
        month, day, year, hour, minute, second = (int(part) for part in match.groups()[:6])
        if match[7]:
            hour = hour % 12 + (12 if match[7] == "PM" else 0)
        if month > 12 or (day_first and day <= 12):
            month, day = day, month
        return _local(_year(year), month, day, hour, minute, second, zone_offset_ns)
    if match := _DOTTED.match(text):
        day, month, year, hour, minute, second = (int(part) for part in match.groups()[:6])
        return _local(_year(year), month, day, hour, minute, second, zone_offset_ns)
    return None


def ctime(text: str, zone_offset_ns: int = 0) -> int | None:
    """The time of a line like 'Sat Nov 21 02:20:00 2026' (Solaris -T d)."""
    match = _CTIME.fullmatch(text.strip())
    if match is None or match[1].lower() not in _MONTHS:
        return _spoken_time(text, zone_offset_ns)
    month = _MONTHS.index(match[1].lower()) + 1
    day, hour, minute, second = (int(match[i]) for i in (2, 3, 4, 5))
    return _local(int(match[6]), month, day, hour, minute, second, zone_offset_ns)


def _spoken_time(text: str, zone_offset_ns: int) -> int | None:
    """A line that is a date as `date` prints it in some language.

    'Sa. 21. November 2026 02:20:00 CET', 'Saturday, November 21, 2026 02:20:00 AM CET'.
    """
    line = text.strip()
    match = _SPOKEN_CLOCK.search(line)
    if match is None or len(line) > _LONGEST_DATE:
        return None
    rest = line[: match.start()] + line[match.end() :]
    digits = [word.rstrip(".,") for word in rest.split() if word[0].isdigit()]
    words = [word.strip(".,").lower() for word in rest.split() if word[0].isalpha()]
    months = [MONTHS[word] for word in words if word in MONTHS]
    years = [
        digit_group for digit_group in digits if len(digit_group) == 4 and digit_group.isdecimal()
    ]
    days = [
        digit_group for digit_group in digits if len(digit_group) <= 2 and digit_group.isdecimal()
    ]
    if len(months) != 1 or len(years) != 1 or len(days) != 1 or len(words) > 5:
        return None
    hour = int(match[1])
    if match[4]:
        hour = hour % 12 + (12 if match[4] == "PM" else 0)
    second = int(match[3])
    return _local(
        int(years[0]), months[0], int(days[0]), hour, int(match[2]), second, zone_offset_ns
    )


def alone_time(text: str, zone_offset_ns: int = 0) -> int | None:
    """The time of a line that is nothing else, as `date` or `echo` of a script prints it.

    In any language, as ISO or as an epoch; '# ' or '=====' may stand around it.
    """
    text = text.strip(" \t\r#=*-+>|[]")
    if (epoch := epoch_time(text)) is not None:
        return epoch
    if _ISO.fullmatch(text) or _AMERICAN.fullmatch(text) or _DOTTED.fullmatch(text):
        return report_time(text, zone_offset_ns)
    return ctime(text, zone_offset_ns)


def epoch_time(text: str) -> int | None:
    """The time of a line that is seconds since 1970 and nothing else (Solaris -T u)."""
    word = text.strip()
    return _known(int(word) * _S) if re.fullmatch(r"[0-9]{9,10}", word) else None


def first_time(text: str, zone_offset_ns: int = 0) -> int | None:
    """The time of the first line that begins with one, or is one; None where there is none."""
    for line in text.splitlines():
        stamp = bracket_time(line)
        if stamp is not None:
            return stamp[0]
        for read in (report_time, ctime):
            if (time_ns := read(line.removeprefix("time: "), zone_offset_ns)) is not None:
                return time_ns
        if (epoch := epoch_time(line)) is not None:
            return epoch
        if match := _AUDIT.match(line):
            year, month, day, hour, minute, second = (int(part) for part in match.groups())
            return _local(year, month, day, hour, minute, second, zone_offset_ns)
    return None


def name_time(name: str, zone_offset_ns: int = 0, near_ns: int | None = None) -> int | None:
    """The time in the name of a file, as of pstack.080326:172606 or stacks-1206548766.txt.

    `near_ns` is a moment of the logs beside it: it chooses between the orders that six digits of
    a date may have, and gives the day to a time of day alone. None where the name tells no moment.
    """
    if match := _NAMED.search(name):
        clock = (int(match[4]), int(match[5]), int(match[6]))
        moments = [_local(*day, *clock, zone_offset_ns) for day in _days(*match.group(1, 2, 3))]
        return _nearest([moment for moment in moments if moment is not None], near_ns)
    if match := _EPOCH.search(name):
        return int(match[1]) * _S
    if near_ns is not None and (match := _CLOCK.search(name)):
        there = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(
            seconds=(near_ns + zone_offset_ns) // _S
        )
        clock = (int(match[1]), int(match[2]), int(match[3]))
        days = [there + timedelta(days=n) for n in (0, -1, 1)]
        moments = [_local(d.year, d.month, d.day, *clock, zone_offset_ns) for d in days]
        nearest = _nearest([moment for moment in moments if moment is not None], near_ns)
        # Six digits may as well be the number of a process.
        return nearest if nearest and abs(nearest - near_ns) <= _NEAR_NS else None
    return None


def _days(first: str, second: str, third: str) -> list[tuple[int, int, int]]:
    """(year, month, day) as three numbers may mean it; the year first is the usual one."""
    a, b, c = int(first), int(second), int(third)
    if len(first) == 4:
        return [(a, b, c)]
    return [(_year(a), b, c), (_year(c), b, a), (_year(c), a, b)]


def _nearest(moments: list[int], near_ns: int | None) -> int | None:
    """The one nearest to a moment; without one the first."""
    if near_ns is None:
        return moments[0] if moments else None
    return min(moments, key=lambda moment: abs(moment - near_ns), default=None)


def _year(year: int) -> int:
    if year >= 100:
        return year
    return year + (2000 if year < 70 else 1900)


def _zone_ns(text: str) -> int:
    if text == "Z":
        return 0
    digits = text[1:].replace(":", "")
    seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
    return (-seconds if text[0] == "-" else seconds) * _S


def _local(
    year: int,
    month: int,
    day: int,
    hour: int,
    minute: int,
    second: int,
    zone_ns: int,
    fraction: str | None = None,
) -> int | None:
    try:
        moment = datetime(year, month, day, hour, minute, tzinfo=UTC) + timedelta(seconds=second)
    except (ValueError, OverflowError):
        return None
    return _instant(moment, fraction, zone_ns)
