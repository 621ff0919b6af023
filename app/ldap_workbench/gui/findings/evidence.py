"""Where in the window a piece of evidence is seen: its stretch of time, its strip. Knows no Qt."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from ldap_workbench.figures.strips import strip_specs
from ldap_workbench.gui.findings.reader import stretch
from ldap_workbench.model.finding import Evidence, Finding, Link
from ldap_workbench.model.window import Span, Window


def span_of(finding: Finding, windows: Sequence[Window]) -> Span | None:
    """From the first to the last moment (ns) of the windows a finding is about.

    None where it is about none of these: it was asked of the server.
    """
    numbers = finding.numbers.get("windows", ())
    about = [window for window in windows if window.id in numbers]
    if not about:
        return None
    return min(w.start_ns for w in about), max(w.end_ns for w in about)


def span_of_links(links: Sequence[Link]) -> Span | None:
    """From the first to the last moment (ns) of a chain; None where no link has a time."""
    times = [t for link in links for t in (link.start_ns, link.end_ns) if t is not None]
    return (min(times), max(times)) if times else None


def where(evidence: Evidence, whole: Span | None) -> Span | None:
    """From when to when (ns) to look; `whole` for what has no time of its own."""
    return stretch(evidence) or whole


def strip_title(series: str) -> str:
    """The strip that draws a series, '' where none does."""
    for spec in strip_specs():
        for pattern in spec.patterns():
            if series and fnmatchcase(series.lower(), pattern.replace("{device}", "*").lower()):
                return spec.title
    return ""
