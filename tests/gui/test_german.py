"""In German no word of the window is left in English, but those that are names in both."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QDockWidget,
    QLabel,
    QLineEdit,
    QTabBar,
    QTableView,
    QWidget,
)

from ldap_workbench.figures.overview.history import JOURNAL_COLUMNS
from ldap_workbench.figures.tails.curve import TailsPicture, curve_of
from ldap_workbench.figures.timeline.strips import strip_specs
from ldap_workbench.figures.timeline.view import SOURCE_COLUMNS
from ldap_workbench.gui.parts.charts.heatmap import Heatmap
from ldap_workbench.gui.parts.charts.pairs import PairDotPlot, RatioLadder
from ldap_workbench.gui.parts.charts.shape import CcdfChart, Histogram
from ldap_workbench.gui.parts.charts.shift import ShiftChart
from ldap_workbench.gui.parts.charts.tails import TailsChart
from ldap_workbench.gui.parts.charts.view import ChartView
from ldap_workbench.gui.parts.style.language import shown, speak
from ldap_workbench.gui.parts.widgets.fields import KnobEntry
from ldap_workbench.gui.screens.connect.dialog import ProfileDialog
from ldap_workbench.gui.screens.connect.steps import COLUMNS as STEP_COLUMNS
from ldap_workbench.gui.screens.experiment.change_page import COLUMNS as CHANGE_COLUMNS
from ldap_workbench.gui.screens.start.screen import StartScreen
from ldap_workbench.gui.shell.about import AboutDialog, ShortcutsDialog
from ldap_workbench.gui.shell.window import MainWindow
from ldap_workbench.gui.workbench.state import Workbench
from ldap_workbench.model.message import verbatim
from ldap_workbench.practice.model.scenario import load_scenario, scenario_names
from tests.gui.conftest import idle
from tests.gui.english import english_left

SAME = {
    # names of things, of operations, of fields of the log
    "LDAP Tuning Workbench", "StartTLS", "LDAPS", "cn=&monitor", "&iostat", "etime", "wtime",
    "optime", "wqtime", "writetime", "err", "conn", "op", "p", "A", "B", "B / A", "ALL", "SRCH",
    "BIND", "MOD", "ADD", "DEL", "CMP", "EXT", "MODRDN", "p50", "p90", "p95", "p99", "p99.9", "max",
    "F5",
    "512 MiB, 60, on …", "systemctl restart dirsrv@instance", "cn=Directory Manager",
    "journalctl -u slapd -f -n 0",
    "etime>100ms  err!=0  type=SRCH  client=10.0.0.12  smith",
    "OpenLDAP slapd", "OpenDJ / ForgeRock DS / PingDS", "OpenDJ / ForgeRock DS / PingDS, JSON",
    "PingDirectory / UnboundID", "PingDirectory, JSON", "Oracle Unified Directory, ODL",
    "Sun Directory Server / DSEE / ODSEE",
    # words that German has, too
    "Start", "Server", "Operation", "Client", "Filter", "Experiment", "Journal", "&Name", "Por&t",
    "window", "&OK", "Standard (4 h)", "Rate", "Clients", "Binds", "optional",
    "&1  Plan", "Canary", "&Canary", "Stac&ks", "Tests", "‹ Tests",
}  # fmt: skip
TOLD_BY_THE_CORE = {"_Row", "ElidedLabel", "StatusBar"}
"""What a scenario or a server says is told in English."""


def of_the_core(widget: QWidget) -> bool:
    step = widget
    while step is not None:
        if type(step).__name__ in TOLD_BY_THE_CORE:
            return True
        step = step.parent()
    return False


def texts_of(widget: QWidget) -> Iterator[str]:
    """What a person reads of a widget that is the window's own."""
    yield widget.toolTip()
    yield widget.accessibleName()
    yield widget.accessibleDescription()
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    elif isinstance(widget, QLineEdit):
        yield widget.placeholderText()
    elif isinstance(widget, QDockWidget):
        yield widget.windowTitle()
    elif isinstance(widget, QTabBar):
        yield from (widget.tabText(at) for at in range(widget.count()))
    elif isinstance(widget, QComboBox) and not isinstance(widget.parent(), KnobEntry):
        yield from (widget.itemText(at) for at in range(widget.count()))
    elif isinstance(widget, QTableView) and widget.model():
        yield from headings_of(widget)
    elif isinstance(widget, ChartView):
        yield widget._title
        yield from (widget.plot.getAxis(side).labelText for side in ("left", "bottom"))


