"""What the latency of a result is: its unit, whether it was cut, and where it is not printed."""

from __future__ import annotations

from ldap_workbench.logs.kernel.compiled import inner
from ldap_workbench.logs.kernel.layout import (
    ABSENT,
    BETWEEN_LINES,
    CLASS,
    ETIME,
    ETIME_DIGITS,
    ETIME_END,
    ETIME_UNIT,
    LACKING,
    LAST_DIGITS,
    LATCHED,
    MICROSECONDS,
    N_FLAGS,
    N_MILLISECONDS,
    N_NANOSECONDS,
    NANOSECONDS,
    NO_TIME,
    O_KEY,
    O_START,
    OP,
    QUANTISED,
    R_CUT,
    R_GARBAGE_ETIME,
    R_NO_ETIME,
    RESULT,
    SLAPD,
    STYLE,
    TIME,
    TIME_DIGITS,
    WHOLE_SECONDS,
)
from ldap_workbench.logs.kernel.lines import set_aside
from ldap_workbench.logs.kernel.memory import get, put
from ldap_workbench.logs.kernel.rows import add, conn_entry, dismiss, open_request

_SHORTEST_NS = 2000
"""No OpenDJ operation takes less than two microseconds: such a number counts milliseconds."""
_LINE_NS = 2_000_000_000
"""Lines carry whole seconds, so an etime may exceed their distance by this much."""


@inner
def _note_resolution(s: int) -> None:
    digits = get(s, ETIME_DIGITS)
    put(s, LAST_DIGITS, digits)
    if digits >= 7:
        add(s, NANOSECONDS)
    elif digits == 0:
        add(s, WHOLE_SECONDS)
    elif get(s, ETIME) % 1_000_000 == 0:
        add(s, QUANTISED)
    else:
        add(s, MICROSECONDS)


@inner
def _between_lines(s: int) -> int:
    """Time from the line of the request to that of the result, ABSENT if there is no request."""
    if get(s, OP) < 0 or get(s, TIME) == ABSENT or get(s, LACKING) == NO_TIME:
        return ABSENT
    place = open_request(s)
    if get(place, O_KEY) == 0 or get(place, O_START) == ABSENT:
        return ABSENT
    return get(s, TIME) - get(place, O_START)


@inner
def _is_milliseconds(s: int, number: int, flags: int) -> bool:
    """The unit of a bare etime. It is latched when a connection is accepted, and nothing says it:
    a number that would be longer than the operation's lines are apart counts nanoseconds."""
    if flags & N_NANOSECONDS != 0:
        return False
    between = _between_lines(s)
    if number < _SHORTEST_NS:
        return True
    if between != ABSENT:
        return number < 9_000_000_000 and number * 1_000_000 <= between + _LINE_NS
    return flags & N_MILLISECONDS != 0 or number < 10 * _SHORTEST_NS


@inner
def _scale(s: int) -> None:
    place = conn_entry(s)
    flags, number = get(place, N_FLAGS), get(s, ETIME)
    if _is_milliseconds(s, number, flags):
        put(place, N_FLAGS, flags | N_MILLISECONDS)
        put(s, ETIME, number * 1_000_000)
        put(s, ETIME_DIGITS, 3)
    else:
        put(place, N_FLAGS, (flags | N_NANOSECONDS) & ~N_MILLISECONDS)
        put(s, ETIME_DIGITS, 9)


@inner
def judge(s: int, stopped: int, whole: bool) -> None:
    """Settle the etime of a result, or set it aside: missing, negative, or cut in its digits."""
    if get(s, CLASS) != RESULT:
        return
    if get(s, ETIME) == ABSENT and get(s, STYLE) == SLAPD:
        put(s, ETIME, _between_lines(s))
        put(s, ETIME_DIGITS, get(s, TIME_DIGITS))
        if get(s, ETIME) != ABSENT:
            add(s, BETWEEN_LINES)
    elif get(s, ETIME) >= 0 and get(s, ETIME_UNIT) == LATCHED:
        _scale(s)
    digits, before = get(s, ETIME_DIGITS), get(s, LAST_DIGITS)
    if get(s, ETIME) == ABSENT:
        set_aside(s, R_NO_ETIME if whole else R_CUT)
    elif get(s, ETIME) < 0:
        set_aside(s, R_GARBAGE_ETIME)
    elif not whole and get(s, ETIME_END) == stopped and before >= 0 and digits != before:
        set_aside(s, R_CUT)
    else:
        _note_resolution(s)
        return
    dismiss(s)
