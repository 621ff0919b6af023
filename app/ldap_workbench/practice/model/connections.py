"""Which connection carries an operation: long-lived clients, and one short one for each BIND."""

from __future__ import annotations

import numpy as np

from ldap_workbench.practice.model.costs import Rows
from ldap_workbench.practice.model.workload import BIND


class Connections:
    """Numbers connections from 1 and operations from 0, as 389 DS does after each start."""

    def __init__(self, clients: int, rng: np.random.Generator) -> None:
        self.clients = clients
        self._rng = rng
        self.restart()

    def restart(self) -> None:
        self.opened = self.clients
        self._operations = np.zeros(self.clients, dtype=np.int64)

    def another(self) -> int:
        """The number of a connection somebody opens on the real socket."""
        self.opened += 1
        return self.opened

    def number(self, rows: Rows) -> None:
        """Set client, conn and op of rows in order of arrival."""
        client = self._rng.integers(0, self.clients, len(rows))
        rows["client"], rows["conn"] = client, client + 1
        lasting = np.flatnonzero(rows["kind"] != BIND)
        short = np.flatnonzero(rows["kind"] == BIND)
        rows["op"][lasting] = self._operation_numbers(client[lasting])
        rows["conn"][short] = self.opened + 1 + np.arange(len(short))
        self.opened += len(short)

    def _operation_numbers(self, client: np.typing.NDArray[np.int64]) -> Rows:
        """Each client's own count, going on from where it was."""
        order = np.argsort(client, kind="stable")
        counts = np.bincount(client, minlength=self.clients)
        first = np.concatenate([[0], np.cumsum(counts)[:-1]])
        numbers = np.empty(len(client), dtype=np.int64)
        numbers[order] = np.arange(len(client)) - np.repeat(first, counts)
        numbers += self._operations[client]
        self._operations += counts
        return numbers
