"""Charts: keys, readings, numbers, never too many points, and no reference lost in painting."""

import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtWidgets import QApplication

from ldap_workbench.figures.tails.curve import TailsPicture, curve_of, distribution_of
from ldap_workbench.figures.thinning import POINTS
from ldap_workbench.figures.timeline.heat_grid import heat_grid
from ldap_workbench.figures.timeline.strips import Line, Strip
from ldap_workbench.gui.parts.charts.axes import CountAxis, DurationAxis
from ldap_workbench.gui.parts.charts.legend import legend_of, swatch
from ldap_workbench.gui.parts.charts.strip import StripChart
from ldap_workbench.gui.parts.charts.tails import TailsChart
from ldap_workbench.gui.parts.style.theme import Scheme, apply_theme
from ldap_workbench.inference.counts.tails import tails
from ldap_workbench.model.message import NOTHING, verbatim
from ldap_workbench.model.operations import Operations
from tests.gui.active import show_active
from tests.gui.pictures import all_charts, strip, tails_picture
from tests.unit.figures.material import START_NS, etimes


@pytest.fixture(params=range(9))
def chart(request, qtbot):
    made = all_charts()
    for other in made:
        qtbot.addWidget(other)
    return made[request.param]


@pytest.fixture
def tails_chart(qtbot):
    made = TailsChart()
    qtbot.addWidget(made)
    made.set_picture(tails_picture())
    made.resize(600, 400)
    show_active(qtbot, made)
    return made


def test_every_chart_says_what_it_shows(chart):
    name = chart.accessibleName()
    assert name.startswith(chart._title)
    assert name.endswith(".")
    assert len(name) > len(chart._title) + 10
    assert "Home" in chart.accessibleDescription()


def test_every_chart_has_its_numbers_one_key_away(qtbot, chart):
    show_active(qtbot, chart)
    qtbot.keyClick(chart, Qt.Key.Key_D)
    assert chart.showing_numbers()
    headings, *rows = [line.split("\t") for line in chart.numbers().tsv().splitlines()]
    assert rows
    assert {len(row) for row in rows} == {len(headings)}
    qtbot.keyClick(chart._table, Qt.Key.Key_D)
    assert not chart.showing_numbers()


def test_keys_move_and_zoom(qtbot, tails_chart):
    box = tails_chart.plot.getViewBox()
    whole = np.array(box.viewRange())
    qtbot.keyClick(tails_chart, Qt.Key.Key_Right)
    assert box.viewRange()[0][0] > whole[0][0]
    qtbot.keyClick(tails_chart, Qt.Key.Key_Up)
    assert box.viewRange()[1][0] > whole[1][0]
    qtbot.keyClick(tails_chart, Qt.Key.Key_Plus)
    assert np.ptp(box.viewRange()[0]) < np.ptp(whole[0])
    qtbot.keyClick(tails_chart, Qt.Key.Key_Home)
    assert np.allclose(box.viewRange(), whole, atol=1e-6)


def test_c_copies_the_numbers(qtbot, tails_chart):
    QGuiApplication.clipboard().clear()
    qtbot.keyClick(tails_chart, Qt.Key.Key_C)
    assert QGuiApplication.clipboard().text().startswith("Percentile\tA, as it was\t")


def test_the_reading_tells_the_change(tails_chart):
    reading = tails_chart.reading()
    assert "p50 fell from" in reading
    assert "p99.9 fell from" in reading
    assert "×0.5" in reading


def test_numbers_of_the_curve_are_those_of_the_tails_table():
    """Nearest rank in both: a chart that differs from its table convinces nobody."""
    spent = etimes(12_345)
    columns = {name: np.zeros(len(spent), array.dtype) for name, array in _columns().items()}
    columns["etime_ns"] = spent
    whole = next(t for t in tails(Operations(**columns), window="w") if t.type == "ALL")
    curve = curve_of(verbatim("w"), "A", spent)
    for percentile, name in ((50, "p50_ns"), (90, "p90_ns"), (99, "p99_ns"), (99.9, "p999_ns")):
        assert curve.at(percentile) == getattr(whole, name)
    assert curve.at(99.99999) is None


