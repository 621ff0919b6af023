"""Operations of a window of the practice directory's model: no network, no log."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.operations import ABSENT, COLUMNS, RARE, TYPES, Operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.practice.model.knobs import effective_knobs
from ldap_workbench.practice.model.operations import Batch, Model
from ldap_workbench.practice.model.scenario import Scenario, load_scenario
from ldap_workbench.practice.model.workload import Float

EPOCH_NS = 1_750_000_000 * NS_PER_S
"""When `simulate` says that it starts: 2025-06-15 15:06:40 UTC."""


def simulate(
    scenario: str | Scenario,
    knobs: Mapping[str, str],
    seconds: float,
    seed: int,
    start: float = 0.0,
) -> Operations:
    """Operations of one window of a server that has long been running with these attributes.

    `knobs` are attribute values that differ from the scenario's own. No network, no log: arrivals
    in [start, start + seconds) of practice time, in the order of their ends. One seed is one
    history of load; different starts are different moments of it.
    """
    scenario = load_scenario(scenario) if isinstance(scenario, str) else scenario
    values = {**scenario.settings, **{name.lower(): value for name, value in knobs.items()}}
    model = Model(scenario, effective_knobs(values, ram_bytes=scenario.host.ram_bytes), seed, start)
    return _operations([model.advance(start + seconds), model.drain()])


def _nanoseconds(seconds: list[Float]) -> NDArray[np.int64]:
    return np.rint(np.concatenate(seconds) * NS_PER_S).astype(np.int64)


def _operations(batches: list[Batch]) -> Operations:
    end = _nanoseconds([batch.finished for batch in batches])
    etime = _nanoseconds([batch.etime for batch in batches])
    wtime = _nanoseconds([batch.wtime for batch in batches])
    rows = np.concatenate([batch.rows for batch in batches])
    order = np.argsort(end, kind="stable")
    columns: dict[str, Any] = {
        name: np.full(len(order), RARE.get(name, 0), dtype) for name, dtype in COLUMNS.items()
    }
    for name in ("client", "fingerprint", "base", "bind_dn", "request_at", "result_at"):
        columns[name][:] = -1
    columns["end_ns"] = EPOCH_NS + end[order]
    columns["etime_ns"], columns["wtime_ns"] = etime[order], wtime[order]
    columns["optime_ns"] = np.where(etime >= wtime, etime - wtime, ABSENT)[order]
    for name in ("kind", "conn", "op"):
        columns[name][:] = rows[name][order]
    columns["nentries"] = (columns["kind"] == TYPES.index("SRCH")).astype(np.int64)
    return Operations(**columns)
