"""Knobs beside what advice would set, and without a server as a session kept them."""

import shutil
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QScrollArea

from ldap_workbench.figures.overview.knobs import advised, same_server
from ldap_workbench.gui.parts.style.theme import apply_style
from ldap_workbench.gui.parts.widgets.labels import ElidedLabel
from ldap_workbench.gui.screens.knobs.detail import KnobDetail
from ldap_workbench.gui.screens.overview.cards import AdviceCard
from ldap_workbench.model.finding import Advice
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.model.window import Source, SourceKind, SourceState
from ldap_workbench.session.writer import SessionWriter
from tests.gui import sight
from tests.gui.conftest import idle, opened
from tests.gui.fake_server import Server, connect
from tests.sessions import FACTS

pytestmark = pytest.mark.one_window

WORDS = {
    "why": Message("It helps."),
    "expected": Message("Less."),
    "cost": Message("None."),
    "risk": Message("reverted at once"),
    "risk_level": "low",
}
SETTINGS = (
    Setting("nsslapd-cache-autosize", "0"),
    Setting("nsslapd-cachememsize", "268435456", "userRoot"),
)
CACHE = Advice(
    "c", Message("A larger cache"), ("x",), Treatment(SETTINGS), **WORDS, primary="SRCH:p50"
)
OTHER = Advice(
    "d",
    Message("No autosizing"),
    ("x",),
    Treatment((Setting("nsslapd-cache-autosize", "10"),)),
    **WORDS,
)
KEPT = {"nsslapd-cache-autosize": "25", "nsslapd-cachememsize": "67108864", "io-scheduler": "none"}


@pytest.fixture
def connected(qtbot, window):
    """The window, connected to a server that is none."""
    connect(window, Server(FACTS))
    idle(qtbot, window)
    return window


@pytest.fixture
def kept(tmp_path, session_file):
    """A session whose last window of arm A kept some settings."""
    path = tmp_path / "kept.ldapwb"
    shutil.copy(session_file, path)
    with SessionWriter.append(path) as writer:
        with writer.reader() as session:
            last = max((w for w in session.windows() if w.arm != "B"), key=lambda w: w.end_ns)
        writer.put_source(
            Source(writer.next_id("source"), last.id, SourceKind.CONFIG, "cn=config",
                   SourceState.COMPLETE, samples=len(KEPT), details={"settings": KEPT})
        )  # fmt: skip
    return path


def row_of(window, name):
    proxy = window.knobs.table.model()
    for row in range(proxy.rowCount()):
        if proxy.index(row, 0).data() == name:
            return row
    raise AssertionError(f"no knob {name}")


def cell(window, name, heading):
    proxy = window.knobs.table.model()
    headings = [
        proxy.headerData(column, Qt.Orientation.Horizontal) for column in range(proxy.columnCount())
    ]
    return proxy.index(row_of(window, name), headings.index(heading)).data()


def test_the_better_advice_is_the_value_advised():
    values = advised((CACHE, OTHER))
    assert values["nsslapd-cache-autosize", ""].value == "0"
    assert values["nsslapd-cachememsize", "userRoot"].why == Message("A larger cache")
    assert advised(()) == {}


def test_what_is_advised_stands_beside_what_is_set_and_ready_in_the_editor(
    qtbot, connected, session_file
):
    opened(qtbot, connected, session_file, "knobs")
    connected.knobs.set_advice((CACHE,))
    idle(qtbot, connected)
    cache = "nsslapd-cachememsize @ userRoot"
    assert cell(connected, cache, "Advised") == "256 MiB"
    assert cell(connected, "nsslapd-threadnumber", "Advised") == "–"
    connected.knobs.table.selectRow(row_of(connected, cache))
    idle(qtbot, connected)
    detail = connected.knobs.detail
    assert "256 MiB: A larger cache" in sight.words(detail)
    assert sight.says(detail, "cn=userRoot,cn=ldbm database,")
    assert sight.field(detail, "New value").text() == "256 MiB"
    with qtbot.waitSignal(detail.planned) as planned:
        qtbot.mouseClick(sight.button(detail, "Test this change …"), Qt.MouseButton.LeftButton)
    assert planned.args == [Setting("nsslapd-cachememsize", "268435456", "userRoot")]
    idle(qtbot, connected)


def test_the_setting_that_is_chosen_stays_so_when_advice_comes(connected):
    table = connected.knobs.table
    table.selectRow(table.model().rowCount() - 1)
    name = table.currentIndex().siblingAtColumn(0).data()
    connected.knobs.set_advice((CACHE,))
    assert table.currentIndex().siblingAtColumn(0).data() == name


def test_advice_for_another_server_is_not_shown(qtbot, connected, session_file):
    connected.workbench.connection.target.facts = replace(FACTS, host="ldap2.example.com")
    opened(qtbot, connected, session_file, "knobs")
    connected.knobs.set_advice((CACHE,))
    assert cell(connected, "nsslapd-cachememsize @ userRoot", "Advised") == "–"
    assert not same_server(FACTS, None)


