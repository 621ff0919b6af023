"""How complete an imported source is: one rule for all kinds, from what was counted.

A source is

- `missing` where nothing came out of it: no operation, no reading, no record;
- `partial` where its file is damaged or was cut, where it says itself or its numbers show
  (losses.py) that something is missing, where its lines show no time, or where more than one line
  in ten is unknown;
- `complete` otherwise. Lines that were skipped with a reason (blank, header, another program's) do
  not count against it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ldap_workbench.model.message import NOTHING, Message, count_of, sentences
from ldap_workbench.model.window import LineCounts, SourceState

UNKNOWN_LIMIT = 10
"""One unknown line in so many may be: notes between the lines, a cut first or last line."""


def completeness(
    amount: int, lines: LineCounts, *, flaws: Sequence[Message] = (), undated: bool = False
) -> tuple[SourceState, Message]:
    """(state, why it is not complete) of a source that gave so many operations or readings.

    `flaws`: what broke off or is missing, in sentences; `undated`: its lines show no time.
    """
    why = list(flaws)
    if undated:
        why.append(UNDATED)
    if mostly_unknown(lines):
        why.append(_unknown(lines))
    if not amount:
        return SourceState.MISSING, sentences(*why, _nothing(lines) if not why else NOTHING)
    return SourceState.PARTIAL if why else SourceState.COMPLETE, sentences(*why)


UNDATED = Message(
    "Its lines show no time that can be read: the tails are exact, but there is no timeline, and "
    "operations cannot be matched with other files. Export the journal with -o short-iso-precise, "
    "or import the log file of the server itself."
)


def mostly_unknown(lines: LineCounts) -> bool:
    """Whether too much of a log was not understood to call it complete."""
    total = lines.understood + lines.set_aside + lines.unknown
    return lines.unknown * UNKNOWN_LIMIT > total


def _unknown(lines: LineCounts) -> Message:
    total = lines.understood + lines.set_aside + lines.unknown
    return count_of(
        "{n} of {total} lines is unknown.",
        "{n} of {total} lines are unknown.",
        n=lines.unknown,
        total=total,
    )


def _nothing(lines: LineCounts) -> Message:
    return count_of(
        "Nothing could be taken from its {n} line.",
        "Nothing could be taken from its {n} lines.",
        n=lines.understood + lines.set_aside + lines.unknown,
    )
