"""Who refers to whom, asked of a connected server. Knows no Qt; called in the server's thread."""

from __future__ import annotations

from ldap_workbench.advice import advise, conflicts
from ldap_workbench.advice.references import reference_findings, references
from ldap_workbench.gui.findings.reader import Seen
from ldap_workbench.model.progress import Cancel, OnProgress, Progress
from ldap_workbench.servers import Target

IDS = ("referred", "group_ring")
"""The findings that only the server can tell."""


def ask_references(target: Target, tail: str, progress: OnProgress, cancel: Cancel) -> Seen:
    """Entries that many others name, and rings of groups: searches only, nothing is written.

    Raises DirectoryError when the server refuses so large a search, CancelledError between back
    ends.
    """
    found: dict[str, frozenset[str]] = {}
    for number, backend in enumerate(target.facts.backends):
        cancel.check()
        share = number / len(target.facts.backends)
        progress(Progress(f"Asking who refers to whom below {backend.suffix}", share))
        found |= references(target.directory, backend.suffix)
    seen = tuple(reference_findings(found))
    advice = tuple(advise(seen, target.facts, tail=tail))
    return Seen(seen, advice, tuple(conflicts(advice)))
