"""A session in one line, in the language of the window."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from ldap_workbench.figures.session_summary import SessionSummary
from ldap_workbench.model.target import TargetFacts
from ldap_workbench.model.units import format_time


def headline(summary: SessionSummary) -> str:
    """Server, windows, when, and what the operator noted."""
    words = f"{_server(summary)} · {_windows(len(summary.windows))}"
    if not summary.windows:
        return words
    when = f"{words} · {format_time(summary.windows[0].start_ns)[:16]} UTC"
    return f"{when} · {' '.join(summary.note.split())}" if summary.note else when


def describe_server(facts: TargetFacts) -> str:
    """A server in a few words: where it runs, and what it is."""
    return f"{facts.host} · {facts.product} {facts.version.split(' ')[0]}"


def _server(summary: SessionSummary) -> str:
    if summary.facts is None:
        return QCoreApplication.translate("SessionSummary", "imported files")
    return describe_server(summary.facts)


def _windows(count: int) -> str:
    say = QCoreApplication.translate
    if count == 1:
        return say("SessionSummary", "1 window")
    return say("SessionSummary", "{n} windows").format(n=count)
