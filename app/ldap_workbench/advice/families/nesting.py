"""What a change of a nested group will cost the MemberOf plug-in, from the groups as they are.

For each entry below the group that is added or removed the plug-in reads the entry, and then looks
for the groups of the entry, of those groups, and so on up (389 DS, memberof-scalability design).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from ldap_workbench.advice.evidence.wording import finding, limits
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, count_of
from ldap_workbench.model.units import NS_PER_S

_MOST_GROUPS = 20_000
"""Groups of groups that are followed: more of them take longer than an operator waits."""
_SHOWN = 10


@dataclass(frozen=True)
class Price:
    """Internal searches for adding a group to another, or removing it; `flat` without nesting."""

    group: str
    below: int
    searches: int
    flat: int


def prices(members: Mapping[str, Iterable[str]]) -> list[Price]:
    """The price of each group, the dearest first; groups and members are DNs in one spelling."""
    groups = {group: frozenset(names) for group, names in members.items()}
    parents: dict[str, set[str]] = {}
    for group, names in groups.items():
        for name in names:
            parents.setdefault(name, set()).add(group)
    ancestors: dict[str, int] = {}
    found = [_price(group, groups, parents, ancestors) for group in _largest(groups)]
    return sorted(found, key=lambda price: -price.searches)


def _largest(groups: Mapping[str, frozenset[str]]) -> list[str]:
    return sorted(groups, key=lambda group: -len(groups[group]))[:_MOST_GROUPS]


def _price(
    group: str,
    groups: Mapping[str, frozenset[str]],
    parents: Mapping[str, set[str]],
    ancestors: dict[str, int],
) -> Price:
    below = _reached(group, groups)
    searches = 0
    for name in below:
        if name not in ancestors:
            ancestors[name] = len(_reached(name, parents))
        # One to read it; one for its groups, and one for the groups of each of those.
        searches += 2 + ancestors[name]
    return Price(group, len(below), searches, 2)


def _reached(start: str, edges: Mapping[str, Iterable[str]]) -> set[str]:
    """All that is reached from a name, without the name; rings end."""
    found: set[str] = set()
    left = [start]
    while left:
        for name in edges.get(left.pop(), ()):
            if name not in found and name != start:
                found.add(name)
                left.append(name)
    return found


def price_finding(members: Mapping[str, Iterable[str]]) -> list[Finding]:
    """Told where one change costs more internal searches than the limit."""
    limit = limits("memberof_price")
    dear = [price for price in prices(members) if price.searches >= limit["searches"]]
    if not dear:
        return []
    first = dear[0]
    each_ns = round(limit["search_ms"] / 1000 * NS_PER_S)
    return [
        finding(
            "memberof_price",
            numbers={"groups": len(dear), "searches": first.searches, "below": first.below},
            evidence=list(_evidence(dear[:_SHOWN])),
            group=first.group,
            time=first.searches * each_ns,
            flat=count_of("{n} search", "{n} searches", n=first.flat),
        )
    ]


def _evidence(dear: list[Price]) -> Iterator[Evidence]:
    for price in dear:
        yield Evidence(
            Message(
                "{group}: {below} entries below it, {searches} internal searches.",
                group=price.group,
                below=price.below,
                searches=price.searches,
            )
        )
