"""The catalogue of knobs with what each says now."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from ldap_workbench.figures.knobs import Advised, AdvisedValues
from ldap_workbench.gui.models.table import DASH, Column, RowsModel
from ldap_workbench.gui.retold import retold
from ldap_workbench.gui.words import said
from ldap_workbench.model.knob import Effect, Knob, KnobReading, Risk, ValueKind
from ldap_workbench.model.units import exact_size, format_size

_EFFECT_WORDS = {
    Effect.LIVE: "immediately",
    Effect.RESTART: "after a restart",
    Effect.OFFLINE: "server stopped",
}
_RISK_ORDER = (Risk.LOW, Risk.MEDIUM, Risk.HIGH)


class KnobsModel(RowsModel[KnobReading]):
    """One row per knob and place, with what the advice for the open session would set."""

    def __init__(self, rows: Sequence[KnobReading] = (), parent: QObject | None = None) -> None:
        self._advice: AdvisedValues = {}
        column = Column[KnobReading](
            "Advised", self._advised_text, number=True, tip=self._advised_why,
            about="The value advised for the open session",
        )  # fmt: skip
        super().__init__((*COLUMNS[:2], column, *COLUMNS[2:]), rows, parent)

    def advised(self, reading: KnobReading) -> Advised | None:
        """What the advice would set a knob to; None where it has that already or is not named."""
        found = self._advice.get((reading.knob.name, reading.place))
        return found if found and found.value != reading.value else None

    def set_advice(self, advice: AdvisedValues) -> None:
        """Show these values as advised."""
        self._advice = advice
        self.set_rows(self.rows)

    def _advised_text(self, reading: KnobReading) -> str:
        found = self.advised(reading)
        return knob_value(reading.knob, found.value) if found else DASH

    def _advised_why(self, reading: KnobReading) -> str:
        found = self.advised(reading)
        return retold(found.why) if found else ""


def knob_value(knob: Knob, value: str | None) -> str:
    """A value with its unit, sizes in binary units; None is absent."""
    if value is None:
        return said("absent")
    if knob.kind is ValueKind.SIZE and value.isdigit():
        return format_size(int(value))
    return f"{value} {said(knob.unit)}".strip() if knob.unit and value else value


def typed_value(knob: Knob, value: str) -> str:
    """A value as it is typed, exactly: sizes in the largest unit that needs no fraction."""
    if knob.kind is ValueKind.SIZE and value.isdigit():
        return exact_size(int(value))
    return value


def differs(reading: KnobReading) -> bool:
    """Whether a knob is set to something other than its default, where that is known."""
    known = reading.knob.default is not None and reading.value is not None
    return known and reading.value != reading.knob.default


def _about(reading: KnobReading) -> str:
    return retold(reading.knob.about)


def _now(reading: KnobReading) -> str:
    if reading.unknown:
        return DASH
    return knob_value(reading.knob, reading.value)


def _name(reading: KnobReading) -> str:
    return reading.knob.name + (f" @ {reading.place}" if reading.place else "")


def _effective(reading: KnobReading) -> str:
    return DASH if reading.effective is None else knob_value(reading.knob, reading.effective)


def _default(reading: KnobReading) -> str:
    knob = reading.knob
    return DASH if knob.default is None else knob_value(knob, knob.default)


COLUMNS = (
    Column[KnobReading]("Knob", _name, tip=_about, strong=differs),
    Column[KnobReading](
        "Now", _now, tip=lambda r: r.unknown or r.value or "", strong=differs, number=True
    ),
    Column[KnobReading]("Default", _default, number=True),
    Column[KnobReading]("In force", _effective, number=True, about="What other evidence shows"),
    Column[KnobReading]("Takes effect", lambda r: _EFFECT_WORDS[r.knob.effect], spoken=True),
    Column[KnobReading](
        "Risk", lambda r: r.knob.risk.value, sort=lambda r: _RISK_ORDER.index(r.knob.risk),
        tip=lambda r: retold(r.knob.trap),
    ),
    Column[KnobReading]("Description", lambda r: retold(r.knob.title), tip=_about),
    Column[KnobReading]("Where", lambda r: r.knob.dn or r.knob.path, tip=lambda r: r.knob.source),
)  # fmt: skip
