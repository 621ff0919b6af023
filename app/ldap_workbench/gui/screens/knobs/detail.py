"""One knob in words, and a value to plan an experiment with."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QLabel,
    QLineEdit,
    QScrollArea,
    QStackedWidget,
    QWidget,
)

from ldap_workbench.figures.overview.knobs import Advised, knob_value, typed_value, worded_value
from ldap_workbench.gui.parts.models.table import DASH
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.buttons import button_row, push_button
from ldap_workbench.gui.parts.widgets.fields import ComboBox
from ldap_workbench.gui.parts.widgets.flow import flow
from ldap_workbench.gui.parts.widgets.labels import RISK_BADGES, ElidedLabel, badge, label, set_mood
from ldap_workbench.gui.parts.widgets.layouts import Stretch, column, row
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.knob import Effect, Knob, KnobReading, Setting, ValueKind
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.servers.product import in_place
from ldap_workbench.tuning.values import plain

_EFFECTS = {
    Effect.LIVE: (Message("takes effect immediately"), "good"),
    Effect.RESTART: (Message("needs a restart"), "warn"),
    Effect.OFFLINE: (Message("needs the server stopped"), "bad"),
}
KIND_NAMES = {
    ValueKind.INTEGER: Message("integer"),
    ValueKind.SIZE: Message("size"),
    ValueKind.SECONDS: Message("seconds"),
    ValueKind.PERCENT: Message("percent"),
    ValueKind.CHOICE: Message("choice"),
    ValueKind.TEXT: Message("text"),
    ValueKind.SORTED_LIST: Message("base, scope, filter, order"),
}

_LETTERS = 44
"""As wide as most values and their names need; badges go on below where there is no room."""


class KnobDetail(QFrame):
    """*Signals:* planned(Setting)."""

    planned = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._reading: KnobReading | None = None
        self._typed: dict[tuple[str, str], str] = {}
        self._title = label("", "heading", wrap=True)
        self._effect, self._risk = badge(""), badge("")
        self._proved = ElidedLabel(mode=Qt.TextElideMode.ElideRight, role="badge")
        self._about = label("", wrap=True)
        self._trap = label("", wrap=True)
        self._facts = QFormLayout()
        # A DN does not wrap within its parts: where it has no room beside its name, below it.
        self._facts.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self._values = {
            name: _selectable() for name in ("now", "force", "default", "advised", "where", "range")
        }
        self._source = label("", "dim", wrap=True)
        self.setMinimumWidth(self.fontMetrics().averageCharWidth() * _LETTERS)
        self._lay_out()

    def show_knob(self, reading: KnobReading, advised: Advised | None = None) -> None:
        """Tell about this one; an advised value stands ready in the editor."""
        knob = reading.knob
        self._reading = reading
        self._title.setText(f"{knob.name}{' @ ' + reading.place if reading.place else ''}")
        for mark, (text, mood) in (
            (self._effect, _EFFECTS[knob.effect]),
            (self._risk, RISK_BADGES[knob.risk]),
        ):
            mark.setText(shown(text))
            set_mood(mark, mood)
        proved = Message("from documentation")
        if knob.verified:
            proved = Message("tried on {versions}", versions=knob.verified)
        if knob.nearest:
            proved = Message("nearest facts: version {version}", version=knob.nearest)
        self._proved.set_whole(shown(proved))
        self._about.setText(f"{shown(knob.title)}. {shown(knob.about)}".strip())
        self._trap.setText(shown(Message("Caution: {trap}", trap=knob.trap)) if knob.trap else "")
        self._trap.setVisible(bool(knob.trap))
        self._show_values(reading, advised)
        source = shown(Message("Source: {source}", source=knob.source)) if knob.source else ""
        self._source.setText(source)
        self._show_editor(knob)
        self._fill_editor(reading, advised)

    def forget_typed(self) -> None:
        """What was typed for the knobs of another server is void."""
        self._typed = {}

    def _fill_editor(self, reading: KnobReading, advised: Advised | None) -> None:
        """What the operator typed for this knob before, else what is advised."""
        knob = reading.knob
        if typed := self._typed.get(_key(reading)):
            self._text.setText(typed)
            self._choice.setCurrentText(typed)
        elif advised:
            self._text.setText(typed_value(knob, advised.value))
            self._choice.setCurrentText(advised.value)

    @Slot(str)
    def _on_typed(self, text: str) -> None:
        if self._reading is not None:
            self._typed[_key(self._reading)] = text

    def set_editable(self, editable: bool) -> None:
        """Whether a value may be planned: not without a server."""
        self._bottom.setVisible(editable)
        self._problem.setVisible(editable)

    def _show_values(self, reading: KnobReading, advised: Advised | None) -> None:
        knob = reading.knob
        now = reading.unknown or worded_value(knob, reading.value)
        texts = {
            "now": now,
            "force": _value_or_unknown(knob, reading.effective),
            "default": _value_or_unknown(knob, knob.default),
            "advised": _advised_text(knob, advised),
            "where": verbatim(_where(reading)),
            "range": allowed_values(knob),
        }
        for name, text in texts.items():
            self._values[name].setText(shown(text))

    def _show_editor(self, knob: Knob) -> None:
        choices = ("on", "off") if knob.kind is ValueKind.SWITCH else knob.choices
        closed = knob.kind in (ValueKind.SWITCH, ValueKind.CHOICE)
        self._choice.clear()
        self._choice.addItems(list(choices))
        self._editor.setCurrentWidget(self._choice if closed else self._text)
        self._words.setBuddy(self._choice if closed else self._text)
        self._text.clear()
        example = self.tr("for example 512 MiB or 1.5 GiB")
        hint = example if knob.kind is ValueKind.SIZE else shown(allowed_values(knob))
        self._text.setPlaceholderText(hint)
        self._problem.clear()

    def _lay_out(self) -> None:
        titles = {
            "now": self.tr("Now"),
            "force": self.tr("In force"),
            "default": self.tr("Default"),
            "advised": self.tr("Advised"),
            "range": self.tr("Allowed values"),
            "where": self.tr("Where"),
        }
        for name, title in titles.items():
            self._facts.addRow(label(title, "dim"), self._values[name])
        inside = QWidget()
        inside.setObjectName("page")
        column(
            flow(self._effect, self._risk, self._proved),
            self._about,
            self._trap,
            self._facts,
            self._source,
            Stretch(),
            on=inside,
            margins=0,
            spacing=10,
        )
        area = QScrollArea()
        area.setWidget(inside)
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._bottom = self._make_editor()
        column(
            self._title, (area, 1), self._bottom, self._problem, on=self, margins=(16, 12, 12, 12)
        )

    def _make_editor(self) -> QWidget:
        self._text, self._choice = QLineEdit(), ComboBox()
        self._editor = QStackedWidget()
        self._editor.addWidget(self._text)
        self._editor.addWidget(self._choice)
        self._editor.setSizePolicy(self._text.sizePolicy())
        self._words = label(self.tr("New val&ue"))
        self._words.setBuddy(self._text)
        for field in (self._text, self._choice):
            field.setAccessibleName(self.tr("New value"))
        self._problem = label("", wrap=True)
        plan = push_button(self.tr("Test this cha&nge …"), self._on_plan, primary=True)
        self._text.textEdited.connect(self._on_typed)
        self._choice.textActivated.connect(self._on_typed)
        self._text.returnPressed.connect(self._on_plan)
        bottom = QWidget()
        # The button below, not beside: a value and its hint would have no room.
        column(
            row(self._words, (self._editor, 1)),
            button_row(plan),
            on=bottom,
            margins=(0, 6, 0, 0),
        )
        return bottom

    def _on_plan(self) -> None:
        if self._reading is None:
            return
        knob, place = self._reading.knob, self._reading.place
        on_text = self._editor.currentWidget() is self._text
        typed = self._text.text() if on_text else self._choice.currentText()
        try:
            value = plain(knob, typed)
        except WorkbenchError as error:
            self._problem.setText(shown(error.explanation))
            return
        self._problem.clear()
        self.planned.emit(Setting(knob.name, value, place, "+=" if knob.many else "="))


def _key(reading: KnobReading) -> tuple[str, str]:
    return reading.knob.name, reading.place


def _selectable() -> QLabel:
    made = label("", wrap=True)
    made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return made


def _value_or_unknown(knob: Knob, value: str | None) -> Message:
    return Message("not known") if value is None else worded_value(knob, value)


def allowed_values(knob: Knob) -> Message:
    """What may be typed: a range, words, or both."""
    if knob.kind is ValueKind.SWITCH:
        return Message("on or off")
    choices = ", ".join(knob.choices)
    if knob.minimum is None and knob.maximum is None:
        return verbatim(choices) if choices else KIND_NAMES[knob.kind]
    limits = Message(
        "{low} to {high}", low=_limit(knob, knob.minimum), high=_limit(knob, knob.maximum)
    )
    if knob.unit and knob.kind is not ValueKind.SIZE:
        limits = Message("{value} {unit}", value=limits, unit=Message(knob.unit))
    return Message("{limits}, or {choices}", limits=limits, choices=choices) if choices else limits


def _limit(knob: Knob, limit: int | None) -> Message:
    """Without a unit, which follows the last; a size has one of its own."""
    if limit is None:
        return verbatim("…")
    return knob_value(replace(knob, unit=""), str(limit))


def _where(reading: KnobReading) -> str:
    """The entry and attribute, or the file, of this very place."""
    knob, place = reading.knob, reading.place
    if not knob.dn:
        return knob.path.replace("{device}", place or "{device}")
    return f"{in_place(knob.dn, place) if place else knob.dn} / {knob.name}"


def _advised_text(knob: Knob, advised: Advised | None) -> Message:
    if advised is None:
        return verbatim(DASH)
    return Message("{value}: {why}", value=knob_value(knob, advised.value), why=advised.why)
