"""What the host of a directory server tells: cores, memory, kernel, the disk underneath."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace

from ldap_workbench.connect.commands import HostPath, host_path, shown
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.model.errors import CommandError
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.servers.entry import digest_of_machine

DEVICE_NAME = re.compile(r"[A-Za-z0-9_!+-][A-Za-z0-9_.!+-]*")


def read_host_facts(shell: RemoteShell, facts: TargetFacts) -> TargetFacts:
    """Add what the host tells: cores, memory, kernel, the devices under database and audit log.

    One after the other: a shell is never used from two threads. Asked at once, sshd closed the
    connection now and then.
    """
    unknown = dict(facts.unknown)
    device, rotational = _disk(shell, facts.db_directory, unknown)
    audit = None
    if facts.audit_log:
        folder = posixpath.dirname(facts.audit_log)
        audit = _device(shell, folder, unknown, "audit_device")
    cores = _ask(shell, ("nproc",), unknown, "cores")
    memory = _ask(shell, ("cat", "/proc/meminfo"), unknown, "ram_bytes")
    kernel = _ask(shell, ("uname", "-sr"), unknown, "kernel")
    machine = read_machine(shell)
    match = re.search(r"MemTotal:\s+(\d+) kB", memory)
    return replace(
        facts,
        cores=int(cores) if cores.isdigit() else None,
        ram_bytes=int(match.group(1)) * 1024 if match else None,
        kernel=kernel or None,
        device=device,
        rotational=rotational,
        audit_device=audit,
        machine=machine,
        unknown=unknown,
    )


def read_machine(shell: RemoteShell) -> str:
    """Digest of the host's machine-id; '' where it has none."""
    return digest_of_machine(_ask(shell, ("cat", "/etc/machine-id"), {}, ""))


def _disk(
    shell: RemoteShell, folder: str | None, unknown: dict[str, Message]
) -> tuple[str | None, bool | None]:
    """The device under the database, and whether it rotates."""
    device = _device(shell, folder, unknown)
    return device, _rotational(shell, device, unknown) if device else None


def _rotational(shell: RemoteShell, device: str, unknown: dict[str, Message]) -> bool | None:
    path = f"/sys/block/{device}/queue/rotational"
    return {"0": False, "1": True}.get(_ask(shell, ("cat", path), unknown, "rotational"))


def _device(
    shell: RemoteShell, folder: str | None, unknown: dict[str, Message], fact: str = "device"
) -> str | None:
    """The block device under a folder as iostat names it: vda of /dev/vda1."""
    if not folder:
        unknown[fact] = Message("the server does not say where its database is")
        return None
    try:
        path = host_path(folder)
    except CommandError as error:
        unknown[fact] = error.what
        return None
    name = _file_system(shell, path)
    if not name.startswith("/dev/"):
        unknown[fact] = Message("df does not show where {folder} is mounted", folder=folder)
        if name:
            unknown[fact] = Message(
                "{folder} is on '{name}', which is not a block device", folder=folder, name=name
            )
        return None
    chain = _ask(shell, ("lsblk", "-nsro", "KNAME,TYPE", host_path(name)), unknown, fact)
    device = whole_device(chain) or posixpath.basename(name)
    if not DEVICE_NAME.fullmatch(device):
        unknown[fact] = Message(
            "'{device}' is not the name of a block device.", device=shown(device)
        )
        return None
    return device


def _file_system(shell: RemoteShell, folder: HostPath) -> str:
    """What is mounted where `folder` is, '' where df does not tell.

    A folder we may not enter is on its parent's, mostly.
    """
    source = _source(shell, folder, sudo=True)
    while source is None and folder not in ("", "/"):
        folder = HostPath(posixpath.dirname(folder))
        source = _source(shell, folder)
    return source or ""


def _source(shell: RemoteShell, folder: HostPath, *, sudo: bool = False) -> str | None:
    try:
        result = shell.run(("df", "--output=source", folder), sudo=sudo)
    except CommandError:
        return None
    lines = result.stdout.decode("utf-8", "replace").split("\n")
    return lines[1].strip() if result.status == 0 and len(lines) > 1 else None


def whole_device(chain: str) -> str | None:
    """The device to watch and tune, from the lines 'KNAME TYPE' of lsblk -s, top to disk.

    It is the disk where there is one beneath, also under LVM; with several, the array or volume.
    """
    rows = [line.split() for line in chain.splitlines() if len(line.split()) == 2]
    disks = {name for name, kind in rows if kind == "disk"}
    if len(disks) == 1:
        return disks.pop()
    return next((name for name, kind in rows if kind not in ("part", "disk")), None)


def _ask(
    shell: RemoteShell,
    argv: tuple[str, ...],
    unknown: dict[str, Message],
    fact: str,
    *,
    sudo: bool = False,
) -> str:
    try:
        result = shell.run(argv, sudo=sudo)
    except CommandError as error:
        unknown[fact] = error.what
        return ""
    if result.status:
        stderr = result.stderr.decode("utf-8", "replace").strip()
        unknown[fact] = verbatim(stderr) or Message("{command} failed", command=argv[0])
        return ""
    return result.stdout.decode("utf-8", "replace").strip()
