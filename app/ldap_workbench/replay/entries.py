"""Which entries a window writes, as numbers: no name of the captured server reaches another one."""

from __future__ import annotations

from collections.abc import Iterable

from ldap_workbench.replay.requests import LoggedWrite
from ldap_workbench.replay.script import Request


class EntryNumbers:
    """Numbers the entries of a window that are written, and tells what is written of each.

    An entry that is only modified has one number for all connections, so that those who modify it
    meet on one entry here as they did there. One that is also added, deleted or renamed has a
    number of its own on each connection: replayed twice, or by several copies, each write finds its
    entry as it was, whatever the other connections have come to.
    """

    def __init__(self, writes: Iterable[LoggedWrite]) -> None:
        """`writes` are all of the window."""
        moving = [write for write in writes if write.kind != "MOD"]
        self._moving = {write.dn for write in moving} | {write.new_dn for write in moving}
        self._shared: dict[str, int] = {}
        self._own: dict[str, int] = {}
        self._last = 0

    def begin_connection(self) -> None:
        """What follows is of another connection."""
        self._own = {}

    def request_of(self, write: LoggedWrite) -> Request:
        """The next write of the connection, with no times yet."""
        entry, renamed = self._of(write), 0
        if write.kind in ("DEL", "MODRDN"):
            self._own.pop(write.dn, None)
        if write.kind == "MODRDN":
            renamed = self._own[write.new_dn] = self._next()
        return Request(False, 0, "", write=write.kind, entry=entry, renamed=renamed)

    def _of(self, write: LoggedWrite) -> int:
        numbers = self._own if write.dn in self._moving else self._shared
        if write.kind == "ADD" or write.dn not in numbers:
            numbers[write.dn] = self._next()
        return numbers[write.dn]

    def _next(self) -> int:
        self._last += 1
        return self._last
