"""Pictures and tables leave the window: by menu and by key, whole, and never as a formula."""

import csv
import io
import xml.etree.ElementTree as ET

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QContextMenuEvent, QGuiApplication, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox

from ldap_workbench.figures.table import Numbers
from ldap_workbench.gui.app import load_later_parts
from ldap_workbench.gui.parts.charts import menu
from ldap_workbench.gui.parts.charts.menu import as_image, as_svg
from ldap_workbench.gui.parts.charts.strip import StripChart
from ldap_workbench.gui.parts.charts.tails import TailsChart
from ldap_workbench.gui.parts.style.theme import Scheme, apply_theme
from ldap_workbench.gui.parts.widgets.saving import file_name
from ldap_workbench.gui.parts.widgets.table import RowsTable
from ldap_workbench.model.message import verbatim
from tests.gui.active import show_active
from tests.gui.pictures import strip, tails_picture
from tests.gui.watch import aside

HOSTILE = ("=cmd()", "a|b", "[x](http://y)", "two\nlines")


@pytest.fixture(scope="module", autouse=True)
def loaded():
    """As the program does after its start."""
    load_later_parts()


@pytest.fixture
def chart(qtbot):
    made = TailsChart()
    qtbot.addWidget(made)
    made.set_picture(tails_picture())
    made.resize(500, 350)
    show_active(qtbot, made)
    return made


@pytest.fixture
def table(qtbot):
    made = RowsTable("Names")
    qtbot.addWidget(made)
    made.show_numbers(Numbers((verbatim("n"), verbatim("text")), tuple((t, t) for t in HOSTILE)))
    show_active(qtbot, made)
    return made


@pytest.fixture
def choose(monkeypatch, tmp_path):
    """Answer the file dialog with a name in a folder of nobody."""

    def answer(name: str):
        path = tmp_path / name
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
        return path

    return answer


def opened_menu(qtbot, widget) -> dict[str, object]:
    """Entries of the menu that the menu key opens, by their words."""
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Keyboard, QPoint(5, 5), widget.mapToGlobal(QPoint(5, 5))
    )
    QApplication.sendEvent(widget, event)
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    opened = QApplication.activePopupWidget()
    return {entry.text().replace("&", ""): entry for entry in opened.actions() if entry.text()}


def close_menu():
    QApplication.activePopupWidget().close()


def test_the_menu_key_offers_picture_and_numbers(qtbot, chart):
    entries = opened_menu(qtbot, chart)
    assert list(entries) == [
        "Back to the previous view", "Forward", "Show all", "Copy picture", "Save picture …",
        "Copy numbers", "Copy numbers as Markdown", "Save numbers …",
    ]  # fmt: skip
    assert not entries["Back to the previous view"].isEnabled()
    QGuiApplication.clipboard().clear()
    qtbot.wait(1)
    entries["Copy picture"].trigger()
    assert not QGuiApplication.clipboard().image().isNull()
    qtbot.wait(1)
    entries["Copy numbers as Markdown"].trigger()
    assert QGuiApplication.clipboard().text().startswith("| Percentile | A, as it was |")
    close_menu()


@pytest.mark.parametrize("dark", [False, True])
def test_a_picture_has_title_legend_and_curves(qtbot, qapp, chart, choose, dark):
    apply_theme(qapp, Scheme.DARK if dark else Scheme.LIGHT)
    try:
        qtbot.waitUntil(lambda: chart._applied == chart.colours())
        path = choose("tails.png")
        menu.save_picture(chart)
        picture = QImage(str(path))
        colours = chart.colours()
    finally:
        apply_theme(qapp, Scheme.LIGHT)
    with aside():
        seen = {
            picture.pixel(x, y) for x in range(picture.width()) for y in range(picture.height())
        }
    assert {QColor(name).rgb() for name in (colours.a, colours.b, colours.ground)} <= seen
    assert picture.pixelColor(1, 1) == QColor(colours.ground)
    title = {picture.pixel(x, y) for x in range(10, 200) for y in range(8, 24)}
    assert len(title) > 5, "the title is drawn"


def test_a_picture_has_the_pixels_of_the_screen(chart):
    once = as_image(chart)
    chart.plot.pixel_ratio = 2.0
    twice = as_image(chart)
    assert (twice.width(), twice.height()) == (2 * once.width(), 2 * once.height())


def test_a_drawing_is_svg_with_words_and_lines(chart, choose):
    path = choose("tails.svg")
    menu.save_picture(chart)
    root = ET.fromstring(path.read_text("utf-8"))
    words = "".join(root.itertext())
    assert "etime by percentile" in words
    assert "A, as it was" in words
    strokes = {e.get("stroke") for e in root.iter() if e.get("stroke")}
    assert {chart.colours().a, chart.colours().b} <= strokes


def test_a_drawing_of_time_is_drawn_where_it_belongs(qtbot):
    """Qt's coordinates in an SVG have six digits: a curve over seconds since 1970 is lost."""
    made = StripChart(strip())
    qtbot.addWidget(made)
    made.resize(500, 250)
    show_active(qtbot, made)
    written = QSvgRenderer(as_svg(made))
    drawn = QImage(written.defaultSize(), QImage.Format.Format_RGB32)
    with QPainter(drawn) as painter:
        written.render(painter)
    curve = QColor(made.colours().series[0])
    with aside():
        columns = {
            x
            for x in range(drawn.width())
            for y in range(40, drawn.height() - 40)
            if abs(drawn.pixelColor(x, y).blue() - curve.blue()) < 40
            and abs(drawn.pixelColor(x, y).red() - curve.red()) < 40
        }
    assert len(columns) > 0.7 * drawn.width()


def test_rows_are_saved_as_csv_that_runs_nothing(table, choose):
    path = choose("rows.csv")
    table.save()
    rows = list(csv.reader(io.StringIO(path.read_text("utf-8-sig"))))
    assert rows[0] == ["n", "text"]
    assert rows[1] == ["'=cmd()"] * 2
    assert rows[4] == ["two\nlines"] * 2


def test_rows_are_saved_as_markdown_that_is_one_table(table, choose):
    path = choose("rows.md")
    table.selectRow(1)
    table.save()
    assert path.read_text("utf-8").splitlines() == ["| n | text |", "|---|---|", r"| a\|b | a\|b |"]


def test_the_menu_of_a_table_copies_markdown(qtbot, table):
    entries = opened_menu(qtbot, table)
    assert list(entries) == ["Copy rows", "Copy rows as Markdown", "Save rows …", "Columns"]
    entries["Copy rows as Markdown"].trigger()
    assert r"\[x\]\(http" in QGuiApplication.clipboard().text()
    close_menu()


def test_what_can_not_be_written_is_said_and_nothing_is_lost(qtbot, table, choose):
    path = choose("no/rows.csv")
    table.save()
    [box] = [w for w in QApplication.topLevelWidgets() if isinstance(w, QMessageBox)]
    assert str(path) in box.text()
    assert "could not be written" in box.text()
    box.close()
    box.deleteLater()


def test_a_name_without_suffix_gets_one_and_overwrites_nothing(table, choose):
    path = choose("rows")
    for _ in range(2):
        table.save()
    assert {each.name for each in path.parent.glob("rows*")} == {"rows.csv", "rows-2.csv"}


def test_a_title_makes_no_path():
    assert file_name("../../etc/p99 of BIND?") == "etc-p99-of-BIND"
    assert file_name("???") == "ldap-workbench"
