"""Step 1: the one change under test, and what it would do to the server as it is now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QWidget

from ldap_workbench.figures.formats import attribute_values
from ldap_workbench.figures.names import EFFECTS, RISKS
from ldap_workbench.figures.overview.knobs import knob_value
from ldap_workbench.figures.table import Column, always
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.bands import Band
from ldap_workbench.gui.parts.widgets.buttons import push_button
from ldap_workbench.gui.parts.widgets.fields import KnobEntry
from ldap_workbench.gui.parts.widgets.labels import label
from ldap_workbench.gui.parts.widgets.layouts import Stretch, column, row
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.gui.workbench.connection import Connection
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.change import WHOLE_ENTRY
from ldap_workbench.model.knob import Effect, Setting, Treatment
from ldap_workbench.model.message import NOTHING, Message, sentences, sentences_of
from ldap_workbench.tuning.catalogue import parse_setting
from ldap_workbench.tuning.indexes import describe_index, is_index
from ldap_workbench.tuning.place import describe_values
from ldap_workbench.tuning.plan import PlannedChange


@dataclass(frozen=True)
class Planned:
    """A treatment, checked, against the server as it is now."""

    treatment: Treatment
    changes: tuple[PlannedChange, ...]

    @property
    def restart(self) -> bool:
        return any(change.needs_restart for change in self.changes)

    @property
    def offline(self) -> bool:
        """The server has to be stopped for it."""
        return any(change.offline and change.writes for change in self.changes)


def _value(change: PlannedChange, of: tuple[str, ...] | None) -> Message:
    if is_index(change.location.dn, change.location.attribute):
        return describe_index(change.knob.name, change.location.attribute, of)
    if change.location.attribute == WHOLE_ENTRY:
        return describe_values(of)
    return knob_value(change.knob, of[0]) if of and len(of) == 1 else attribute_values(of)


def _name(change: PlannedChange) -> str:
    place = change.setting.place
    return f"{change.knob.name} @ {place}" if place else change.knob.name


def _when(change: PlannedChange) -> Message:
    if change.offline:
        return Message("set with the server stopped")
    return EFFECTS[Effect.RESTART if change.needs_restart else Effect.LIVE]


def _notes(change: PlannedChange) -> str:
    """What to know before it is made, a line each."""
    trap = change.knob.trap if change.writes else NOTHING
    parts = sentences(change.note, change.build, change.budget, change.operator, trap)
    return "\n".join(f"• {shown(part)}" for part in sentences_of(parts))


def cautions(changes: Sequence[PlannedChange]) -> str:
    """The notes of these settings; of several, each block below the name of its setting."""
    blocks = [(_name(change), notes) for change in changes if (notes := _notes(change))]
    if len(changes) == 1:
        return "".join(notes for _, notes in blocks)
    return "\n\n".join(f"{name}:\n{notes}" for name, notes in blocks)


COLUMNS = (
    Column[PlannedChange](Message("Setting"), _name, strong=always),
    Column[PlannedChange](Message("Now (A)"), lambda c: _value(c, c.before), number=True),
    Column[PlannedChange](
        Message("With the change (B)"), lambda c: _value(c, c.asked), number=True
    ),
    Column[PlannedChange](Message("Takes effect"), _when),
    Column[PlannedChange](Message("Risk"), lambda c: RISKS[c.knob.risk]),
)


class ChangePage(QWidget):
    """Settings are added one by one; together they are one treatment.

    *Signals:* plannedChanged()
    """

    plannedChanged = Signal()

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench
        self._settings: tuple[Setting, ...] = ()
        self._accepted: tuple[Setting, ...] = ()
        self.planned: Planned | None = None
        self._table = RowsTable(self.tr("What the change would do"), COLUMNS, stretch=0)
        self._band = Band()
        self._cautions = label("", wrap=True)
        self._cautions.setAccessibleName(self.tr("Caution"))
        column(
            self._band,
            self._make_editor(),
            self._table,
            self._cautions,
            Stretch(),
            on=self,
            margins=0,
            spacing=10,
        )
        self._show()

    def set_knobs(self, names: Sequence[str]) -> None:
        """Offer these knobs."""
        self._entry.set_knobs(names)

    def add(self, setting: Setting) -> None:
        """Add a setting, in place of an earlier value of the same."""
        where = (setting.knob, setting.place)
        others = tuple(other for other in self._settings if (other.knob, other.place) != where)
        self.take((*others, setting))

    def settings(self) -> tuple[Setting, ...]:
        """The settings that are planned."""
        return self._accepted

    def take(self, settings: tuple[Setting, ...]) -> None:
        """Plan these settings together, in place of all others."""
        self._settings = settings
        self.ask()

    def clear(self) -> None:
        """No change any more."""
        self._settings = ()
        self._set(None)

    def ask(self) -> None:
        """Check the settings against the server."""
        settings = self._settings
        if not settings:
            self._set(None)
            return
        self._workbench.ask_server(
            self.tr("Checking the change"),
            lambda connection, _, __: _plan(connection, settings),
            on_done=self._set,
            on_failed=self._on_refused,
        )

    @Slot(object)
    def _set(self, planned: Planned | None) -> None:
        self.planned = planned
        self._accepted = self._settings
        self._table.rows.set_rows(planned.changes if planned else ())
        self._table.fit_height(10)
        self._cautions.setText(cautions(planned.changes) if planned else "")
        self._cautions.setVisible(bool(self._cautions.text()))
        self._show()
        self.plannedChanged.emit()

    @Slot(object)
    def _on_refused(self, error: Exception) -> None:
        self._settings = self._accepted
        self._workbench.fail(error)

    def _show(self) -> None:
        planned = self.planned
        self._clear.setEnabled(planned is not None)
        self._table.setVisible(planned is not None)
        if planned is None:
            self._band.say(
                self.tr("Choose the change to test"),
                self.tr(
                    "Choose a setting and a value. Combine several settings only if they take "
                    "effect only together. Settings that one requires are added "
                    "automatically."
                ),
                "",
            )
        elif planned.offline:
            self._band.say(
                self.tr("This change requires stopping the server"),
                self.tr(
                    "This is not changed while the server runs. If you agree, the workbench "
                    "stops it, backs up and edits its configuration, and starts it again."
                ),
                "warn",
            )
        elif planned.restart:
            self._band.say(
                self.tr("This change takes effect after a restart"),
                self.tr(
                    "For a fair comparison, the server is restarted before every window, "
                    "with and without the change. Each restart disconnects all clients."
                ),
                "warn",
            )
        else:
            self._band.say(
                self.tr("This change takes effect immediately"),
                self.tr(
                    "Nothing changes until you start. The change is recorded in the change log "
                    "first."
                ),
                "",
            )

    def _make_editor(self) -> QFrame:
        self._entry = KnobEntry(self.tr("Val&ue for B"))
        self._entry.added.connect(self._on_added)
        self._clear = push_button(self.tr("C&lear"), self.clear)
        card = QFrame()
        card.setProperty("role", "card")
        self._entry.add_button(self._clear)
        row(self._entry, on=card)
        return card

    @Slot(str, str)
    def _on_added(self, knob: str, value: str) -> None:
        self.add(parse_setting(f"{knob}={value}"))


def _plan(connection: Connection, settings: tuple[Setting, ...]) -> Planned:
    tuner = connection.tuner
    treatment = tuner.catalogue.treatment(settings, connection.target.facts)
    changes = tuple(tuner.plan(treatment))
    tuner.check_automated(changes, may_stop=True)  # whether it may be is asked before the start
    return Planned(treatment, changes)
