"""The hosts that read their own logs: a TOML file of the operator, with no secret in it.

[defaults]                                  # of every host that says nothing else
user = "logreader"
program = "/usr/bin/ldap-workbench"         # on the host; or words: ["/usr/bin/sudo", "-n", ...]
logs = ["/var/log/dirsrv/slapd-example"]

[hosts.ldap1]
address = "ldap1.example.com"               # its name by default
host_key = "SHA256:..."                     # accepted if the host shows it; else known_hosts
machine = "machine:..."                     # the id of its host; else that of the first login

[hosts.ldap2]
cluster = "dask://scheduler:8786"           # its workers read these logs; nothing goes over SSH
logs = ["/shared/ldap2"]

A file of hosts is agreed to before its first use: it says who is asked and what runs there. What
was agreed to is its content, so that a file that was changed since is shown again.
"""

from __future__ import annotations

import hashlib
import shlex
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from ldap_workbench.connect.commands import HostPath, host_path
from ldap_workbench.connect.folders import state_folder, write_atomically
from ldap_workbench.fleet.cluster import CLUSTERS
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message, sentences, verbatim
from ldap_workbench.model.profile import Profile, SshAddress

_LARGEST = 4 << 20
_MOST_WORKERS = 64
_TEXTS = ("user", "address", "identity", "host_key", "machine", "password_env")
_LISTS = ("program", "logs")
_NUMBERS = ("port", "workers")


@dataclass(frozen=True)
class Host:
    """A server's host. `program`: the command there, `workers`: how many of it run at once.

    With a `cluster` the workers of that cluster read the logs, and there is no address.
    """

    name: str
    address: SshAddress | None
    program: tuple[str, ...]
    logs: tuple[HostPath, ...]
    host_key: str = ""
    workers: int = 1
    password_env: str | None = None
    cluster: str = ""
    machine: str = ""
    """Digest of the machine-id that its host must have; '' for that of the first login."""

    @property
    def path(self) -> HostPath:
        """Of the program."""
        return host_path(self.program[0])

    @property
    def profile(self) -> Profile:
        """As the remote shell wants it; its directory is never asked for."""
        return Profile(self.name, "ldap:///", ssh=self.address, ssh_password_env=self.password_env)


def read_hosts(path: Path) -> tuple[Host, ...]:
    """The hosts of a file. Raises UsageError, CommandError for a path that none can be."""
    try:
        if path.stat().st_size > _LARGEST:
            raise _unfit(path, Message("it is too large"))
        tree = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _unfit(path, verbatim(str(error))) from error
    tables, defaults = tree.pop("hosts", None), tree.pop("defaults", {})
    if tree:
        raise _unfit(path, Message("'{name}' is not known there", name=next(iter(tree))))
    if not isinstance(tables, dict) or not tables or not isinstance(defaults, dict):
        raise _unfit(path, Message("it needs a table [hosts.NAME] for each server"))
    return tuple(_host(path, name, defaults, table) for name, table in tables.items())


def _host(path: Path, name: str, defaults: dict[str, Any], table: Any) -> Host:
    if not isinstance(table, dict):
        raise _unfit(path, Message("'{name}' is not a table", name=name))
    values = {"program": "/usr/bin/ldap-workbench", "address": name, **defaults, **table}
    for key in _LISTS:
        if isinstance(values.get(key), str):
            values[key] = [values[key]]
    for key, value in values.items():
        if not _fits(key, value):
            raise _unfit(
                path, Message("'{key}' of {name} is not known or does not fit", key=key, name=name)
            )
    cluster = values.get("cluster", "")
    needed = ("logs",) if cluster else ("user", "logs")
    if lacking := [key for key in needed if not values.get(key)]:
        raise _unfit(path, Message("{name} lacks {lacking}", name=name, lacking=tuple(lacking)))
    if cluster and "address" in table:
        raise _unfit(path, Message("{name} has both a cluster and an address", name=name))
    of_address = {f.name: values[f.name] for f in fields(SshAddress) if f.name in values}
    return Host(
        name,
        None if cluster else SshAddress(**{**of_address, "host": values["address"]}),
        (host_path(values["program"][0]), *values["program"][1:]),
        tuple(map(host_path, values["logs"])),
        values.get("host_key", ""),
        values.get("workers", 1),
        values.get("password_env"),
        cluster,
        values.get("machine", ""),
    )


def _fits(key: str, value: Any) -> bool:
    if key == "cluster":
        return isinstance(value, str) and value.startswith(CLUSTERS)
    if key in _TEXTS:
        return isinstance(value, str) and bool(value)
    if key in _LISTS:
        return isinstance(value, list) and bool(value) and all(isinstance(v, str) for v in value)
    most = _MOST_WORKERS if key == "workers" else 65_535
    return key in _NUMBERS and type(value) is int and 0 < value <= most


def _unfit(path: Path, why: Message) -> UsageError:
    return UsageError(
        Message("{path} is not a file of hosts: {why}.", path=str(path), why=why),
        remedy=Message("The guide shows such a file under 'Logs of many servers'."),
    )


_MOST = 1_000
"""Digests that are remembered, the newest last."""


def is_agreed(path: Path) -> bool:
    """Whether somebody here agreed to this very content."""
    return _digest(path) in _agreed()


def remember_agreement(path: Path) -> None:
    """Note that the file, as it is now, may be used. Raises OSError."""
    digests = [*_agreed(), _digest(path)]
    write_atomically(_store(), "\n".join(digests[-_MOST:]) + "\n")


def describe_hosts(path: Path) -> list[Message]:
    """A line for each host: who is asked, what is run, what is read and which secrets are used.

    Raises as `read_hosts`.
    """
    return [_describe(host) for host in read_hosts(path)]


def _describe(host: Host) -> Message:
    logs = tuple(str(log) for log in host.logs)
    if host.cluster:
        return Message(
            "{name}: the workers of {cluster} read {logs:list}. Whoever controls that cluster can "
            "run programs on this machine.",
            name=host.name,
            cluster=host.cluster,
            logs=logs,
        )
    assert host.address is not None
    parts = [
        Message(
            "{name}: {program} runs on {address}, {workers} at once, and reads {logs:list}.",
            name=host.name,
            program=shlex.join(host.program),
            address=str(host.address),
            workers=host.workers,
            logs=logs,
        )
    ]
    if host.address.identity:
        parts.append(Message("The login uses the key {file}.", file=host.address.identity))
    if host.password_env:
        parts.append(
            Message("The login uses the password in the variable {name}.", name=host.password_env)
        )
    if host.host_key:
        parts.append(Message("Its host key {key} is accepted.", key=host.host_key))
    if host.machine:
        parts.append(Message("Its host must have the id {machine}.", machine=host.machine))
    return sentences(*parts)


def _store() -> Path:
    return state_folder() / "agreed-hosts"


def _agreed() -> list[str]:
    try:
        return _store().read_text("ascii").split()
    except FileNotFoundError:
        return []


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
