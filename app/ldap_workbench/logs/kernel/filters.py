"""Quoted text and the shape of a search filter."""

from __future__ import annotations

import numpy as np

from ldap_workbench.logs.kernel.compiled import compiled
from ldap_workbench.logs.kernel.tables import Strings, intern_own
from ldap_workbench.logs.kernel.words import Bytes, find


@compiled
def _ends_here(buf: Bytes, q: int, e: int) -> bool:
    """Whether the quote at q is the closing one: the line ends or another key=... follows."""
    p = q + 1
    if p >= e:
        return True
    if buf[p] != 32:
        return False
    p += 1
    start = p
    while p < e and (97 <= buf[p] <= 122 or 65 <= buf[p] <= 90 or buf[p] == 95):
        p += 1
    return p >= e or (p > start and buf[p] == 61)


@compiled
def quote_end(buf: Bytes, p: int, e: int) -> int:
    """Index of the quote that closes the text starting at p, e if there is none.

    Servers do not escape a quote inside, so the first one followed by the end of the line or by
    another key counts, else the last one.
    """
    last = e
    q = find(buf, p, e, 34)
    while q < e:
        if _ends_here(buf, q, e):
            return q
        last = q
        q = find(buf, q + 1, e, 34)
    return last


@compiled
def fingerprint(table: Strings, buf: Bytes, p: int, e: int) -> int:
    """Index of the filter buf[p:e] with every assertion value replaced by '?'.

    '(&(objectClass=person)(cn=us*r))' becomes '(&(objectclass=?)(cn=?*?))': attribute names in
    lower case, a star stays, so presence, prefix and substring searches remain apart.
    """
    text, used = table[2], table[4][1]
    n = used
    in_value = False
    skipped = False
    while p < e:
        c = buf[p]
        p += 1
        if not in_value:
            if np.uint8(65) <= c <= np.uint8(90):
                c += np.uint8(32)
            text[n] = c
            n += 1
            in_value = c == 61
            skipped = False
        elif c == 41:
            in_value = False
            text[n] = c
            n += 1
        elif c == 42:
            text[n] = c
            n += 1
            skipped = False
        elif not skipped:
            text[n] = 63
            n += 1
            skipped = True
    return intern_own(table, n - used)


@compiled
def contains(buf: Bytes, start: int, end: int, needle: Bytes, n_from: int, n_to: int) -> bool:
    """Whether needle[n_from:n_to] occurs in buf[start:end]."""
    length = n_to - n_from
    for p in range(start, end - length + 1):
        i = 0
        while i < length and buf[p + i] == needle[n_from + i]:
            i += 1
        if i == length:
            return True
    return False
