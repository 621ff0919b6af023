"""Imported histograms as pictures: the runs of one probe over each other, shares and tails.

What window, report and command show of a histogram is reckoned here, once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ldap_workbench.advice.evidence.companions import Histogram, histograms_of
from ldap_workbench.inference.significance.exceedance import share_beyond
from ldap_workbench.model.message import Message, count_of, verbatim
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Session

MOST_RUNS = 4
_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6}


@dataclass(frozen=True)
class ProbeRun:
    """One histogram.

    `low` are the lower bounds of its buckets in ns (plain numbers where its unit is not printed),
    `shares` of calls in each and `beyond` each bound, 0..1.
    """

    label: Message
    calls: int
    low: tuple[float, ...]
    counts: tuple[int, ...]
    shares: tuple[float, ...]
    beyond: tuple[float, ...]

    @property
    def edges(self) -> tuple[float, ...]:
        """The bounds with the end of the last bucket: each is a power of two wide."""
        return (*self.low, 2 * self.low[-1]) if self.low else ()


@dataclass(frozen=True)
class ProbePicture:
    """The runs of one probe, those with the fewest threads first."""

    probe: str
    is_time: bool
    runs: tuple[ProbeRun, ...]


def probe_pictures(session: Session, windows: Sequence[Window]) -> list[ProbePicture]:
    """Every probe of these windows, and the same probe of several windows over each other."""
    named = [
        (window.name if len(windows) > 1 else "", histogram)
        for window in windows
        for histogram in histograms_of(session.sources(window.id))
    ]
    return pictures(named)


def pictures(named: Iterable[tuple[str, Histogram]]) -> list[ProbePicture]:
    """Pictures of histograms, each with the name of where it is from ("" where that is clear)."""
    by_probe: dict[tuple[str, str], list[tuple[str, Histogram]]] = {}
    for where, histogram in named:
        if histogram.calls:
            by_probe.setdefault((histogram.probe, histogram.unit), []).append((where, histogram))
    return [
        ProbePicture(probe, bool(unit), tuple(_run(*group) for group in _by_threads(runs)))
        for (probe, unit), runs in by_probe.items()
    ]


def _by_threads(runs: list[tuple[str, Histogram]]) -> list[tuple[str, Histogram]]:
    return sorted(runs, key=lambda run: run[1].threads or 0)[:MOST_RUNS]


def _run(where: str, histogram: Histogram) -> ProbeRun:
    """Without the empty buckets at both ends; a bucket from 0 begins at half of the next one."""
    rows = list(zip(histogram.low, histogram.counts, strict=True))
    filled = [place for place, (_, count) in enumerate(rows) if count]
    rows = rows[filled[0] : filled[-1] + 1]
    low, counts = tuple(row[0] for row in rows), tuple(row[1] for row in rows)
    scale = _NS.get(histogram.unit, 1.0)
    drawn = [bound if bound > 0 else max(low[-1], 1.0) / 2 ** len(low) for bound in low]
    if len(low) > 1 and low[0] <= 0 < low[1]:
        drawn[0] = low[1] / 2
    return ProbeRun(
        _label(where, histogram),
        histogram.calls,
        tuple(bound * scale for bound in drawn),
        counts,
        tuple(count / histogram.calls for count in counts),
        tuple(share_beyond(low, counts, bound) for bound in low),
    )


def _label(where: str, histogram: Histogram) -> Message:
    if histogram.threads is None:
        return verbatim(where or histogram.probe)
    threads = count_of("{n} thread", "{n} threads", n=histogram.threads)
    return Message("{where}, {threads}", where=where, threads=threads) if where else threads
