"""A clock that jumped while the server logged: times of operations around it mean nothing."""

from __future__ import annotations

import numpy as np

from ldap_workbench.advice.evidence.series import Samples
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding, limits, phrase, times
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message, sentences
from ldap_workbench.model.operations import Int64
from ldap_workbench.model.units import NS_PER_S

_MARGIN_NS = NS_PER_S
"""A reading so near to a line of the log may be the one that wrote it."""


def find(view: WindowView) -> list[Finding]:
    """The clock was set back, or the log is silent about time that did pass."""
    back = 0 if is_excerpt(view) else _steps_back(view)
    silent = silences(view)
    if not back and not silent:
        return []
    longest = max((end - start for start, end in silent), default=0)
    return [
        finding(
            "clock",
            numbers={"steps_back": back, "silences": len(silent), "longest_silence_ns": longest},
            evidence=_evidence(view, back, silent),
            text=_jumps(back, len(silent), longest),
        )
    ]


def is_excerpt(view: WindowView) -> bool:
    """Whether the log was put together of pieces: its times go back every few lines."""
    lines = sum(source.lines.understood for source in view.sources)
    return 0 < lines < limits("clock")["lines"] * _steps_back(view)


def _steps_back(view: WindowView) -> int:
    return sum(int(source.details.get("clock_steps_back", 0)) for source in view.sources)


def _jumps(back: int, silent: int, longest_ns: int) -> Message:
    """What the clock did, in a sentence or two."""
    went_back = phrase("clock", "went_back", times=times(back))
    nothing = phrase("clock", "silent", times=times(silent), longest=longest_ns)
    return sentences(*([went_back] if back else []), *([nothing] if silent else []))


def silences(view: WindowView) -> list[tuple[int, int]]:
    """Stretches (ns) without a line of the log in which the monitor was read all the same.

    Readings carry the time of this computer's clock plus the offset measured once, so that a jump
    of the server's clock does not move them. Where readings are not in the log nothing is said.
    """
    limit, operations = limits("clock"), view.operations
    if not operations.own.any():
        return []
    ends, read = np.sort(operations.end_ns, kind="stable"), _readings(view.samples)
    stretches = []
    for at in np.flatnonzero(np.diff(ends) >= limit["silent_s"] * NS_PER_S):
        start, end = int(ends[at]), int(ends[at + 1])
        first, after = np.searchsorted(read, (start + _MARGIN_NS, end - _MARGIN_NS))
        if after - first >= limit["readings"]:
            stretches.append((start, end))
    return stretches


def _readings(samples: Samples) -> Int64:
    """Times at which entries of the monitor were read, by one attribute of each entry."""
    names = {name.rpartition(":")[0]: name for name in samples if name.lower().startswith("cn=")}
    read = [samples[name][0] for name in names.values()]
    return np.unique(np.concatenate(read)) if read else np.empty(0, np.int64)


def _evidence(view: WindowView, back: int, silent: list[tuple[int, int]]) -> list[Evidence]:
    evidence = []
    if back:
        evidence.append(view.evidence(phrase("clock", n=back)))
    return evidence + [
        Evidence(Message("No line of the log."), start, end) for start, end in silent[:50]
    ]
