"""Text of many log lines at once: a byte matrix, one row a line, in which NUL means nothing.

Numbers are looked up four digits at a time, words by index: a fraction of a format string's time.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.units import NS_PER_S

Bytes = NDArray[np.uint8]
Int = NDArray[np.int64]

_FOUR = np.frombuffer(b"".join(b"%04d" % i for i in range(10_000)), dtype=np.uint32)


def digits(values: Int, width: int) -> Bytes:
    """Zero-filled decimals, shape (n, width)."""
    groups = -(-width // 4)
    matrix = np.empty((len(values), groups), dtype=np.uint32)
    rest = values.astype(np.uint64)
    for group in reversed(range(groups)):
        # numpy divides unsigned by a constant many times faster than it takes divmod
        above = rest // np.uint64(10_000)
        matrix[:, group] = _FOUR[rest - above * np.uint64(10_000)]
        rest = above
    return matrix.view(np.uint8)[:, groups * 4 - width :]


def number(values: Int, width: int = 8) -> Bytes:
    """Decimals without leading zeros."""
    matrix = digits(values, width)
    for column in range(width - 1):
        matrix[values < 10 ** (width - 1 - column), column] = 0
    return matrix


def table(texts: Sequence[str]) -> Bytes:
    """Texts as rows of bytes, for `words` to choose from."""
    encoded = [text.encode() for text in texts]
    matrix = np.zeros((len(encoded), max(map(len, encoded))), dtype=np.uint8)
    for row, text in enumerate(encoded):
        matrix[row, : len(text)] = list(text)
    return matrix


def words(rows: Bytes, index: NDArray[np.integer]) -> Bytes:
    """The text at rows[index] for each line."""
    texts: Bytes = rows[index]
    return texts


def word(text: str, n: int) -> Bytes:
    """The same text in each of n rows."""
    return np.broadcast_to(np.frombuffer(text.encode(), np.uint8), (n, len(text.encode())))


def seconds(ns: Int) -> Bytes:
    """Durations as 389 DS prints them: 0.000270322."""
    whole, fraction = np.divmod(ns, NS_PER_S)
    return np.hstack([number(whole, 4), word(".", len(ns)), digits(fraction, 9)])


def stamps(ns: Int) -> Bytes:
    """[21/Nov/2026:02:19:59.903111192 +0000] and a blank."""
    whole, fraction = np.divmod(ns, NS_PER_S)
    different, index = np.unique(whole, return_inverse=True)
    texts = [time.strftime("[%d/%b/%Y:%H:%M:%S.", time.gmtime(second)) for second in different]
    n = len(ns)
    return np.hstack([words(table(texts or [""]), index), digits(fraction, 9), word(" +0000] ", n)])


def joined(parts: Sequence[tuple[NDArray[np.intp], Bytes]], n: int) -> bytes:
    """Rows of several matrices put at their places among n lines, as one text."""
    width = max((matrix.shape[1] for _, matrix in parts), default=0)
    everything = np.zeros((n, width), dtype=np.uint8)
    for rows, matrix in parts:
        everything[rows, : matrix.shape[1]] = matrix
    flat = everything.ravel()
    text: bytes = flat[flat != 0].tobytes()
    return text
