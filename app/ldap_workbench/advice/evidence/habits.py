"""What clients do and could do without: one finding for all that do it, the costliest in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ldap_workbench.advice.evidence.clients import Asked, Rows
from ldap_workbench.advice.evidence.wording import finding
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import NOTHING, Message, Value, count_of

_CLIENTS = 20
"""Clients that a finding names with their operations."""


@dataclass(frozen=True, eq=False)
class Habit:
    """What one client does; `places` are those of its operations in `Asked.rows`.

    `says` fills the sentence of a finding that it is the worst of, `numbers` are that finding's:
    of lists those of all.
    `worker_ns` and `user_ns` are what it costs, `count` what it is counted by.
    """

    places: Rows
    worker_ns: int | None = None
    user_ns: int | None = None
    count: int = 0
    filter: str = ""
    says: Mapping[str, Value] = field(default_factory=dict)
    numbers: Mapping[str, Any] = field(default_factory=dict)
    confidence: str = ""

    @property
    def cost_ns(self) -> int:
        """By which the worst of several is found."""
        return max(self.worker_ns or 0, self.user_ns or 0)


def finding_of_habits(
    which: str, asked: Asked, habits: Iterable[Habit], *, counted: str
) -> list[Finding]:
    """The finding `which` of all clients that have the habit; none where nobody has.

    `counted` names the number that is the sum of their counts.
    """
    ranked = sorted(habits, key=lambda habit: -habit.cost_ns)
    if not ranked:
        return []
    worst, clients = ranked[0], [asked.describe(habit.places) for habit in ranked]
    work = worst.worker_ns or 0
    filters = list(dict.fromkeys(habit.filter for habit in ranked if habit.filter))
    numbers = {
        counted: sum(_count(habit) for habit in ranked),
        "clients": [client.as_numbers() for client in clients[:_CLIENTS]],
        "share_of_work": work / max(asked.total_worker_ns, 1),
        **({"filters": filters} if filters else {}),
        **worst.numbers,
    }
    for name in (name for name, value in worst.numbers.items() if isinstance(value, list)):
        numbers[name] = [item for habit in ranked[:_CLIENTS] for item in habit.numbers[name]]
    values: dict[str, Any] = {
        "client": clients[0].name,
        "filter": worst.filter,
        "share": numbers["share_of_work"],
        "more": more_clients(len(set(clients)) - 1),
        **worst.says,
    }
    return [
        finding(
            which,
            numbers=numbers,
            evidence=[
                _evidence(asked, habit, client.name)
                for habit, client in zip(ranked[:_CLIENTS], clients, strict=False)
            ],
            confidence=worst.confidence,
            worker_ns=sum_of_known(habit.worker_ns for habit in ranked),
            user_ns=sum_of_known(habit.user_ns for habit in ranked),
            **values,
        )
    ]


def _count(habit: Habit) -> int:
    return habit.count or len(habit.places)


def _evidence(asked: Asked, habit: Habit, client: Message) -> Evidence:
    """Whose operations these are, how many, and what their clients waited for them."""
    operations = count_of("{n} operation", "{n} operations", n=_count(habit))
    what = Message("{filter}: {operations}", filter=habit.filter, operations=operations)
    text = Message(
        "{client}: {what}, {time:duration} together.",
        client=client,
        what=what if habit.filter else operations,
        time=int(asked.operations.etime_ns[asked.rows[habit.places]].sum()),
    )
    return asked.evidence(habit.places, text)


def sum_of_known(costs: Iterable[int | None]) -> int | None:
    """The sum of costs without those that are not known; None where none is."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known else None


def more_clients(n: int) -> Message:
    """Behind a sentence about the most expensive client."""
    if not n:
        return NOTHING
    return count_of(" {n} more client does the same.", " {n} more clients do the same.", n=n)
