"""Numbers and times in log text. A position of -1 says that there is none."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.kernel.compiled import compiled
from ldap_workbench.logs.kernel.layout import CACHED_SECOND, TIME
from ldap_workbench.logs.kernel.words import Bytes, eight_digits, load64

Int64 = NDArray[np.int64]
UInt64 = NDArray[np.uint64]

_S = 1_000_000_000


@compiled
def integer(buf: Bytes, p: int, e: int) -> tuple[int, int]:
    """(value, position behind it) of digits with an optional sign; at most 18 digits."""
    negative = p < e and buf[p] == 45
    if negative:
        p += 1
    start = p
    value = 0
    while p < e:
        digit = np.int64(buf[p]) - 48
        if digit < 0 or digit > 9:
            break
        value = value * 10 + digit
        p += 1
    if p == start or p - start > 18:
        return 0, -1
    return (-value if negative else value), p


@compiled
def decimal(buf: Bytes, p: int, e: int) -> tuple[int, int, int]:
    """(nano-units, fraction digits, position behind) of a decimal number.

    The server prints seconds and nanoseconds apart: '-161634.769' is -161634 + 0.769. A fraction
    of exactly ten digits is a nanosecond count padded by one zero too many (389 DS 1.3.7-1.4.1,
    and ABANDON lines of every version).
    """
    whole, q = integer(buf, p, e)
    if q < 0 or whole > 9_000_000_000 or whole < -9_000_000_000:
        return 0, 0, -1
    if q >= e or buf[q] != 46:
        return whole * _S, 0, q
    q += 1
    start = q
    fraction = 0
    if q + 8 <= e:
        value = eight_digits(load64(buf, q))
        if value >= 0:
            fraction = value
            q += 8
    while q < e and q - start < 18:
        digit = np.int64(buf[q]) - 48
        if digit < 0 or digit > 9:
            break
        fraction = fraction * 10 + digit
        q += 1
    digits = q - start
    if digits == 0:
        return 0, 0, -1
    if digits == 9 or digits == 10:
        return whole * _S + fraction, digits, q
    for _ in range(digits, 9):
        fraction *= 10
    for _ in range(9, digits):
        fraction //= 10
    return whole * _S + fraction, digits, q


@compiled
def days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a date of the Gregorian calendar."""
    if month <= 2:
        year -= 1
    era = year // 400
    of_era = year - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


@compiled
def _two(buf: Bytes, p: int) -> int:
    tens, units = np.int64(buf[p]) - 48, np.int64(buf[p + 1]) - 48
    if tens < 0 or tens > 9 or units < 0 or units > 9:
        return -1
    return tens * 10 + units


@compiled
def month_number(buf: Bytes, p: int, length: int, months: UInt64) -> int:
    """1..12 of a month's name, 0 if unknown; `months` holds (name as a word, number) pairs."""
    word = np.uint64(0)
    for i in range(min(length, 8)):
        c = np.uint64(buf[p + i])
        if np.uint64(65) <= c <= np.uint64(90):
            c += np.uint64(32)
        word |= c << np.uint64(8 * i)
    for i in range(0, len(months), 2):
        if months[i] == word:
            return np.int64(months[i + 1])
    return 0


@compiled
def clock(buf: Bytes, p: int, e: int) -> int:
    """Seconds of a day from 'HH:MM:SS' at p, -1 if it is none. Leap second 60 is allowed."""
    if p + 8 > e or buf[p + 2] != 58 or buf[p + 5] != 58:
        return -1
    hour, minute, second = _two(buf, p), _two(buf, p + 3), _two(buf, p + 6)
    if hour < 0 or minute < 0 or second < 0 or hour > 23 or minute > 59 or second > 60:
        return -1
    return hour * 3600 + minute * 60 + second


@compiled
def fraction_ns(buf: Bytes, p: int, e: int) -> tuple[int, int]:
    """(nanoseconds, position behind) of '.123' or ',123' at p; (0, p) if there is none."""
    if p >= e or (buf[p] != 46 and buf[p] != 44):
        return 0, p
    p += 1
    value, count = 0, 0
    while p < e and 48 <= buf[p] <= 57:
        if count < 9:
            value = value * 10 + np.int64(buf[p]) - 48
            count += 1
        p += 1
    for _ in range(count, 9):
        value *= 10
    return value, p


@compiled
def zone_seconds(buf: Bytes, p: int, e: int) -> tuple[int, int]:
    """(seconds east of UTC, position behind) of 'Z', '+HHMM' or '+HH:MM'; (0, -1) if none."""
    if p < e and buf[p] == 90:
        return 0, p + 1
    if p + 5 > e or (buf[p] != 43 and buf[p] != 45):
        return 0, -1
    q = p + 4 if buf[p + 3] == 58 else p + 3
    if q + 2 > e:
        return 0, -1
    hour, minute = _two(buf, p + 1), _two(buf, q)
    if hour < 0 or minute < 0 or hour > 18 or minute > 59:
        return 0, -1
    seconds = hour * 3600 + minute * 60
    return (-seconds if buf[p] == 45 else seconds), q + 2


@compiled
def bracket_time(
    buf: Bytes, p: int, e: int, line: Int64, state: Int64, cache: UInt64, months: UInt64
) -> int:
    """Read '[dd/Mon/yyyy:HH:MM:SS.fffffffff +HHMM] ' at p into line[TIME] (ns UTC).

    Returns the position behind it or -1. Lines of one second share all but the fraction, so
    the text of the last second is kept in `cache` (4 words).
    """
    if p + 40 <= e and buf[p + 21] == 46:
        fraction = eight_digits(load64(buf, p + 22))
        digit = np.int64(buf[p + 30]) - 48
        if (
            fraction >= 0
            and 0 <= digit <= 9
            and load64(buf, p + 1) == cache[0]
            and load64(buf, p + 9) == cache[1]
            and load64(buf, p + 13) == cache[2]
            and load64(buf, p + 31) == cache[3]
        ):
            line[TIME] = state[CACHED_SECOND] * _S + fraction * 10 + digit
            return p + 39
    return _any_bracket_time(buf, p, e, line, state, cache, months)


@compiled
def _any_bracket_time(
    buf: Bytes, p: int, e: int, line: Int64, state: Int64, cache: UInt64, months: UInt64
) -> int:
    start = p
    if p + 22 > e or buf[p] != 91:
        return -1
    day, q = integer(buf, p + 1, min(p + 3, e))
    if q < 0 or day < 1 or day > 31 or buf[q] != 47:
        return -1
    q += 1
    name = q
    while q < e and buf[q] != 47 and q - name < 16:
        q += 1
    if q + 13 > e or buf[q] != 47:
        return -1
    month = month_number(buf, name, q - name, months)
    year, after = integer(buf, q + 1, q + 5)
    second = clock(buf, q + 6, e)
    if month == 0 or after != q + 5 or buf[after] != 58 or second < 0 or year < 1970:
        return -1
    fraction, q = fraction_ns(buf, q + 14, e)
    while q < e and buf[q] == 32:
        q += 1
    zone, q = zone_seconds(buf, q, e)
    if q < 0 or q >= e or buf[q] != 93:
        return -1
    q += 1
    total = days(year, month, day) * 86400 + second - zone
    line[TIME] = total * _S + fraction
    if q - start == 38 and buf[start + 21] == 46 and buf[q] == 32:
        cache[0], cache[1] = load64(buf, start + 1), load64(buf, start + 9)
        cache[2], cache[3] = load64(buf, start + 13), load64(buf, start + 31)
        state[CACHED_SECOND] = total
    if q < e and buf[q] == 32:
        q += 1
    return q
