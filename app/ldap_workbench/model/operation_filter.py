"""Which operations a finding is about, as a few conditions that all hold."""

from __future__ import annotations

from dataclasses import dataclass

from ldap_workbench.model.row_set import RowSet


@dataclass(frozen=True)
class OperationFilter:
    """Operations that meet every condition that is set; texts are whole texts of the log.

    Only those of clients, unless `internal` says otherwise.

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
    most_ns: int | None = None
    """Etime at most."""
    ended_from_ns: int | None = None
    """They end no earlier."""
    not_filters: tuple[str, ...] = ()
    not_types: tuple[str, ...] = ()
    listed: tuple[tuple[int, int], ...] = ()
    """Connection and number of each, where nothing else tells them from others; else empty."""
    internal: bool = False
    """Whether the server's own operations are among them."""
    source: int | None = None
    """The log they are in, where another one has operations of the same time."""
    rows: RowSet | None = None
    """Their rows among all operations of the window, where no conditions tell them from others."""
    own: bool = False
    """Whether those of the workbench are among them; only with `rows`."""
    finding: str = ""
    """What `rows` are called in words: the finding's id and the number of its evidence."""
