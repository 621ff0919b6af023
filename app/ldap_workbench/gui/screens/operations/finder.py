"""What to look for among the operations, and what to group them by."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QWidget

from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.parts.widgets.fields import ComboBox
from ldap_workbench.gui.parts.widgets.labels import label, set_mood, set_tip
from ldap_workbench.gui.parts.widgets.saved_views import SavedView
from ldap_workbench.model.errors import UsageError
from ldap_workbench.session.conditions import Condition, exactly, parse_conditions

_PAUSE_MS = 250
"""Who types faster than this is not done yet."""


class Finder(QWidget):
    """A line of words, a grouping, and whether the server's own operations count.

    *Signals:* changed()
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.words = QLineEdit()
        self.words.setClearButtonEnabled(True)
        self.words.setPlaceholderText("etime>100ms  err!=0  type=SRCH  client=10.0.0.12  smith")
        set_tip(
            self.words,
            self.tr(
                "All terms must match: etime, wtime, optime with a unit; err, entries, "
                "conn, op; type=, notes=; filter=, client=, base=, dn= for a whole "
                "text; from=, to=, end>= with a time; ops=CONN/OP,... for single ones; "
                "finding=ID for those of a finding. Any "
                "other term is a type, a connection or a part of filter, client, base or "
                "bind DN."
            ),
        )
        self.grouping = ComboBox()
        self.grouping.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for words, name in (
            (self.tr("none: every operation"), ""),
            (self.tr("filter"), "filter"),
            (self.tr("client"), "client"),
            (self.tr("bind DN"), "dn"),
            (self.tr("base"), "base"),
            (self.tr("type"), "type"),
            (self.tr("suffix"), "suffix"),
            (self.tr("branch (parent DN)"), "parent"),
            (self.tr("changed entry"), "entry"),
            (self.tr("referenced attribute"), "attribute"),
        ):
            self.grouping.addItem(words, name)
        self.internal = QCheckBox(self.tr("Include i&nternal"))
        set_tip(
            self.internal,
            self.tr("Include the server's own operations, mostly those of plug-ins."),
        )
        self.error = label("", wrap=True)
        self.error.hide()
        self._rest = single_shot(self, self.changed, _PAUSE_MS)
        self.words.textChanged.connect(self._on_words)
        self.words.returnPressed.connect(self._at_once)
        self.grouping.currentIndexChanged.connect(self._at_once)
        self.internal.toggled.connect(self._at_once)
        self._lay_out()

    def conditions(self) -> tuple[Condition, ...] | None:
        """What the words say; None, and it is said why, where they make no sense."""
        try:
            conditions = parse_conditions(self.words.text())
        except UsageError as error:
            self.refuse(error)
            return None
        self.error.hide()
        return conditions

    def refuse(self, error: UsageError) -> None:
        """Say below the words why they find nothing."""
        self.error.setText(shown(error.explanation))
        set_mood(self.error, "bad")
        self.error.show()

    def group_by(self) -> str:
        """One of search.GROUPINGS, '' for none."""
        return str(self.grouping.currentData())

    def narrow(self, name: str, value: str) -> None:
        """Look into one group: its operations, one by one."""
        self.put(f"{self.words.text().strip()} {exactly(name, value)}".strip(), "")

    def put(self, words: str, grouping: str) -> None:
        """Set both as if they had been typed and chosen, and tell of it once."""
        for widget in (self.words, self.grouping):
            widget.blockSignals(True)
        self.words.setText(words)
        self.grouping.setCurrentIndex(self.grouping.findData(grouping))
        for widget in (self.words, self.grouping):
            widget.blockSignals(False)
        self._at_once()

    def as_view(self) -> tuple[str, SavedView] | None:
        """What is looked for, to be looked for again; None where it is everything."""
        words, grouping = self.words.text().strip(), self.group_by()
        if not words and not grouping:
            return None
        by = self.tr("by {grouping}").format(grouping=self.grouping.currentText())
        parts = (words, by if grouping else "")
        return " · ".join(part for part in parts if part), {"words": words, "group": grouping}

    @Slot(object)
    def put_view(self, view: SavedView) -> None:
        """Look for what was kept."""
        self.put(str(view.get("words", "")), str(view.get("group", "")))

    @Slot(str)
    def _on_words(self, _: str) -> None:
        self._rest.start()

    @Slot()
    def _at_once(self) -> None:
        self._rest.stop()
        self.changed.emit()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for text, field, share in (
            (self.tr("F&ind"), self.words, 1),
            (self.tr("&Group by"), self.grouping, 0),
        ):
            words = label(text)
            words.setBuddy(field)
            field.setAccessibleName(text.replace("&", ""))
            row.addWidget(words)
            row.addWidget(field, share)
        row.addWidget(self.internal)
