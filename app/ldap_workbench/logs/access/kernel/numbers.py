"""Numbers and times in log text. A position of 0 says that there is none."""

from __future__ import annotations

from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.logs.access.kernel.compiled import inner
from ldap_workbench.logs.access.kernel.memory import byte, eight_digits, get, put, word

_S = 1_000_000_000


@inner
def integer(p: int, e: int) -> tuple[int, int]:
    """(value, position behind it) of digits with an optional sign; at most 18 digits."""
    negative = p < e and byte(p) == layout.DASH
    if negative:
        p += 1
    start = p
    value = 0
    while p < e:
        digit = byte(p) - 48
        if digit < 0 or digit > 9:
            break
        value = value * 10 + digit
        p += 1
    if p == start or p - start > 18:
        return 0, 0
    return (-value if negative else value), p


@inner
def decimal(p: int, e: int) -> tuple[int, int, int]:
    """(nano-units, fraction digits, position behind) of a decimal number.

    The server prints seconds and nanoseconds apart: '-161634.769' is -161634 + 0.769. A fraction
    of exactly ten digits is a nanosecond count padded by one zero too many (389 DS 1.3.7-1.4.1,
    and ABANDON lines of every version).
    """
    whole, q = integer(p, e)
    if q == 0 or whole > 9_000_000_000 or whole < -9_000_000_000:
        return 0, 0, 0
    if q >= e or byte(q) != layout.DOT:
        return whole * _S, 0, q
    q += 1
    start = q
    fraction = 0
    if q + 8 <= e:
        value = eight_digits(q)
        if value >= 0:
            fraction = value
            q += 8
    while q < e and q - start < 18:
        digit = byte(q) - 48
        if digit < 0 or digit > 9:
            break
        fraction = fraction * 10 + digit
        q += 1
    digits = q - start
    if digits == 0:
        return 0, 0, 0
    for _ in range(digits, 9):
        fraction *= 10
    if digits > 10:
        for _ in range(9, digits):
            fraction //= 10
    return whole * _S + fraction, digits, q


@inner
def is_year(year: int) -> bool:
    """Whether a log may be of it: 64 bits of nanoseconds since 1970 end in 2262."""
    return 1970 <= year <= 2099


@inner
def days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a date of the Gregorian calendar."""
    if month <= 2:
        year -= 1
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


@inner
def two_digits(p: int) -> int:
    """The number at p, -1 if it is none."""
    tens, units = byte(p) - 48, byte(p + 1) - 48
    if tens < 0 or tens > 9 or units < 0 or units > 9:
        return -1
    return tens * 10 + units


@inner
def month_number(s: int, p: int, length: int) -> int:
    """1..12 of a month's name, 0 if unknown; case does not count."""
    name = 0
    for i in range(min(length, 7)):
        c = byte(p + i)
        if 65 <= c <= 90:
            c += 32
        name |= c << (8 * i)
    months = get(s, layout.MONTHS)
    i = 0
    while get(months, i) != 0:
        if get(months, i) == name:
            return get(months, i + 1)
        i += 2
    return 0


@inner
def clock(p: int, e: int) -> int:
    """Seconds of a day from 'HH:MM:SS' at p, -1 if it is none. Leap second 60 is allowed."""
    if p + 8 > e or byte(p + 2) != layout.COLON or byte(p + 5) != layout.COLON:
        return -1
    hour, minute, second = two_digits(p), two_digits(p + 3), two_digits(p + 6)
    if hour < 0 or minute < 0 or second < 0 or hour > 23 or minute > 59 or second > 60:
        return -1
    return hour * 3600 + minute * 60 + second


@inner
def fraction_ns(p: int, e: int) -> tuple[int, int]:
    """(nanoseconds, position behind) of '.123' or ',123' at p; (0, p) if there is none."""
    if p >= e or (byte(p) != layout.DOT and byte(p) != layout.COMMA):
        return 0, p
    p += 1
    value, count = 0, 0
    while p < e and 48 <= byte(p) <= 57:
        if count < 9:
            value = value * 10 + byte(p) - 48
            count += 1
        p += 1
    for _ in range(count, 9):
        value *= 10
    return value, p


@inner
def zone_seconds(p: int, e: int) -> tuple[int, int]:
    """(seconds east of UTC, position behind) of 'Z', '+HHMM' or '+HH:MM'; (0, 0) if none."""
    if p < e and byte(p) == 90:
        return 0, p + 1
    if p + 5 > e or (byte(p) != 43 and byte(p) != layout.DASH):
        return 0, 0
    q = p + 4 if byte(p + 3) == layout.COLON else p + 3
    if q + 2 > e:
        return 0, 0
    hour, minute = two_digits(p + 1), two_digits(q)
    if hour < 0 or minute < 0 or hour > 18 or minute > 59:
        return 0, 0
    seconds = hour * 3600 + minute * 60
    return (-seconds if byte(p) == layout.DASH else seconds), q + 2


@inner
def bracket_time(s: int, p: int, e: int) -> int:
    """Read '[dd/Mon/yyyy:HH:MM:SS.fffffffff +HHMM] ' at p into TIME; the position behind or 0.

    Lines of one second share all but the fraction, so the text of the last second is kept.
    """
    if (
        p + 40 <= e
        and word(p + 13) == get(s, layout.DATE_3)
        and word(p + 1) == get(s, layout.DATE_1)
        and word(p + 9) == get(s, layout.DATE_2)
        and word(p + 31) == get(s, layout.ZONE)
        and byte(p + 21) == layout.DOT
    ):
        fraction = eight_digits(p + 22)
        digit = byte(p + 30) - 48
        if fraction >= 0 and 0 <= digit <= 9:
            put(s, layout.TIME, get(s, layout.SECOND) * _S + fraction * 10 + digit)
            return p + 39
    return _any_bracket_time(s, p, e)


@inner
def _any_bracket_time(s: int, p: int, e: int) -> int:
    if p + 22 > e or byte(p) != layout.BRACKET:
        return 0
    day, q = integer(p + 1, p + 3)
    if q == 0 or day < 1 or day > 31 or byte(q) != layout.SLASH:
        return 0
    name = q + 1
    q = name
    while q < e and byte(q) != layout.SLASH and q - name < 16:
        q += 1
    if q + 14 > e or byte(q) != layout.SLASH:
        return 0
    month = month_number(s, name, q - name)
    year, after = integer(q + 1, q + 5)
    second = clock(q + 6, e)
    if month == 0 or after != q + 5 or byte(after) != layout.COLON or second < 0:
        return 0
    if not is_year(year):
        return 0
    fraction, q = fraction_ns(q + 14, e)
    while q < e and byte(q) == layout.BLANK:
        q += 1
    zone, q = zone_seconds(q, e)
    if q == 0 or q >= e or byte(q) != layout.BRACKET_END:
        return 0
    total = days(year, month, day) * 86400 + second - zone
    put(s, layout.TIME, total * _S + fraction)
    if q - p == 37 and byte(p + 21) == layout.DOT and byte(p + 38) == layout.BLANK:
        put(s, layout.DATE_1, word(p + 1))
        put(s, layout.DATE_2, word(p + 9))
        put(s, layout.DATE_3, word(p + 13))
        put(s, layout.ZONE, word(p + 31))
        put(s, layout.SECOND, total)
    return q + 2 if q + 1 < e and byte(q + 1) == layout.BLANK else q + 1
