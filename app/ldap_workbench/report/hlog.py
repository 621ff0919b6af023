"""The etimes of a session as an HdrHistogram log: lines for each window, one an operation type.

The line without a tag holds all client operations of its window: HistogramLogProcessor reads such
lines unless `-tag` names others, and fails where there are none.

Format: HdrHistogram V2 with zlib and base64, log version 1.3, as HistogramLogProcessor and the
viewers of JMeter and wrk2 read it. Values are nanoseconds with three significant digits.
Source: https://github.com/HdrHistogram/HdrHistogram (AbstractHistogram.encodeIntoByteBuffer).
"""

from __future__ import annotations

import base64
import re
import struct
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.inference.counts.tails import ascending_etimes
from ldap_workbench.model.operations import ALL
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Session

DIGITS = 3
_HALF_BITS = 10
"""2,048 steps double the two thousand that three digits take; half of them is 2^10."""
_MASK = (2 << _HALF_BITS) - 1
_HIGHEST_NS = 1 << 52
"""52 days, the largest etime that is told apart; what is longer counts as that."""
_PLAIN, _PACKED = 0x1C849303 | 0x10, 0x1C849304 | 0x10
_HEADINGS = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"'


def hlog(session: Session) -> str:
    """The log of a session; its base time is the start of the first window."""
    windows = session.windows()
    base_ns = min((window.start_ns for window in windows), default=0)
    head = [
        "#[LDAP Tuning Workbench: etime in ns; a tag is ARM:TYPE, no tag is all client operations]",
        "#[Histogram log format version 1.3]",
        f"#[StartTime: {base_ns / NS_PER_S:.3f} (seconds since epoch)]",
        f"#[BaseTime: {base_ns / NS_PER_S:.3f} (seconds since epoch)]",
        _HEADINGS,
    ]
    lines = [line for window in windows for line in _lines(session, window, base_ns)]
    return "\n".join([*head, *lines]) + "\n"


def _lines(session: Session, window: Window, base_ns: int) -> Iterator[str]:
    """As `tails` counts them: SRCH is what clients searched, INTERNAL is apart."""
    arm = re.sub(r"[^A-Za-z0-9]", "_", window.arm or window.name)
    at = f"{(window.start_ns - base_ns) / NS_PER_S:.3f},{window.seconds:.3f}"
    for kind, etimes in ascending_etimes(session.latencies(window)).items():
        if len(etimes):
            tag = "" if kind == ALL else f"Tag={arm}:{kind},"
            yield f"{tag}{at},{etimes[-1] / 1e6:.3f},{encoded(etimes)}"


def encoded(etimes_ns: NDArray[np.int64]) -> str:
    """A histogram of etimes (n, in ns) as V2, zlib and base64."""
    values = np.clip(etimes_ns, 0, _HIGHEST_NS)
    counts = np.bincount(_indices(values))
    body = _leb128(counts)
    plain = struct.pack(">iiiiqqd", _PLAIN, len(body), 0, DIGITS, 1, _HIGHEST_NS, 1.0)
    packed = zlib.compress(plain + body)
    return base64.b64encode(struct.pack(">ii", _PACKED, len(packed)) + packed).decode()


def _indices(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of the counter of each value: the bucket doubles, 1,024 steps in each."""
    _, bits = np.frexp((values | _MASK).astype(np.float64))
    bucket = bits.astype(np.int64) - (_HALF_BITS + 1)
    step = values >> bucket
    return ((bucket + 1) << _HALF_BITS) + step - (1 << _HALF_BITS)


def _leb128(counts: NDArray[np.int64]) -> bytes:
    """Counts as ZigZag LEB128; a run of zeros is the negative of its length."""
    buffer = bytearray()
    present = np.flatnonzero(counts)
    before = -1
    for index in present:
        if (zeros := int(index) - before - 1) > 0:
            _put(buffer, -zeros)
        _put(buffer, int(counts[index]))
        before = int(index)
    return bytes(buffer)


def _put(buffer: bytearray, value: int) -> None:
    """One number of at most 64 bits; the ninth byte holds eight of them."""
    rest = (value << 1) ^ (value >> 63) if value < 0 else value << 1
    rest &= (1 << 64) - 1
    for _ in range(8):
        if rest < 0x80:
            buffer.append(rest)
            return
        buffer.append(rest & 0x7F | 0x80)
        rest >>= 7
    buffer.append(rest)
