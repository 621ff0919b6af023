"""Who replicates to whom, and up to which change each server has come.

389 DS: agreements below its mapping tree, the replica update vector in a tombstone of the suffix.
OpenLDAP: olcSyncrepl of a database, contextCSN of its suffix, and an entry of cn=Monitor for each
consumer from its first attempt to connect on. OpenDJ: its replication server counts what each
replica lacks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from ldap_workbench.connect.directory import Directory, Entry
from ldap_workbench.model.configuration import normal_dn
from ldap_workbench.model.errors import DirectoryError
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.servers.entry import generalized_time_ns
from ldap_workbench.servers.monitor import MonitorEntry
from ldap_workbench.servers.product import product_of

_MAPPING_TREE = "cn=mapping tree,cn=config"
_AGREEMENTS = "(objectClass=nsds5replicationagreement)"
_VECTOR = "(&(nsuniqueid=ffffffff-ffffffff-ffffffff-ffffffff)(objectclass=nstombstone))"
_ELEMENT = re.compile(r"\{replica (\d+)[^}]*\}\s+[0-9a-f]{20}\s+([0-9a-f]{20})")
_OPENLDAP_CSN = re.compile(r"(\d{14})\.(\d{6})Z#([0-9a-f]{6})#([0-9a-f]{3})#[0-9a-f]{6}")
_PORTS = {"ldap": 389, "ldaps": 636}
_CONSUMERS = "(objectClass=olmSyncReplInstance)"
_CONSUMER = re.compile(r"cn=Consumer (\d+),cn=Database \d+,cn=Databases,cn=Monitor", re.IGNORECASE)
_PHASE, _CONTACT, _COOKIE = "olmSRSyncPhase", "olmSRLastContact", "olmSRLastCookieRcvd"
_STATE = (_PHASE, _CONTACT, _COOKIE, "olmSRConnection", "olmSRLastConnect")
_OPENDJ_DELAYS = ("missing-changes", "approximate-delay")
_PARTS_OF_A_SECOND = 65_536
"""A CSN of 389 DS numbers the changes of a second in 16 bits."""


@dataclass(frozen=True)
class Agreement:
    """One arrow of the topology: changes of `suffix` go from this server to another, or come."""

    name: str
    suffix: str
    host: str
    port: int
    outgoing: bool = True
    """False where this server fetches them itself (syncrepl)."""
    enabled: bool = True
    status: str = ""
    """Of the last session, in the server's words."""

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"


def address_of(url: str) -> str:
    """Host and port of an LDAP URL, as `Agreement.address` writes them."""
    parts = urlsplit(url)
    return f"{parts.hostname}:{parts.port or _PORTS.get(parts.scheme, 0)}"


def read_agreements(directory: Directory, facts: TargetFacts) -> tuple[Agreement, ...]:
    """The arrows that this server knows; none where the bind may not read them."""
    product = product_of(facts)
    try:
        if product == "389ds":
            entries = directory.search(_MAPPING_TREE, scope="sub", filter=_AGREEMENTS)
            return tuple(map(_agreement_of_389ds, entries))
        if product == "openldap":
            entries = directory.search("cn=config", scope="one", filter="(olcSyncrepl=*)")
            return tuple(_syncrepl(entries, _states(directory)))
    except DirectoryError:
        pass
    return ()


def csn_entries(directory: Directory, facts: TargetFacts) -> list[MonitorEntry]:
    """What to read of a server to know up to which change it has come; [] without replication."""
    entries = [
        _csn_entry(product_of(facts), backend.suffix)
        for backend in facts.backends
        if backend.suffix
    ]
    return [entry for entry in entries if entry and _is_there(directory, entry)]


def replication_entries(directory: Directory, facts: TargetFacts) -> list[MonitorEntry]:
    """What to read of a server in a window: its CSNs, and how its replication goes."""
    product = product_of(facts)
    entries = csn_entries(directory, facts)
    if product == "openldap":
        below = [entry.dn for entry in _consumers(directory)]
        entries += [MonitorEntry(dn, 1.0, attributes=_STATE, csns=True) for dn in below]
    if product == "opendj":
        lacking = MonitorEntry(
            "cn=Replication,cn=monitor", 5.0, "sub", _OPENDJ_DELAYS, filter="(missing-changes=*)"
        )
        entries += [lacking] if _answers(directory, lacking) else []
    return entries


