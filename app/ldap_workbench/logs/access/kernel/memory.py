# ruff: noqa: ARG001 - numba gives its code generators more than they need
"""Reads and writes at addresses, several bytes at once where LLVM has one instruction for it.

Positions in the kernel are addresses: a function takes the context and a position, which compiles
several times faster than functions that take arrays, and needs no reference counts. Whoever calls
the kernel owns the memory; every text is readable for PAD bytes behind its end. With INTERPRETED
the same functions run in Python and check every access against the arrays made known by `lend`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from ldap_workbench.logs.access.kernel import checked
from ldap_workbench.logs.access.kernel.compiled import INTERPRETED, inner

_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
_LANES = 32


_intrinsic: Callable[[Any], Any] = intrinsic


def _load(width: int) -> Any:
    """An intrinsic that reads `width` bits at an address, which need not be aligned."""

    def typed(_: Any, __: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = builder.inttoptr(arguments[0], ir.IntType(width).as_pointer())
            value = builder.load(place)
            value.align = 1
            return builder.zext(value, _I64) if width < 64 else value

        return types.int64(types.int64), generate

    return _intrinsic(typed)


def _get(_: Any, array: Any, i: Any) -> Any:
    """Read element i of an int64 array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = builder.inttoptr(arguments[0], _I64.as_pointer())
        return builder.load(builder.gep(place, [arguments[1]]))

    return types.int64(types.int64, types.int64), generate


def _store(width: int) -> Any:
    """An intrinsic that writes the low `width` bits of a value as element i of an array."""

    def typed(_: Any, __: Any, ___: Any, ____: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            lane = ir.IntType(width)
            place = builder.gep(builder.inttoptr(arguments[0], lane.as_pointer()), [arguments[1]])
            text = builder.trunc(arguments[2], lane) if width < 64 else arguments[2]
            builder.store(text, place)
            return context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64), generate

    return _intrinsic(typed)


def _matches(_: Any, address: Any, wanted: Any) -> Any:
    """Bit i set where the byte at address + i is `wanted`, for 32 bytes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = ir.VectorType(_I8, _LANES)
        text = builder.load(builder.inttoptr(arguments[0], lanes.as_pointer()))
        text.align = 1
        nothing = ir.Constant(lanes, ir.Undefined)
        byte = builder.trunc(arguments[1], _I8)
        single = builder.insert_element(nothing, byte, ir.Constant(_I32, 0))
        zeros = ir.Constant(ir.VectorType(_I32, _LANES), [0] * _LANES)
        equal = builder.icmp_unsigned("==", text, builder.shuffle_vector(single, nothing, zeros))
        return builder.zext(builder.bitcast(equal, ir.IntType(_LANES)), _I64)

    return types.int64(types.int64, types.int64), generate


def _trailing_zeros(_: Any, value: Any) -> Any:
    """Number of zero bits below the lowest one bit of `value`, which must not be 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


byte: Callable[[int], int] = _load(8)
"""byte(address) -> 0..255"""
word: Callable[[int], int] = _load(64)
"""word(address): eight bytes as one number, the first one lowest."""
get: Callable[[int, int], int] = _intrinsic(_get)
"""get(array, i): element i of the int64 array at this address."""
put: Callable[[int, int, int], None] = _store(64)
"""put(array, i, value): element i of an int64 array."""
put32: Callable[[int, int, int], None] = _store(32)
put8: Callable[[int, int, int], None] = _store(8)
matches: Callable[[int, int], int] = _intrinsic(_matches)
trailing_zeros: Callable[[int], int] = _intrinsic(_trailing_zeros)
unsigned: Callable[[int], Any] = np.uint64
signed: Callable[[Any], int] = np.int64  # type: ignore[assignment]

if INTERPRETED:
    checked.wrap_around()
    byte, word, get, put, put32, put8 = (
        checked.byte, checked.word, checked.get, checked.put, checked.put32, checked.put8,
    )  # fmt: skip
    matches, trailing_zeros = checked.matches, checked.trailing_zeros
    unsigned, signed = checked.unsigned, checked.signed


@inner
def find(p: int, e: int, wanted: int) -> int:
    """Address of the first byte `wanted` from p on, e if there is none before e."""
    while p < e:
        hits = matches(p, wanted)
        if hits != 0:
            return min(p + trailing_zeros(hits), e)
        p += _LANES
    return e


@inner
def word_at(p: int, length: int) -> int:
    """The first eight of `length` bytes as one number, the rest zero; grammar tables use it."""
    if length >= 8:
        return word(p)
    return word(p) & ((1 << (8 * length)) - 1)


@inner
def index_of_equals(p: int) -> int:
    """Index of the first '=' within the eight bytes at p, 8 if there is none."""
    text = unsigned(word(p)) ^ np.uint64(0x3D3D3D3D3D3D3D3D)
    low = np.uint64(0x0101010101010101)
    zero = (text - low) & ~text & np.uint64(0x8080808080808080)
    if zero == 0:
        return 8
    return trailing_zeros(signed(zero)) >> 3


@inner
def eight_digits(p: int) -> int:
    """The number that the eight bytes at p spell, -1 where one of them is no digit."""
    text = unsigned(word(p))
    high = np.uint64(0xF0F0F0F0F0F0F0F0)
    zeros = np.uint64(0x3030303030303030)
    if (text & high) != zeros or ((text + np.uint64(0x0606060606060606)) & high) != zeros:
        return -1
    text = text - zeros
    text = text * np.uint64(10) + (text >> np.uint64(8))
    mask = np.uint64(0x000000FF000000FF)
    upper = (text & mask) * np.uint64(0x000F424000000064)
    lower = ((text >> np.uint64(16)) & mask) * np.uint64(0x0000271000000001)
    return signed((upper + lower) >> np.uint64(32))


@inner
def mix(h: int, value: int) -> int:
    """One step of a 64-bit hash."""
    mixed = (unsigned(h) ^ unsigned(value)) * np.uint64(0x9E3779B97F4A7C15)
    return signed(mixed ^ (mixed >> np.uint64(29)))


@inner
def top_byte(value: int) -> int:
    """The slot of a word in a grammar's table of 256."""
    return signed((unsigned(value) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(56))
