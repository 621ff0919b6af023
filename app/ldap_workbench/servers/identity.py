"""Which server instance it is, whatever URL it was reached by.

Only what the server itself says counts, so that localhost, 127.0.0.1, an ldapi socket and another
laptop see the same instance, before and after a restart. Nothing that a knob sets is part of it.
"""

from __future__ import annotations

import hashlib

from ldap_workbench.connect.directory import Entry
from ldap_workbench.servers.entry import value_of

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
