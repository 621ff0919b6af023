"""The cards of a canary's plan: the one change, and the servers that take part."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QWidget

from ldap_workbench.campaign.canary_begin import Survey
from ldap_workbench.figures.verdict.canary_view import SURVEYED, others_of
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import anywhere
from ldap_workbench.gui.parts.widgets.knob_entry import KnobEntry
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.model.knob import Setting
from ldap_workbench.model.profile import Profile

_ROWS = 6


class ChangeCard(QFrame):
    """A knob, or an atomic group of them.

    *Signals:* changed()
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.settings: tuple[Setting, ...] = ()
        self.entry = KnobEntry(self.tr("Val&ue"))
        self.entry.added.connect(self.add)
        self._planned = label("", wrap=True)
        self._hint = label(
            self.tr(
                "Add the change; each replica has it in turn. Several settings form one group."
            ),
            "dim",
            wrap=True,
        )
        self._clear = anywhere(self.tr("Remove"), "Alt+Del")
        self._clear.clicked.connect(self.clear)
        column(
            label(self.tr("What is tried"), "heading"),
            self.entry,
            row((self._hint, 1), (self._planned, 1), self._clear),
            on=self,
            margins=(14, 10, 14, 12),
        )
        self._show()

    @Slot(str, str)
    def add(self, knob: str, value: str) -> None:
        """Try this value, in place of an earlier one of the same knob; others stay beside it."""
        name, _, place = knob.partition("@")
        rest = tuple(
            setting for setting in self.settings if (setting.knob, setting.place) != (name, place)
        )
        self._put((*rest, Setting(name, value, place)))

    @Slot()
    def clear(self) -> None:
        """Nothing is to be tried any more."""
        self._put(())

    def _put(self, settings: tuple[Setting, ...]) -> None:
        self.settings = settings
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        self._planned.setText(" + ".join(map(str, self.settings)))
        self._hint.setHidden(bool(self.settings))
        for widget in (self._planned, self._clear):
            widget.setVisible(bool(self.settings))


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
        self.table = RowsTable(self.tr("Replicas and their agreements"), SURVEYED, stretch=2)
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
            for place, profile in enumerate(self._profiles)
            if self.list.item(place).checkState() is Qt.CheckState.Checked
        )

    def tick(self, *names: str) -> None:
        """Let these profiles take part, and no other."""
        for place, profile in enumerate(self._profiles):
            on = profile.name in names
            state = Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
            self.list.item(place).setCheckState(state)

    def show_survey(self, survey: Survey | None) -> None:
        """The topology, or nothing before anybody has checked."""
        self.table.rows.set_rows(survey.replicas if survey else ())
        self.table.fit_height(_ROWS)
        self.table.setVisible(survey is not None)
        others = shown(others_of(survey, self._profiles)) if survey else ""
        self._others.setText(others)
        self._others.setVisible(bool(others))
