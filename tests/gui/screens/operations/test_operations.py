"""Operations: found, sorted, grouped and copied by keys and mouse, any number of them."""

import re

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QMenu

from ldap_workbench.capture.importing.logs import import_logs
from ldap_workbench.figures.formats import etime
from ldap_workbench.figures.operations.table import ALL_COLUMNS, COLUMNS, ORDERS, RARE_COLUMNS
from ldap_workbench.figures.operations.view import PAGE
from ldap_workbench.gui.parts.models.operations import PAGES_KEPT, OperationsModel
from ldap_workbench.gui.parts.models.table import cell_text
from ldap_workbench.gui.parts.style.language import shown
from ldap_workbench.model.operations import client_operations
from ldap_workbench.session.conditions import exactly
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.gui.conftest import idle, opened
from tests.gui.watch import aside
from tests.sessions import build_capture_session

pytestmark = pytest.mark.one_window

Key = Qt.Key


@pytest.fixture(scope="module")
def long_file(tmp_path_factory):
    """A session of three times as many operations as one page has."""
    path = tmp_path_factory.mktemp("long") / "long.ldapwb"
    return build_capture_session(path, seconds=10, per_second=90)


@pytest.fixture
def screen(qtbot, window, long_file):
    yield opened(qtbot, window, long_file, "operations")
    window.operations.finder.put("", "")
    window.operations.finder.internal.setChecked(False)


def type_words(qtbot, window, words):
    finder = window.operations.finder
    finder.words.clear()
    qtbot.keyClicks(finder.words, words)
    qtbot.keyClick(finder.words, Key.Key_Return)
    idle(qtbot, window)


def loaded(qtbot, window):
    """Every row, page after page, as somebody who scrolls through sees them."""
    model = window.operations.model
    for number in range(0, model.rowCount(), PAGE):
        model.row(number)
        idle(qtbot, window)
    return [model.row(number) for number in range(model.rowCount())]


def every(path):
    with aside(), Session.open(path) as session:
        found = [session.operations(window) for window in session.windows()]
    return [operations.take(client_operations(operations)) for operations in found]


def test_all_are_listed_the_slowest_first_with_their_lines(qtbot, window, screen, long_file):
    [operations] = every(long_file)
    assert screen.model.rowCount() == len(operations) > 3 * PAGE
    rows = loaded(qtbot, window)
    assert [r.etime_ns for r in rows] == sorted(operations.etime_ns.tolist(), reverse=True)
    assert len({r.op for r in rows}) == len(operations)
    text = screen._lines.toPlainText()
    assert re.search(rf"conn={rows[0].conn} op={rows[0].op} RESULT", text)
    assert "client operations" in screen._count.text()


