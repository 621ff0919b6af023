"""The papers of a campaign, written in a thread: the report, and the change for other tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ldap_workbench.campaign.state import Campaign
from ldap_workbench.gui.screens.report.pdf import print_pdf

Work = Callable[[], list[Path]]


def write_report(campaign: Campaign, path: Path) -> Work:
    """The page for a change board; its kind is the path's ending."""

    def work() -> list[Path]:
        from ldap_workbench.report.campaign import write_campaign_report

        return [write_campaign_report(campaign, path, print_pdf)]

    return work


def write_change(campaign: Campaign, folder: Path) -> Work:
    """LDIF, a script of dsconf and ldapmodify, and Ansible tasks, to make and to undo it."""

    def work() -> list[Path]:
        from ldap_workbench.report.export import export

        confirmation = campaign.confirmation
        assert confirmation is not None
        return export(confirmation.session, folder, ("ldif", "dsconf", "ansible"))

    return work
