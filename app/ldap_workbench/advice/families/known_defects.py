"""Defects of the server's version that this window shows; never by the version alone."""

from __future__ import annotations

from collections.abc import Sequence

from ldap_workbench.advice.evidence.defects import defects, shown
from ldap_workbench.advice.evidence.view import WindowView
from ldap_workbench.advice.evidence.wording import finding
from ldap_workbench.model.finding import Evidence, Finding
from ldap_workbench.model.message import Message


def find(view: WindowView, findings: Sequence[Finding]) -> list[Finding]:
    """Known defects that the window, or the findings of the other families, show."""
    if not view.version:
        return []
    ids = {other.id for other in findings}
    known = [
        (defect, remedy)
        for defect in defects()
        if (remedy := defect.remedy(view.version)) is not None and shown(defect, view, ids)
    ]
    if not known:
        return []
    evidence = [
        Evidence(
            Message(
                "Issue {issue}: {title}; {remedy}.",
                issue=defect.issue,
                title=Message(defect.title),
                remedy=remedy,
            )
        )
        for defect, remedy in known
    ]
    return [
        finding(
            "known_defect",
            numbers={"issues": [defect.issue for defect, _ in known], "version": view.version},
            evidence=evidence,
            version=view.version,
            defects=tuple(
                Message(
                    "{title} (389 DS issue {issue}, {remedy})",
                    title=Message(defect.title),
                    issue=defect.issue,
                    remedy=remedy,
                )
                for defect, remedy in known
            ),
        )
    ]
