"""The logs of many servers summarised by an engine: this machine, their own hosts, or a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.fleet.answers import Worker, local_worker
from ldap_workbench.fleet.cluster import CLUSTERS, cluster_pools
from ldap_workbench.fleet.engine import Outcome, Pool, run
from ldap_workbench.fleet.hosts import Host
from ldap_workbench.fleet.remote import plan_hosts, pools_of
from ldap_workbench.fleet.summary import Summary
from ldap_workbench.fleet.units import RANGE, Planned, Unit, plan
from ldap_workbench.logs.reading.archives import opened
from ldap_workbench.model.errors import LogError
from ldap_workbench.model.message import Message
from ldap_workbench.model.progress import Cancel, OnProgress

LOCAL = "local"


@dataclass(frozen=True)
class Imported:
    """What was found, of which units, and what was no access log."""

    outcome: Outcome
    planned: Planned


def import_here(
    engine: str,
    logs: Mapping[str, Sequence[Path]],
    workers: int,
    parts: Path | None,
    progress: OnProgress,
    cancel: Cancel,
    size: int = RANGE,
) -> Imported:
    """Logs that this machine sees: name of a server -> folders. Raises LogError without any.

    Archives among them are unpacked for as long, into a folder of this machine.
    """
    with ExitStack() as stack:
        contents = {
            name: stack.enter_context(opened(paths, cancel)) for name, paths in logs.items()
        }
        planned = plan(contents, size)
        if not planned.units:
            raise LogError(
                Message("No access log was found."),
                remedy=Message("Name folders of access logs, one for each server."),
            )
        pools = stack.enter_context(_pools(engine, planned.units, workers))
        return Imported(run(pools, parts, progress=progress, cancel=cancel), planned)


def _pools(
    engine: str, units: Sequence[Unit], workers: int
) -> AbstractContextManager[list[Pool[Unit, Worker]]]:
    if engine.startswith(CLUSTERS):
        return cluster_pools(engine, units)
    return nullcontext([Pool(units, local_worker, workers)])


def import_on_hosts(
    hosts: Sequence[Host],
    secrets: Secrets,
    progress: OnProgress,
    cancel: Cancel,
    size: int = RANGE,
) -> Imported:
    """Each host reads its own logs. One that cannot is a failure of the outcome."""
    hosts_planned, failures, cancelled = plan_hosts(hosts, secrets, size, progress, cancel)
    left_out = {what: why for host in hosts_planned for what, why in host.planned.left_out.items()}
    units = tuple(unit for host in hosts_planned for unit in host.planned.units)
    planned = Planned(units, left_out)
    if cancelled:
        return Imported(Outcome(Summary(), failures, cancelled=True), planned)
    outcome = run(pools_of(hosts_planned, secrets), progress=progress, cancel=cancel)
    return Imported(replace(outcome, failures=(*failures, *outcome.failures)), planned)