def test_looking_at_the_knobs_looks_through_the_session(qtbot, window, kept):
    opened(qtbot, window, kept, "journal")
    assert window.overview.findings.seen is None
    window.show_screen("knobs")
    idle(qtbot, window)
    assert window.overview.findings.seen is not None


def test_without_a_server_the_session_tells_what_was_set(qtbot, window, kept):
    opened(qtbot, window, kept, "knobs")
    knobs = window.knobs
    assert {row.knob.name for row in knobs.model.rows} == set(KEPT)
    assert cell(window, "nsslapd-cachememsize @ userRoot", "Now") == "64 MiB"
    assert cell(window, "io-scheduler @ vda", "Now") == "none"
    assert any(kept.name in text for text in sight.words(knobs))
    assert sight.seen(knobs.detail, QLineEdit) == [], "nothing can be planned"
    window.workbench.close_session()
    idle(qtbot, window)
    assert "No server is connected" in sight.words(knobs)


def test_a_session_that_kept_nothing_has_no_knobs(qtbot, window, session_file):
    opened(qtbot, window, session_file, "knobs")
    assert "No server is connected" in sight.words(window.knobs)


def test_a_server_is_read_instead_of_the_session(qtbot, connected, kept):
    opened(qtbot, connected, kept, "knobs")
    knobs = connected.knobs
    assert len(knobs.model.rows) > len(KEPT)
    assert cell(connected, "nsslapd-cachememsize @ userRoot", "Now") == "4 GiB"
    assert not any(kept.name in text for text in sight.words(knobs))
    assert sight.field(knobs.detail, "New value").isEnabled()


def test_try_this_plans_the_change(qtbot, connected):
    """From the card to the experiment, with what the server needs besides and its metric."""
    findings, change = connected.overview.findings, connected.experiment.change
    connected.show_screen("overview")
    card = findings._advice_card(CACHE)
    assert isinstance(card, AdviceCard)
    qtbot.addWidget(card)
    assert change.planned is None
    qtbot.mouseClick(card.test, Qt.MouseButton.LeftButton)
    idle(qtbot, connected)
    assert change.planned.treatment == CACHE.treatment
    assert [each.before for each in change.planned.changes] == [("25",), ("4294967296",)]
    assert change.isVisible()
    form = connected.experiment.design.form()
    assert (form.primary, form.kind) == ("p50", "SRCH")


def test_below_the_list_stands_how_many_knobs_were_found(qtbot, connected):
    connected.show_screen("knobs")
    idle(qtbot, connected)
    screen = connected.knobs
    all_of_them = screen.model.rowCount()
    assert "Bold: differs from the default." in sight.words(screen)
    find = sight.field(screen, "Find")
    qtbot.keyClicks(find, "checkpoint")
    found = screen.table.model().rowCount()
    assert 0 < found < all_of_them
    assert sight.says(screen, f"{found} of {all_of_them} settings are listed.")
    find.setText("nsslapd-db-checkpoint-interval")
    assert sight.says(screen, f"1 of {all_of_them} settings is listed.")
    qtbot.keyClicks(find, " nowhere")
    assert "No setting matches." in sight.words(screen)
    find.clear()


def test_no_knob_is_told_under_the_scroll_bar_in_a_small_window(qtbot, connected):
    connected.resize(1024, 700)
    connected.show_screen("knobs")
    idle(qtbot, connected)
    [area] = connected.knobs.detail.findChildren(QScrollArea)
    for name in ("nsslapd-cachememsize @ userRoot", "nsslapd-threadnumber", "nsslapd-db-locks"):
        connected.knobs.table.selectRow(row_of(connected, name))
        qtbot.wait(30)
        assert area.widget().width() <= area.viewport().width(), name
    assert connected.width() == 1024


def test_the_badges_of_a_knob_stay_in_a_narrow_panel(qtbot):
    detail = KnobDetail()
    qtbot.addWidget(detail)
    apply_style(detail)
    detail.show()
    detail.resize(240, 500)
    [mark] = [each for each in detail.findChildren(ElidedLabel) if each.property("role") == "badge"]
    mark.set_whole("tried on 1.4.4.11, 2.3.1, 3.1.2 and many versions more")
    [area] = detail.findChildren(QScrollArea)
    qtbot.waitUntil(lambda: mark.text().endswith("…"))
    assert mark.contentsRect().width() < mark.width(), "a badge has edges"
    assert mark.fontMetrics().horizontalAdvance(mark.text()) <= mark.contentsRect().width()
    assert area.horizontalScrollBar().maximum() == 0
    assert mark.toolTip()


@pytest.mark.parametrize(
    ("version", "said"), [("2.3.1", ""), ("2.5.1", "Nearest facts: version 2.3.1.")]
)
def test_a_version_nobody_tried_is_said_to_be_one(qtbot, window, version, said):
    connect(window, Server(replace(FACTS, version=version)))
    idle(qtbot, window)
    window.show_screen("knobs")
    idle(qtbot, window)
    remarks = [text for text in sight.words(window.knobs) if "Nearest facts" in text]
    assert [said in text for text in remarks] == [True] * bool(said)
