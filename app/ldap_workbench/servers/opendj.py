"""OpenDJ: what it tells of itself, on its LDAP port and on its administration port alike.

Its configuration is readable to whoever has the privilege config-read, its monitor to monitor-read
or to anybody by its access control. Paths in it are relative to the folder of the instance.
"""

from __future__ import annotations

import posixpath
import re

from ldap_workbench.connect.directory import Directory, Entry
from ldap_workbench.model.errors import DirectoryError
from ldap_workbench.model.message import Message
from ldap_workbench.model.target import Backend, TargetFacts
from ldap_workbench.servers.entry import (
    generalized_time_ns,
    identity_of_opendj,
    read_entry,
    value_of,
)

CONFIG = "cn=config"
MONITOR = "cn=monitor"
SYSTEM = f"cn=System Information,{MONITOR}"
LOGGERS = f"cn=Loggers,{CONFIG}"
CERTIFICATE = "ds-cfg-key-id=ads-certificate,cn=ads-truststore"
_BACKENDS = f"cn=Backends,{CONFIG}"
_DATABASES = "(&(objectClass=ds-cfg-pluggable-backend)(ds-cfg-enabled=true))"
_LIBRARY = re.compile(r"\.backends\.(\w+)\.")
_LIBRARIES = {"jeb": "je", "pdb": "pdb"}
OF_FOLDER = ("ds-cfg-db-directory", "ds-cfg-backend-id")
"""Where a back end has its files."""
# One record a request with milliseconds, in place of two lines with whole seconds.
_JSON = "ds-cfg-json-file-access-log-publisher"
_TEXT = "ds-cfg-file-based-access-log-publisher"
_ERRORS = "ds-cfg-file-based-error-log-publisher"
_AUDIT = "ds-cfg-file-based-audit-log-publisher"
_JSON_NAME = "ldap-access.audit.json"
_KINDS = "".join(f"(objectClass={kind})" for kind in (_JSON, _TEXT, _ERRORS, _AUDIT))
_PUBLISHERS = f"(&(ds-cfg-enabled=true)(|{_KINDS}))"
_NO_LOG = Message(
    "No access log publisher that writes to a file is enabled (cn=Loggers,cn=config)."
)


def is_opendj(root: Entry | None) -> bool:
    """Whether a root DSE is OpenDJ's."""
    return (value_of(root, "vendorVersion") or "").startswith("OpenDJ")


def read_facts(directory: Directory, profile: str, host: str) -> TargetFacts:
    """What the server tells over LDAP. What it does not is said in `unknown`, never guessed."""
    unknown: dict[str, Message] = {}
    root = read_entry(directory, "", unknown, ("*", "+"))
    read_entry(directory, CONFIG, unknown)
    monitor = read_entry(directory, MONITOR, unknown)
    system = read_entry(directory, SYSTEM, unknown)
    certificate = read_entry(directory, CERTIFICATE, {})
    folder = value_of(system, "instancePath")
    databases = _search(directory, _BACKENDS, _DATABASES, unknown, "backends")
    publishers = _search(directory, LOGGERS, _PUBLISHERS, unknown, "access_log")
    log = _access_log(publishers, folder)
    if log is None:
        unknown.setdefault("access_log", _NO_LOG)
    return TargetFacts(
        profile=profile,
        product="OpenDJ",
        version=_version(value_of(root, "vendorVersion") or ""),
        host=_named(value_of(system, "systemName")) or host,
        started_ns=generalized_time_ns(value_of(monitor, "startTime")),
        backends=tuple(_backend(entry, folder) for entry in databases),
        db_library=_library(databases),
        db_directory=database_folder(databases[0], folder) if databases else None,
        access_log=log,
        error_log=_log(publishers, folder, _ERRORS),
        audit_log=_log(publishers, folder, _AUDIT),
        identity=identity_of_opendj(system, certificate),
        pid_file=_path(folder, "logs/server.pid"),
        config_folder=folder,
        unknown=unknown,
    )


def access_log(directory: Directory) -> str | None:
    """The file of its access log, None where no publisher writes one or it may not be read."""
    system = read_entry(directory, SYSTEM, {})
    publishers = _search(directory, LOGGERS, _PUBLISHERS, {}, "")
    return _access_log(publishers, value_of(system, "instancePath"))


def _access_log(publishers: list[Entry], folder: str | None) -> str | None:
    return _log(publishers, folder, _JSON) or _log(publishers, folder, _TEXT)


def _version(vendor: str) -> str:
    """4.6.5 of 'OpenDJ Server 4.6.5'."""
    match = re.search(r"\d+(?:\.\d+)*", vendor)
    return match.group() if match else "unknown"


def _named(host: str | None) -> str | None:
    return None if host == "localhost" else host


def _search(
    directory: Directory, base: str, wanted: str, unknown: dict[str, Message], fact: str
) -> list[Entry]:
    try:
        return directory.search(base, scope="one", filter=wanted)
    except DirectoryError as error:
        unknown[fact] = error.what
        return []


def _backend(entry: Entry, instance: str | None) -> Backend:
    name = value_of(entry, "ds-cfg-backend-id") or ""
    suffix = value_of(entry, "ds-cfg-base-dn") or ""
    return Backend(name, suffix, entry.dn, database_folder(entry, instance))


def _library(databases: list[Entry]) -> str | None:
    """je of org.opends.server.backends.jeb.JEBackend."""
    if not databases:
        return None
    match = _LIBRARY.search(value_of(databases[0], "ds-cfg-java-class") or "")
    return _LIBRARIES.get(match[1], match[1]) if match else None


def database_folder(database: Entry, folder: str | None) -> str | None:
    """Where a database lies: in a folder of its own name; `folder` is that of the instance."""
    within, name = (value_of(database, part) for part in OF_FOLDER)
    return _path(folder, posixpath.join(within, name)) if within and name else None


def _log(publishers: list[Entry], folder: str | None, kind: str) -> str | None:
    """The file of the first publisher of a kind; the repair log of replication is not meant."""
    for entry in publishers:
        if kind not in (entry.values("objectClass") or ()):
            continue
        if entry.values("ds-cfg-default-severity") == ("none",):
            continue
        name = value_of(entry, "ds-cfg-log-file")
        if (within := value_of(entry, "ds-cfg-log-directory")) is not None:
            name = posixpath.join(within, _JSON_NAME)
        if name:
            return _path(folder, name)
    return None


def _path(folder: str | None, name: str) -> str | None:
    """A path of the configuration on the host; None where the instance's folder is not known."""
    if name.startswith("/"):
        return name
    return posixpath.join(folder, name) if folder else None