def _columns():
    empty = Operations.empty()
    return {name: value for name, value in vars(empty).items() if isinstance(value, np.ndarray)}


def test_no_curve_has_more_than_4000_points(qtbot):
    seconds = START_NS / 1e9 + np.arange(100_000, dtype=float)
    values = np.zeros(100_000)
    values[77_777] = 1000.0
    made = StripChart(Strip(verbatim("x"), "", (Line(NOTHING, seconds, values),)))
    qtbot.addWidget(made)
    made.draw_now()
    [curve] = [item for item in made.plot.items_shown if isinstance(item, pg.PlotCurveItem)]
    x, y = curve.getData()
    assert len(x) <= POINTS
    assert y.max() == 1000.0
    assert len(curve_of(verbatim("w"), "A", etimes(50_000)).percentile) <= POINTS
    assert len(distribution_of(verbatim("w"), "A", etimes(50_000)).slower) <= POINTS


def test_a_dense_line_is_drawn_by_segments(qtbot):
    """1,200 points in one path of 1.6 pixels took 13 ms of each step of a pan; by segments: 4."""
    for points, mode in ((100, "off"), (1200, "on")):
        made = StripChart(strip(points))
        qtbot.addWidget(made)
        made.draw_now()
        [curve] = [item for item in made.plot.items_shown if isinstance(item, pg.PlotCurveItem)]
        assert curve.opts["segmentedLineMode"] == mode
        assert curve.opts["pen"].widthF() == 1.6


def test_a_dense_dashed_line_keeps_its_dashes_and_spikes(qtbot):
    [solid] = strip(3000).lines
    spiked = solid.values.copy()
    spiked[1234] = 900.0
    made = StripChart(replace(strip(), lines=(solid, replace(solid, values=spiked))))
    qtbot.addWidget(made)
    made.draw_now()
    dashed = made.plot.items_shown[1]
    assert dashed.opts["segmentedLineMode"] == "off"
    assert len(dashed.getData()[0]) <= 400
    assert dashed.getData()[1].max() == 900.0


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_lines_are_as_thick_at_twice_the_pixels(qtbot, monkeypatch, ratio):
    monkeypatch.setattr(TailsChart, "devicePixelRatioF", lambda _: ratio)
    made = TailsChart()
    qtbot.addWidget(made)
    made.set_picture(tails_picture())
    made.draw_now()
    curves = [item for item in made.plot.items_shown if isinstance(item, pg.PlotCurveItem)]
    [limit] = [item for item in made.plot.items_shown if isinstance(item, pg.InfiniteLine)]
    assert [curve.opts["pen"].widthF() for curve in curves] == [2 * ratio, 2 * ratio]
    assert limit.pen.widthF() == ratio
    assert made.plot.getAxis("left").pen().widthF() == ratio


def test_a_gap_is_never_bridged(qtbot):
    """Thinning keeps the break, and nothing is drawn over it."""
    [line] = strip(9000).lines
    values = line.values.copy()
    values[3000:6000] = np.nan
    made = StripChart(replace(strip(), lines=(replace(line, values=values),)))
    qtbot.addWidget(made)
    made.draw_now()
    x, y = made.plot.items_shown[0].getData()
    within = (x > line.seconds[2999]) & (x < line.seconds[6000])
    assert within.any()
    assert np.isnan(y[within]).all()
    path = made.plot.items_shown[0].getPath()
    ends = [path.elementAt(i) for i in range(path.elementCount())]
    lines = [(a.x, b.x) for a, b in pairwise(ends) if b.isLineTo()]
    assert max(b - a for a, b in lines) < 20


@pytest.mark.parametrize("change", ["values", "range", "size"])
def test_what_has_changed_is_painted_once(qtbot, change):
    chart = StripChart(strip())
    qtbot.addWidget(chart)
    show_active(qtbot, chart)
    qtbot.wait(100)
    paints = Paints()
    chart._canvas.viewport().installEventFilter(paints)
    if change == "values":
        chart.set_strip(strip(120))
    elif change == "range":
        chart.plot.setXRange(START_NS / 1e9, START_NS / 1e9 + 10)
    else:
        chart.resize(chart.width() + 50, chart.height() + 50)
    qtbot.wait(100)
    assert paints.count == 1


