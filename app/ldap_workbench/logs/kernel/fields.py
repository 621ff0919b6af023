"""The key=value part of a line, the same loop for every dialect; keys come from its tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.logs.kernel.compiled import compiled
from ldap_workbench.logs.kernel.filters import quote_end
from ldap_workbench.logs.kernel.layout import (
    ABSENT,
    BASE_FROM,
    BASE_TO,
    BIND_FROM,
    BIND_TO,
    CUT,
    ERR,
    ETIME,
    ETIME_DIGITS,
    F_BASE,
    F_DN,
    F_ERR,
    F_ETIME,
    F_FILTER,
    F_NENTRIES,
    F_OID,
    F_OPTIME,
    F_SKIP,
    F_STOP,
    F_TAG,
    F_WTIME,
    FILTER_FROM,
    FILTER_TO,
    GARBAGE_OPTIME,
    GARBAGE_WTIME,
    NENTRIES,
    NOTES,
    OPTIME,
    TAG,
    WTIME,
)
from ldap_workbench.logs.kernel.numbers import decimal, integer
from ldap_workbench.logs.kernel.words import Bytes, find, load64, trailing_zeros, word_at

Int64 = NDArray[np.int64]
UInt64 = NDArray[np.uint64]


@compiled
def lookup(keys: UInt64, values: Int64, word: np.uint64) -> int:
    """The value a grammar gives to a word, 0 if it has none; 256 slots, at most half full."""
    slot = (word * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(56)
    while keys[slot] != 0:
        if keys[slot] == word:
            return np.int64(values[slot])
        slot = (slot + np.uint64(1)) & np.uint64(255)
    return 0


@compiled
def word_end(buf: Bytes, p: int, e: int) -> int:
    """End of the word at p: before a blank, a quote, a bracket, a comma or an equals sign."""
    while p < e and buf[p] > 44 and buf[p] != 61:
        p += 1
    return p


@compiled
def _key_end(buf: Bytes, p: int, e: int) -> int:
    word = load64(buf, p) ^ np.uint64(0x3D3D3D3D3D3D3D3D)
    low = np.uint64(0x0101010101010101)
    zero = (word - low) & ~word & np.uint64(0x8080808080808080)
    if zero != 0:
        q = p + (trailing_zeros(zero) >> 3)
        return q if q < e else e
    return word_end(buf, p + 8, e) if p + 8 < e else e


@compiled
def note_bits(buf: Bytes, p: int, e: int) -> int:
    """notes=U,P as bits of model.operations.NOTES ('UAPFMNB')."""
    bits = 0
    while p < e and buf[p] != 32:
        c = buf[p]
        if c == 85:
            bits |= 1
        elif c == 65:
            bits |= 2
        elif c == 80:
            bits |= 4
        elif c == 70:
            bits |= 8
        elif c == 77:
            bits |= 16
        elif c == 78:
            bits |= 32
        elif c == 66:
            bits |= 64
        p += 1
    return bits


@compiled
def _number(buf: Bytes, p: int, e: int, line: Int64, field: int) -> int:
    value, q = integer(buf, p, e)
    if q < 0:
        return p
    line[field] = value
    return q


@compiled
def _etime(buf: Bytes, p: int, e: int, line: Int64) -> int:
    value, digits, q = decimal(buf, p, e)
    if q < 0:
        return p
    if line[ETIME] == ABSENT:
        line[ETIME] = value
        line[ETIME_DIGITS] = digits
        line[CUT] = q
    return q


@compiled
def _part(buf: Bytes, p: int, e: int, line: Int64, field: int, garbage: int) -> int:
    """wtime or optime: ABSENT and marked as garbage where it is negative or no number."""
    value, _, q = decimal(buf, p, e)
    if q < 0 or value < 0:
        line[garbage] = 1
        return max(p, q)
    line[field] = value
    return q


@compiled
def _text(buf: Bytes, p: int, e: int, line: Int64, first: int, last: int) -> int:
    """Note where a text is, quoted or up to the next blank; returns the position behind it."""
    if p < e and buf[p] == 34:
        q = quote_end(buf, p + 1, e)
        line[first], line[last] = p + 1, q
        return q + 1
    q = find(buf, p, e, 32)
    line[first], line[last] = p, q
    return q


@compiled
def _value(buf: Bytes, p: int, e: int, line: Int64, field: int) -> int:
    """Read the value at p of a known key; returns a position behind it or inside it."""
    if field == F_ETIME:
        return _etime(buf, p, e, line)
    if field == F_OPTIME:
        return _part(buf, p, e, line, OPTIME, GARBAGE_OPTIME)
    if field == F_WTIME:
        return _part(buf, p, e, line, WTIME, GARBAGE_WTIME)
    if field == F_NENTRIES:
        return _number(buf, p, e, line, NENTRIES)
    if field == F_ERR:
        return _number(buf, p, e, line, ERR)
    if field == F_TAG:
        return _number(buf, p, e, line, TAG)
    if field == F_BASE:
        return _text(buf, p, e, line, BASE_FROM, BASE_TO)
    if field == F_FILTER or field == F_OID:
        return _text(buf, p, e, line, FILTER_FROM, FILTER_TO)
    if field == F_DN:
        return _text(buf, p, e, line, BIND_FROM, BIND_TO)
    line[NOTES] |= note_bits(buf, p, e)
    return p


@compiled
def fields(buf: Bytes, p: int, e: int, line: Int64, keys: UInt64, values: Int64) -> int:
    """Read every key=value token of buf[p:e] into `line`; returns where it stopped.

    It stops at a token that begins with ',', '-' or '[': text for people, or the next record glued
    to a cut one.
    """
    while p < e:
        c = buf[p]
        if c == 32:
            p += 1
            continue
        if c == 44 or c == 45 or c == 91:
            return p
        q = _key_end(buf, p, e)
        field = lookup(keys, values, word_at(buf, p, q - p)) if q < e else F_SKIP
        if field == F_STOP:
            return e
        if field != F_SKIP:
            p = _value(buf, q + 1, e, line, field)
        elif q + 1 < e and buf[q] == 61 and buf[q + 1] == 34 and find(buf, p, q, 32) == q:
            p = quote_end(buf, q + 2, e) + 1
        while p < e and buf[p] != 32:
            if buf[p] == 91:
                return p
            p += 1
    return e
