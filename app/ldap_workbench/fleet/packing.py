"""A tree of texts, numbers and arrays as bytes. What comes back is a stranger's."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import zstandard

from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message

NOT_OURS = (
    *(ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError),
    *(MemoryError, zstandard.ZstdError),
)
"""What a tree of another shape than ours leads to: a list for a dict, a number without an end."""


@contextmanager
def damaged() -> Iterator[None]:
    """Raises LogError where what is read inside is not what `pack` wrote."""
    try:
        yield
    except NOT_OURS as error:
        raise LogError(
            Message("A summary is damaged: {why}", why=str(error) or type(error).__name__),
            safe=Message("The summary was skipped."),
            remedy=Message("Import the logs again."),
        ) from error


def pack(tree: Any) -> bytes:
    """A tree of dicts, lists, texts, numbers and int64 arrays as bytes: JSON, then the arrays."""
    arrays: list[Any] = []

    def plain(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            arrays.append(np.ascontiguousarray(value, np.int64))
            return {"array": list(value.shape)}
        raise TypeError(type(value).__name__)

    text = json.dumps(tree, sort_keys=True, default=plain, ensure_ascii=False).encode(
        "utf-8", "surrogatepass"
    )
    body = b"".join([len(text).to_bytes(8, "little"), text, *(array.tobytes() for array in arrays)])
    return zstandard.ZstdCompressor(level=3).compress(body)


def unpack(data: bytes, largest: int) -> Any:
    """What `pack` wrote, of at most so many bytes; used inside `damaged`."""
    size = zstandard.frame_content_size(data)
    if not 0 <= size <= largest:
        raise ValueError(f"{size} bytes")
    body = zstandard.ZstdDecompressor().decompress(data, max_output_size=size)
    end = 8 + int.from_bytes(body[:8], "little")
    numbers = np.frombuffer(body[end:], np.int64)
    at = 0

    def restored(value: dict[str, Any]) -> Any:
        nonlocal at
        if value.keys() != {"array"} or not isinstance(value["array"], list):
            return value
        shape = [int(length) for length in value["array"]]
        count = math.prod(shape)
        if min(shape, default=0) < 0 or at + count > len(numbers):
            raise ValueError("an array is longer than the file")
        at += count
        return numbers[at - count : at].reshape(shape)

    # Objects are restored in the order in which they end, which is that of their arrays.
    return json.loads(body[8:end].decode("utf-8", "surrogatepass"), object_hook=restored)
