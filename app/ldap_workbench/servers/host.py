"""What the host of a directory server tells: cores, memory, kernel, the disk underneath."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace

from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.model.errors import CommandError
from ldap_workbench.model.target import TargetFacts


def read_host_facts(shell: RemoteShell, facts: TargetFacts) -> TargetFacts:
    """Add what the host tells: cores, memory, kernel, the device under the database."""
    unknown = dict(facts.unknown)
    cores = _ask(shell, ("nproc",), unknown, "cores")
    memory = _ask(shell, ("cat", "/proc/meminfo"), unknown, "ram_bytes")
    found = re.search(r"MemTotal:\s+(\d+) kB", memory)
    device = _device(shell, facts.db_directory, unknown)
    return replace(
        facts,
        cores=int(cores) if cores.isdigit() else None,
        ram_bytes=int(found.group(1)) * 1024 if found else None,
        kernel=_ask(shell, ("uname", "-sr"), unknown, "kernel") or None,
        device=device,
        unknown=unknown,
    )


def _device(shell: RemoteShell, folder: str | None, unknown: dict[str, str]) -> str | None:
    """The block device under a folder as iostat names it: vda of /dev/vda1."""
    if not folder:
        unknown["device"] = "the server does not tell where its database is"
        return None
    name = _file_system(shell, folder, unknown)
    if not name.startswith("/dev/"):
        unknown.setdefault("device", f"the database is on '{name}', which is no block device")
        return None
    chain = _ask(shell, ("lsblk", "-nsro", "KNAME,TYPE", name), unknown, "device")
    return whole_device(chain) or posixpath.basename(name)


def _file_system(shell: RemoteShell, folder: str, unknown: dict[str, str]) -> str:
    """What is mounted where `folder` is. A folder we may not enter is on its parent's, mostly."""
    found = _source(shell, folder, sudo=True)
    while found is None and folder not in ("", "/"):
        folder = posixpath.dirname(folder)
        found = _source(shell, folder)
    if found is None:
        unknown["device"] = "df does not tell where the database is mounted"
    return found or ""


def _source(shell: RemoteShell, folder: str, *, sudo: bool = False) -> str | None:
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
    unknown: dict[str, str],
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
        unknown[fact] = result.stderr.decode("utf-8", "replace").strip() or f"{argv[0]} failed"
        return ""
    return result.stdout.decode("utf-8", "replace").strip()
