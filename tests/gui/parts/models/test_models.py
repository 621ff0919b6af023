"""Table models: sound for Qt, and saying what the nouns mean."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QMenu

from ldap_workbench.figures.formats import etime
from ldap_workbench.figures.operations.table import GROUP_NAME
from ldap_workbench.figures.operations.table import GROUP_NUMBERS as GROUPS
from ldap_workbench.figures.operations.view import GroupRow, operation_rows
from ldap_workbench.figures.overview.history import JOURNAL_COLUMNS as JOURNAL
from ldap_workbench.figures.overview.knobs import columns as knob_columns
from ldap_workbench.figures.overview.knobs import differs, knob_value
from ldap_workbench.figures.table import Numbers
from ldap_workbench.figures.tails.table import COLUMNS as TAILS
from ldap_workbench.figures.timeline.view import SOURCE_COLUMNS as SOURCES
from ldap_workbench.figures.timeline.view import source_rows
from ldap_workbench.figures.verdict.view import COLUMNS as METRICS
from ldap_workbench.figures.verdict.view import metrics_of
from ldap_workbench.gui.parts.models import table
from ldap_workbench.gui.parts.models.table import ROW_ROLE, FoundRows, RowsModel
from ldap_workbench.gui.parts.widgets.table import TableView
from ldap_workbench.model.change import Change, ChangeState
from ldap_workbench.model.knob import Effect, Knob, KnobReading, Risk, ValueKind
from ldap_workbench.model.message import NOTHING, Message, verbatim
from ldap_workbench.model.operations import Operations
from ldap_workbench.model.tail import Tail
from ldap_workbench.model.verdict import MetricVerdict, Verdict
from ldap_workbench.model.window import LineCounts, Source, SourceKind, SourceState, Window
from ldap_workbench.session.search import Found, Group

TAIL = Tail("A1", "ALL", 1234, 10**6, 2 * 10**6, 3 * 10**6, 10**7, 10**8, 10**9, 10**10)
WINDOW = Window(1, "A1", 1_795_161_600 * 10**9, 1_795_161_660 * 10**9, "A", 0)
SOURCE = Source(
    1, 1, SourceKind.ACCESS_LOG, "/var/log/access", SourceState.PARTIAL, Message("rotated away"),
    LineCounts(90, 8, 2, {"too long": 8}), 90,
)  # fmt: skip
KNOB = Knob(
    "nsslapd-cachememsize",
    Message("Entry cache"),
    ValueKind.SIZE,
    Effect.LIVE,
    Risk.MEDIUM,
    default="209715200",
)
READING = KnobReading(KNOB, "userRoot", "1610612736", effective="1610612736")
CHANGE = Change(
    1, "g", "ldap://ldap1:389", "ldap1", "nsslapd-threadnumber", "cn=config",
    "nsslapd-threadnumber", None, ("8",), ("8",), ChangeState.APPLIED, False,
    1_795_161_600 * 10**9, 1_795_161_600 * 10**9,
)  # fmt: skip
GROUP = Group("(uid=?)", 12, 10**9, 10**6, 10**8, 10**8, 1, 0)
UNNAMED = replace(GROUP, name="")
WHOLE = replace(SOURCE, id=3, state=SourceState.COMPLETE)
UNKNOWN = KnobReading(KNOB, "other", None, unknown=Message("not readable"))
METRIC = MetricVerdict("p99", "better", 0.5, 0.4, 0.6, 0.03, 0.04, n_pairs=8, a=2e7, b=1e7)


def models():
    numbers = Numbers((verbatim("x"), verbatim("y")), (("1", "2"), ("3", "4"), ("5", "6")))
    return [
        RowsModel(TAILS, [TAIL, replace(TAIL, type="SRCH", p50_ns=None), replace(TAIL, n=9)]),
        RowsModel(SOURCES, source_rows([WINDOW], [SOURCE, replace(SOURCE, id=2), WHOLE])),
        RowsModel(
            (GROUP_NAME, *GROUPS),
            [GroupRow(GROUP, 0.7, 1), GroupRow(UNNAMED, 0.2, 10**6), GroupRow(GROUP, 0, 1)],
        ),
        RowsModel(knob_columns({}), [READING, UNKNOWN, replace(READING, value=None)]),
        RowsModel(JOURNAL, [CHANGE, replace(CHANGE, id=2, before=("8",)), replace(CHANGE, id=3)]),
        RowsModel(METRICS, [METRIC, replace(METRIC, low=None), replace(METRIC, metric="slo")]),
        RowsModel(numbers.columns, numbers.rows),
    ]


def text(model, row, heading):
    for column in range(model.columnCount()):
        if model.headerData(column, Qt.Orientation.Horizontal) == heading:
            return model.index(row, column).data()
    raise AssertionError(f"no column {heading}")


def test_models_import_no_widget():
    """import-linter knows PySide6 as a whole only."""
    folder = Path(table.__file__).parent
    assert not [file.name for file in folder.glob("*.py") if "QtWidgets" in file.read_text()]


@pytest.mark.parametrize("number", range(7))
def test_models_are_sound(qapp, number):
    model = models()[number]
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    proxy = FoundRows(model)
    second = QAbstractItemModelTester(proxy, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for column in range(proxy.columnCount()):
        proxy.sort(column, Qt.SortOrder.DescendingOrder)
    assert second
    rows = model.rowCount()
    model.set_rows(())
    assert rows == 3
    assert model.rowCount() == 0
    assert tester


def test_a_child_has_no_children(qapp):
    model = RowsModel(TAILS, [TAIL])
    assert model.rowCount(model.index(0, 0)) == 0
    assert model.columnCount(model.index(0, 0)) == 0


def test_what_is_not_known_is_a_dash_and_sorts_last(qapp):
    model = RowsModel(TAILS, [replace(TAIL, p50_ns=None), TAIL, replace(TAIL, p50_ns=5)])
    assert text(model, 0, "p50") == "–"
    for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
        model.sort(3, order)
        assert [row.p50_ns is None for row in model.rows] == [False, False, True]


def test_numbers_sort_as_numbers(qapp):
    model = RowsModel(TAILS, [replace(TAIL, n=9), replace(TAIL, n=10), replace(TAIL, n=1000)])
    proxy = FoundRows(model)
    kept = QPersistentModelIndex(proxy.index(0, 0))
    proxy.sort(2, Qt.SortOrder.DescendingOrder)
    assert [proxy.index(row, 2).data(ROW_ROLE).n for row in range(3)] == [1000, 10, 9]
    assert kept.row() == 2, "what was selected stays selected"
    model.set_rows([replace(TAIL, n=1), replace(TAIL, n=2)])
    assert [row.n for row in model.rows] == [2, 1], "new rows are sorted alike"


def test_rows_are_found_by_any_of_their_words(qapp):
    model = RowsModel(TAILS, [TAIL, replace(TAIL, type="BIND"), replace(TAIL, type="MOD")])
    proxy = FoundRows(model)
    proxy.find(" bin")
    assert [proxy.index(row, 1).data() for row in range(proxy.rowCount())] == ["BIND"]
    proxy.find("")
    assert proxy.rowCount() == 3


def test_a_coarse_log_never_claims_more_than_it_shows():
    assert str(etime(0, 10**9)) == "0 to 1 s"
    assert str(etime(3 * 10**6, 10**6)) == "3 to 4 ms"
    assert str(etime(3 * 10**6)) == "3.00 ms"
    assert str(etime(None)) == "–"


def test_sources_that_are_not_complete_come_first(qapp):
    whole = replace(SOURCE, id=2, state=SourceState.COMPLETE)
    rows = source_rows([WINDOW], [whole, SOURCE])
    assert [row.source.state for row in rows] == [SourceState.PARTIAL, SourceState.COMPLETE]
    model = RowsModel(SOURCES, rows)
    assert text(model, 0, "Lines parsed") == "90 of 100"
    assert text(model, 0, "Why") == "Skipped: too long 8. rotated away"


def test_what_a_log_leaves_out_is_said_beside_its_source(qapp):
    details = {"orphan_results": 3, "clock_steps_back": 1, "censored_below_ns": 5 * 10**8}
    said = text(
        RowsModel(SOURCES, source_rows([WINDOW], [replace(SOURCE, details=details)])), 0, "Why"
    )
    assert "3 results have no request." in said
    assert "The clock went back once." in said
    assert "Only slow operations" in said


def test_sizes_are_shown_as_people_say_them(qapp):
    model = RowsModel(knob_columns({}), [READING])
    assert text(model, 0, "Now") == "1.5 GiB"
    assert text(model, 0, "Default") == "200 MiB"
    assert text(model, 0, "Setting") == "nsslapd-cachememsize @ userRoot"
    assert differs(READING)
    assert not differs(replace(READING, value="209715200"))
    assert not differs(replace(READING, knob=replace(KNOB, default=None)))
    assert str(knob_value(KNOB, None)) == "absent"


def test_open_changes_shout_in_the_journal(qapp):
    model = RowsModel(JOURNAL, [CHANGE, replace(CHANGE, state=ChangeState.REVERTED)])
    assert text(model, 0, "State").startswith("OPEN")
    assert text(model, 1, "State") == "reverted"
    assert text(model, 0, "Before") == "absent"
    assert text(model, 0, "Server") == "ldap1", "its profile; the address is in the tip"
    assert model.index(0, 2).data(Qt.ItemDataRole.ToolTipRole) == "ldap://ldap1:389"
    assert model.index(0, 1).data(Qt.ItemDataRole.FontRole).bold()
    assert model.index(1, 1).data(Qt.ItemDataRole.FontRole) is None


def test_the_primary_metric_comes_first_and_once(qapp):
    other = replace(METRIC, metric="p50")
    verdict = Verdict(
        METRIC, {"p50": other, "p99": METRIC}, True, NOTHING, "pairs:8", Message("Better.")
    )
    assert [m.metric for m in metrics_of(verdict)] == ["p99", "p50"]
    model = RowsModel(METRICS, metrics_of(verdict))
    assert text(model, 0, "Interval") == "×0.4 to ×0.6"
    assert text(model, 0, "A") == "20.0 ms"


def test_a_primary_of_one_type_does_not_hide_the_same_metric_of_all(qapp):
    bind = replace(METRIC, type="BIND")
    verdict = Verdict(bind, {"p99": METRIC}, True, NOTHING, "pairs:8", Message("Better."))
    assert [(m.type, m.metric) for m in metrics_of(verdict)] == [("BIND", "p99"), ("ALL", "p99")]


def test_no_operation_no_row(qapp):
    nowhere = np.empty(0, np.int64)
    assert operation_rows(Found(Operations.empty(), nowhere, nowhere), [], {}) == []


def test_tables_copy_as_tab_separated_text(qtbot):
    view = TableView("Tails")
    qtbot.addWidget(view)
    view.set_rows(RowsModel(TAILS, [TAIL, replace(TAIL, window="B\t1")]))
    lines = view.tsv().splitlines()
    assert lines[0].startswith("Window\tOperation\tCount")
    assert lines[2].startswith("B 1\tALL")
    view.selectRow(1)
    assert len(view.tsv().splitlines()) == 2


def test_columns_are_measured_when_they_are_seen(qtbot, monkeypatch):
    measured = []
    monkeypatch.setattr(TableView, "resizeColumnsToContents", lambda view: measured.append(view))
    view, model = TableView("Tails"), RowsModel(TAILS)
    qtbot.addWidget(view)
    view.set_rows(model)
    model.set_rows([TAIL])
    model.set_rows([TAIL, TAIL])
    assert measured == [], "nobody sees it"
    view.show()
    assert measured == [view], "once for all that came"
    model.set_rows([TAIL])
    assert measured == [view, view]


def test_all_of_many_rows_are_selected_without_asking_for_each(qtbot):
    asked = 0

    class Counted(RowsModel):
        def rowCount(self, parent=QModelIndex()):  # noqa: B008 - Qt's signature
            nonlocal asked
            asked += 1
            return super().rowCount(parent)

    view = TableView("Tails")
    qtbot.addWidget(view)
    view.set_rows(Counted(TAILS, [TAIL] * 20_000))
    view.show()
    qtbot.wait(50)
    asked = 0
    view.selectAll()
    qtbot.wait(50)
    assert len(view.selectionModel().selection()) == 1
    assert asked < 5_000


def choose(view, column):
    """Tick a column in the menu of the headings, or untick it."""
    menu = QMenu(view)
    view.columns.add_to(menu)
    menu.actions()[column].trigger()


def test_columns_are_chosen_and_kept_and_the_last_one_stays(qtbot):
    view, again = TableView("Numbers"), TableView("Numbers")
    for each in (view, again):
        qtbot.addWidget(each)
        each.set_rows(table.RowsModel(JOURNAL, [], each))
    with qtbot.waitSignal(view.columns.changed):
        choose(view, 1)
    assert view.isColumnHidden(1)
    again.columns.restore(view.columns.state())
    assert again.isColumnHidden(1)
    choose(view, 1)
    assert not view.isColumnHidden(1)
    for column in range(len(JOURNAL)):
        choose(view, column)
    assert [c for c in range(len(JOURNAL)) if not view.isColumnHidden(c)] == [len(JOURNAL) - 1]


def test_a_column_without_data_is_neither_shown_nor_offered(qtbot):
    view = TableView("Numbers")
    qtbot.addWidget(view)
    view.set_rows(table.RowsModel(JOURNAL, [], view))
    view.columns.set_empty([2])
    menu = QMenu(view)
    view.columns.add_to(menu)
    assert view.isColumnHidden(2)
    assert len(menu.actions()) == len(JOURNAL) - 1


def test_columns_fill_the_table_at_first_show(qtbot):
    view = TableView("Numbers")
    qtbot.addWidget(view)
    view.set_rows(table.RowsModel(JOURNAL[:4], [], view))
    view.resize(900, 200)
    view.show()
    room = view.viewport().width()
    assert room - 4 <= view.horizontalHeader().length() <= room


def test_the_column_that_takes_the_rest_never_vanishes(qtbot):
    view = TableView("Numbers")
    qtbot.addWidget(view)
    last = len(JOURNAL) - 1
    view.set_rows(table.RowsModel(JOURNAL, [], view), stretch=last)
    view.resize(300, 200)
    view.show()
    assert view.columnWidth(last) >= 20 * view.fontMetrics().averageCharWidth()
