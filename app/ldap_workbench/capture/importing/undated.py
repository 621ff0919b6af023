"""Readings of counters that print no time: put in order by the counters themselves.

Two readings are a window whatever the clock said: what was counted between them. Their order is
that of counters that only grow; how long they are apart nobody knows unless it is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ldap_workbench.model.message import Message
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Sample

_GROW = ("tries", "hits", "completed", "initiated", "pagein", "sent", "evictions")
"""Endings of attributes that only grow while a server runs."""


def in_order(readings: Iterable[tuple[int, list[Sample]]]) -> list[tuple[int, list[Sample]]]:
    """(source, samples) of each reading, the one with the smallest counters first.

    Readings that share no counter keep the order they have.
    """
    listed = list(readings)
    grown = [_grown(samples) for _, samples in listed]
    shared = set(grown[0]).intersection(*grown[1:]) if grown else set()
    places = sorted(range(len(listed)), key=lambda at: sum(grown[at][name] for name in shared))
    return [listed[at] for at in places]


def has_counters(samples: Iterable[Sample]) -> bool:
    """Whether a server counted anything in it: dse.ldif names monitor entries too."""
    return any(sample.series.lower().endswith((*_GROW, "ratio")) for sample in samples)


def at_times(samples: Sequence[Sample], time_ns: int) -> list[Sample]:
    """The samples of one reading, placed in time."""
    return [replace(sample, time_ns=time_ns) for sample in samples]


def describe_times(interval_ns: int, *, counters: bool) -> Message:
    """What the times of a window mean in which nothing printed one."""
    seconds = interval_ns / NS_PER_S
    if counters:
        return Message(
            "Nothing in it says when it was read: readings are placed in the order of their "
            "counters, {seconds:g} s apart. Counts between them are right, rates per second "
            "are not. Import with --began and --interval, the time of the first reading and "
            "the seconds to the next.",
            seconds=seconds,
        )
    return Message(
        "Nothing in it says when it was read: its reports are placed one after the other, "
        "{seconds:g} s apart, from the time of the file on. To place them beside a log, import "
        "with --began and --interval, the time of the first report and the seconds between "
        "reports.",
        seconds=seconds,
    )


def _grown(samples: Sequence[Sample]) -> dict[str, float]:
    return {s.series.lower(): s.value for s in samples if s.series.lower().endswith(_GROW)}
