"""Probe histograms under light and heavy load: how far the tail moves when threads compete."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt

from ldap_workbench.advice.evidence.companions import Histogram
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase
from ldap_workbench.inference.significance.exceedance import Beyond, exceedance
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message

_WHOLE = 100
"""From here on a number needs no digits behind its point."""


def find(view: WindowView) -> list[Finding]:
    """Compare histograms of one probe that differ in their number of threads."""
    findings: list[Finding] = []
    for probe, runs in runs_of(view.histograms).items():
        few, many = runs[0], runs[-1]
        if few.unit == many.unit:
            findings += shift_finding(probe, few, many)
    return findings


def runs_of(histograms: Iterable[Histogram]) -> dict[str, list[Histogram]]:
    """Runs of one probe with different numbers of threads, the fewest first; two or more."""
    by_probe: dict[str, dict[int, Histogram]] = {}
    for histogram in histograms:
        if histogram.threads is not None:
            by_probe.setdefault(histogram.probe, {}).setdefault(histogram.threads, histogram)
    return {
        probe: [runs[threads] for threads in sorted(runs)]
        for probe, runs in sorted(by_probe.items())
        if len(runs) > 1
    }


def shifts(before: Histogram, after: Histogram) -> list[Beyond]:
    """Beyond each bound of either: the share of calls before and after."""
    return exceedance((before.low, before.counts), (after.low, after.counts))


def shift_finding(probe: str, few: Histogram, many: Histogram) -> list[Finding]:
    """A finding at the bound where the tail begins, if more moved beyond it than chance moves."""
    limit = limits("tail_shift")
    if min(few.calls, many.calls) < limit["calls"]:
        return []
    every = shifts(few, many)
    moved = _headline([shift for shift in every if _has_moved(shift, few.calls, many.calls)])
    if moved is None:
        return []
    lost = _most_left(few, many)
    numbers = {
        "probe": probe,
        "bound": moved.bound,
        "unit": few.unit,
        "threads": [few.threads, many.threads],
        "share_before": moved.before,
        "share_after": moved.after,
        "difference": [moved.low, moved.high],
        "left_bucket": lost[0] if lost else None,
        "left_calls": lost[1] if lost else None,
        "beyond": [[shift.bound, shift.before, shift.after] for shift in every],
    }
    others = [shift for shift in every if shift is not moved and max(shift.before, shift.after) > 0]
    texts = [_beyond(moved, few, many), *_bucket(lost, few, many), *_means(few, many)]
    texts += [_beyond(shift, few, many) for shift in others]
    return [
        finding(
            "tail_shift",
            numbers=numbers,
            evidence=[Evidence(text, series=many.name) for text in texts],
            few=few.threads,
            many=many.threads,
            before=moved.before,
            after=moved.after,
            where=amount(moved.bound, few.unit),
        )
    ]


def _has_moved(shift: Beyond, n_before: int, n_after: int) -> bool:
    limit = limits("tail_shift")
    if shift.difference < limit["share"] or shift.after < limit["times"] * shift.before:
        return False
    pooled = (shift.before * n_before + shift.after * n_after) / (n_before + n_after)
    error = sqrt(pooled * (1 - pooled) * (1 / n_before + 1 / n_after))
    return shift.difference >= limit["sigmas"] * error


def _headline(moved: Sequence[Beyond]) -> Beyond | None:
    """Where the tail begins: the first bound few calls were beyond; else where most moved."""
    tail = [shift for shift in moved if shift.before <= limits("tail_shift")["tail"]]
    if tail:
        return min(tail, key=lambda shift: shift.bound)
    return max(moved, key=lambda shift: shift.difference, default=None)


def _most_left(few: Histogram, many: Histogram) -> tuple[float, int] | None:
    """The bucket that lost most calls, and how many; None where none lost any."""
    now = dict(zip(many.low, many.counts, strict=True))
    lost = {low: n - now.get(low, 0) for low, n in zip(few.low, few.counts, strict=True)}
    low = max(lost, key=lambda bound: lost[bound])
    return (low, lost[low]) if lost[low] > 0 else None


def _bucket(lost: tuple[float, int] | None, few: Histogram, many: Histogram) -> list[Message]:
    if lost is None:
        return []
    before, after = (
        dict(zip(histogram.low, histogram.counts, strict=True)).get(lost[0], 0)
        for histogram in (few, many)
    )
    return [
        phrase(
            "tail_shift",
            "bucket",
            lost=lost[1],
            bound=amount(lost[0], few.unit),
            before=before,
            few=few.threads,
            after=after,
            many=many.threads,
        )
    ]


def _means(few: Histogram, many: Histogram) -> list[Message]:
    if few.mean is None or many.mean is None:
        return []
    return [
        phrase(
            "tail_shift",
            "mean",
            before=amount(few.mean, few.unit),
            few=few.threads,
            after=amount(many.mean, many.unit),
            many=many.threads,
        )
    ]


def _beyond(shift: Beyond, few: Histogram, many: Histogram) -> Message:
    return phrase(
        "tail_shift",
        bound=amount(shift.bound, few.unit),
        before=shift.before,
        few=few.threads,
        after=shift.after,
        many=many.threads,
        low=shift.low * 100,
        high=shift.high * 100,
    )


def amount(value: float, unit: str) -> Message:
    """262,144 ns; the unit that is missing is said."""
    is_whole = value >= _WHOLE or value == int(value)
    number = round(value) if is_whole else value
    if unit:
        return Message("{number} {unit}", number=number, unit=unit)
    return Message("{number} (no unit is printed)", number=number)
