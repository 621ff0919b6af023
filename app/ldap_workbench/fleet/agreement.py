"""A file of hosts is agreed to before its first use: it says who is asked and what runs there.

What was agreed to is its content, so that a file that was changed since is shown again.
"""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path

from ldap_workbench.connect.folders import state_folder, write_atomically
from ldap_workbench.fleet.hosts import Host, read_hosts
from ldap_workbench.model.message import Message, sentences

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
