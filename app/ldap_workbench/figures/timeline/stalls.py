"""The stalls of a window, as the heat map shows them. Runs in the session's thread."""

from __future__ import annotations

from typing import Any

import numpy as np

from ldap_workbench.advice.evidence.stalls import Stall, find_stalls
from ldap_workbench.figures.timeline.heat_grid import StallAt
from ldap_workbench.model.operations import COLUMNS, Operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import SourceKind, Window
from ldap_workbench.session.reader import Session

_TOLD_BY = ("end_ns", "etime_ns", "kind", "fingerprint", "notes")
"""All that says whether operations are usually quick, overlap and end together."""


def stalls_of(session: Session, window: Window) -> tuple[StallAt, ...]:
    """Stalls of the client operations of a window, in the order of their ends."""
    read = session.client_columns(window, _TOLD_BY)
    logs = [s for s in session.sources(window.id) if s.kind == SourceKind.ACCESS_LOG]
    finest = max((s.resolution_ns for s in logs), default=1)
    return tuple(map(_at, find_stalls(_operations(read), finest)))


def _operations(read: dict[str, Any]) -> Operations:
    """Client operations with these columns; all others are empty of meaning and of memory."""
    n = len(read["end_ns"])
    blank = {name: np.broadcast_to(np.zeros(1, dtype), n) for name, dtype in COLUMNS.items()}
    return Operations(**(blank | read))


def _at(episode: Stall) -> StallAt:
    first, last = episode.start_ns / NS_PER_S, episode.end_ns / NS_PER_S
    return StallAt(first, last, len(episode.rows), episode.length_ns)
