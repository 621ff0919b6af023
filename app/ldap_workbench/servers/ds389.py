"""389 Directory Server and its kin: what it tells of itself, over LDAP and on its host."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from datetime import UTC, datetime

from ldap_workbench.connect.directory import Directory, Entry
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.model.errors import CommandError, DirectoryError
from ldap_workbench.model.target import Backend, TargetFacts
from ldap_workbench.model.units import NS_PER_S

CONFIG = "cn=config"
LDBM = "cn=ldbm database,cn=plugins,cn=config"
LDBM_CONFIG = f"cn=config,{LDBM}"
MONITOR = "cn=monitor"


def read_facts(directory: Directory, profile: str, host: str) -> TargetFacts:
    """What the server tells over LDAP. What it does not is said in `unknown`, never guessed."""
    unknown: dict[str, str] = {}
    root = _first(directory, "", unknown, ("*", "+"))
    config = _first(directory, CONFIG, unknown)
    monitor = _first(directory, MONITOR, unknown)
    vendor = _value(root, "vendorVersion") or _value(monitor, "version") or ""
    backends = _backends(directory, unknown)
    database = _first(directory, LDBM_CONFIG, unknown)
    rate = _value(root, "practiceClockRate")
    return TargetFacts(
        profile=profile,
        product=_value(root, "vendorName") or vendor.partition("/")[0] or "unknown",
        version=_version(vendor),
        host=_value(config, "nsslapd-localhost") or host,
        instance=_instance(config),
        started_ns=generalized_time_ns(_value(monitor, "starttime")),
        backends=backends,
        db_library=_value(database, "nsslapd-backend-implement"),
        db_directory=_value(database, "nsslapd-directory"),
        access_log=_value(config, "nsslapd-accesslog"),
        error_log=_value(config, "nsslapd-errorlog"),
        clock_rate=float(rate) if rate else 1.0,
        simulated=_value(root, "practiceSimulation") == "TRUE",
        unknown=unknown,
    )


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


def start_time_ns(directory: Directory) -> int | None:
    """When the server was started, to see whether it was restarted since."""
    found = directory.search(MONITOR, attributes=("starttime",))
    return generalized_time_ns(found[0].first("starttime")) if found else None


def generalized_time_ns(text: str | None) -> int | None:
    """20261121041546Z as ns since 1970; None for anything else."""
    if not text:
        return None
    try:
        moment = datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None
    return int(moment.timestamp()) * NS_PER_S


def _first(
    directory: Directory, dn: str, unknown: dict[str, str], attributes: tuple[str, ...] = ("*",)
) -> Entry | None:
    try:
        found = directory.search(dn, attributes=attributes)
    except DirectoryError as error:
        unknown[dn or "rootDSE"] = error.what
        return None
    if not found:
        unknown[dn or "rootDSE"] = "not readable with this bind"
        return None
    return found[0]


def _value(entry: Entry | None, name: str) -> str | None:
    return entry.first(name) if entry else None


def _version(vendor: str) -> str:
    found = re.search(r"/(\d[\w.]*)", vendor)
    return found.group(1) if found else vendor


def _instance(config: Entry | None) -> str | None:
    for name in ("nsslapd-certdir", "nsslapd-schemadir", "nsslapd-instancedir"):
        found = re.search(r"/slapd-([^/]+)", _value(config, name) or "")
        if found:
            return found.group(1)
    return None


def _backends(directory: Directory, unknown: dict[str, str]) -> tuple[Backend, ...]:
    try:
        found = directory.search(
            LDBM,
            scope="one",
            filter="(objectClass=nsBackendInstance)",
            attributes=("cn", "nsslapd-suffix"),
        )
    except DirectoryError as error:
        unknown["backends"] = error.what
        return ()
    return tuple(
        Backend(entry.first("cn") or "", entry.first("nsslapd-suffix") or "", entry.dn)
        for entry in found
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
