"""What referential integrity looks after, and what of it has no index, asked on request.

Read only: the plug-in's entry and the index entries of each back end, one search for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ldap_workbench.advice.evidence.indexes import Database
from ldap_workbench.advice.evidence.missing import missing_in
from ldap_workbench.advice.evidence.wording import finding
from ldap_workbench.connect.directory import Directory, Entry
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message
from ldap_workbench.model.target import Backend, TargetFacts
from ldap_workbench.servers.product import product_of

PLUGIN = "cn=referential integrity postoperation,cn=plugins,cn=config"
MEMBEROF = "cn=MemberOf Plugin,cn=plugins,cn=config"
ATTRIBUTES = ("member", "uniqueMember", "owner", "seeAlso")
"""What referential integrity of 389 DS looks after as it is installed."""


@dataclass(frozen=True)
class Membership:
    """Membership attributes as configured, and by back end those without an equality index.

    `known` is False where the server does not show its plug-in: the attributes are then the usual
    ones. A back end that does not show its indexes is left out.
    """

    attributes: tuple[str, ...] = ATTRIBUTES
    enabled: bool = False
    known: bool = False
    unindexed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def membership(directory: Directory, facts: TargetFacts) -> Membership:
    """Ask a server. Raises DirectoryError where it refuses."""
    if product_of(facts) != "389ds":
        return Membership()
    wanted = ("referint-membership-attr", "nsslapd-pluginEnabled")
    entries = directory.search(PLUGIN, attributes=wanted)
    if not entries:
        return Membership()
    attributes = entries[0].values("referint-membership-attr") or ATTRIBUTES
    enabled = _on(entries[0], "nsslapd-pluginEnabled")
    unindexed = {
        backend.name: without
        for backend in facts.backends
        if (without := _unindexed(directory, backend, attributes))
    }
    return Membership(tuple(attributes), enabled, True, unindexed)


def _unindexed(
    directory: Directory, backend: Backend, attributes: Sequence[str]
) -> tuple[str, ...]:
    """Those of the attributes without an equality index in a back end that shows its indexes."""
    entries = directory.search(
        f"cn=index,{backend.dn}",
        scope="one",
        filter="(objectClass=nsIndex)",
        attributes=("cn", "nsIndexType"),
    )
    equal = {
        (entry.first("cn") or "").lower()
        for entry in entries
        if "eq" in [kind.lower() for kind in entry.values("nsIndexType") or ()]
    }
    # Every back end has indexes of the server's own: none at all is one that may not be read.
    return tuple(a for a in attributes if a.lower() not in equal) if entries else ()


def memberof_attributes(directory: Directory, facts: TargetFacts) -> tuple[str, ...]:
    """The group attributes of the MemberOf plug-in; () where it is off, or not of this product.

    Raises DirectoryError where the server refuses.
    """
    if product_of(facts) != "389ds":
        return ()
    wanted = ("nsslapd-pluginEnabled", "memberOfGroupAttr", "memberOfSkipNested")
    entries = directory.search(MEMBEROF, attributes=wanted)
    if not entries or not _on(entries[0], "nsslapd-pluginEnabled"):
        return ()
    nested = not _on(entries[0], "memberOfSkipNested")
    return (entries[0].values("memberOfGroupAttr") or ()) if nested else ()


def _on(entry: Entry, switch: str) -> bool:
    return (entry.first(switch) or "").lower() == "on"


def membership_findings(plugin: Membership) -> list[Finding]:
    """A finding where the plug-in is enabled and searches a back end without an index."""
    if not plugin.enabled or not plugin.unindexed:
        return []
    names = sorted({name.lower() for without in plugin.unindexed.values() for name in without})
    return [
        finding(
            "referint_unindexed",
            numbers={
                "configured": list(plugin.attributes),
                "unindexed": names,
                "backends": {name: list(without) for name, without in plugin.unindexed.items()},
                "missing_indexes": [
                    index
                    for name, without in plugin.unindexed.items()
                    for index in missing_in(Database(name, ""), without)
                ],
            },
            evidence=[
                Evidence(
                    Message(
                        "{backend}: no equality index of {attributes}.",
                        backend=name,
                        attributes=without,
                    )
                )
                for name, without in plugin.unindexed.items()
            ],
            looked_after=plugin.attributes,
            where=tuple(
                Message("{attributes} in {backend}", attributes=without, backend=name)
                for name, without in plugin.unindexed.items()
            ),
        )
    ]
