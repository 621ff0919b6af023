"""Operations become tails, counts and a verdict: pure functions on numpy arrays.

In come Operations or counts per second, type and log bucket; out go Tail rows, Cubes and a
Verdict. The window is the unit, the coin of the design is what the test rests on: operations of
one window are not independent, so they are never the sample size. No screen, no file.
"""

from ldap_workbench.statistics.analyse import analyse
from ldap_workbench.statistics.counts import (
    WindowCounts,
    windows_from_counts,
    windows_from_cubes,
)
from ldap_workbench.statistics.cube import Cube, edges_ns
from ldap_workbench.statistics.tails import log2_histogram, tail_curve, tails

__all__ = [
    "Cube",
    "WindowCounts",
    "analyse",
    "edges_ns",
    "log2_histogram",
    "tail_curve",
    "tails",
    "windows_from_counts",
    "windows_from_cubes",
]