def test_only_pages_that_are_looked_at_are_read(qtbot, window, screen):
    assert screen.model.row(PAGE - 1) is not None
    assert len(screen.model._pages) == 1
    screen.table.scrollToBottom()
    idle(qtbot, window)
    last = screen.model.rowCount() - 1
    qtbot.waitUntil(lambda: screen.model.row(last) is not None)
    assert PAGE not in {number * PAGE for number in screen.model._pages}
    qtbot.keyClick(screen.table, Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    idle(qtbot, window)
    row = screen.model.row(last)
    qtbot.waitUntil(lambda: f"conn={row.conn} op={row.op} RESULT" in screen._lines.toPlainText())


@pytest.fixture(scope="module")
def two_pages(tmp_path_factory):
    path = tmp_path_factory.mktemp("short") / "short.ldapwb"
    return build_capture_session(path, seconds=4, per_second=90)


@pytest.mark.one_window(False)
def test_every_heading_sorts(qtbot, window, two_pages):
    """All in one window: opening a session takes longer than sorting it."""
    screen = opened(qtbot, window, two_pages, "operations")
    assert PAGE < screen.model.rowCount() <= 2 * PAGE
    for column in range(len(COLUMNS)):
        sort_twice_by(qtbot, window, screen, column)


def sort_twice_by(qtbot, window, screen, column):
    header = screen.table.horizontalHeader()
    for _ in range(2):
        where = header.sectionViewportPosition(column) + 8
        header.setOffset(max(0, where - 200))
        where = header.sectionViewportPosition(column) + 8
        at = header.viewport().rect().topLeft()
        at.setX(where)
        at.setY(header.height() // 2)
        qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=at)
        idle(qtbot, window)
        by, descending = screen._order
        assert by == ORDERS[column]
        rows = loaded(qtbot, window)
        told = COLUMNS[column].sort or COLUMNS[column].text
        keys = [told(row) for row in rows]
        known = [key for key in keys if key not in ("", None)]
        if ORDERS[column] not in ("notes", "window"):
            assert known == sorted(known, reverse=descending)
        assert len(rows) == screen.model.rowCount()


def test_words_narrow_it_and_nonsense_is_explained(qtbot, window, screen, long_file):
    [operations] = every(long_file)
    type_words(qtbot, window, "etime>5ms")
    wanted = int((operations.etime_ns > 5_000_000).sum())
    assert 0 < screen.model.rowCount() == wanted < len(operations)
    assert not screen.finder.error.isVisible()
    type_words(qtbot, window, "etime>5")
    assert "unit" in screen.finder.error.text()
    assert screen.finder.error.isVisible()
    assert screen.model.rowCount() == wanted, "what was found stays"
    type_words(qtbot, window, "no-such-client")
    assert screen.model.rowCount() == 0
    assert screen._lines.toPlainText() == ""


def test_typing_asks_once_it_rests(qtbot, window, screen, monkeypatch):
    asked = []
    looked = window.workbench.ask_session

    def ask(title, *what, **how):
        asked.append(title)
        return looked(title, *what, **how)

    monkeypatch.setattr(window.workbench, "ask_session", ask)
    screen.finder.words.setFocus()
    qtbot.keyClicks(screen.finder.words, "type=BIND")
    qtbot.waitUntil(lambda: not screen.finder._rest.isActive() and bool(asked))
    idle(qtbot, window)
    assert asked.count("Looking for operations") == 1
    assert {r.type for r in loaded(qtbot, window)} == {"BIND"}


def test_groups_and_into_one_and_back(qtbot, window, screen, long_file):
    [operations] = every(long_file)
    screen.finder.grouping.setFocus()
    for _ in range(2):
        qtbot.keyClick(screen.finder.grouping, Key.Key_Right)
    idle(qtbot, window)
    assert screen.group_table.isVisible()
    rows = screen.groups.rows
    assert sum(r.group.n for r in rows) == len(operations)
    assert sum(r.share for r in rows) == pytest.approx(1)
    assert {r.group.name for r in rows} - {""} <= set(operations.fingerprints)
    second = rows[1].group
    screen.group_table.setFocus()
    qtbot.keyClick(screen.group_table, Key.Key_Down)
    qtbot.keyClick(screen.group_table, Key.Key_Return)
    idle(qtbot, window)
    assert screen.table.isVisible()
    assert screen.finder.words.text() == exactly("filter", second.name)
    assert screen.model.rowCount() == second.n
    assert {r.fingerprint for r in loaded(qtbot, window)} == {second.name}
    qtbot.mouseClick(screen._to_groups, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    assert screen.group_table.isVisible()
    assert screen.finder.words.text() == ""
    assert not screen._to_groups.isVisible()


def terms(table, row, column):
    return tuple(table.terms_of(table.model().index(row, column)))


def test_every_cell_is_a_filter_that_finds_its_row(qtbot, window, screen):
    whole = screen.model.rowCount()
    row = screen.model.row(3)
    for column, name in enumerate(ORDERS[: len(COLUMNS)]):
        offered = terms(screen.table, 3, column)
        assert offered or name == "window" or getattr(row, name, "") is None, name
        counts = []
        for term in offered:
            screen.table.filterWanted.emit(term)
            idle(qtbot, window)
            assert not screen.finder.error.isVisible(), term
            counts.append(screen.model.rowCount())
            screen.finder.put("", "")
            idle(qtbot, window)
        if offered:
            assert counts[0] > 0, offered
            if name not in ("start", "notes", "wtime", "optime", "entries"):
                assert sum(counts) == whole, offered


def test_the_menu_of_a_cell_narrows_what_is_listed(qtbot, window, screen):
    column = ORDERS.index("type")
    at = screen.table.visualRect(screen.model.index(0, column)).center()
    kind = screen.model.row(0).type
    screen.table.customContextMenuRequested.emit(at)
    menu = screen.table.findChild(QMenu)
    assert menu.actions()[0].text() == f"Show only type={kind}"
    assert menu.actions()[1].text() == f"Leave out type={kind}"
    menu.actions()[0].trigger()
    menu.close()
    idle(qtbot, window)
    assert screen.finder.words.text() == f"type={kind}"
    assert {r.type for r in loaded(qtbot, window)} == {kind}


def test_a_group_is_narrowed_or_left_out_from_its_cell(qtbot, window, screen):
    screen.finder.put("", "type")
    idle(qtbot, window)
    before = {r.group.name for r in screen.groups.rows}
    first = screen.groups.rows[0].group.name
    screen.group_table.filterWanted.emit(terms(screen.group_table, 0, 0)[1])
    idle(qtbot, window)
    assert {r.group.name for r in screen.groups.rows} == before - {first}


def test_rows_of_the_grouping_before_keep_its_name_until_others_are_there(qtbot, window, screen):
    screen.finder.put("", "type")
    idle(qtbot, window)
    name = screen.groups.rows[0].group.name
    screen.finder.put("", "filter")  # its rows are being looked for
    assert screen._count.text() == "Looking for operations"
    assert terms(screen.group_table, 0, 0)[0] == exactly("type", name)
    idle(qtbot, window)
    assert terms(screen.group_table, 0, 0)[0].startswith("filter=")
    assert screen._count.text().startswith("Groups: ")
    screen.table.selectAll()  # out of sight
    idle(qtbot, window)
    qtbot.wait(300)
    assert screen._count.text().startswith("Groups: ")


def test_several_selected_rows_are_added_up(qtbot, window, screen, long_file):
    [operations] = every(long_file)
    etimes = sorted(operations.etime_ns.tolist(), reverse=True)
    screen.table.clearSelection()
    for number in (0, 1, 2, 3 * PAGE - 1):
        screen.table.selectionModel().select(
            screen.model.index(number, 0),
            QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows,
        )
    qtbot.waitUntil(lambda: "4 selected" in screen._count.text())
    total = sum(etimes[:3]) + etimes[3 * PAGE - 1]
    assert f"4 selected: {shown(etime(total))} in all" in screen._count.text()
    assert f"longest {shown(etime(etimes[0]))}" in screen._count.text()
    screen.table.selectAll()
    qtbot.waitUntil(lambda: f"{len(operations)} selected" in screen._count.text())
    screen.table.selectRow(0)
    qtbot.waitUntil(lambda: "client operations" in screen._count.text())


def test_internal_operations_are_shown_on_request(qtbot, window, screen, long_file):
    with aside(), Session.open(long_file) as session:
        [operations] = [session.operations(w) for w in session.windows()]
    assert operations.internal.any()
    screen.finder.internal.click()
    idle(qtbot, window)
    assert screen.model.rowCount() == int((~operations.own).sum())
    assert "internal" in screen._count.text()


def test_selected_rows_are_copied_also_those_not_read(qtbot, window, screen):
    screen.table.setFocus()
    qtbot.waitUntil(screen.table.hasFocus)
    screen.table.selectAll()
    qtbot.keyClick(screen.table, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    idle(qtbot, window)
    lines = QGuiApplication.clipboard().text().split("\n")
    assert len(lines) == 1 + screen.model.rowCount()
    assert {line.count("\t") for line in lines} == {len(COLUMNS) - 1}
    screen.table.clearSelection()  # for Ctrl is still down, as far as Qt knows
    screen.table.selectRow(2)
    qtbot.keyClick(screen.table, Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    idle(qtbot, window)
    row = screen.model.row(2)
    heading, one = QGuiApplication.clipboard().text().split("\n")
    assert dict(zip(heading.split("\t"), one.split("\t"), strict=True))["op"] == str(row.op)


def test_another_session_empties_it(qtbot, window, screen, capture_file):
    type_words(qtbot, window, "type=BIND")
    before = screen.model.rowCount()
    opened(qtbot, window, capture_file, "operations")
    assert screen.model.rowCount() != before
    assert {r.type for r in loaded(qtbot, window)} == {"BIND"}, "the words stay, and count"


@pytest.mark.stall_allowed  # the tester looks at everything, again and again
def test_the_model_is_sound_also_where_pages_are_missing(qtbot, window, screen):
    page = [screen.model.row(number) for number in range(PAGE)]
    model = OperationsModel()
    fatal = QAbstractItemModelTester.FailureReportingMode.Fatal
    tester = QAbstractItemModelTester(model, fatal)
    model.set_found(3 * PAGE, page)
    model.put_page(2, page)
    model.set_found(2, page[:2])
    model.set_found(0, [])
    assert model.rowCount() == 0
    assert tester


def test_of_ten_million_few_pages_are_kept(qtbot, window, screen):
    page = [screen.model.row(number) for number in range(PAGE)]
    model = OperationsModel()
    asked = []
    model.pageWanted.connect(asked.append)
    model.set_found(10_000_000, page)
    assert model.rowCount() == 10_000_000
    assert model.rowCount(model.index(0, 0)) == 0
    assert model.index(9_999_999, 0).data() is None
    assert asked == [9_999_999 // PAGE]
    for number in range(1, 2 * PAGES_KEPT):
        model.put_page(number, page)
    assert len(model._pages) == PAGES_KEPT


def test_where_nothing_is_found_it_says_what_to_do(qtbot, window, screen):
    type_words(qtbot, window, "nobody-has-this-dn")
    assert screen.model.rowCount() == 0
    assert "Widen the search" in screen._count.text()


_FINER = ("wqtime_ns", "index_ns", "index_ids", "index_key", "wbusy", "wqdepth")


@pytest.fixture
def finer_file(tmp_path):
    """A session of a log that says of some operations more than most logs do."""
    told = (
        "RESULT err=0 tag=101 nentries=1 wqtime=0.001 wtime=0.002 optime=0.3 etime=0.{op}00000001"
        " wbusy=3/16 wqdepth=0"
    )
    head = "[21/Nov/2026:02:20:00.151797648 +0000] conn=1 op={op} "
    asked = head + 'SRCH base="dc=a" scope=2 filter="(cn=a*)" attrs=ALL\n'
    stat = head + "STAT read index: attribute=cn key(sub)=er_ --> count 24 (duration 0.5)\n"
    lines = [asked.format(op=op) + (head + told + "\n").format(op=op) for op in (1, 2)]
    lines.append(asked.format(op=3) + stat.format(op=3) + (head + told + "\n").format(op=3))
    log = tmp_path / "access"
    log.write_text("".join(lines))
    path = tmp_path / "finer.ldapwb"
    with SessionWriter.create(path) as writer:
        import_logs([log], writer)
    return path


def columns_shown(screen):
    return [
        str(each.heading)
        for place, each in enumerate(ALL_COLUMNS)
        if not screen.table.isColumnHidden(place)
    ]


def test_what_few_logs_say_has_columns_where_it_is_said(qtbot, window, screen, finer_file):
    usual = [str(each.heading) for each in COLUMNS]
    assert columns_shown(screen) == usual
    opened(qtbot, window, finer_file, "operations")
    rare = [RARE_COLUMNS[name] for name in _FINER]
    assert columns_shown(screen) == usual + [str(each.heading) for each in rare]
    [slowest, *others] = loaded(qtbot, window)
    texts = [cell_text(each, slowest) for each in rare]
    assert texts == ["1.00 ms", "500 ms", "24", "cn key(sub)", "3 / 16", "0"]
    assert [cell_text(each, others[0]) for each in rare][1:4] == ["–", "–", ""]
    screen.table.selectAll()
    screen.table.copy()
    idle(qtbot, window)
    heading, *lines = QGuiApplication.clipboard().text().split("\n")
    assert len(heading.split("\t")) == len(usual) + len(rare)
    assert len(lines) == 3
