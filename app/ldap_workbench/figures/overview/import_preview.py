"""What an import has read so far, as a table of tails and strips over time."""

from __future__ import annotations

from ldap_workbench.capture.importing.preview import Preview
from ldap_workbench.figures.timeline.strips import PEAK, Line, Strip
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.tail import Tail
from ldap_workbench.model.units import NS_PER_S

RATE = Message("Operations (access log)")


def tails_of(preview: Preview, name: str) -> list[Tail]:
    """A row per operation type, all client operations first; quantiles are within 1.6 %."""
    rows = []
    for tail in preview.tails:
        p50, p90, p95, p99, p999 = tail.quantiles_ns
        rows.append(
            Tail(name, tail.type, tail.n, p50, p90, p95, p99, p999, tail.max_ns, tail.sum_ns)
        )
    return rows


def strips_of(preview: Preview) -> list[Strip]:
    """Operations a second and the peak etime of each stretch of text, by when it ends."""
    if not len(preview.times_ns):
        return []
    order = preview.times_ns.argsort(kind="stable")
    seconds = preview.times_ns[order] / NS_PER_S
    peaks = preview.peaks_ns[order].astype(float)
    return [
        Strip(RATE, "/s", (Line(NOTHING, seconds, preview.rates[order]),)),
        Strip(PEAK, lines=(Line(NOTHING, seconds, peaks),), duration=True),
    ]
