"""Findings in a window, and the advice each finding backs: the expert over the shoulder.

In come what a session holds of a window (operations, samples, sources, facts of the server); out go
Findings with their evidence, then Advice: treatments worth one experiment, ranked by what they may
do for the tail the operator cares about. Families are pure functions over arrays, one file each;
`view.py` alone reads a session. Wording, limits and advice are data: resources/advice/.
Nothing here changes a server.
"""

from ldap_workbench.advice.evidence.view import WindowView, settings_now, view_window
from ldap_workbench.advice.families.find import findings, findings_in
from ldap_workbench.advice.families.grouping import group_findings
from ldap_workbench.advice.rules.advise import advise
from ldap_workbench.advice.rules.conflicts import conflicts

__all__ = [
    "WindowView",
    "advise",
    "conflicts",
    "findings",
    "findings_in",
    "group_findings",
    "settings_now",
    "view_window",
]
