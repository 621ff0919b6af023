"""What a change of a nested group will cost the MemberOf plug-in, from the groups as they are.

A group that joins or leaves another one changes the memberOf of everything below it. The plug-in
reads each of those entries, looks for the groups that name it, and writes it again; groups above
are looked up once each and remembered (counted in the log of 2.3.1: 433 searches where this
reckons 416).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass

from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.units import NS_PER_S

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
    result = [_price(group, groups, parents) for group in _largest(groups)]
    return sorted(result, key=lambda price: -price.searches)


def _largest(groups: Mapping[str, frozenset[str]]) -> list[str]:
    return sorted(groups, key=lambda group: -len(groups[group]))[:_MOST_GROUPS]


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
            evidence=list(_evidence(costly[:_SHOWN])),
            group=first.group,
            time=first.below * each_ns,
            each=each_ns,
        )
    ]


def _evidence(costly: list[Price]) -> Iterator[Evidence]:
    for price in costly:
        yield Evidence(phrase("memberof_price", **asdict(price)))
