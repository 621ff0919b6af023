"""B against A as ratios: of each pair, of each metric with its interval, at each percentile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldap_workbench.model.message import Message

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PairRatio:
    """B / A of one pair of windows; `order` is how the coin fell, AB or BA."""

    pair: int
    ratio: float
    order: str = ""


@dataclass(frozen=True)
class PairValue:
    """One metric in both windows of a pair, in the metric's unit."""

    pair: int
    a: float
    b: float
    b_first: bool


@dataclass(frozen=True)
class Rung:
    """B / A of one metric with its interval; None where there is none."""

    name: Message
    ratio: float | None
    low: float | None
    high: float | None
    verdict: str
    primary: bool = False
    material: float = 1.1
    """Nearer to ×1 than this, both ways, a change does not matter."""


SAME = 1.1
"""Of a shift curve: within this ratio, either way, nobody would notice."""


@dataclass(frozen=True, eq=False)
class ShiftCurve:
    """B / A at the quantiles p (0 to 1) and its pointwise 95 % band."""

    p: Floats
    ratio: Floats
    low: Floats
    high: Floats
