"""Which operations a finding is about, as a few conditions that all hold."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class OperationFilter:
    """Client operations that meet every condition that is set; texts are whole texts of the log.

    `start_ns` and `end_ns` enclose them: they begin no earlier and end no later. `count` is how
    many it finds in the session.
    """

    start_ns: int
    end_ns: int
    count: int
    type: str = ""
    error: int | None = None
    filter: str | None = None
    base: str | None = None
    client: str | None = None
    bind_dn: str | None = None
    notes: str = ""
    """Letters of `notes=`, all of which the operation has."""
    least_ns: int | None = None
    """Etime at least."""
