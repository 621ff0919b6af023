"""What clients ask, and when: Poisson arrivals of a mix whose load drifts slowly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import TYPES
from ldap_workbench.practice.model.scenario import Workload

Float = NDArray[np.float64]
Int = NDArray[np.int64]

WRITES = np.isin(TYPES, ("MOD", "ADD", "DEL", "MODRDN"))
"""By kind: does it take the backend's write lock."""
BIND = TYPES.index("BIND")
SRCH = TYPES.index("SRCH")
DEL = TYPES.index("DEL")
MOD = TYPES.index("MOD")
USUAL, PORTAL, BY_NUMBER, GROUP = range(4)
"""What an operation is about: a person by name, an application's own, a person by employeeNumber,
the members of a group. Its lines in the log differ by that."""


class Drift:
    """Slow waves in three quantities of life, a fixed function of time for a seed.

    exp(sum of sines) with periods of two minutes to two hours: load, cost of an operation, length
    of a stall. What was measured later therefore differs a little even where nothing was changed.
    """

    def __init__(self, seed: int, load: float, cost: float = 0.015, stall: float = 0.12) -> None:
        rng = np.random.default_rng([seed, 17])
        self._periods = np.geomspace(120.0, 7200.0, 6) * rng.uniform(0.8, 1.25, 6)
        self._phases = rng.uniform(0, 2 * np.pi, (3, 6))
        self._amplitudes = np.array([load, cost, stall]) / np.sqrt(3)

    def load(self, at: Float) -> Float:
        return self._wave(0, at)

    def cost(self, at: Float) -> Float:
        return self._wave(1, at)

    def stall(self, at: Float) -> Float:
        return self._wave(2, at)

    def _wave(self, which: int, at: Float) -> Float:
        angle = 2 * np.pi * at[:, None] / self._periods + self._phases[which]
        wave: Float = np.exp(self._amplitudes[which] * np.sin(angle).sum(axis=1))
        return wave


@dataclass
class Arrivals:
    """Operations in order of arrival: time in s, kind as index of TYPES, the entry it is about."""

    at: Float
    kind: NDArray[np.uint8]
    user: Int
    form: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.at)


class Clients:
    """Draws arrivals; `users` are drawn by rank of popularity and scattered over the names."""

    def __init__(self, workload: Workload, drift: Drift, rng: np.random.Generator) -> None:
        self._workload = workload
        self._drift = drift
        self._rng = rng
        kinds = sorted(workload.mix, key=TYPES.index)
        shares = np.array([workload.mix[kind] for kind in kinds])
        self._kinds = np.array([TYPES.index(kind) for kind in kinds], dtype=np.uint8)
        self._cumulative = np.cumsum(shares / shares.sum())

    def between(self, start: float, end: float) -> Arrivals:
        """Poisson arrivals in [start, end) at rate x load(t)."""
        at = self._times(start, end)
        draw = np.searchsorted(self._cumulative, self._rng.random(len(at)), side="right")
        kind = self._kinds[np.minimum(draw, len(self._kinds) - 1)]
        user = self._users(len(at))
        return Arrivals(at, kind, user, self._forms(kind))

    def _forms(self, kind: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Nothing is drawn for a workload without them: a seed stays the same history."""
        form = np.zeros(len(kind), dtype=np.uint8)
        for share, of, name in (
            (self._workload.by_number, SRCH, BY_NUMBER),
            (self._workload.groups, MOD, GROUP),
        ):
            if share:
                form[(kind == of) & (self._rng.random(len(kind)) < share)] = name
        return form

    def _times(self, start: float, end: float) -> Float:
        grid = np.linspace(start, end, max(2, int(end - start) + 2))
        load = self._drift.load(grid)
        passed = np.concatenate([[0.0], np.cumsum((load[1:] + load[:-1]) / 2 * np.diff(grid))])
        n = self._rng.poisson(self._workload.rate * passed[-1])
        at: Float = np.interp(np.sort(self._rng.random(n)) * passed[-1], passed, grid)
        return at

    def _users(self, n: int) -> Int:
        """Inverse of the hit curve: a share x**b of requests goes to the share x of users."""
        users = self._workload.users
        rank = (users * self._rng.random(n) ** (1 / self._workload.popularity)).astype(np.int64)
        return (rank * 7_368_787 + 12_345) % users
