"""389 Directory Server and its kin: what it tells of itself.

Any other server that is not OpenLDAP is asked the same; what it does not know stays unknown.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache

from ldap_workbench.connect.directory import Directory, Entry
from ldap_workbench.model.errors import DirectoryError, WorkbenchError
from ldap_workbench.model.message import Message
from ldap_workbench.model.target import Backend, TargetFacts
from ldap_workbench.resources import resource
from ldap_workbench.servers.entry import (
    generalized_time_ns,
    identity_of_389ds,
    read_entry,
    value_of,
)

CONFIG = "cn=config"
LDBM = "cn=ldbm database,cn=plugins,cn=config"
LDBM_CONFIG = f"cn=config,{LDBM}"
MONITOR = "cn=monitor"
_LOGGING, _FORMAT = "nsslapd-accesslog-logging-enabled", "nsslapd-accesslog-log-format"
LOG_SETTINGS = (_LOGGING, _FORMAT)
"""Attributes of cn=config that `silent_log` looks at."""


def read_facts(directory: Directory, profile: str, host: str) -> TargetFacts:
    """What the server tells over LDAP. What it does not is said in `unknown`, never guessed."""
    unknown: dict[str, Message] = {}
    root = read_entry(directory, "", unknown, ("*", "+"))
    config = read_entry(directory, CONFIG, unknown)
    monitor = read_entry(directory, MONITOR, unknown)
    vendor = value_of(root, "vendorVersion") or value_of(monitor, "version") or ""
    backends = _backends(directory, unknown)
    database = read_entry(directory, LDBM_CONFIG, unknown)
    rate = value_of(root, "practiceClockRate")
    product = value_of(root, "vendorName") or vendor.partition("/")[0] or "unknown"
    log = value_of(config, "nsslapd-accesslog")
    if config is not None and log is None:
        unknown["access_log"] = Message(
            "The server ({product}) was asked as 389 DS and names no nsslapd-accesslog. "
            "Name its log in the profile (--access-log), or import its files.",
            product=product,
        )
    if silent := silent_log(config, version_in(vendor)):
        unknown["access_log"] = silent.what
    return TargetFacts(
        profile=profile,
        product=product,
        version=version_in(vendor),
        host=value_of(config, "nsslapd-localhost") or host,
        instance=_instance(config),
        started_ns=generalized_time_ns(value_of(monitor, "starttime")),
        backends=backends,
        db_library=value_of(database, "nsslapd-backend-implement"),
        db_directory=value_of(database, "nsslapd-directory"),
        access_log=log,
        error_log=value_of(config, "nsslapd-errorlog"),
        audit_log=value_of(config, "nsslapd-auditlog"),
        clock_rate=float(rate) if rate else 1.0,
        identity=identity_of_389ds(root, config),
        config_folder=value_of(config, "nsslapd-certdir"),
        pid_file=_in_run_folder(config, "slapd-{}.pid"),
        thread_pool_file=_in_run_folder(config, "slapd-{}.monitor/threadpool"),
        simulated=value_of(root, "practiceSimulation") == "TRUE",
        unknown=unknown,
    )


def version_in(vendor: str) -> str:
    """2.3.1 of '389-Directory/2.3.1 B2025.016.1616'; the whole text where it has no such part."""
    match = re.search(r"/(\d[\w.]*)", vendor)
    return match.group(1) if match else vendor


def silent_log(config: Entry | None, version: str) -> WorkbenchError | None:
    """Why a server with these settings writes no operation into its access log; None where it does.

    It is switched off, or in a format that this version takes and never writes: what the catalogue
    calls `broken`.
    """
    attribute, wanted = _LOGGING, "on"
    value = value_of(config, _LOGGING) or wanted
    if value != "off":
        attribute, wanted = _FORMAT, "default"
        value = value_of(config, _FORMAT) or wanted
        if value == wanted or version not in _without_json():
            return None
    return WorkbenchError(
        Message(
            "389 DS {version} writes nothing into its access log while {attribute} is {value}.",
            version=version,
            attribute=attribute,
            value=value,
        ),
        remedy=Message(
            "Set {attribute} to {wanted} on the server.", attribute=attribute, wanted=wanted
        ),
    )


@cache
def _without_json() -> frozenset[str]:
    """Versions whose log stays empty in another format than the default one."""
    knobs = tomllib.loads(resource("knobs/389ds.toml").read_text("utf-8"))["knob"]
    (format_,) = (knob for knob in knobs if knob["name"] == _FORMAT)
    return frozenset(format_["broken"])


def _instance(config: Entry | None) -> str | None:
    for name in ("nsslapd-certdir", "nsslapd-schemadir", "nsslapd-instancedir"):
        match = re.search(r"/slapd-([^/]+)", value_of(config, name) or "")
        if match:
            return match.group(1)
    return None


def _in_run_folder(config: Entry | None, name: str) -> str | None:
    folder, instance = value_of(config, "nsslapd-rundir"), _instance(config)
    return f"{folder}/{name.format(instance)}" if folder and instance else None


def _backends(directory: Directory, unknown: dict[str, Message]) -> tuple[Backend, ...]:
    try:
        entries = directory.search(
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
        for entry in entries
    )
