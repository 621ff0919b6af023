"""One line of text -> `line` (see layout.py). The grammar's tables say what its words mean."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.kernel.compiled import compiled
from ldap_workbench.logs.kernel.fields import fields, lookup, word_end
from ldap_workbench.logs.kernel.layout import (
    ABANDON,
    ABSENT,
    ASIDE,
    BASE_FROM,
    BASE_TO,
    BIND_FROM,
    BIND_TO,
    BOUND,
    CLASS,
    CLIENT_FROM,
    CLIENT_TO,
    CONN,
    CUT,
    ERR,
    ETIME,
    EXTRA,
    FILTER_FROM,
    HEADER,
    INTERNAL,
    INTERNAL_OP,
    KIND,
    NENTRIES,
    NESTING,
    OP,
    OPENED,
    OPTIME,
    R_BLANK,
    R_CUT,
    R_ERROR_LOG,
    R_HEADER,
    R_NO_ETIME,
    R_NUL,
    REASON,
    REQUEST,
    RESULT,
    SOCKET,
    TAG,
    TIME,
    WTIME,
)
from ldap_workbench.logs.kernel.numbers import bracket_time, integer
from ldap_workbench.logs.kernel.words import Bytes, find, load64, word_at

Int64 = NDArray[np.int64]
UInt64 = NDArray[np.uint64]

_CONN = np.uint64(int.from_bytes(b"conn=", "little"))
_OP = np.uint64(int.from_bytes(b"op=", "little"))
_INTERNAL = np.uint64(int.from_bytes(b"Internal", "little"))
_BRACKET_INTERNAL = np.uint64(int.from_bytes(b"(Interna", "little"))
_MSG_ID = np.uint64(int.from_bytes(b"msgId=", "little"))
_FROM = np.uint64(int.from_bytes(b"from", "little"))
_IP = np.uint64(int.from_bytes(b"IP=", "little"))
_PATH = np.uint64(int.from_bytes(b"PATH=", "little"))
_FURTHEST = 1 << 40


@compiled
def clear(line: Int64) -> None:
    """Forget the line before."""
    line[:] = 0
    line[TIME] = ABSENT
    line[OP] = -1
    line[ERR] = -1
    line[TAG] = -1
    line[NENTRIES] = ABSENT
    line[WTIME] = ABSENT
    line[OPTIME] = ABSENT
    line[ETIME] = ABSENT
    line[CUT] = -1
    line[BASE_FROM] = -1
    line[FILTER_FROM] = -1
    line[BIND_FROM] = -1
    line[CLIENT_FROM] = -1


@compiled
def _aside(line: Int64, reason: int) -> None:
    line[CLASS] = ASIDE
    line[REASON] = reason


@compiled
def _nested(buf: Bytes, p: int, e: int, line: Int64) -> int:
    """Read '(9)(1)' behind an op number: internal operation and depth; -1 if it is none."""
    first, q = integer(buf, p + 1, e)
    if q < 0 or q + 1 >= e or buf[q] != 41 or buf[q + 1] != 40:
        return -1
    second, r = integer(buf, q + 2, e)
    if r < 0 or r >= e or buf[r] != 41:
        return -1
    line[INTERNAL_OP], line[NESTING] = first, second
    return r + 1


@compiled
def _connection(buf: Bytes, p: int, e: int, line: Int64) -> int:
    """Read 'conn=12 ', 'conn=12 (Internal) ', 'conn=Internal ' or 'conn=Internal(0) '."""
    if load64(buf, p) == _INTERNAL:
        line[INTERNAL] = 1
        line[CONN] = -1
        p += 8
        if p < e and buf[p] == 40:
            number, q = integer(buf, p + 1, e)
            if q < 0 or q >= e or buf[q] != 41:
                return -1
            line[CONN] = -1 - number
            p = q + 1
    else:
        line[CONN], p = integer(buf, p, e)
        if p < 0 or line[CONN] > _FURTHEST or line[CONN] < -_FURTHEST:
            return -1
    if p >= e or buf[p] != 32:
        return -1
    p += 1
    if p + 11 < e and load64(buf, p) == _BRACKET_INTERNAL:
        line[INTERNAL] = 1
        p += 11
    return p


@compiled
def ids(buf: Bytes, p: int, e: int, line: Int64) -> int:
    """Read 'conn=.. op=.. ' (with internal numbers, or a msgId); -1 if there is none."""
    if p + 6 > e or word_at(buf, p, 5) != _CONN:
        return -1
    p = _connection(buf, p + 5, e, line)
    if p < 0 or p >= e or word_at(buf, p, 3) != _OP:
        return p
    line[OP], p = integer(buf, p + 3, e)
    if p < 0 or line[OP] > 0x7FFFFFFF or line[OP] < -1:
        return -1
    if p < e and buf[p] == 40:
        p = _nested(buf, p, e, line)
    if p < 0 or p >= e or buf[p] != 32:
        return -1
    p += 1
    if p < e and word_at(buf, p, 6) == _MSG_ID:
        p = find(buf, p, e, 32)
        if p + 3 > e or buf[p + 1] != 45:
            return -1
        p += 3
    return p


@compiled
def client(buf: Bytes, p: int, e: int, line: Int64) -> None:
    """Note the address behind 'from ' or 'from=', without the port."""
    while p + 6 < e and word_at(buf, p, 4) != _FROM:
        p += 1
    p += 5
    if p < e and (buf[p] == 34 or buf[p] == 47):
        p += 1
    if p < e and word_at(buf, p, 3) == _IP:
        p += 3
    elif p < e and word_at(buf, p, 5) == _PATH:
        p += 5
    q = p
    colons, last = 0, -1
    while q < e and buf[q] != 32 and buf[q] != 34:
        if buf[q] == 58:
            colons += 1
            last = q
        q += 1
    if last > p and (colons == 1 or buf[last - 1] == 93):
        q = last
    if q > p:
        line[CLIENT_FROM], line[CLIENT_TO] = p, q


@compiled
def _socket(buf: Bytes, p: int, e: int, line: Int64, words: UInt64, meanings: Int64) -> None:
    """The rest of a 'fd=64 ...' line: opened, closed, or something about the socket."""
    p = find(buf, p, e, 32) + 1
    if p >= e:
        return
    code = lookup(words, meanings, word_at(buf, p, word_end(buf, p, e) - p))
    line[CLASS] = code & 15
    if line[CLASS] == OPENED:
        client(buf, p, e, line)


@compiled
def body(
    buf: Bytes,
    p: int,
    e: int,
    line: Int64,
    words: UInt64,
    meanings: Int64,
    keys: UInt64,
    values: Int64,
) -> int:
    """The verb and its fields, after the numbers; returns where it stopped reading."""
    q = word_end(buf, p, e)
    code = lookup(words, meanings, word_at(buf, p, q - p))
    kind_of_line = code & 15
    if kind_of_line == SOCKET:
        _socket(buf, p, e, line, words, meanings)
        return e
    line[CLASS], line[KIND] = kind_of_line, code >> 4
    if kind_of_line == RESULT:
        q = fields(buf, q, e, line, keys, values)
        if line[ETIME] == ABSENT:
            _aside(line, R_NO_ETIME)
        return q
    if kind_of_line == REQUEST or kind_of_line == ABANDON:
        fields(buf, q, e, line, keys, values)
    elif kind_of_line == BOUND:
        fields(buf, q, e, line, keys, values)
        line[BIND_FROM], line[BIND_TO] = line[BASE_FROM], line[BASE_TO]
    if kind_of_line == ABANDON and line[ETIME] == ABSENT:
        line[CLASS] = EXTRA
    return e


@compiled
def _unmarked(buf: Bytes, p: int, e: int, line: Int64) -> None:
    """A line without a time: part of the header, blank, or unknown."""
    while p < e and (buf[p] == 32 or buf[p] == 9):
        p += 1
    if p >= e:
        _aside(line, R_BLANK)
        return
    slash = find(buf, p, e, 47)
    blank = find(buf, p, e, 32)
    if blank + 2 >= e:
        return
    digit = 48 <= buf[blank + 2] <= 57
    if slash < blank and buf[blank + 1] == 66 and digit:
        line[CLASS] = HEADER
        line[REASON] = R_HEADER
    elif buf[blank + 1] == 40 and find(buf, p, blank, 58) < blank and buf[e - 1] == 41:
        _aside(line, R_HEADER)


@compiled
def _has_dash(buf: Bytes, p: int, e: int) -> bool:
    """Error log lines have ' - ' between their parts; access lines begin with conn=."""
    if p + 5 <= e and word_at(buf, p, 5) == _CONN:
        return False
    p = find(buf, p, e, 45)
    while p + 1 < e:
        if buf[p - 1] == 32 and buf[p + 1] == 32:
            return True
        p = find(buf, p + 1, e, 45)
    return False


@compiled
def bracket_line(
    buf: Bytes,
    p: int,
    e: int,
    line: Int64,
    state: Int64,
    cache: UInt64,
    months: UInt64,
    words: UInt64,
    meanings: Int64,
    keys: UInt64,
    values: Int64,
) -> int:
    """'[time] conn=.. op=.. VERB ...'; returns where it stopped reading, e as a rule."""
    if p < e and buf[p] == 0:
        while p < e and buf[p] == 0:
            p += 1
        if p == e:
            _aside(line, R_NUL)
            return e
    if p >= e or buf[p] != 91:
        _unmarked(buf, p, e, line)
        return e
    q = bracket_time(buf, p, e, line, state, cache, months)
    if q < 0:
        return e
    r = ids(buf, q, e, line)
    if r < 0:
        if _has_dash(buf, q, e):
            _aside(line, R_ERROR_LOG)
        return e
    return body(buf, r, e, line, words, meanings, keys, values)
