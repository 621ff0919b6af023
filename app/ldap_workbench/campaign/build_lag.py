"""The lag of the replicas while an index is built on one of them: no window is measured then."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import wait
from contextlib import ExitStack, closing
from functools import partial

import numpy as np

from ldap_workbench.campaign.lag import Series, lags
from ldap_workbench.campaign.replica import Replica
from ldap_workbench.experiment.build_limits import crossed
from ldap_workbench.model.message import Message
from ldap_workbench.servers.replication import csn_entries, csns
from ldap_workbench.servers.target import Target

_INTERVAL_S = 1.0


def enter_watched(replicas: Sequence[Replica], canary: int, max_lag_s: float) -> None:
    """Make the change on one replica, and end it where any of them comes too far behind.

    Raises what the change raises; ExperimentError where the lag ended it, after it is undone.
    """
    chosen = replicas[canary]
    with ExitStack() as stack:
        read = [stack.enter_context(closing(_Csns(replica.target))) for replica in replicas]
        changed = chosen.do(partial(chosen.arms.enter, "B"))
        while not wait([changed], timeout=_INTERVAL_S).done:
            for replica, lag in zip(replicas, lags([one.look() for one in read]), strict=True):
                if lag.largest_s > max_lag_s and chosen.arms.stop is None:
                    chosen.arms.stop = crossed(
                        Message(
                            "{replica} was {lag:.1f} s behind the others",
                            replica=replica.name,
                            lag=lag.largest_s,
                        )
                    )
        changed.result()


class _Csns:
    """The changes a replica has come to, read over a link of its own: that of its thread waits."""

    def __init__(self, target: Target) -> None:
        self._link = target.another_directory()
        self._entries = csn_entries(self._link, target.facts)
        self._seen: dict[str, list[tuple[int, float]]] = defaultdict(list)

    def look(self) -> dict[str, Series]:
        """All that was read until now, by supplier."""
        for entry in self._entries:
            answers = self._link.search(
                entry.dn, scope=entry.scope, filter=entry.filter, attributes=entry.attributes
            )
            now_ns = time.time_ns()
            for answer in answers:
                for name, value in csns(entry.dn, answer):
                    self._seen[name].append((now_ns, value))
        return {
            name: (np.array([at for at, _ in seen]), np.array([value for _, value in seen]))
            for name, seen in self._seen.items()
        }

    def close(self) -> None:
        self._link.close()
