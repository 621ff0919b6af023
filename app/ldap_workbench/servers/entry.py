"""One entry of a server, and when the server was started.

Which server instance it is, whatever URL it was reached by. Only what the server itself says
counts, so that localhost, 127.0.0.1, an ldapi socket and another laptop see the same instance,
before and after a restart. Nothing that a knob sets is part of it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime

from ldap_workbench.connect.directory import Directory, Entry
from ldap_workbench.model.errors import DirectoryError
from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S

# Entry and attribute of the start, then those of the operations begun since, by product.
_STARTS = {
    "389ds": (("cn=monitor", "starttime"), ("cn=monitor", "opsinitiated")),
    "opendj": (("cn=monitor", "startTime"), ("cn=Work Queue,cn=monitor", "requestsSubmitted")),
    "openldap": (
        ("cn=Start,cn=Time,cn=Monitor", "monitorTimestamp"),
        ("cn=Operations,cn=Monitor", "monitorOpInitiated"),
    ),
}


@dataclass(frozen=True)
class ServerRun:
    """What tells one run of a server from the next; its start time has whole seconds only."""

    started: str
    """As the server says it (20261121041546Z); '' where it does not."""
    operations: int

    def ended_before(self, now: ServerRun) -> bool:
        """Whether `now` is of a later run."""
        return now.started != self.started or now.operations < self.operations


def current_run(directory: Directory, product: str) -> ServerRun | None:
    """The run of the server that answers now; None where it does not show its monitor."""
    (start_dn, start), (count_dn, count) = _STARTS.get(product, _STARTS["389ds"])
    in_one = count_dn == start_dn
    entry = _entry(directory, start_dn, start, *([count] if in_one else []))
    moment = value_of(entry, start)
    if moment is None:
        return None
    operations = value_of(entry if in_one else _entry(directory, count_dn, count), count)
    return ServerRun(moment, int(operations or 0))


def generalized_time_ns(text: str | None) -> int | None:
    """20261121041546Z as ns since 1970; None for anything else."""
    if not text:
        return None
    try:
        moment = datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None
    return int(moment.timestamp()) * NS_PER_S


def read_entry(
    directory: Directory, dn: str, unknown: dict[str, Message], attributes: tuple[str, ...] = ("*",)
) -> Entry | None:
    """An entry; where it cannot be read, None, with the reason in `unknown`."""
    try:
        entries = directory.search(dn, attributes=attributes)
    except DirectoryError as error:
        unknown[dn or "rootDSE"] = error.what
        return None
    if not entries:
        unknown[dn or "rootDSE"] = Message("not readable with this bind")
        return None
    return entries[0]


def value_of(entry: Entry | None, name: str) -> str | None:
    """The first value of an attribute of an entry that may be missing."""
    return entry.first(name) if entry else None


def _entry(directory: Directory, dn: str, *attributes: str) -> Entry | None:
    entries = directory.search(dn, attributes=attributes)
    return entries[0] if entries else None


_SIZE = 32


def identity_of_389ds(root: Entry | None, config: Entry | None) -> str:
    """Host name, port, configuration folder and when the instance was made; '' if not readable.

    The last is the root DSE's createTimestamp, which dse.ldif keeps. The suffix does not count:
    replicas share it and even the nsUniqueId of its entry.
    """
    port, folder = value_of(config, "nsslapd-port"), value_of(config, "nsslapd-certdir")
    if port is None and folder is None:
        return ""
    host, made = value_of(config, "nsslapd-localhost"), value_of(root, "createTimestamp")
    return _digest("389ds", host, port, folder, made)


def identity_of_openldap(config: Entry | None) -> str:
    """entryUUID and createTimestamp of cn=config, and its pid file; '' if not readable.

    slapd does not say which host it is on: servers that replicate cn=config itself are one here,
    as a change on one of them changes all.
    """
    uuid = value_of(config, "entryUUID")
    if uuid is None:
        return ""
    return _digest(
        "openldap", uuid, value_of(config, "createTimestamp"), value_of(config, "olcPidFile")
    )


def identity_of_opendj(system: Entry | None, certificate: Entry | None) -> str:
    """The folder of the instance and the certificate that setup made for it alone.

    '' if not readable. Folder and host name do not tell containers of one image apart.
    """
    folder = value_of(system, "instancePath")
    key = value_of(certificate, "ds-cfg-public-key-certificate;binary")
    if folder is None or key is None:
        return ""
    return _digest("opendj", folder, key)


def digest_of_machine(machine_id: str) -> str:
    """Of a host's /etc/machine-id, which is not to be handed on as it stands; '' for none."""
    return _digest("machine", machine_id) if machine_id else ""


def digest_of_certificate(der: bytes) -> str:
    """Of a server's certificate; '' for none."""
    return _digest("certificate", der.hex()) if der else ""


def _digest(product: str, *parts: str | None) -> str:
    """Names of hosts and folders stay out of session files that are handed on."""
    text = "\0".join(part or "" for part in parts)
    return f"{product}:{hashlib.sha256(text.encode()).hexdigest()[:_SIZE]}"
