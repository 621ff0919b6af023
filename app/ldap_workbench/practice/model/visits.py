"""One application at the directory: a connection, a bind and a search a visit, or a pool."""

from __future__ import annotations

import numpy as np

from ldap_workbench.practice.model.costs import OPERATION, Rows
from ldap_workbench.practice.model.scenario import Workload
from ldap_workbench.practice.model.workload import BIND, PORTAL, SRCH

GAP_S = 0.030
"""Median time from the bind to the search behind it: the answer to the bind, and the network."""


class Visits:
    """Draws the application's operations; searches that come after a step wait for the next."""

    def __init__(self, workload: Workload, rng: np.random.Generator) -> None:
        self._workload, self._rng = workload, rng
        self.restart()

    def restart(self) -> None:
        """Visits under way are broken off."""
        self._coming = np.zeros(0, OPERATION)
        self._begun = 0

    def between(self, start: float, until: float) -> Rows:
        """Operations that arrive in [start, until), in no order."""
        if not self._workload.visits:
            return self._coming
        n = int(self._rng.poisson(self._workload.visits * (until - start)))
        searches = np.zeros(n, OPERATION)
        searches["at"] = self._rng.uniform(start, until, n)
        searches["kind"], searches["form"] = SRCH, PORTAL
        searches["user"] = self._rng.integers(0, self._workload.users, n)
        if self._workload.pooled:
            return searches
        searches["visit"] = self._begun + 1 + np.arange(n)
        self._begun += n
        binds = searches.copy()
        binds["kind"] = BIND
        searches["at"] += GAP_S * self._rng.lognormal(0.0, 0.2, n)
        every = np.concatenate([self._coming, binds, searches])
        self._coming = every[every["at"] >= until]
        return every[every["at"] < until]