class Paints(QObject):
    """How often a widget was painted."""

    count = 0

    def eventFilter(self, watched, event):
        self.count += event.type() == QEvent.Type.Paint
        return False


def test_the_band_is_seen(qtbot):
    """A filled item between curves without a pen paints nothing, silently."""
    a = curve_of(verbatim("A"), "A", etimes(5000))
    band = type(a)(
        verbatim("A"), "A", a.percentile, a.etime_ns, a.n, a.etime_ns / 3, a.etime_ns * 3
    )
    made = TailsChart()
    qtbot.addWidget(made)
    made.resize(500, 400)
    pictures = []
    for curve in (a, band):
        made.set_picture(TailsPicture((curve,)))
        made.plot.setRange(xRange=(0, 3), yRange=(5, 7.5), padding=0)
        made.show()
        QApplication.processEvents()
        pictures.append(made._canvas.grab().toImage())
    plain, banded = ([image.pixel(x, 100) for x in range(image.width())] for image in pictures)
    assert sum(p != q for p, q in zip(plain, banded, strict=True)) > 20


def test_charts_follow_the_theme_once_they_are_seen(qtbot, tails_chart, qapp):
    before = tails_chart.colours()
    apply_theme(qapp, Scheme.DARK)
    try:
        qtbot.waitUntil(lambda: tails_chart._applied != before)
        assert tails_chart._applied == tails_chart.colours()
    finally:
        apply_theme(qapp, Scheme.LIGHT)
        qtbot.waitUntil(lambda: tails_chart._applied == before)


@pytest.mark.stall_allowed
def test_repainting_loses_no_reference_of_none(qtbot):
    """PySide6 6.12 dropped some at every paint on Python 3.10 and 3.11, and died of it."""
    if sys.version_info >= (3, 12):
        pytest.skip("None is immortal from Python 3.12 on")
    made = StripChart(strip())
    qtbot.addWidget(made)
    made.show()
    qtbot.waitExposed(made)
    made.grab()
    before = sys.getrefcount(None)
    for _ in range(50):
        made.grab()
    assert abs(sys.getrefcount(None) - before) < 200


def test_operations_released_by_one_stall_stand_in_one_column():
    ends = np.full(100, START_NS + 30 * 10**9)
    grid = heat_grid(
        ends, np.linspace(1e6, 1e9, 100).astype(np.int64), START_NS, START_NS + 60 * 10**9
    )
    assert np.flatnonzero(grid.counts.any(axis=1)).tolist() == [int(30 / grid.step_s)]
    assert grid.counts.sum() == 100


def test_a_heat_map_of_nothing_says_so(qtbot):
    from ldap_workbench.gui.parts.charts.heatmap import Heatmap

    made = Heatmap()
    qtbot.addWidget(made)
    none = np.empty(0, np.int64)
    made.set_grid(heat_grid(none, none, START_NS, START_NS + 10**10))
    assert "no data yet" in made.accessibleName()


def test_a_chart_can_be_narrower_than_its_title(qtbot):
    chart = TailsChart()
    qtbot.addWidget(chart)
    chart.set_picture(tails_picture())
    chart.set_title(verbatim("etime by percentile of BIND operations on the first of many servers"))
    chart.show()
    for width, whole in ((300, False), (1200, True)):
        chart.resize(width, 400)
        qtbot.wait(20)
        assert chart.width() == width
        assert chart._heading.text().endswith("…") is not whole
    assert chart._heading.toolTip() == chart._title


def test_a_strip_of_the_past_says_which_value_its_legend_tells(qtbot):
    chart = StripChart(strip())
    qtbot.addWidget(chart)
    assert "latest 103/s" in chart.legend_label.text()
    chart.set_strip(replace(strip(), span=(START_NS / 1e9, START_NS / 1e9 + 10)))
    assert "&nbsp;103/s" in chart.legend_label.text()


