"""OpenLDAP's slapd with cn=config: what it tells of itself.

Its monitor keeps nearly all in operational attributes, and has to be configured (back-monitor).
"""

from __future__ import annotations

import re

from ldap_workbench.connect.directory import Directory, Entry
from ldap_workbench.model.errors import DirectoryError
from ldap_workbench.model.message import Message
from ldap_workbench.model.target import Backend, TargetFacts
from ldap_workbench.servers.entry import (
    generalized_time_ns,
    identity_of_openldap,
    read_entry,
    value_of,
)

CONFIG = "cn=config"
MONITOR = "cn=Monitor"
START = f"cn=Start,cn=Time,{MONITOR}"
_DATABASES = "(&(objectClass=olcDatabaseConfig)(olcSuffix=*)(olcDbDirectory=*))"
_LIBRARY = {"mdb": "mdb", "hdb": "bdb", "bdb": "bdb"}
"""2.5 has hdb and bdb no more."""
_LOGS_TO_SYSLOG = Message("slapd logs through syslog: name the file in the profile (--access-log).")


def is_openldap(root: Entry | None) -> bool:
    """Whether a root DSE, with its operational attributes, is slapd's."""
    return "OpenLDAProotDSE" in ((root.values("objectClass") if root else None) or ())


def read_facts(directory: Directory, profile: str, host: str) -> TargetFacts:
    """What the server tells over LDAP. What it does not is said in `unknown`, never guessed.

    A backend's name is that in its entry: {1}mdb of olcDatabase={1}mdb,cn=config.
    """
    unknown: dict[str, Message] = {}
    config = read_entry(directory, CONFIG, unknown, ("*", "+"))
    monitor = read_entry(directory, MONITOR, unknown, ("*", "+"))
    start = read_entry(directory, START, unknown, ("*", "+"))
    backends = tuple(map(_backend, _databases(directory, unknown)))
    first = next((one for one in backends if not one.logs_changes), None)
    log = value_of(config, "olcLogFile")
    if log is None:
        unknown["access_log"] = _LOGS_TO_SYSLOG
    return TargetFacts(
        profile=profile,
        product="OpenLDAP",
        version=_version(value_of(monitor, "monitoredInfo") or ""),
        host=host,
        started_ns=generalized_time_ns(value_of(start, "monitorTimestamp")),
        backends=backends,
        db_library=_LIBRARY.get(re.sub(r"\{-?\d+\}", "", first.name)) if first else None,
        db_directory=first.folder if first else None,
        access_log=log,
        identity=identity_of_openldap(config),
        pid_file=value_of(config, "olcPidFile"),
        unknown=unknown,
    )


def _version(text: str) -> str:
    """2.5.13 of 'OpenLDAP: slapd 2.5.13+dfsg-5 (Feb  8 2023 01:56:12)'."""
    match = re.search(r"slapd (\d+(?:\.\d+)*)", text)
    return match.group(1) if match else "unknown"


def _databases(directory: Directory, unknown: dict[str, Message]) -> list[Entry]:
    try:
        return directory.search(CONFIG, scope="one", filter=_DATABASES)
    except DirectoryError as error:
        unknown["backends"] = error.what
        return []


def _backend(entry: Entry) -> Backend:
    return Backend(
        value_of(entry, "olcDatabase") or "",
        value_of(entry, "olcSuffix") or "",
        entry.dn,
        value_of(entry, "olcDbDirectory"),
    )
