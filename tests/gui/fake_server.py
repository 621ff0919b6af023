"""A server that is none, connected to a window of a test."""

from __future__ import annotations

from ldap_workbench.connect.directory import Entry
from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.tuning.catalogue import load_catalogue
from ldap_workbench.tuning.tuner import Tuner
from tests.sessions import START_NS
from tests.unit.tuning.fakes import FakeTarget

load_catalogue()  # as the worker does that connects: it is no work of the window


class Server(FakeTarget):
    """What tuning asks of a server, and groups to search; `searches` counts those searches."""

    def __init__(self, facts: TargetFacts, groups: dict[str, list[str]] | None = None) -> None:
        super().__init__(facts=facts)
        self.searches = 0
        self._search, self._groups = self.directory.search, groups or {}
        self.directory.search = self._answer

    def close(self) -> None:
        self.directory.close()

    def now_ns(self) -> int:
        return START_NS

    def _answer(self, base: str, **how) -> list[Entry]:
        if how.get("scope") != "sub":
            return self._search(base, **how)
        self.searches += 1
        if how["filter"] != "(member=*)":
            return []
        return [Entry(dn, {"member": tuple(members)}) for dn, members in self._groups.items()]


def connect(window, server: Server) -> None:
    """As if the operator had connected to it."""
    bench = window.workbench
    bench.connection = Connection(server, Tuner(server, bench.journal.file()))
    bench.connectionChanged.emit()
