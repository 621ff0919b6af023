"""The catalogue of knobs with what each says now."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from ldap_workbench.figures.formats import ABSENT, amount
from ldap_workbench.figures.names import EFFECTS, RISKS
from ldap_workbench.figures.overview.knobs import Advised, AdvisedValues
from ldap_workbench.figures.table import Column
from ldap_workbench.gui.parts.models.table import DASH, RowsModel
from ldap_workbench.model.knob import Knob, KnobReading, Risk, ValueKind
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.units import exact_size

_RISK_ORDER = (Risk.LOW, Risk.MEDIUM, Risk.HIGH)


class KnobsModel(RowsModel[KnobReading]):
    """One row per knob and place, with what the advice for the open session would set."""

    def __init__(self, rows: Sequence[KnobReading] = (), parent: QObject | None = None) -> None:
        self._advice: AdvisedValues = {}
        column = Column[KnobReading](
            Message("Advised"),
            self._advised_text,
            number=True,
            tip=self._advised_why,
            about=Message("The value advised for the open session"),
        )
        super().__init__((*COLUMNS[:2], column, *COLUMNS[2:]), rows, parent)

    def advised(self, reading: KnobReading) -> Advised | None:
        """What the advice would set a knob to; None where it has that already or is not named."""
        advised = self._advice.get((reading.knob.name, reading.place))
        return advised if advised and advised.value != reading.value else None

    def set_advice(self, advice: AdvisedValues) -> None:
        """Show these values as advised."""
        self._advice = advice
        self.set_rows(self.rows)

    def _advised_text(self, reading: KnobReading) -> Message | str:
        advised = self.advised(reading)
        return knob_value(reading.knob, advised.value) if advised else DASH

    def _advised_why(self, reading: KnobReading) -> Message:
        advised = self.advised(reading)
        return advised.why if advised else NOTHING


def knob_value(knob: Knob, value: str | None) -> Message:
    """A value with its unit, sizes in binary units; None is absent."""
    if value is None:
        return ABSENT
    if knob.kind is ValueKind.SIZE and value.isdigit():
        return amount(int(value), "size")
    if not knob.unit or not value:
        return verbatim(value)
    return Message("{value} {unit}", value=value, unit=Message(knob.unit))


def typed_value(knob: Knob, value: str) -> str:
    """A value as it is typed, exactly: sizes in the largest unit that needs no fraction."""
    if knob.kind is ValueKind.SIZE and value.isdigit():
        return exact_size(int(value))
    return value


def differs(reading: KnobReading) -> bool:
    """Whether a knob is set to something other than its default, where that is known."""
    known = reading.knob.default is not None and reading.value is not None
    return known and reading.value != reading.knob.default


def _about(reading: KnobReading) -> Message:
    return reading.knob.about


def _now(reading: KnobReading) -> Message | str:
    if reading.unknown:
        return DASH
    return knob_value(reading.knob, reading.value)


def _name(reading: KnobReading) -> str:
    return reading.knob.name + (f" @ {reading.place}" if reading.place else "")


def _effective(reading: KnobReading) -> Message | str:
    return DASH if reading.effective is None else knob_value(reading.knob, reading.effective)


def _default(reading: KnobReading) -> Message | str:
    knob = reading.knob
    return DASH if knob.default is None else knob_value(knob, knob.default)


COLUMNS = (
    Column[KnobReading](Message("Knob"), _name, tip=_about, strong=differs),
    Column[KnobReading](
        Message("Now"),
        _now,
        tip=lambda r: r.unknown or verbatim(r.value or ""),
        strong=differs,
        number=True,
    ),
    Column[KnobReading](Message("Default"), _default, number=True),
    Column[KnobReading](
        Message("In force"), _effective, number=True, about=Message("What other evidence shows")
    ),
    Column[KnobReading](Message("Takes effect"), lambda r: EFFECTS[r.knob.effect]),
    Column[KnobReading](
        Message("Risk"),
        lambda r: RISKS[r.knob.risk],
        sort=lambda r: _RISK_ORDER.index(r.knob.risk),
        tip=lambda r: r.knob.trap,
    ),
    Column[KnobReading](Message("Description"), lambda r: r.knob.title, tip=_about),
    Column[KnobReading](
        Message("Where"), lambda r: r.knob.dn or r.knob.path, tip=lambda r: r.knob.source
    ),
)
