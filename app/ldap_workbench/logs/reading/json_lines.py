"""JSON objects out of the lines of a log: one a line, or one over several lines (json-pretty)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

_LONGEST = 1 << 20
"""An object of more characters is no record of a log."""


@dataclass(frozen=True)
class Record:
    """An object, how many lines it takes, and where its first one begins in the stream."""

    values: dict[str, Any]
    lines: int
    at: int


class JsonLines:
    """Puts objects together, line by line.

    A line that begins another record gives up on one that was cut: its lines are in `broken`.
    """

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._size = self._at = 0
        self.broken = 0

    @property
    def pending(self) -> bool:
        """Whether an object has begun whose end has not come."""
        return bool(self._parts)

    def add(self, line: str, at: int) -> Record | None:
        """Take a line; the object that it ends, if it ends one."""
        if line.startswith(("{", "[")):
            self.give_up()
        if not self._parts:
            self._at = at
        self._parts.append(line)
        self._size += len(line)
        values = self._whole(line)
        if values is None:
            if self._size > _LONGEST:
                self.give_up()
            return None
        record = Record(values, len(self._parts), self._at)
        self._parts, self._size = [], 0
        return record

    def give_up(self) -> None:
        """What has begun will never end."""
        self.broken += len(self._parts)
        self._parts, self._size = [], 0

    def _whole(self, line: str) -> dict[str, Any] | None:
        if not line.rstrip(" ,").endswith("}"):
            return None
        try:
            values = json.loads("\n".join(self._parts).rstrip(" ,"))
        except (ValueError, RecursionError):
            return None
        return values if isinstance(values, dict) else None
