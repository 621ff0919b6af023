"""The memory functions in plain Python, with every access checked: for fuzzing only.

Addresses are real ones; an access outside the arrays that were `lent` raises MemoryError.
"""

from __future__ import annotations

import bisect
from typing import Any

import numpy as np
from numpy.typing import NDArray

_starts: list[int] = []
_lent: dict[int, NDArray[np.uint8]] = {}
_MASK = 2**64 - 1


def wrap_around() -> None:
    """Let 64-bit arithmetic overflow silently, as it does in compiled code."""
    np.seterr(over="ignore")


def lend(array: NDArray[Any]) -> int:
    """Make an array known and keep it alive; returns its address."""
    start = int(array.ctypes.data)
    if start not in _lent:
        bisect.insort(_starts, start)
    if start not in _lent or len(_lent[start]) < array.nbytes:
        _lent[start] = array.reshape(-1).view(np.uint8)
    return start


def forget() -> None:
    """Let go of every array that was lent."""
    _starts.clear()
    _lent.clear()


def _view(address: int, size: int) -> NDArray[np.uint8]:
    i = bisect.bisect_right(_starts, address) - 1
    start = _starts[i] if i >= 0 else address + 1
    held = _lent.get(start)
    if held is None or address + size > start + len(held):
        raise MemoryError(f"{size} bytes at {address} are in no array that was lent")
    return held[address - start : address - start + size]


def _read(address: int, size: int, *, signed: bool = False) -> int:
    return int.from_bytes(_view(int(address), size).tobytes(), "little", signed=signed)


def _write(array: int, i: int, value: int, size: int) -> None:
    low = (int(value) & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    _view(int(array) + int(i) * size, size)[:] = np.frombuffer(low, np.uint8)


def byte(address: int) -> int:
    return _read(address, 1)


def word(address: int) -> int:
    return _read(address, 8, signed=True)


def get(array: int, i: int) -> int:
    return _read(int(array) + int(i) * 8, 8, signed=True)


def put(array: int, i: int, value: int) -> None:
    _write(array, i, value, 8)


def put32(array: int, i: int, value: int) -> None:
    _write(array, i, value, 4)


def put8(array: int, i: int, value: int) -> None:
    _write(array, i, value, 1)


def matches(address: int, wanted: int) -> int:
    text = _view(int(address), 32)
    return sum(1 << i for i in np.flatnonzero(text == wanted).tolist())


def trailing_zeros(value: int) -> int:
    return (value & -value).bit_length() - 1


def unsigned(value: int) -> Any:
    return np.uint64(int(value) & _MASK)


def signed(value: Any) -> int:
    return (int(value) ^ (1 << 63)) - (1 << 63)
