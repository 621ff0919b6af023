"""Step 3: what the confirmation found, what was tried, its papers; also without a server."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex, Signal, SignalInstance, Slot
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from ldap_workbench.campaign import Campaign, headline
from ldap_workbench.campaign.ladder import rungs, shape
from ldap_workbench.figures.campaign_view import TrialRow, title_of, trial_rows
from ldap_workbench.gui.models.campaign import TRIALS
from ldap_workbench.gui.models.table import ROW_ROLE, RowsModel
from ldap_workbench.gui.style.language import shown
from ldap_workbench.gui.widgets.bands import Band
from ldap_workbench.gui.widgets.buttons import push_button
from ldap_workbench.gui.widgets.flow import FlowLayout
from ldap_workbench.gui.widgets.labels import label
from ldap_workbench.gui.widgets.table import TableView

_ROWS = 12
_KINDS = "HTML (*.html);;PDF (*.pdf);;Markdown (*.md)"


class ResultPage(QWidget):
    """One of the campaigns of this user.

    *Signals:* sessionWanted(Path), reportWanted(Campaign, Path), changeWanted(Campaign, Path),
    resumeWanted(Campaign), revertWanted(Campaign)
    """

    sessionWanted = Signal(object)
    reportWanted = Signal(object, object)
    changeWanted = Signal(object, object)
    resumeWanted = Signal(object)
    revertWanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.campaign: Campaign | None = None
        self._stored: list[Campaign] = []
        self._here = ""
        self.which = QComboBox()
        self.which.setAccessibleName(self.tr("Campaign"))
        adjust = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.which.setSizeAdjustPolicy(adjust)
        self.which.setMinimumContentsLength(30)
        self.which.currentIndexChanged.connect(self._on_which)
        self.band = Band()
        self._model = RowsModel(TRIALS, parent=self)
        self.table = TableView(self.tr("What was tried"))
        self.table.set_rows(self._model, stretch=1)
        self.table.activated.connect(self._on_row)
        self._shape = label("", "dim", wrap=True)
        self._make_buttons()
        self._lay_out()

    def set_stored(self, campaigns: Sequence[Campaign], here: str) -> None:
        """All campaigns of this user; `here` is the identity of the server they may go on with."""
        chosen = self.campaign.output if self.campaign else ""
        self._stored, self._here = list(campaigns), here
        self.which.blockSignals(True)
        self.which.clear()
        self.which.addItems([shown(title_of(each)) for each in self._stored])
        outputs = [each.output for each in self._stored]
        self.which.setCurrentIndex(outputs.index(chosen) if chosen in outputs else 0)
        self.which.blockSignals(False)
        self._on_which(self.which.currentIndex())

    def choose(self, output: str) -> None:
        """Show the campaign of a file."""
        outputs = [each.output for each in self._stored]
        if output in outputs:
            self.which.setCurrentIndex(outputs.index(output))

    @Slot(int)
    def _on_which(self, index: int) -> None:
        self.campaign = self._stored[index] if 0 <= index < len(self._stored) else None
        self._show()

    def _show(self) -> None:
        campaign = self.campaign
        self._model.set_rows(trial_rows(campaign) if campaign else ())
        self.table.fit_height(_ROWS)
        if campaign is None:
            return
        mood = "good" if campaign.confirmed else "" if campaign.ended else "warn"
        self.band.say(shown(headline(campaign)), self._told(campaign), mood)
        levels = shape(rungs(campaign)) if campaign.plan.rounds else None
        self._shape.setText(shown(levels) if levels else "")
        self._shape.setVisible(bool(levels))
        self.table.selectRow(self._model.rowCount() - 1)
        self._enable(campaign)

    def _told(self, campaign: Campaign) -> str:
        where = self.tr("On {server}.").format(server=campaign.server)
        if campaign.ended:
            return where
        if campaign.identity == self._here:
            return where
        return self.tr("On {server}. Connect to it to go on or to revert.").format(
            server=campaign.server
        )

    def _enable(self, campaign: Campaign) -> None:
        may_go_on = not campaign.ended and campaign.identity == self._here
        for button in (self.resume, self.revert):
            button.setVisible(not campaign.ended)
            button.setEnabled(may_go_on)
        self.change.setEnabled(campaign.confirmed)

    @Slot()
    def _on_session(self) -> None:
        self._on_row(self.table.currentIndex())

    @Slot(QModelIndex)
    def _on_row(self, index: QModelIndex) -> None:
        row = index.data(ROW_ROLE)
        if isinstance(row, TrialRow) and row.entry.session:
            self.sessionWanted.emit(Path(row.entry.session))

    @Slot()
    def _on_report(self) -> None:
        if self.campaign is None:
            return
        suggestion = str(Path(self.campaign.output).with_suffix(".html"))
        path, _ = QFileDialog.getSaveFileName(self, self.tr("Write the report"), suggestion, _KINDS)
        if path:
            self.reportWanted.emit(self.campaign, Path(path))

    @Slot()
    def _on_change(self) -> None:
        if self.campaign is None:
            return
        folder = str(Path(self.campaign.output).parent)
        title = self.tr("Folder for LDIF, dsconf and Ansible files")
        if chosen := QFileDialog.getExistingDirectory(self, title, folder):
            self.changeWanted.emit(self.campaign, Path(chosen))

    def _make_buttons(self) -> None:
        self.resume = push_button(self.tr("&Resume …"), primary=True)
        self.revert = push_button(self.tr("Revert a&ll and end it …"))
        self.session = push_button(self.tr("&Open its session"))
        self.report = push_button(self.tr("&Write the report …"))
        self.change = push_button(self.tr("E&xport the change …"))
        self.session.clicked.connect(self._on_session)
        self.report.clicked.connect(self._on_report)
        self.change.clicked.connect(self._on_change)
        for button, wanted in (
            (self.resume, self.resumeWanted),
            (self.revert, self.revertWanted),
        ):
            button.clicked.connect(partial(self._ask, wanted))

    def _ask(self, wanted: SignalInstance) -> None:
        if self.campaign:
            wanted.emit(self.campaign)

    def _lay_out(self) -> None:
        name = label(self.tr("&Campaign"))
        name.setBuddy(self.which)
        first = QHBoxLayout()
        first.addWidget(name)
        first.addWidget(self.which, 1)
        buttons = QWidget()
        flow = FlowLayout(buttons)
        for button in (self.session, self.report, self.change, self.resume, self.revert):
            flow.addWidget(button)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(10)
        whole.addLayout(first)
        whole.addWidget(self.band)
        whole.addWidget(self.table)
        whole.addWidget(self._shape)
        whole.addWidget(buttons)
        whole.addStretch(1)
