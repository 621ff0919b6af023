"""What the latency of a result is: its unit, whether it was cut, and where it is not printed."""

from __future__ import annotations

from ldap_workbench.logs.access.kernel import layout
from ldap_workbench.logs.access.kernel.compiled import inner
from ldap_workbench.logs.access.kernel.lines import set_aside
from ldap_workbench.logs.access.kernel.memory import get, put
from ldap_workbench.logs.access.kernel.rows import add, conn_entry, dismiss, open_request

_SHORTEST_NS = 2000
"""No OpenDJ operation takes less than two microseconds: such a number counts milliseconds."""
_LINE_NS = 2_000_000_000
"""Lines carry whole seconds, so an etime may exceed their distance by this much."""


@inner
def _note_resolution(s: int) -> None:
    digits = get(s, layout.ETIME_DIGITS)
    put(s, layout.LAST_DIGITS, digits)
    if digits >= 7:
        add(s, layout.NANOSECONDS)
    elif digits == 0:
        add(s, layout.WHOLE_SECONDS)
    elif get(s, layout.ETIME) % 1_000_000 == 0:
        add(s, layout.QUANTISED)
    else:
        add(s, layout.MICROSECONDS)


@inner
def _between_lines(s: int) -> int:
    """Time from the line of the request to that of the result, ABSENT if there is no request."""
    if (
        get(s, layout.OP) < 0
        or get(s, layout.TIME) == layout.ABSENT
        or get(s, layout.LACKING) == layout.NO_TIME
    ):
        return layout.ABSENT
    place = open_request(s)
    if get(place, layout.O_KEY) == 0 or get(place, layout.O_START) == layout.ABSENT:
        return layout.ABSENT
    return get(s, layout.TIME) - get(place, layout.O_START)


@inner
def _is_milliseconds(s: int, number: int, flags: int) -> bool:
    """The unit of a bare etime. It is latched when a connection is accepted, and nothing says it:
    a number that would be longer than the operation's lines are apart counts nanoseconds."""
    if flags & layout.N_NANOSECONDS != 0:
        return False
    between = _between_lines(s)
    if number < _SHORTEST_NS:
        return True
    if between != layout.ABSENT:
        return number < 9_000_000_000 and number * 1_000_000 <= between + _LINE_NS
    return flags & layout.N_MILLISECONDS != 0 or number < 10 * _SHORTEST_NS


@inner
def _scale(s: int) -> None:
    place = conn_entry(s)
    flags, number = get(place, layout.N_FLAGS), get(s, layout.ETIME)
    if _is_milliseconds(s, number, flags):
        put(place, layout.N_FLAGS, flags | layout.N_MILLISECONDS)
        put(s, layout.ETIME, number * 1_000_000)
        put(s, layout.ETIME_DIGITS, 3)
    else:
        put(place, layout.N_FLAGS, (flags | layout.N_NANOSECONDS) & ~layout.N_MILLISECONDS)
        put(s, layout.ETIME_DIGITS, 9)


@inner
def judge(s: int, stopped: int, whole: bool) -> None:
    """Settle the etime of a result, or set it aside: missing, negative, or cut in its digits."""
    if get(s, layout.CLASS) != layout.RESULT:
        return
    if get(s, layout.ETIME) == layout.ABSENT and get(s, layout.STYLE) == layout.SLAPD:
        put(s, layout.ETIME, _between_lines(s))
        put(s, layout.ETIME_DIGITS, get(s, layout.TIME_DIGITS))
        if get(s, layout.ETIME) != layout.ABSENT:
            add(s, layout.BETWEEN_LINES)
    elif get(s, layout.ETIME) >= 0 and get(s, layout.ETIME_UNIT) == layout.LATCHED:
        _scale(s)
    digits, before = get(s, layout.ETIME_DIGITS), get(s, layout.LAST_DIGITS)
    if get(s, layout.ETIME) == layout.ABSENT:
        set_aside(s, layout.R_NO_ETIME if whole else layout.R_CUT)
    elif get(s, layout.ETIME) < 0:
        set_aside(s, layout.R_GARBAGE_ETIME)
    elif not whole and get(s, layout.ETIME_END) == stopped and before >= 0 and digits != before:
        set_aside(s, layout.R_CUT)
    else:
        _note_resolution(s)
        return
    dismiss(s)
