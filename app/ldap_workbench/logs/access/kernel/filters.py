"""Quoted text and the shape of a search filter."""

from __future__ import annotations

from ldap_workbench.logs.access.kernel.compiled import inner
from ldap_workbench.logs.access.kernel.layout import (
    BLANK,
    CLOSING,
    EQUALS,
    QUESTION,
    QUOTE,
    S_BYTES,
    S_TEXT,
    STAR,
)
from ldap_workbench.logs.access.kernel.memory import byte, find, get, put8
from ldap_workbench.logs.access.kernel.tables import intern


@inner
def _ends_here(q: int, e: int) -> bool:
    """Whether the quote at q is the closing one: the line ends or another key=... follows."""
    p = q + 1
    if p >= e:
        return True
    if byte(p) != BLANK:
        return False
    p += 1
    start = p
    while p < e and (97 <= byte(p) <= 122 or 65 <= byte(p) <= 90 or byte(p) == 95):
        p += 1
    return p >= e or (p > start and byte(p) == EQUALS)


@inner
def quote_end(p: int, e: int) -> int:
    """Where the quote is that closes the text starting at p, e if there is none.

    Servers do not escape a quote inside, so the first one followed by the end of the line or by
    another key counts, else the last one.
    """
    last = e
    q = find(p, e, QUOTE)
    while q < e:
        if _ends_here(q, e):
            return q
        last = q
        q = find(q + 1, e, QUOTE)
    return last


@inner
def fingerprint(table: int, p: int, e: int) -> int:
    """Index of the filter with every assertion value replaced by '?'.

    '(&(objectClass=person)(cn=us*r))' becomes '(&(objectclass=?)(cn=?*?))': attribute names in
    lower case, a star stays, so presence, prefix and substring searches remain apart.
    """
    text = get(table, S_TEXT) + get(table, S_BYTES)
    n = 0
    in_value = False
    skipped = False
    while p < e:
        c = byte(p)
        p += 1
        if not in_value:
            if 65 <= c <= 90:
                c += 32
            in_value = c == EQUALS
            skipped = False
        elif c == CLOSING:
            in_value = False
        elif c == STAR:
            skipped = False
        elif skipped:
            continue
        else:
            c = QUESTION
            skipped = True
        put8(text, n, c)
        n += 1
    return intern(table, text, text + n)


@inner
def contains(p: int, e: int, needle: int, length: int) -> bool:
    """Whether the bytes at `needle` occur in a text."""
    while p + length <= e:
        i = 0
        while i < length and byte(p + i) == byte(needle + i):
            i += 1
        if i == length:
            return True
        p += 1
    return False