def replication_numbers(suffix: str, entry: Entry) -> Iterator[tuple[str, float]]:
    """The CSNs of an entry, or the state of a consumer of slapd.

    'replication:consumer[001]:connected' and ':persist' are 1 or 0; ':contact_s' and ':attempt_s'
    the last message of the provider and the last attempt to connect, ':cookie_s' the newest change
    the provider has named: seconds since 1970, the last by the provider's clock.
    """
    match = _CONSUMER.fullmatch(entry.dn)
    if match is None:
        yield from csns(suffix, entry)
        return
    state = {
        "connected": float(bool(entry.first("olmSRConnection"))),
        "persist": float(entry.first(_PHASE) == "Persist"),
        "contact_s": (generalized_time_ns(entry.first(_CONTACT)) or 0) / NS_PER_S,
        "attempt_s": (generalized_time_ns(entry.first("olmSRLastConnect")) or 0) / NS_PER_S,
    }
    stamps = [_csn_of_openldap(csn) for csn in _OPENLDAP_CSN.finditer(entry.first(_COOKIE) or "")]
    if stamps:
        state["cookie_s"] = max(stamps)
    for name, value in state.items():
        yield f"replication:consumer[{match[1]}]:{name}", value


def csns(suffix: str, entry: Entry) -> Iterator[tuple[str, float]]:
    """For each supplier the time of its newest change that the server has.

    'replication:csn[dc=example,dc=com 1]' and seconds since 1970 by the supplier's clock; changes
    of one second lie fractions of it apart.
    """
    for element in entry.values("nsds50ruv") or ():
        if match := _ELEMENT.match(element):
            yield _series(suffix, str(int(match[1]))), csn_of_389ds(match[2])
    for element in entry.values("contextCSN") or ():
        if match := _OPENLDAP_CSN.fullmatch(element):
            yield _series(suffix, str(int(match[4], 16))), _csn_of_openldap(match)


def csn_of_389ds(text: str) -> float:
    """6b047178000300010000: seconds, number within the second, replica, part of the change."""
    return int(text[:8], 16) + int(text[8:12], 16) / _PARTS_OF_A_SECOND


def _csn_of_openldap(match: re.Match[str]) -> float:
    moment = datetime.strptime(match[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    return moment.timestamp() + (int(match[2]) + min(int(match[3], 16), 999) / 1000) / 1e6


def _series(suffix: str, supplier: str) -> str:
    return f"replication:csn[{normal_dn(suffix)} {supplier}]"


def _csn_entry(product: str, suffix: str) -> MonitorEntry | None:
    if product == "389ds":
        attributes = ("nsds50ruv",)
        return MonitorEntry(suffix, 1.0, "sub", attributes, filter=_VECTOR, csns=True)
    if product == "openldap":
        return MonitorEntry(suffix, 1.0, "base", ("contextCSN",), csns=True)
    return None


def _is_there(directory: Directory, entry: MonitorEntry) -> bool:
    return any(True for answer in _answers(directory, entry) for _ in csns(entry.dn, answer))


def _answers(directory: Directory, entry: MonitorEntry) -> list[Entry]:
    try:
        return directory.search(
            entry.dn, scope=entry.scope, filter=entry.filter, attributes=entry.attributes
        )
    except DirectoryError:
        return []


def _consumers(directory: Directory) -> list[Entry]:
    """Entries of cn=Monitor for the consumers of a slapd that have tried to connect once."""
    return _answers(
        directory,
        MonitorEntry("cn=Databases,cn=Monitor", 1.0, "sub", _STATE, filter=_CONSUMERS),
    )


def _states(directory: Directory) -> dict[str, str]:
    """How each consumer of a slapd is, by its rid, in slapd's own words."""
    states = {}
    for entry in _consumers(directory):
        if match := _CONSUMER.fullmatch(entry.dn):
            words = [entry.first(_PHASE) or "", f"last contact {entry.first(_CONTACT) or 'never'}"]
            if not entry.first("olmSRConnection"):
                words.append("not connected")
            states[match[1]] = ", ".join(filter(None, words))
    return states


def _agreement_of_389ds(entry: Entry) -> Agreement:
    port = entry.first("nsDS5ReplicaPort") or ""
    return Agreement(
        name=entry.first("cn") or "",
        suffix=entry.first("nsDS5ReplicaRoot") or "",
        host=entry.first("nsDS5ReplicaHost") or "",
        port=int(port) if port.isdecimal() else 0,
        enabled=(entry.first("nsds5ReplicaEnabled") or "on").lower() == "on",
        status=entry.first("nsds5replicaLastUpdateStatus") or "",
    )


def _syncrepl(databases: list[Entry], states: dict[str, str]) -> Iterator[Agreement]:
    for database in databases:
        for value in database.values("olcSyncrepl") or ():
            words = dict(re.findall(r'(\w+)=("[^"]*"|\S+)', value))
            provider = urlsplit(words.get("provider", "").strip('"'))
            yield Agreement(
                name=f"rid={words.get('rid', '')}",
                suffix=words.get("searchbase", "").strip('"'),
                host=provider.hostname or "",
                port=provider.port or _PORTS.get(provider.scheme, 0),
                outgoing=False,
                status=states.get(words.get("rid", "").zfill(3), ""),
            )
