"""The verdict of an experiment: per metric, with its interval, and what it rests on."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Judgement(StrEnum):
    BETTER = "better"
    WORSE = "worse"
    SUGGESTS_BETTER = "suggests better"
    SUGGESTS_WORSE = "suggests worse"
    IMMATERIAL = "immaterial"
    EQUIVALENT = "no material change"
    INCONCLUSIVE = "inconclusive"
    INSUFFICIENT = "insufficient"
    NOT_COMPARABLE = "not comparable"


@dataclass(frozen=True)
class MetricVerdict:
    """One metric B against A. Ratios are B/A (below 1 is better for every metric); nan-free.

    `ratio` is the typical-window ratio with its interval [low, high]; `pooled` the ratio over the
    whole run. Values that cannot be given are None.
    """

    metric: str
    verdict: str
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    p: float = 1.0
    p_adjusted: float = 1.0
    pooled: float | None = None
    pooled_low: float | None = None
    pooled_high: float | None = None
    n_pairs: int = 0
    type: str = "ALL"
    a: float | None = None
    """Pooled value of arm A in the metric's unit (ns, share, count)."""
    b: float | None = None
    takes: str = ""
    """With 'inconclusive': what it would take to know."""
    exploratory: bool = False
    """One of many looks at operation types: a hint where to look next, not a result."""


@dataclass(frozen=True)
class Verdict:
    """better, worse, equivalent, inconclusive or not comparable, with all it rests on."""

    primary: MetricVerdict
    metrics: dict[str, MetricVerdict]
    comparable: bool
    why: str
    design: str
    sentence: str
    types: dict[str, dict[str, MetricVerdict]] = field(default_factory=dict)
    """Per operation type, then per metric: exploratory."""
    dropped: tuple[str, ...] = ()
    """Pairs left out and why."""
    warnings: tuple[str, ...] = ()
    details: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)
