"""A clock that jumped while the server logged: times of operations around it mean nothing."""

from __future__ import annotations

import numpy as np

from ldap_workbench.advice.evidence.series import Samples
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, plural, times
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.operations import Int64
from ldap_workbench.model.units import NS_PER_S, format_duration

_MARGIN_NS = NS_PER_S
"""A reading so near to a line of the log may be the one that wrote it."""


def find(view: WindowView) -> list[Finding]:
    """The clock was set back, or the log is silent about time that did pass."""
    back = sum(int(source.details.get("clock_steps_back", 0)) for source in view.sources)
    silent = silences(view)
    if not back and not silent:
        return []
    longest = max((end - start for start, end in silent), default=0)
    said = []
    if back:
        said.append(f"the clock went back {times(back).lower()} within the window")
    if silent:
        said.append(
            f"{times(len(silent)).lower()} nothing was logged, for {format_duration(longest)} at "
            "the most, though the server answered the workbench meanwhile and logs that too: its "
            "clock was set forward, or lines of the log are missing"
        )
    text = "; ".join(said)
    return [
        finding(
            "clock",
            numbers={"steps_back": back, "silences": len(silent), "longest_silence_ns": longest},
            evidence=_evidence(view, back, silent),
            text=text[:1].upper() + text[1:],
        )
    ]


def silences(view: WindowView) -> list[tuple[int, int]]:
    """Stretches (ns) without a line of the log in which the monitor was read all the same.

    Readings carry the time of this computer's clock plus the offset measured once, so that a jump
    of the server's clock does not move them. Where readings are not in the log nothing is said.
    """
    limit, operations = limits("clock"), view.operations
    if not operations.own.any():
        return []
    ends, read = np.unique(operations.end_ns), _readings(view.samples)
    found = []
    for at in np.flatnonzero(np.diff(ends) >= limit["silent_s"] * NS_PER_S):
        start, end = int(ends[at]), int(ends[at + 1])
        first, after = np.searchsorted(read, (start + _MARGIN_NS, end - _MARGIN_NS))
        if after - first >= limit["readings"]:
            found.append((start, end))
    return found


def _readings(samples: Samples) -> Int64:
    """When entries of the monitor were read; one attribute of each tells."""
    names = {name.rpartition(":")[0]: name for name in samples if name.lower().startswith("cn=")}
    read = [samples[name][0] for name in names.values()]
    return np.unique(np.concatenate(read)) if read else np.empty(0, np.int64)


def _evidence(view: WindowView, back: int, silent: list[tuple[int, int]]) -> list[Evidence]:
    found = []
    if back:
        text = f"Times of the log go back, {plural(back, 'time')}."
        found.append(Evidence(text, view.window.start_ns, view.window.end_ns))
    return found + [Evidence("No line of the log.", start, end) for start, end in silent[:50]]
