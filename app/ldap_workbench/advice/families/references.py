"""Group references: entries many groups name, rings of groups, the price of nesting.

And what referential integrity looks after without an index. Read only, one search per attribute
and one for the indexes of each back end; it may take long on a large directory, so it is never done
on its own. Not a finding of a window: the operator asks for it.

A group that joins or leaves another one changes the memberOf of everything below it. The plug-in
reads each of those entries, looks for the groups that name it, and writes it again; groups above
are looked up once each and remembered (counted in the log of 2.3.1: 433 searches where this
reckons 416).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from ldap_workbench.advice.evidence.indexes import Database
from ldap_workbench.advice.evidence.missing import missing_in
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.connect.directory import Directory, Entry
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of, verbatim
from ldap_workbench.model.progress import Cancel, OnProgress, Progress, no_progress
from ldap_workbench.model.target import Backend, TargetFacts
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.servers.product import product_of

PLUGIN = "cn=referential integrity postoperation,cn=plugins,cn=config"
MEMBEROF = "cn=MemberOf Plugin,cn=plugins,cn=config"
ATTRIBUTES = ("member", "uniqueMember", "owner", "seeAlso")
"""What referential integrity of 389 DS looks after as it is installed."""
ASKED = ("referint_unindexed", "referred", "group_ring", "memberof_price")
"""The findings that only a running server can show."""


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
    unindexed = plugin.unindexed.items()
    return [
        finding(
            "referint_unindexed",
            numbers={
                "configured": list(plugin.attributes),
                "unindexed": sorted({a.lower() for _, without in unindexed for a in without}),
                "backends": {name: list(without) for name, without in unindexed},
                "missing_indexes": [
                    index
                    for name, without in unindexed
                    for index in missing_in(Database(name, ""), without)
                ],
            },
            evidence=[
                Evidence(
                    Message(
                        "{backend}: no equality index of {attributes}.", backend=n, attributes=w
                    )
                )
                for n, w in unindexed
            ],
            looked_after=plugin.attributes,
            where=tuple(
                Message("{attributes} in {backend}", attributes=w, backend=n) for n, w in unindexed
            ),
        )
    ]


def asked(
    directory: Directory,
    facts: TargetFacts,
    progress: OnProgress = no_progress,
    cancel: Cancel | None = None,
) -> list[Finding]:
    """The findings that need questions to a running server.

    Unindexed memberships, references, rings, and what a change of a nested group costs.

    Searches for what its referential integrity and MemberOf look after. Raises DirectoryError when
    the server refuses a search, CancelledError between back ends.
    """
    configured = membership(directory, facts)
    grouped = memberof_attributes(directory, facts)
    referring: dict[str, frozenset[str]] = {}
    groups: dict[str, frozenset[str]] = {}
    for number, backend in enumerate(facts.backends):
        if cancel is not None:
            cancel.check()
        share = number / len(facts.backends)
        checking = Message("Checking group references below {suffix}", suffix=backend.suffix)
        progress(Progress(checking, share))
        for attribute in _each_once((*configured.attributes, *grouped)):
            named = references(directory, backend.suffix, (attribute,))
            if attribute in _each_once(configured.attributes):
                _add(referring, named)
            if attribute in _each_once(grouped):
                _add(groups, named)
    findings = membership_findings(configured) + reference_findings(referring)
    return findings + price_finding(groups)


def _each_once(attributes: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(name.lower() for name in attributes))


def _add(into: dict[str, frozenset[str]], more: Mapping[str, frozenset[str]]) -> None:
    for dn, names in more.items():
        into[dn] = into.get(dn, frozenset()) | names


def references(
    directory: Directory, suffix: str, attributes: Sequence[str] = ATTRIBUTES
) -> dict[str, frozenset[str]]:
    """DN of each entry that refers to others -> DNs it refers to, all in lower case.

    Raises DirectoryError when the server refuses so large a search.
    """
    targets: dict[str, set[str]] = {}
    for attribute in attributes:
        entries = directory.search(
            suffix, scope="sub", filter=f"({attribute}=*)", attributes=(attribute,)
        )
        for entry in entries:
            values = {_normal(value) for value in entry.values(attribute) or ()}
            targets.setdefault(_normal(entry.dn), set()).update(values)
    return {dn: frozenset(values) for dn, values in targets.items()}


def find(view: WindowView) -> list[Finding]:
    """Entries that many others name, in the keys of an index that lie beside the log (dbscan)."""
    counts = Counter[str]()
    for source in view.sources:
        counts |= Counter({row["dn"]: row["entries"] for row in source.details.get("referred", ())})
    return list(_referred(_most(counts)))


def most_referred(
    referring: Mapping[str, Iterable[str]], more_than: int | None = None
) -> list[tuple[str, int]]:
    """DNs that more than so many entries refer to, most first."""
    return _most(
        Counter(value for values in referring.values() for value in set(values)), more_than
    )


def _most(counts: Counter[str], more_than: int | None = None) -> list[tuple[str, int]]:
    limit = limits("referred")["references"] if more_than is None else more_than
    return [(dn, n) for dn, n in counts.most_common() if n > limit]


def rings(referring: Mapping[str, Iterable[str]]) -> list[tuple[str, ...]]:
    """Groups that reach themselves through their members: one tuple per ring, smallest DN first.

    Rings that share a group are one (a strongly connected component, Tarjan 1972, without
    recursion: groups may be nested deeper than Python's stack).
    """
    edges = {dn: tuple(v for v in values if v in referring) for dn, values in referring.items()}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    on_path: set[str] = set()
    result: list[tuple[str, ...]] = []

    def enter(dn: str) -> None:
        index[dn] = low[dn] = len(index)
        path.append(dn)
        on_path.add(dn)

    def leave(dn: str) -> None:
        if low[dn] != index[dn]:
            return
        at = path.index(dn)
        ring = path[at:]
        del path[at:]
        on_path.difference_update(ring)
        if len(ring) > 1 or dn in edges[dn]:
            result.append(tuple(sorted(ring)))

    for root in edges:
        if root in index:
            continue
        enter(root)
        work = [(root, iter(edges[root]))]
        while work:
            dn, members = work[-1]
            for member in members:
                if member not in index:
                    enter(member)
                    work.append((member, iter(edges[member])))
                    break
                if member in on_path:
                    low[dn] = min(low[dn], index[member])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[dn])
                leave(dn)
    return sorted(result)


def reference_findings(referring: Mapping[str, Iterable[str]]) -> list[Finding]:
    """Findings for entries with many references and for rings of groups."""
    result = list(_referred(most_referred(referring)))
    if circles := rings(referring):
        result.append(
            finding(
                "group_ring",
                numbers={"rings": len(circles), "longest": max(map(len, circles))},
                evidence=[Evidence(verbatim(" → ".join(ring[:10]))) for ring in circles[:50]],
                rings_found=count_of("{n} ring", "{n} rings", n=len(circles)),
                example=circles[0][:3],
            )
        )
    return result


def _referred(many: list[tuple[str, int]]) -> Iterator[Finding]:
    if not many:
        return
    dn, count = many[0]
    yield finding(
        "referred",
        numbers={"entries": len(many), "most": count, "dn": dn},
        evidence=[
            Evidence(count_of("{dn}: {n} reference", "{dn}: {n} references", n=n, dn=name))
            for name, n in many[:50]
        ],
        entries_found=count_of("{n} entry is", "{n} entries are", n=len(many)),
        limit=round(limits("referred")["references"]),
    )


def _normal(dn: str) -> str:
    return ",".join(part.strip() for part in dn.lower().split(","))


_MOST_GROUPS = 20_000
"""Groups of groups that are followed: more of them take longer than an operator waits."""
_SHOWN = 10


@dataclass(frozen=True)
class Price:
    """For a group that joins another or leaves it.

    Entries `below` it, which are written again, and internal searches.
    """

    group: str
    below: int
    searches: int


def prices(members: Mapping[str, Iterable[str]]) -> list[Price]:
    """The price of each group, most expensive first; groups and members are DNs in one spelling."""
    groups = {group: frozenset(names) for group, names in members.items()}
    parents: dict[str, set[str]] = {}
    for group, names in groups.items():
        for name in names:
            parents.setdefault(name, set()).add(group)
    largest = sorted(groups, key=lambda group: -len(groups[group]))[:_MOST_GROUPS]
    result = [_price(group, groups, parents) for group in largest]
    return sorted(result, key=lambda price: -price.searches)


def _price(
    group: str, groups: Mapping[str, frozenset[str]], parents: Mapping[str, set[str]]
) -> Price:
    below = _reached([group], groups)
    return Price(group, len(below), 2 * len(below) + len(_reached(below, parents) - below))


def _reached(starts: Iterable[str], edges: Mapping[str, Iterable[str]]) -> set[str]:
    """All that is reached from some names, without the names themselves; rings end."""
    first = set(starts)
    reached: set[str] = set()
    left = list(first)
    while left:
        for name in edges.get(left.pop(), ()):
            if name not in reached and name not in first:
                reached.add(name)
                left.append(name)
    return reached


def price_finding(members: Mapping[str, Iterable[str]]) -> list[Finding]:
    """Told where one change costs more internal searches than the limit."""
    limit = limits("memberof_price")
    costly = [price for price in prices(members) if price.below >= limit["entries"]]
    if not costly:
        return []
    first = costly[0]
    each_ns = round(limit["entry_ms"] / 1000 * NS_PER_S)
    return [
        finding(
            "memberof_price",
            numbers={"groups": len(costly), "searches": first.searches, "below": first.below},
            evidence=[
                Evidence(phrase("memberof_price", **asdict(price))) for price in costly[:_SHOWN]
            ],
            group=first.group,
            time=first.below * each_ns,
            each=each_ns,
        )
    ]
