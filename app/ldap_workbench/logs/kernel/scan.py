"""The scanner's loop over the lines of one block."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.kernel.compiled import compiled
from ldap_workbench.logs.kernel.layout import (
    ABSENT,
    ASIDE,
    CLASS,
    CONN_USED,
    CUT,
    DONE,
    ETIME,
    ETIME_DIGITS,
    FIRST_TIME,
    HEADER,
    LAST_DIGITS,
    LAST_TIME,
    MAX_LINE,
    MAX_TIME,
    MICROSECONDS,
    NANOSECONDS,
    NEED_CONN,
    NEED_OPEN,
    NEED_OWN,
    NEED_ROWS,
    NOT_KNOWN,
    OPEN_USED,
    OWN_CONNECTIONS,
    QUANTISED,
    R_CUT,
    R_GARBAGE_ETIME,
    R_GLUED,
    R_NO_ETIME,
    R_OVERLONG,
    REASON,
    RESULT,
    ROWS,
    SET_ASIDE,
    STATUS,
    STEPS_BACK,
    TIME,
    UNDERSTOOD,
    UNKNOWN,
    WHOLE_SECONDS,
)
from ldap_workbench.logs.kernel.lines import bracket_line, clear
from ldap_workbench.logs.kernel.rows import Columns, Tables, act
from ldap_workbench.logs.kernel.words import Bytes, find

Int64 = NDArray[np.int64]
UInt64 = NDArray[np.uint64]
Grammar = tuple[UInt64, UInt64, Int64, UInt64, Int64]
"""Months, words, their meanings, keys, their fields."""

_STEP = 1_000_000_000
"""Lines are up to some 50 ms out of order; a clock that steps goes back further than this."""


@compiled
def _note_time(line: Int64, state: Int64) -> None:
    now = line[TIME]
    if state[FIRST_TIME] == ABSENT:
        state[FIRST_TIME] = now
    if now + _STEP < state[MAX_TIME]:
        state[STEPS_BACK] += 1
        state[MAX_TIME] = now
    elif now > state[MAX_TIME]:
        state[MAX_TIME] = now
    state[LAST_TIME] = now


@compiled
def _note_resolution(line: Int64, state: Int64) -> None:
    digits = line[ETIME_DIGITS]
    state[LAST_DIGITS] = digits
    if digits >= 7:
        state[NANOSECONDS] += 1
    elif digits == 0:
        state[WHOLE_SECONDS] += 1
    elif line[ETIME] % 1_000_000 == 0:
        state[QUANTISED] += 1
    else:
        state[MICROSECONDS] += 1


@compiled
def _room(state: Int64, opens: Int64, conns: Int64, columns: Columns, own: Int64) -> int:
    """DONE if one more line fits into every table, else what must grow."""
    if state[ROWS] >= columns[0].shape[1]:
        return NEED_ROWS
    if state[OPEN_USED] * 2 >= len(opens):
        return NEED_OPEN
    if state[CONN_USED] * 2 >= len(conns):
        return NEED_CONN
    if state[OWN_CONNECTIONS] >= len(own):
        return NEED_OWN
    return DONE


@compiled
def _judge(line: Int64, state: Int64, stopped: int, terminated: bool) -> None:
    """Set a result aside whose latency cannot be trusted: negative, or cut within its digits."""
    if line[ETIME] < 0:
        line[CLASS], line[REASON] = ASIDE, R_GARBAGE_ETIME
    elif (
        not terminated
        and line[CUT] == stopped
        and state[LAST_DIGITS] >= 0
        and line[ETIME_DIGITS] != state[LAST_DIGITS]
    ):
        line[CLASS], line[REASON] = ASIDE, R_CUT
    else:
        _note_resolution(line, state)


@compiled
def _is_record(buf: Bytes, p: int, e: int) -> bool:
    """Whether another record begins at p: a writer was killed within the line before."""
    return p + 22 < e and buf[p] == 91 and buf[p + 3] == 47 and buf[p + 7] == 47


@compiled
def scan(
    buf: Bytes,
    p: int,
    end: int,
    offset: int,
    terminated: bool,
    grammar: Grammar,
    line: Int64,
    state: Int64,
    cache: UInt64,
    reasons: Int64,
    opens: Int64,
    conns: Int64,
    tables: Tables,
    columns: Columns,
    nonces: Bytes,
    nonce_ends: Int64,
    own: Int64,
) -> int:
    """Scan the lines of buf[p:end]; returns where it stopped, with the reason in state[STATUS].

    The block ends behind a newline (or, `terminated` False, is one last line without). `offset`
    is the place of buf[0] in the stream. PAD bytes behind `end` must be readable.
    """
    months, words, meanings, keys, values = grammar
    while p < end:
        status = _room(state, opens, conns, columns, own)
        if status != DONE:
            state[STATUS] = status
            return p
        newline = find(buf, p, end, 10)
        e = newline
        if e > p and buf[e - 1] == 13:
            e -= 1
        clear(line)
        if e - p > MAX_LINE:
            line[CLASS], line[REASON] = ASIDE, R_OVERLONG
            stopped = e
        else:
            stopped = bracket_line(
                buf, p, e, line, state, cache, months, words, meanings, keys, values
            )
        if line[TIME] != ABSENT:
            _note_time(line, state)
        glued = _is_record(buf, stopped, e)
        whole = terminated and not glued
        if line[CLASS] == RESULT:
            _judge(line, state, stopped, whole)
        elif not whole and line[CLASS] == ASIDE and line[REASON] == R_NO_ETIME:
            line[REASON] = R_CUT
        what = line[CLASS]
        if what == NOT_KNOWN:
            state[UNKNOWN] += 1
        elif what == ASIDE or what == HEADER:
            state[SET_ASIDE] += 1
            reasons[line[REASON]] += 1
        else:
            state[UNDERSTOOD] += 1
        if what != NOT_KNOWN and what != ASIDE:
            act(
                buf, line, state, reasons, opens, conns, tables, columns,
                nonces, nonce_ends, own, offset + p,
            )  # fmt: skip
        if glued:
            reasons[R_GLUED] += 1
            p = stopped
        else:
            p = newline + 1
    state[STATUS] = DONE
    return end