def test_what_can_not_be_divided_has_whole_ticks_from_nothing(qapp):
    whole, parts = CountAxis("left", whole=True), CountAxis("left")
    assert whole.tickValues(0.0, 1.16, 46) == [(1.0, [0.0, 1.0])]
    assert parts.tickValues(0.0, 1.16, 66) == [(0.5, [0.0, 0.5, 1.0])]
    assert whole.tickValues(0.0, 20.0, 170) == [(5.0, [0.0, 5.0, 10.0, 15.0])], "not 2.5"
    assert parts.tickValues(0.0, 116.0, 46) == [(100.0, [0.0, 100.0])]
    assert parts.tickValues(0.0, 100.5, 46) == [(50.0, [0.0, 50.0])], "100 would be cut"


def test_a_number_of_an_upright_axis_is_never_cut_at_its_edge(qapp):
    axis = DurationAxis("left")
    assert axis.tickValues(6.9, 9.02, 40) == [(1.0, [7.0]), (0.3, [])], "1 s would be cut"
    assert axis.tickValues(6.9, 9.5, 40) == [(1.0, [7.0, 9.0]), (0.3, [])]
    assert DurationAxis("bottom").tickValues(6.9, 9.02, 400)[0] == (1.0, [7.0, 8.0, 9.0])
    bare = pg.AxisItem.boundingRect(axis)
    assert axis.boundingRect().height() == bare.height() + 20, "room for the words of the lowest"


def lines_of(legend, width):
    """The lines of a legend at a width."""
    document = QTextDocument()
    document.setHtml(legend)
    document.setTextWidth(width)
    document.documentLayout().documentSize()
    block = document.begin()
    lines = [block.layout().lineAt(i) for i in range(block.layout().lineCount())]
    return [block.text()[line.textStart() :][: line.textLength()] for line in lines]


def test_an_entry_of_a_legend_stays_on_one_line(qtbot):
    """At 800 pixels 'window of A' stood at the end of a line and 'B' at the start of the next."""
    words = "95-%-band of B, the slowest eleven"
    legend = legend_of(*(swatch("#000000", "■", verbatim(words)) for _ in range(9)))
    for width in range(320, 800, 24):
        together = "■\xa0" + words.replace(" ", "\xa0").replace("-", "-\u2060")
        assert sum(line.count(together) for line in lines_of(legend, width)) == 9, width


def test_a_legend_never_widens_its_chart(qtbot):
    chart = TailsChart()
    qtbot.addWidget(chart)
    chart.set_picture(tails_picture())
    chart.legend_label.set_words(legend_of(swatch("#000000", "■", verbatim("many words " * 20))))
    chart.show()
    for width, whole in ((400, False), (2400, True), (400, False)):
        chart.resize(width, 400)
        qtbot.wait(20)
        assert chart.width() == width
        assert chart.legend_label.minimumSizeHint().width() < 300
        assert ("nowrap" in chart.legend_label.text()) is whole


def test_the_values_of_a_narrow_strip_are_whole(qtbot):
    """Beside a run at 800 pixels a strip has 280, of which its buttons took 100."""
    title = verbatim("Connections waiting to be read")
    charts = [StripChart(replace(strip(), title=title)), StripChart(strip())]
    for chart in charts:
        qtbot.addWidget(chart)
        chart.show()
    for width in (600, 280, 600):
        for chart in charts:
            chart.resize(width, 150)
        qtbot.wait(20)
        for chart in charts:
            assert chart.legend_label.width() >= chart.legend_label._longest, width
            assert not chart._heading.text().endswith("…"), width
            assert chart._copy_button.isVisible() is (width == 600), "charts beside it look alike"


def test_the_label_of_an_axis_is_laid_out_only_where_it_is_seen_and_has_changed(qapp, monkeypatch):
    axis, laid_out = CountAxis("left"), []
    assert axis.label.toPlainText() == ""
    axis.setLabel("etime")
    assert "etime" in axis.label.toPlainText()
    monkeypatch.setattr(axis.label, "setHtml", laid_out.append)
    for colour in ("r", "r", "g"):
        axis.setTextPen(colour)
    assert len(laid_out) == 2
    axis.setLabel("")
    axis.setTextPen("b")
    assert len(laid_out) == 2, "nobody sees it"
