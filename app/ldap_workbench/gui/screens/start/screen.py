"""Start: go on with a session, or reach a server."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from ldap_workbench.figures.names import OUTCOMES
from ldap_workbench.figures.overview.session_summary import SessionBadges
from ldap_workbench.gui.parts.style.language import localised, shown
from ldap_workbench.gui.parts.widgets.bands import look_of
from ldap_workbench.gui.parts.widgets.buttons import (
    IconButton,
    link_button,
    push_button,
    small_button,
)
from ldap_workbench.gui.parts.widgets.flow import flow
from ldap_workbench.gui.parts.widgets.labels import ElidedLabel, badge, label
from ldap_workbench.gui.parts.widgets.layouts import column, row, scroll
from ldap_workbench.gui.workbench.screen import Screen
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.errors import SessionError, WorkbenchError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile
from ldap_workbench.model.verdict import Judgement
from ldap_workbench.practice.model.scenario import load_scenario, scenario_names
from ldap_workbench.practice.samples import Sample, samples
from ldap_workbench.resources import case_files

_LETTERS = 32
"""Of a name: a file may hold one of any length."""


def badge_row(badges: SessionBadges) -> QWidget | None:
    """The badges side by side; None where nothing is known."""
    made = [badge(_cut(text)) for text in (badges.server, badges.product) if text]
    if badges.verdict:
        verdict, outcome = Judgement.named(badges.verdict), OUTCOMES.get(badges.outcome)
        if outcome:
            verdict = Message("{verdict}, {outcome}", verdict=verdict, outcome=outcome)
        made.append(badge(_cut(shown(verdict)), look_of(badges.verdict)))
    if not made:
        return None
    row = QWidget()
    column(flow(*made, spacing=6), on=row, margins=(7, 2, 0, 2))
    return row


def _cut(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line if len(one_line) <= _LETTERS else f"{one_line[: _LETTERS - 1]}…"


class StartScreen(Screen):
    """The first screen: servers, recent sessions, the practice directory.

    *Signals:* openWanted(), addServerWanted(), editServerWanted(Profile), connectWanted(Profile),
    practiceWanted(str scenario), filesWanted(list[Path]).
    """

    name = "start"

    openWanted = Signal()
    addServerWanted = Signal()
    editServerWanted = Signal(object)
    connectWanted = Signal(object)
    practiceWanted = Signal(str)
    filesWanted = Signal(list)

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(workbench)
        self.set_subtitle(
            self.tr(
                "Measure, change and judge the tuning of a directory server, one change at a time."
            )
        )
        self.open_button = push_button(self.tr("&Open a session …"), self.openWanted)
        self.add_button = push_button(
            self.tr("&Add a server …"), self.addServerWanted, primary=True
        )
        self._sessions = _Card(self.tr("Sessions"), self.open_button)
        self._servers = _Card(self.tr("Servers"), self.add_button)
        self._practice = _Card(self.tr("Practice directory"))
        self._practice.set_rows([self._scenario_row(name) for name in scenario_names()])
        self._practice.set_hint(
            self.tr(
                "A simulated server with real LDAP and SSH on this machine, twenty times "
                "faster than real time. Each lesson begins with a complaint: find the cause, "
                "prove what helps, and ask for a hint where you are stuck."
            )
        )
        self.show_body(_Cards((self._sessions, self._servers, self._practice)))
        self.fill()

    def shown(self) -> None:
        self.fill()

    def reload(self) -> None:
        self.fill()

    def fill(self) -> None:
        """Read recent sessions and profiles anew; both are small."""
        recordings = samples()
        copies = {sample.path for sample in recordings}
        recent = [path for path in self.workbench.settings.recent if path not in copies]
        rows = [self._session_row(path) for path in recent]
        self._sessions.set_rows(rows + [self._sample_row(sample) for sample in recordings])
        self._sessions.set_hint(
            self.tr(
                "Sessions you open or capture are listed here. Drop a session anywhere "
                "in this window to open it, or logs (compressed, rotated, whole "
                "folders) to read them."
            )
        )
        try:
            profiles = self.workbench.profiles.all()
        except WorkbenchError as error:
            self.workbench.fail(error)
            profiles = []
        self._servers.set_rows([self._server_row(profile) for profile in profiles])
        self._servers.set_hint(
            self.tr(
                "A server is reached over LDAP for its counters and settings, and over SSH for its "
                "logs and disks. Nothing is installed on it."
            )
        )

    def _session_row(self, path: Path) -> QWidget:
        about = path.stat()
        when = datetime.fromtimestamp(about.st_mtime, tz=UTC)
        details = (
            f"{when:%Y-%m-%d %H:%M} UTC · {localised(about.st_size, 'size')}",
            str(path.parent),
        )
        row = _Row(path.name, _lines(*details), self.tr("Open {name}").format(name=path))
        row.main.clicked.connect(lambda: self.workbench.open_session(path))
        if badges := badge_row(self.workbench.settings.badges(path)):
            row.add_line(badges)
        return row

    def _sample_row(self, sample: Sample) -> QWidget:
        title = shown(sample.title)
        row = _Row(
            title, _paragraph(shown(sample.about)), self.tr("Open {name}").format(name=title)
        )
        row.main.clicked.connect(lambda: self._open_sample(sample))
        return row

    def _open_sample(self, sample: Sample) -> None:
        """Unpack it in a worker, then open the copy."""
        self.workbench.start(
            "sample",
            self.tr("Unpacking {name}").format(name=shown(sample.title)),
            lambda _, __: _copied(sample),
            self.workbench.open_session,
        )

    def _scenario_row(self, name: str) -> QWidget:
        scenario = load_scenario(name)
        title, complaint = shown(scenario.title), shown(scenario.about)
        row = _Row(title, _paragraph(complaint), self.tr("Practise: {name}").format(name=title))
        row.main.clicked.connect(lambda: self.practiceWanted.emit(name))
        if scenario.case:
            read = small_button(
                "findings",
                self.tr("Read the files of a real case like this one"),
                lambda: self.filesWanted.emit([case_files(scenario.case)]),
            )
            row.add(read)
        return row

    def _server_row(self, profile: Profile) -> QWidget:
        reached = _lines(profile.server_url, *([f"SSH {profile.ssh}"] if profile.ssh else []))
        row = _Row(profile.name, reached, self.tr("Connect to {name}").format(name=profile.name))
        row.main.clicked.connect(lambda: self.connectWanted.emit(profile))
        edit = small_button(
            "edit",
            self.tr("Edit {name}").format(name=profile.name),
            lambda: self.editServerWanted.emit(profile),
        )
        row.add(edit)
        return row


def _copied(sample: Sample) -> Path:
    try:
        return sample.copy()
    except OSError as error:
        raise SessionError(
            Message("The sample could not be copied: {reason}", reason=str(error)),
            safe=Message("Nothing else was touched."),
            remedy=Message("Make room on the disk, or make the cache folder writable."),
        ) from error


def _paragraph(text: str) -> list[QLabel]:
    return [label(text, "dim", wrap=True)]


def _lines(*texts: str) -> list[QLabel]:
    """Each on a line of its own, cut where there is no room: an address does not wrap."""
    return [ElidedLabel(text) for text in texts]


class _Cards(QWidget):
    """Side by side; where there is no room for all, the last one goes below the others."""

    def __init__(self, cards: Sequence[QWidget]) -> None:
        super().__init__()
        self._cards = tuple(cards)
        self._columns = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 6, 0, 0)
        self._grid.setSpacing(16)
        self._arrange(len(self._cards))

    def minimumSizeHint(self) -> QSize:
        """That of all but the last side by side."""
        wide = self._width(len(self._cards) - 1)
        return QSize(wide, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        fit = self.width() >= self._width(len(self._cards))
        self._arrange(len(self._cards) - (0 if fit else 1))

    def _width(self, columns: int) -> int:
        cards = sum(card.minimumSizeHint().width() for card in self._cards[:columns])
        return cards + self._grid.spacing() * (columns - 1)

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for place, card in enumerate(self._cards):
            row, column = divmod(place, columns)
            self._grid.addWidget(card, row, column, 1, 1 if row == 0 else columns)
        self._grid.setRowStretch(0, 3)
        self._grid.setRowStretch(1, 2 if columns < len(self._cards) else 0)
        for column in range(len(self._cards)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)


class _Card(QFrame):
    """A titled list with a button, and a hint above its rows."""

    def __init__(self, title: str, button: QPushButton | None = None) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self._rows = QVBoxLayout()
        self._rows.setSpacing(4)
        self._hint = label("", "dim", wrap=True)
        top = QHBoxLayout()
        top.addStrut(self.fontMetrics().height() * 2)  # as high without a button
        top.addWidget(label(title, "heading"), 1)
        if button:
            top.addWidget(button)
        column(
            top, self._hint, (self._scrolled(), 1), on=self, margins=(16, 12, 16, 14), spacing=10
        )

    def set_rows(self, rows: list[QWidget]) -> None:
        """Show these rows instead."""
        while (item := self._rows.takeAt(0)) is not None:
            if widget := item.widget():
                widget.hide()
                widget.deleteLater()
        for entry in rows:
            self._rows.addWidget(entry)
        self._rows.addStretch(1)

    def set_hint(self, text: str) -> None:
        """What to know, in one or two sentences."""
        self._hint.setText(text)

    def _scrolled(self) -> QScrollArea:
        inside = QWidget()
        inside.setObjectName("page")
        inside.setLayout(self._rows)
        self._rows.setContentsMargins(0, 0, 8, 0)  # words do not touch the scroll bar
        return scroll(inside)


class _Row(QWidget):
    """A link with its details below it, and small buttons at its end."""

    def __init__(self, title: str, details: list[QLabel], tip: str) -> None:
        super().__init__()
        self.main: QPushButton = link_button(title, tip)
        self.main.setAccessibleName(tip)
        self._words = column((self.main, Qt.AlignmentFlag.AlignLeft), spacing=0)
        for detail in details:
            detail.setIndent(7)
            self._words.addWidget(detail)
        self._line = row((self._words, 1), on=self, margins=(0, 3, 0, 3))

    def add_line(self, line: QWidget) -> None:
        """Put one more line below the others."""
        self._words.addWidget(line)

    def add(self, button: IconButton) -> None:
        """Put a small button at the end."""
        self._line.addWidget(button)
