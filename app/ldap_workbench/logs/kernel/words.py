"""Reads of several bytes at once: LLVM does in one instruction what a loop does in many."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ldap_workbench.logs.kernel.compiled import compiled

Bytes = NDArray[np.uint8]

_LANES = 32


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    view = context.make_array(array_type)(context, builder, array)
    return builder.gep(view.data, [index])


def _load64(typing_context: Any, array: Any, index: Any) -> Any:
    """Eight bytes of `array` from `index`, the first one lowest; they must be inside the array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _address(context, builder, signature.args[0], *arguments)
        word = builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()))
        word.align = 1
        return word

    return types.uint64(array, types.intp), generate


def _matches(typing_context: Any, array: Any, index: Any, byte: Any) -> Any:
    """Bit i set where array[index + i] == byte, for 32 bytes; they must be inside the array."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lane = ir.VectorType(ir.IntType(8), _LANES)
        place = _address(context, builder, signature.args[0], arguments[0], arguments[1])
        text = builder.load(builder.bitcast(place, lane.as_pointer()))
        text.align = 1
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), _LANES), [0] * _LANES)
        single = builder.insert_element(
            ir.Constant(lane, ir.Undefined), arguments[2], ir.Constant(ir.IntType(32), 0)
        )
        wanted = builder.shuffle_vector(single, ir.Constant(lane, ir.Undefined), zeros)
        equal = builder.icmp_unsigned("==", text, wanted)
        return builder.bitcast(equal, ir.IntType(_LANES))

    return types.uint32(array, types.intp, types.uint8), generate


def _trailing_zeros(typing_context: Any, word: Any) -> Any:
    """Number of zero bits below the lowest one bit of `word`, which must not be 0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))
        return context.cast(builder, zeros, signature.args[0], signature.return_type)

    return types.intp(word), generate


load64 = intrinsic(_load64)
matches = intrinsic(_matches)
trailing_zeros = intrinsic(_trailing_zeros)


@compiled
def find(buf: Bytes, p: int, end: int, byte: int) -> int:
    """Index of the first `byte` in buf[p:end], `end` if there is none. buf is padded by 32."""
    wanted = np.uint8(byte)
    while p < end:
        hits = matches(buf, p, wanted)
        if hits != 0:
            p += trailing_zeros(hits)
            return p if p < end else end
        p += _LANES
    return end


@compiled
def word_at(buf: Bytes, p: int, length: int) -> np.uint64:
    """The first eight of `length` bytes as one number, the rest zero; grammar tables use it."""
    word = load64(buf, p)
    if length >= 8:
        return word
    return word & ((np.uint64(1) << np.uint64(8 * length)) - np.uint64(1))


@compiled
def eight_digits(word: np.uint64) -> int:
    """The number that eight ASCII digits spell, -1 where one of them is no digit."""
    high = np.uint64(0xF0F0F0F0F0F0F0F0)
    threes = np.uint64(0x3030303030303030)
    six = np.uint64(0x0606060606060606)
    if (word & high) != threes or ((word + six) & high) != threes:
        return -1
    word = word - threes
    word = word * np.uint64(10) + (word >> np.uint64(8))
    mask = np.uint64(0x000000FF000000FF)
    low = (word & mask) * np.uint64(0x000F424000000064)
    rest = ((word >> np.uint64(16)) & mask) * np.uint64(0x0000271000000001)
    return np.int64((low + rest) >> np.uint64(32))
