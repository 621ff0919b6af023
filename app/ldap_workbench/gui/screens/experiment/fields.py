"""Fields and cards of the experiment's pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QFormLayout,
    QFrame,
    QGridLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSizePolicy,
    QSpinBox,
    QWidget,
)

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.widgets.fields import ComboBox, DoubleSpinBox, SpinBox
from ldap_workbench.gui.parts.widgets.labels import label, level_labels, set_tip
from ldap_workbench.gui.parts.widgets.layouts import Stretch, column, row, scroll
from ldap_workbench.gui.parts.widgets.pages import Scrolled
from ldap_workbench.model import plan_fields
from ldap_workbench.model.message import Message
from ldap_workbench.model.plan_fields import PlanField

_DECIMALS = {"s": 1, "ms": 2}
_NARROW_EM = 44
"""In heights of a line: too narrow for two cards side by side."""


def choices(names: Mapping[Any, Message]) -> QComboBox:
    """A list whose entries carry the keys."""
    box = ComboBox()
    for key, name in names.items():
        box.addItem(shown(name), key)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(12)
    box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    return box


def whole_number(low: int, high: int, value: int, suffix: str) -> QSpinBox:
    """A field for a count of something."""
    box = SpinBox()
    box.setRange(low, high)
    box.setSuffix(suffix)
    box.setValue(value)
    return box


def count_field(field: PlanField[int], suffix: str) -> QSpinBox:
    """A field for one of the counts of a plan."""
    return whole_number(field.least, field.most, field.default, suffix)


def duration_field(field: PlanField[float]) -> QDoubleSpinBox:
    """A field for one of the lengths of time of a plan."""
    box = DoubleSpinBox()
    box.setRange(field.least, field.most)
    box.setDecimals(_DECIMALS[field.unit])
    box.setSuffix(f" {field.unit}")
    box.setValue(field.default)
    return box


def percent(none: str) -> QDoubleSpinBox:
    """A field for a share, up to all; 0 says `none`."""
    box = DoubleSpinBox()
    box.setRange(0, 100)
    box.setSuffix(" %")
    box.setSpecialValueText(none)
    return box


def beside(*widgets: QWidget) -> QWidget:
    """Fields in one row; the first takes the room, and the focus of the row's label."""
    made = QWidget()
    row(*widgets, on=made, margins=0)
    made.setFocusProxy(widgets[0])
    return made


class LagFields:
    """How far a replica may be behind the others, and the profiles by which that is known."""

    def __init__(self) -> None:
        self.limit = duration_field(plan_fields.LAG)
        self.limit.setSpecialValueText(shown(Message("no limit")))
        self.limit.setAccessibleName(shown(Message("Stop if lag exceeds")))
        set_tip(self.limit, shown(Message("How far a replica may be behind the others")))
        self.replicas = QLineEdit()
        placeholder = Message("profiles of the other replicas: ds2, ds3")
        self.replicas.setPlaceholderText(shown(placeholder))
        self.replicas.setAccessibleName(shown(Message("Profiles of the other replicas")))

    def names(self) -> tuple[str, ...]:
        """Profiles of the other replicas, each once."""
        names = (name.strip() for name in self.replicas.text().split(","))
        return tuple(dict.fromkeys(name for name in names if name))


def note(text: str) -> QLabel:
    """A sentence below a field."""
    made = label(text, "dim", wrap=True)
    made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    made.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    return made


def card(title: str, form: QFormLayout, below: QWidget | None = None) -> QFrame:
    """A form below its heading, and what is said below the form.

    As a row of the form a note of several lines would get room as if it were narrow.
    """
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
    # In a small window a long name stands above its field.
    form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
    made = QFrame()
    made.setProperty("role", "card")
    inside = column(label(title, "heading"), level_labels(form), on=made, margins=(14, 10, 14, 12))
    if below:
        inside.addWidget(below)
    inside.addStretch(1)
    return made


class CardGrid(QWidget):
    """Cards in two columns, or one below the other where `arrange` is told of too little room."""

    def __init__(self, *cards: QFrame) -> None:
        super().__init__()
        self._cards = cards
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(12)
        self._put(2)

    def arrange(self, room: int) -> None:
        """Fit into so many pixels; those of the page, whose width no scroll bar changes."""
        self._put(1 if room < _NARROW_EM * self.fontMetrics().height() else 2)

    def _put(self, columns: int) -> None:
        for place, card in enumerate(self._cards):
            self._grid.addWidget(card, *divmod(place, columns))
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, columns - 1)


def scrolled(grid: QGridLayout) -> QScrollArea:
    """Cards that scroll up and down where there is no room."""
    inside = QWidget()
    inside.setObjectName("page")
    grid.setContentsMargins(0, 0, 0, 0)
    column(grid, Stretch(), on=inside, margins=0)
    return scroll(inside, Scrolled())
