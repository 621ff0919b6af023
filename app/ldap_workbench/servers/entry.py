"""One entry of a server, and when the server was started."""

from __future__ import annotations

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
