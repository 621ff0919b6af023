"""What is known of a connected server."""

from __future__ import annotations

from dataclasses import dataclass, field

from ldap_workbench.model.message import Message
from ldap_workbench.model.server_identity import ServerIdentity, known_as

_LOGS_OF_CHANGES = ("cn=accesslog", "cn=changelog")
_FOLDER_PER_BACKEND = ("OpenLDAP", "OpenDJ")
"""Products, as `TargetFacts.product`, whose back ends share no folder."""


@dataclass(frozen=True)
class Backend:
    """One database of the server: `name` (userRoot), its suffix and its configuration entry."""

    name: str
    suffix: str
    dn: str
    folder: str | None = None
    """Its own folder on the server; None where it is not known, and of 389 DS (`db_directory`)."""

    @property
    def logs_changes(self) -> bool:
        """Whether the server notes the changes of its other databases in it."""
        return self.suffix.lower() in _LOGS_OF_CHANGES


@dataclass(frozen=True)
class TargetFacts:
    """Facts of a server, read once when connecting; offline views show them from the session.

    Fields that could not be read are None or empty, with a sentence in `unknown` that says why.
    """

    profile: str
    product: str
    version: str
    host: str
    instance: str | None = None
    started_ns: int | None = None
    backends: tuple[Backend, ...] = ()
    db_library: str | None = None
    """bdb or mdb."""
    db_directory: str | None = None
    """Folder of all back ends of 389 DS, of the first one with data elsewhere."""
    access_log: str | None = None
    error_log: str | None = None
    cores: int | None = None
    ram_bytes: int | None = None
    device: str | None = None
    """Block device under the database as iostat names it: vda."""
    rotational: bool | None = None
    """Whether that device is a turning disk, as its kernel believes."""
    audit_log: str | None = None
    audit_device: str | None = None
    """Block device under the audit log, as `device`."""
    kernel: str | None = None
    pid_file: str | None = None
    """Where the server notes the number of its process."""
    config_folder: str | None = None
    """On the server's command line: its process is found by it where the pid file is not."""
    thread_pool_file: str | None = None
    """What the workers of a 389 DS after 3.3.0 do, in a file."""
    clock_offset_ns: int = 0
    """Server clock minus the clock of the laptop."""
    clock_error_ns: int | None = None
    """Half the round trip of the best measurement of the offset; None where it was not measured."""
    clock_rate: float = 1.0
    """Seconds of server time per second of wall time: other than 1 only in a simulation."""
    simulated: bool = False
    identity: str = ""
    """Names the server instance, by whatever URL it was reached (servers/entry.py).

    '' where the bind may not read cn=config, and in sessions older than the field: then it is not
    known, and equal to no other."""
    machine: str = ""
    """Digest of the machine-id of its host; '' without a shell on it."""
    certificate: str = ""
    """Digest of the certificate it showed over TLS; '' on a plain link."""
    unknown: dict[str, Message] = field(default_factory=dict)

    @property
    def of_data(self) -> tuple[Backend, ...]:
        """The databases without those in which a server notes the changes of others."""
        return tuple(one for one in self.backends if not one.logs_changes)

    @property
    def name(self) -> str:
        """What the operator calls it."""
        return known_as(self.profile, self.host)


def names_in_commands(facts: TargetFacts | None) -> dict[str, str]:
    """What stands in a command for the instance, the back end, its suffix and their folders.

    A word in capitals is the operator's to fill in: it is not known, or there are several.
    """
    backends = facts.of_data if facts else ()
    only = backends[0] if len(backends) == 1 else Backend("BACKEND", "SUFFIX", "DATABASE-ENTRY")
    return {
        "instance": ((facts and facts.instance) or "INSTANCE").removeprefix("slapd-"),
        "database": only.name,
        "suffix": only.suffix,
        "database_entry": only.dn,
        "database_folder": (_folder(facts, only) if facts else None) or "DATABASE-FOLDER",
        "config_folder": (facts and facts.config_folder) or "CONFIG-FOLDER",
    }


def _folder(facts: TargetFacts, backend: Backend) -> str | None:
    """The folder of the back end, never of another one: commands replace what is in it."""
    if facts.product in _FOLDER_PER_BACKEND:
        # In a session older than `Backend.folder` it is that of the first one, maybe a log's.
        return backend.folder or (facts.db_directory if facts.backends == (backend,) else None)
    return facts.db_directory


def distinct_names(one: TargetFacts, other: TargetFacts) -> tuple[str, str]:
    """What two servers are called in one sentence, with as much more as tells them apart.

    Profiles of two operators may have the same name, and servers share a host: localhost.
    """
    if one.name != other.name:
        return one.name, other.name
    if one.host != other.host:
        return f"{one.name} ({one.host})", f"{other.name} ({other.host})"
    first, second = (ServerIdentity(facts.identity, facts.host) for facts in (one, other))
    return f"{one.name}: {first.label}", f"{other.name}: {second.label}"
