"""Which servers take part in a canary, and how they replicate to each other."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QWidget

from ldap_workbench.campaign.canary_begin import Survey
from ldap_workbench.figures.verdict.canary_view import others_of
from ldap_workbench.gui.parts.models.canary import FOUND
from ldap_workbench.gui.parts.models.table import RowsModel
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column
from ldap_workbench.gui.parts.widgets.table import TableView
from ldap_workbench.model.profile import Profile

_ROWS = 6


class ReplicasCard(QFrame):
    """A tick for each profile; below, what was found when they were checked.

    *Signals:* changed()
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._profiles: list[Profile] = []
        self.list = QListWidget()
        self.list.setAccessibleName(self.tr("Servers of the canary"))
        self.list.itemChanged.connect(self.changed)
        self._model = RowsModel(FOUND, parent=self)
        self.table = TableView(self.tr("Replicas and their agreements"))
        self.table.set_rows(self._model, stretch=2)
        self._others = label("", "dim", wrap=True)
        heading = label(self.tr("Which re&plicas"), "heading")
        heading.setBuddy(self.list)
        column(heading, self.list, self.table, self._others, on=self, margins=(14, 10, 14, 12))
        self.show_survey(None)

    def set_profiles(self, profiles: Sequence[Profile]) -> None:
        """Offer these; what was ticked stays so."""
        if list(profiles) == self._profiles:
            return
        ticked = set(self.ticked())
        self._profiles = list(profiles)
        self.list.blockSignals(True)
        self.list.clear()
        for profile in self._profiles:
            item = QListWidgetItem(f"{profile.name}   ({profile.ldap_url})", self.list)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            on = Qt.CheckState.Checked if profile.name in ticked else Qt.CheckState.Unchecked
            item.setCheckState(on)
        self.list.blockSignals(False)
        self.list.setCurrentRow(0)
        rows = max(2, min(len(self._profiles), _ROWS))
        self.list.setFixedHeight(round((rows * 1.6 + 0.6) * self.fontMetrics().height()))
        self.changed.emit()

    def ticked(self) -> tuple[str, ...]:
        """The names of the profiles that take part."""
        return tuple(
            profile.name
            for row, profile in enumerate(self._profiles)
            if self.list.item(row).checkState() is Qt.CheckState.Checked
        )

    def tick(self, *names: str) -> None:
        """Let these profiles take part, and no other."""
        for row, profile in enumerate(self._profiles):
            on = profile.name in names
            state = Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
            self.list.item(row).setCheckState(state)

    def show_survey(self, survey: Survey | None) -> None:
        """The topology, or nothing before anybody has checked."""
        self._model.set_rows(survey.replicas if survey else ())
        self.table.fit_height(_ROWS)
        self.table.setVisible(survey is not None)
        others = shown(others_of(survey, self._profiles)) if survey else ""
        self._others.setText(others)
        self._others.setVisible(bool(others))
