"""Workers on the servers' own hosts: the program installed there, niced. Or those of a cluster.

Only summaries leave a host, and the lines of an hour that are asked for. Which machine a host is
gets noted at the first login after its file was agreed to: a host key says less, for cloned hosts
show the same one, and a name may lead to any of them.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

from ldap_workbench.connect.commands import HostScript
from ldap_workbench.connect.folders import state_folder, unwritable, write_atomically
from ldap_workbench.connect.host_keys import accept_host_key, host_name
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.connect.ssh import SshShell, open_shell
from ldap_workbench.fleet.answers import Speaker, Talker, Worker
from ldap_workbench.fleet.cluster import cluster_worker
from ldap_workbench.fleet.engine import Failure, Job, Pool
from ldap_workbench.fleet.excerpts import Hour, Received
from ldap_workbench.fleet.hosts import Host
from ldap_workbench.fleet.packing import damaged
from ldap_workbench.fleet.units import RANGE, Planned, Unit, is_of
from ldap_workbench.fleet.worker import excerpt_request, plan_request
from ldap_workbench.model.errors import (
    AnotherServerError,
    LogError,
    UnknownHostKeyError,
    UsageError,
)
from ldap_workbench.model.message import Message, from_json, sentences
from ldap_workbench.model.progress import Cancel, OnProgress, no_progress
from ldap_workbench.model.server_identity import ServerIdentity
from ldap_workbench.servers.host import read_machine

# The server comes first: the worker has the processors and the disk that nobody else wants.
_NICED = HostScript(
    "fleet-worker",
    "if command -v ionice >/dev/null 2>&1; then "
    'exec ionice -c 3 nice -n 19 "$@"; fi; exec nice -n 19 "$@"',
    as_login=True,
)
_KNOWN_HOSTS = threading.Lock()
"""One host after the other is added to the file."""
_MOST_UNITS = 200_000


@dataclass(frozen=True)
class PlannedHost:
    """A host and what it found in its logs."""

    host: Host
    planned: Planned


def start(host: Host, secrets: Secrets) -> Speaker:
    """Log in, and start a worker.

    Raises ConnectError and its like, AnotherServerError for another machine than the first time.
    """
    if host.cluster:
        return cluster_worker(host.cluster)
    try:
        shell = open_shell(host.profile, secrets)
    except UnknownHostKeyError as unknown:
        if unknown.fingerprint != host.host_key.rstrip("="):
            raise
        with _KNOWN_HOSTS:
            accept_host_key(unknown)
        shell = open_shell(host.profile, secrets)
    assert isinstance(shell, SshShell)
    words = (*host.program[1:], "fleet", "worker")
    try:
        check_machine(host, shell)
        # "$@" begins with the path of the program: $0 is the script's name.
        return Talker(shell.converse(_NICED.argv(host.path, *words)))
    except BaseException:
        shell.close()
        raise


def plan_hosts(
    hosts: Sequence[Host],
    secrets: Secrets,
    size: int = RANGE,
    progress: OnProgress = no_progress,
    cancel: Cancel | None = None,
) -> tuple[list[PlannedHost], tuple[Failure, ...], bool]:
    """What is to be read on each host; the hosts that do not answer; whether it was cancelled."""
    planned_hosts: list[PlannedHost] = []
    pools = [Pool([host], partial(start, host, secrets), 1) for host in hosts]

    def ask(worker: Speaker, host: Host) -> Planned:
        return planned(worker.ask(plan_request(host.name, host.logs, size)), host.name)

    def take(host: Host, planned: Planned) -> None:
        planned_hosts.append(PlannedHost(host, planned))

    job: Job[Host, Speaker, Planned] = Job(pools, ask, take, progress)
    cancelled = job.run(cancel if cancel is not None else Cancel())
    return planned_hosts, job.failures, cancelled


def pools_of(planned_hosts: Sequence[PlannedHost], secrets: Secrets) -> list[Pool[Unit, Worker]]:
    """The units of each host, for workers there."""
    return [
        Pool(
            planned_host.planned.units,
            partial(start, planned_host.host, secrets),
            planned_host.host.workers,
        )
        for planned_host in planned_hosts
    ]


def fetch_hour(
    hosts: Sequence[Host],
    hour: Hour,
    folder: Path,
    secrets: Secrets,
    progress: OnProgress = no_progress,
    cancel: Cancel | None = None,
) -> list[Path]:
    """The lines of an hour as files of a folder, cut out of the log by its server's host.

    Which files are asked for the file of hosts says, never the fleet's folder. Raises UsageError
    for a server of none of the hosts, LogError and ConnectError where the second try fails as well,
    CancelledError.
    """
    host = next((host for host in hosts if is_of(hour.server, host.name)), None)
    if host is None:
        raise UsageError(
            Message("{server} is not in the file of hosts.", server=hour.server),
            remedy=Message("Choose the file with which the fleet was imported."),
        )
    cancel = cancel if cancel is not None else Cancel()
    fetched: list[Path] = []

    def ask(worker: Speaker, host: Host) -> list[Path]:
        for path in folder.iterdir():
            path.unlink()  # of a first try
        received = Received(folder, progress)
        for body in worker.answers(excerpt_request(host.name, hour, host.logs)):
            if not received.take(body):
                break
        return received.paths

    def take(_: Host, paths: list[Path]) -> None:
        fetched.extend(paths)

    pool = Pool([host], partial(start, host, secrets), 1)
    job: Job[Host, Speaker, list[Path]] = Job([pool], ask, take)
    job.run(cancel)
    cancel.check()
    for failure in job.failures:
        raise LogError(failure.why, remedy=Message("Check the host, then try again."))
    return fetched


def planned(body: bytes, server: str) -> Planned:
    """What a worker says it found in the logs of a server. Raises LogError."""
    with damaged():
        tree = json.loads(body)
        units = [_unit(unit, server) for unit in tree["units"]]
        if len(units) > _MOST_UNITS:
            raise ValueError(f"{len(units)} parts")
        left_out = {str(what): from_json(why) for what, why in tree["left_out"].items()}
        return Planned(tuple(units), left_out)


_KINDS = {"str": (str,), "int": (int,), "bool": (bool,), "int | None": (int, type(None))}


def _unit(tree: Any, server: str) -> Unit:
    kinds = {field.name: _KINDS[str(field.type)] for field in fields(Unit)}
    if tree.keys() != kinds.keys() or any(type(tree[n]) not in k for n, k in kinds.items()):
        raise ValueError("a part is not described")
    unit = Unit(**tree)
    if not is_of(unit.host, server):
        raise ValueError("a part of another server")
    return unit


_NOTES = threading.Lock()
"""Workers of several hosts start at once, and each may add a line to the file."""


def check_machine(host: Host, shell: RemoteShell) -> None:
    """Compare the host's machine-id with the one on record, and note one that is new.

    Raises AnotherServerError where both are known and differ: the one that the file of hosts names
    counts, else that of the first login. Raises ChangeError where it cannot be noted.
    """
    assert host.address is not None
    place = host_name(host.address.host, host.address.port)
    now = ServerIdentity(host=place, machine=read_machine(shell))
    with _NOTES:
        noted = _noted_machines()
        expected = ServerIdentity(host=place, machine=host.machine or noted.get(place, ""))
        if expected.difference(now):
            raise _another_machine(host, expected, now)
        if now.machine and noted.get(place) != now.machine:
            _note({**noted, place: now.machine})


def _another_machine(
    host: Host, expected: ServerIdentity, now: ServerIdentity
) -> AnotherServerError:
    return AnotherServerError(
        Message(
            "{address} leads to another machine now, and its logs were not read: the host has the "
            "id {now}, not {expected}.",
            address=str(host.address),
            now=now.machine,
            expected=expected.machine,
        ),
        safe=Message("No program was started there."),
        remedy=sentences(
            Message(
                "If the name leads to the wrong host, correct the address of {name} in the file of "
                "hosts.",
                name=host.name,
            ),
            Message(
                "If the host was reinstalled or replaced, add machine = '{now}' to its table "
                "there, and agree to the file again.",
                now=now.machine,
            ),
        ),
    )


def _store() -> Path:
    return state_folder() / "fleet-machines"


def _noted_machines() -> dict[str, str]:
    """Host and port, as known_hosts has them -> digest of the machine-id."""
    try:
        lines = _store().read_text("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise unwritable(_store(), error) from error
    return dict(line.rsplit(" ", 1) for line in lines if " " in line)


def _note(machines: dict[str, str]) -> None:
    lines = [f"{place} {machine}\n" for place, machine in machines.items()]
    try:
        write_atomically(_store(), "".join(lines))
    except OSError as error:
        raise unwritable(_store(), error) from error
