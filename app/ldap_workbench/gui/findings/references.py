"""Who refers to whom, asked of a connected server. Knows no Qt; called in the server's thread."""

from __future__ import annotations

from ldap_workbench.advice import advise, conflicts
from ldap_workbench.advice.families.references import asked
from ldap_workbench.gui.findings.reader import Seen
from ldap_workbench.model.progress import Cancel, OnProgress
from ldap_workbench.servers import Target


def ask_references(target: Target, tail: str, progress: OnProgress, cancel: Cancel) -> Seen:
    """Entries that many others name, rings, missing indexes: searches only, nothing is written.

    Raises DirectoryError when the server refuses so large a search, CancelledError between back
    ends.
    """
    seen = tuple(asked(target.directory, target.facts, progress, cancel))
    advice = tuple(advise(seen, target.facts, tail=tail))
    return Seen(seen, advice, tuple(conflicts(advice)))
