"""What to look for among the operations, and what to group them by."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QLineEdit, QWidget

from ldap_workbench.gui.parts.style.language import plain_tip, shown
from ldap_workbench.gui.parts.style.timers import single_shot
from ldap_workbench.gui.parts.widgets.fields import TabBar
from ldap_workbench.gui.parts.widgets.labels import label, set_mood, set_tip
from ldap_workbench.gui.parts.widgets.layouts import column, row
from ldap_workbench.gui.parts.widgets.saved_views import SavedView
from ldap_workbench.model.errors import UsageError
from ldap_workbench.session.conditions import Condition, parse_conditions

_PAUSE_MS = 250
"""Who types faster than this is not done yet."""
UNANSWERED = "unanswered"
"""Name of the grouping that is none: operations without an answer."""


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
        self.grouping = TabBar()
        self.grouping.setProperty("role", "grouping")
        self.grouping.setExpanding(False)
        for words, name, tip in self._groupings():
            place = self.grouping.addTab(words)
            self.grouping.setTabData(place, name)
            self.grouping.setTabToolTip(place, plain_tip(tip))
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
        self.grouping.currentChanged.connect(self._at_once)
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
        """One of search.GROUPINGS, '' for none, UNANSWERED for operations without an answer."""
        return str(self.grouping.tabData(self.grouping.currentIndex()))

    def narrow(self, terms: str, grouping: str = "") -> None:
        """Look for what also meets these terms."""
        self.put(f"{self.words.text().strip()} {terms}".strip(), grouping)

    def put(self, words: str, grouping: str) -> None:
        """Set both as if they had been typed and chosen, and tell of it once."""
        for widget in (self.words, self.grouping):
            widget.blockSignals(True)
        self.words.setText(words)
        places = range(self.grouping.count())
        at = (place for place in places if self.grouping.tabData(place) == grouping)
        self.grouping.setCurrentIndex(next(at, 0))
        for widget in (self.words, self.grouping):
            widget.blockSignals(False)
        self._at_once()

    def as_view(self) -> tuple[str, SavedView] | None:
        """What is looked for, to be looked for again; None where it is everything."""
        words, grouping = self.words.text().strip(), self.group_by()
        if not words and not grouping:
            return None
        name = self.grouping.tabText(self.grouping.currentIndex())
        by = self.tr("by {grouping}").format(grouping=name)
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

    def _groupings(self) -> tuple[tuple[str, str, str], ...]:
        """Title, name and tip of each."""
        return (
            (self.tr("none"), "", self.tr("Every operation")),
            (self.tr("client"), "client", self.tr("Clients by what they cost")),
            (self.tr("filter"), "filter", self.tr("Filters without their values")),
            (self.tr("base"), "base", self.tr("Base of a search, or entry of a change")),
            (self.tr("bind DN"), "dn", self.tr("Who the client was bound as")),
            (self.tr("type"), "type", self.tr("Search, bind, modify …")),
            (self.tr("suffix"), "suffix", self.tr("Root of the base")),
            (self.tr("branch"), "parent", self.tr("Parent DN of the base")),
            (self.tr("entry"), "entry", self.tr("Changed entry")),
            (self.tr("attribute"), "attribute", self.tr("Attributes that filters refer to")),
            (
                self.tr("unanswered"),
                UNANSWERED,
                self.tr("Operations without an answer, and how long each waited"),
            ),
        )

    def _lay_out(self) -> None:
        find, group = label(self.tr("F&ind")), label(self.tr("&Group by"))
        for words, field in ((find, self.words), (group, self.grouping)):
            words.setBuddy(field)
            field.setAccessibleName(words.text().replace("&", ""))
        column(
            row(find, (self.words, 1), self.internal),
            row(group, (self.grouping, 1)),
            self.error,
            on=self,
            margins=0,
            spacing=4,
        )