def headings_of(table: QTableView) -> Iterator[str]:
    model = table.model()
    for column in range(model.columnCount()):
        for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            yield str(model.headerData(column, Qt.Orientation.Horizontal, role) or "")


def all_texts(qtbot, window: MainWindow, session) -> dict[str, str]:
    """Every text of every screen and of the dialogs, and where it was found."""
    window.open_paths([session])
    for screen in window.screens:
        window.show_screen(screen.name)
        idle(qtbot, window)
    dialogs = (
        ProfileDialog(window.workbench, None, window),
        AboutDialog(window),
        ShortcutsDialog(window.actions_.shortcuts(), window),
    )
    for dialog in dialogs:
        qtbot.addWidget(dialog)
    found = {}
    for widget in window.findChildren(QWidget):
        if not of_the_core(widget):
            place = f"{type(widget).__name__} in {type(widget.parent()).__name__}"
            found |= {text: place for text in texts_of(widget) if any(map(str.isalpha, text))}
    return found


@pytest.mark.stall_allowed  # two windows, every widget of them
def test_nothing_is_left_in_english(qtbot, qapp, window, session_file):
    english = all_texts(qtbot, window, session_file)
    translators = speak(qapp, "de")
    other = MainWindow(Workbench())
    qtbot.addWidget(other)
    try:
        german = all_texts(qtbot, other, session_file)
    finally:
        other.close()
        for translator in translators:
            qapp.removeTranslator(translator)
        speak(qapp, "en")  # numbers in fields
    assert len(german) > 200
    left = {t: german[t] for t in german.keys() & english.keys() - SAME if not _value(t)}
    assert left == {}
    told = {text: german[text] for text in german if english_left(text)}
    assert told == {}


def _value(text: str) -> bool:
    """A number with its unit, a file, a time, a setting, a colour of a legend with a number."""
    bare = text.split("&nbsp;")[-1] if text.startswith("<span") else text
    if bare.startswith("nsslapd-") and "=" in bare:
        return True
    return bare[:1].isdigit() or bare.endswith((".ldapwb", "UTC"))


@pytest.mark.parametrize("columns", [STEP_COLUMNS, CHANGE_COLUMNS, JOURNAL_COLUMNS, SOURCE_COLUMNS])
def test_headings_that_are_seen_later_are_german_too(german, columns):
    left = [str(c.heading) for c in columns if shown(c.heading) == str(c.heading)]
    assert set(left) <= SAME | {""}


def test_the_strips_of_a_server_have_german_titles(german):
    texts = [strip.title for strip in strip_specs()]
    texts += [label for strip in strip_specs() for label in strip.labels]
    assert texts
    assert [text for text in texts if shown(text) == str(text)] == []


@pytest.mark.parametrize(
    "chart", [TailsChart, ShiftChart, Histogram, CcdfChart, PairDotPlot, RatioLadder, Heatmap]
)
def test_a_chart_without_anything_says_so_in_german(german, qtbot, chart):
    made = chart()
    qtbot.addWidget(made)
    assert made.reading() in made.accessibleName()
    assert english_left(made.accessibleName()) == set()


def test_a_change_between_two_tails_is_read_in_german(german, qtbot):
    chart = TailsChart()
    qtbot.addWidget(chart)
    chart.set_picture(
        TailsPicture((curve_of(verbatim("A"), "A", [8, 8]), curve_of(verbatim("B"), "B", [4, 4])))
    )
    assert "p50 fiel von 8 ns auf 4 ns (×0,5)." in chart.reading()
    assert english_left(chart.reading()) == set()


def test_lessons_and_samples_are_german_on_the_start_page(german, qtbot):
    screen = StartScreen(Workbench())
    qtbot.addWidget(screen)
    kinds = QLabel, QAbstractButton
    texts = {each.text() for kind in kinds for each in screen.findChildren(kind)}
    for name in scenario_names():
        title = load_scenario(name).title
        assert shown(title) in texts - {str(title)}
    assert any(text.startswith("Eine Aufzeichnung aus unserem Labor") for text in texts)
    assert {text for text in texts if english_left(text)} == set()
