"""Step 3: what the confirmation found, what was tried, its papers; also without a server."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFileDialog

from ldap_workbench.campaign.description import headline
from ldap_workbench.campaign.ladder import rungs, shape
from ldap_workbench.campaign.state import Campaign
from ldap_workbench.figures.verdict.campaign_view import TRIALS, TrialRow, title_of, trial_rows
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.screens.series.result_page import SeriesResultPage
from ldap_workbench.model.message import Message

_ROWS = 12


class ResultPage(SeriesResultPage):
    """One of the campaigns of this user.

    *Signals:* changeWanted(Campaign, Path) and those of every series
    """

    changeWanted = Signal(object, object)
    chosen: Campaign | None
    _kind = Message("&Campaign")
    _rows = Message("What was tried")
    _columns = TRIALS
    _stretch = 1
    _kinds = "HTML (*.html);;PDF (*.pdf);;Markdown (*.md)"
    _suffix = ".html"

    def __init__(self) -> None:
        super().__init__()
        self._here = ""
        self._shape = label("", "dim", wrap=True)
        self.change = push_button(self.tr("E&xport the change …"), self._on_change)
        parts = (self.band, self.table, self._shape, self._button_row(self.change))
        self._lay_out(*parts).addStretch(1)

    def set_server(self, identity: str) -> None:
        """Campaigns of this server may go on; '' is none."""
        self._here = identity

    def _title(self, series: Campaign) -> Message:
        return title_of(series)

    def _session_of(self, row: TrialRow) -> str:
        return row.entry.session

    def _show_chosen(self) -> None:
        campaign = self.chosen
        self.table.rows.set_rows(trial_rows(campaign) if campaign else ())
        self.table.fit_height(_ROWS)
        if campaign is None:
            return
        self.band.say(shown(headline(campaign)), self._server_line(campaign), _mood(campaign))
        self._show_in_force(campaign.in_force)
        levels = shape(rungs(campaign)) if campaign.plan.rounds else None
        self._shape.setText(shown(levels) if levels else "")
        self._shape.setVisible(bool(levels))
        self.table.selectRow(self.table.rows.rowCount() - 1)
        self._enable(campaign)

    def _server_line(self, campaign: Campaign) -> str:
        if campaign.ended or campaign.identity == self._here:
            where = self.tr("On {server}.")
        else:
            where = self.tr("On {server}. Connect to it to go on or to revert.")
        return where.format(server=campaign.server_name)

    def _enable(self, campaign: Campaign) -> None:
        for button in (self.resume, self.revert):
            button.setVisible(not campaign.ended)
            button.setEnabled(not campaign.ended and campaign.identity == self._here)
        self.change.setEnabled(campaign.confirmed)

    @Slot()
    def _on_change(self) -> None:
        if self.chosen is None:
            return
        folder = str(Path(self.chosen.output).parent)
        title = self.tr("Folder for LDIF, dsconf and Ansible files")
        if path := QFileDialog.getExistingDirectory(self, title, folder):
            self.changeWanted.emit(self.chosen, Path(path))


def _mood(campaign: Campaign) -> str:
    if campaign.confirmed:
        return "good"
    return "" if campaign.ended else "warn"
