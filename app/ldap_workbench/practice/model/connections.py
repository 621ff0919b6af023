"""Which connection carries an operation: long-lived ones, and a short one for each BIND."""

from __future__ import annotations

import numpy as np

from ldap_workbench.practice.model.costs import Rows
from ldap_workbench.practice.model.scenario import Workload
from ldap_workbench.practice.model.workload import BIND, PORTAL

POOL = 4
"""Connections an application keeps that has a pool."""


class Connections:
    """Numbers connections from 1 and operations from 0, as 389 DS does after each start.

    The application is the client after the last: its number is how many clients there are.
    """

    def __init__(self, workload: Workload, rng: np.random.Generator) -> None:
        self.clients = workload.clients
        self.lasting = workload.clients + (POOL if workload.pooled else 0)
        self._rng = rng
        self.restart()

    def restart(self) -> None:
        self.opened = self.lasting
        self._operations = np.zeros(self.lasting, dtype=np.int64)
        self._of_visit: dict[int, int] = {}

    def another(self) -> int:
        """The number of a connection somebody opens on the real socket."""
        self.opened += 1
        return self.opened

    def number(self, rows: Rows) -> None:
        """Set client, conn and op of rows in order of arrival."""
        client = self._rng.integers(0, self.clients, len(rows))
        place = client.copy()
        portal = rows["form"] == PORTAL
        if portal.any():
            client[portal] = self.clients
            place[portal] = self._rng.integers(self.clients, self.clients + POOL, portal.sum())
        rows["client"], rows["conn"] = client, place + 1
        lasting = np.flatnonzero((rows["kind"] != BIND) & (rows["visit"] == 0))
        short = np.flatnonzero(rows["kind"] == BIND)
        rows["op"][lasting] = self._operation_numbers(place[lasting])
        rows["conn"][short] = self.opened + 1 + np.arange(len(short))
        self.opened += len(short)
        self._follow_visits(rows)

    def _follow_visits(self, rows: Rows) -> None:
        """The search of a visit comes over the connection of its bind."""
        for row in np.flatnonzero(rows["visit"]):
            visit = int(rows["visit"][row])
            if rows["kind"][row] == BIND:
                self._of_visit[visit] = int(rows["conn"][row])
            else:
                rows["conn"][row], rows["op"][row] = self._of_visit.pop(visit), 1

    def _operation_numbers(self, place: np.typing.NDArray[np.int64]) -> Rows:
        """Each connection's own count, going on from where it was."""
        order = np.argsort(place, kind="stable")
        counts = np.bincount(place, minlength=self.lasting)
        first = np.concatenate([[0], np.cumsum(counts)[:-1]])
        numbers = np.empty(len(place), dtype=np.int64)
        numbers[order] = np.arange(len(place)) - np.repeat(first, counts)
        numbers += self._operations[place]
        self._operations += counts
        return numbers
