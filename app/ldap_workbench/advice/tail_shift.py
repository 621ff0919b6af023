"""Probe histograms under light and heavy load: how far the tail moves when threads compete."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ldap_workbench.advice.companions import Histogram
from ldap_workbench.advice.view import WindowView
from ldap_workbench.advice.wording import finding, limits, percent
from ldap_workbench.model.finding import Evidence, Finding

_THREADS = re.compile(r"[ ,_(-]*(\d+)[ _-]*(?:threads?|t)\b\)?", re.IGNORECASE)

_NO_UNIT = "(no unit is printed)"


@dataclass(frozen=True)
class Shift:
    """Share of calls beyond `bound` in both histograms."""

    bound: float
    before: float
    after: float


def find(view: WindowView) -> list[Finding]:
    """Compare histograms of one probe that differ in their number of threads, in their names."""
    found: list[Finding] = []
    by_probe: dict[str, list[tuple[int, Histogram]]] = {}
    for histogram in view.histograms:
        if match := _THREADS.search(histogram.name):
            probe = _THREADS.sub("", histogram.name).strip()
            by_probe.setdefault(probe, []).append((int(match.group(1)), histogram))
    for probe, runs in sorted(by_probe.items()):
        runs.sort(key=lambda run: run[0])
        same_unit = runs[0][1].unit == runs[-1][1].unit
        if runs[0][0] < runs[-1][0] and same_unit:
            found += shift_finding(probe, *runs[0], *runs[-1])
    return found


def shifts(before: Histogram, after: Histogram) -> list[Shift]:
    """Beyond each bucket bound of either: the share of calls before and after."""
    bounds = sorted(set(before.low) | set(after.low))
    return [Shift(bound, _beyond(before, bound), _beyond(after, bound)) for bound in bounds[1:]]


def _beyond(histogram: Histogram, bound: float) -> float:
    counts = np.array(histogram.counts, np.float64)
    return float(counts[np.array(histogram.low) >= bound].sum() / max(counts.sum(), 1.0))


def shift_finding(
    probe: str, few: int, before: Histogram, many: int, after: Histogram
) -> list[Finding]:
    """A finding at the bound where most calls moved beyond, if that is more than chance."""
    limit = limits("tail_shift")
    n_before, n_after = sum(before.counts), sum(after.counts)
    if min(n_before, n_after) < limit["calls"]:
        return []
    moved = max(shifts(before, after), key=lambda s: s.after - s.before, default=None)
    if moved is None or moved.after - moved.before < limit["share"]:
        return []
    if moved.after < limit["times"] * moved.before:
        return []
    pooled = (moved.before * n_before + moved.after * n_after) / (n_before + n_after)
    error = (pooled * (1 - pooled) * (1 / n_before + 1 / n_after)) ** 0.5
    if moved.after - moved.before < limit["sigmas"] * error:
        return []
    numbers = {
        "probe": probe,
        "bound": moved.bound,
        "unit": before.unit,
        "threads": [few, many],
        "share_before": moved.before,
        "share_after": moved.after,
    }
    evidence = [
        Evidence(
            f"Beyond {s.bound:g} {before.unit or _NO_UNIT}: {percent(s.before)} with {few}, "
            f"{percent(s.after)} with {many} threads.",
            series=after.name,
        )
        for s in shifts(before, after)
    ]
    return [
        finding(
            "tail_shift",
            numbers=numbers,
            evidence=evidence,
            few=few,
            many=many,
            before_words=percent(moved.before),
            after_words=percent(moved.after),
            where=f"{moved.bound:g} {before.unit or _NO_UNIT}",
        )
    ]
