"""A ladder: levels of one knob, the better half of them measured again, the best confirmed.

In every round each level that is left is measured against the server as it was, and reverted. The
rounds only choose; what the campaign says is the confirmation on fresh windows. So choosing costs
none of its level, however many levels there were. A level whose comparison had not settled, or was
none, is not ranked: it neither goes on nor counts as beaten, and the result names it.

Source: Karnin, Z., Koren, T., Somekh, O. (2013), Almost optimal exploration in multi-armed bandits
(sequential halving).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from ldap_workbench.campaign.state import Campaign, Entry, Fate
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.verdict import Judgement, MetricVerdict

_UNRANKED = (Judgement.NOT_SETTLED, Judgement.NOT_COMPARABLE)
"""The ratio of such a comparison is not that of the level."""


def next_round(entries: Sequence[Entry], pairs: Sequence[int]) -> tuple[Entry, ...]:
    """The better half of the last round, in their order; nothing after the last round.

    `pairs` are those of each round.
    """
    last = entries[-1].round
    if last + 1 == len(pairs):
        return ()
    measured = _measured(entries, last)
    half = sorted(measured, key=lambda entry: effect(entries, entry.treatment))
    half = half[: (len(measured) + 1) // 2]
    return tuple(Entry(entry.treatment, round=last + 1) for entry in measured if entry in half)


def best_of(entries: Sequence[Entry]) -> Entry | None:
    """The level of the last round measured with the greatest gain; None where none has any."""
    measured = _measured(entries, _last_round(entries))
    best = min(measured, key=lambda entry: effect(entries, entry.treatment), default=None)
    return best if best and effect(entries, best.treatment) < 0 else None


def effect(entries: Sequence[Entry], treatment: str) -> float:
    """ln B/A of one level over all its rounds, each with the weight of its pairs."""
    verdicts = [
        entry.verdict for entry in entries if entry.treatment == treatment and entry.verdict
    ]
    known = [(verdict.n_pairs, log(verdict.ratio)) for verdict in verdicts if verdict.ratio]
    pairs = sum(n for n, _ in known)
    return sum(n * value for n, value in known) / pairs if pairs else 0.0


def _measured(entries: Sequence[Entry], number: int) -> list[Entry]:
    """The levels of a round that came to an end, with a ratio to choose by."""
    return [
        entry
        for entry in entries
        if entry.round == number
        and entry.fate is Fate.REVERTED
        and entry.verdict is not None
        and is_ranked(entry.verdict)
    ]


def _last_round(entries: Sequence[Entry]) -> int:
    return max((entry.round for entry in entries if entry.verdict), default=0)


def is_ranked(verdict: MetricVerdict) -> bool:
    """Whether a level may be chosen, or beaten, by its ratio."""
    return bool(verdict.ratio) and verdict.verdict not in _UNRANKED


def no_level(entries: Sequence[Entry]) -> Message:
    """Why none is confirmed: none was better, or none could be ranked at the end."""
    if _measured(entries, _last_round(entries)):
        return Message("No level was better.")
    return Message("No level could be chosen.")


def not_ranked(entries: Sequence[Entry]) -> Message:
    """The levels of which the measurement does not tell how good they are; NOTHING for none."""
    last = {entry.treatment: entry.verdict for entry in entries if entry.verdict is not None}
    named = tuple(
        _with_reason(treatment, verdict)
        for treatment, verdict in last.items()
        if not is_ranked(verdict)
    )
    if not named:
        return NOTHING
    return Message(
        "Not ranked: {levels:and}. Whether they are better or worse than the other levels is open.",
        levels=named,
    )


def _with_reason(treatment: str, verdict: MetricVerdict) -> Message:
    if verdict.verdict == Judgement.NOT_SETTLED:
        return Message("{level} (not settled)", level=treatment)
    if verdict.verdict == Judgement.NOT_COMPARABLE:
        return Message("{level} (not comparable)", level=treatment)
    return Message("{level} (not enough data)", level=treatment)


@dataclass(frozen=True)
class Rung:
    """One level, as its last round saw it; ratios are B/A."""

    treatment: str
    ratio: float
    low: float
    high: float


def rungs(campaign: Campaign) -> list[Rung]:
    """The ranked levels that have an interval, in the order they were given."""
    last: dict[str, MetricVerdict] = {}
    for entry in campaign.entries:
        if entry.verdict is not None:
            last[entry.treatment] = entry.verdict
    ranked = []
    for candidate in campaign.plan.candidates:
        name = str(candidate.treatment)
        verdict = last.get(name)
        if verdict is None or not is_ranked(verdict) or verdict.ratio is None:
            continue
        if verdict.low is not None and verdict.high is not None:
            ranked.append(Rung(name, verdict.ratio, verdict.low, verdict.high))
    return ranked


def shape(levels: Sequence[Rung]) -> Message:
    """What the intervals show of the way from the first level to the last."""
    if len(levels) < 3:
        return NOTHING
    best = min(levels, key=lambda level: level.ratio)
    at = levels.index(best)
    before = next((level for level in levels[:at] if level.low > best.high), None)
    after = next((level for level in levels[at + 1 :] if level.low > best.high), None)
    if before and after:
        return Message(
            "U shape: {best} is better than {before} and than {after}.",
            best=best.treatment,
            before=before.treatment,
            after=after.treatment,
        )
    if other := before or after:
        return Message(
            "One direction: {best} is better than {other}; no level beyond it is worse.",
            best=best.treatment,
            other=other.treatment,
        )
    return Message("The intervals of all levels overlap the best one's: no shape is established.")
