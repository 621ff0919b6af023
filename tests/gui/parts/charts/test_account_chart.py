"""The account as a picture: who waited for what, coloured by cause, a click from the operations."""

import pytest
from PySide6.QtCore import QPointF, Qt

from ldap_workbench.figures.overview.account import Bar, Piece
from ldap_workbench.gui.parts.charts.account import AccountChart
from ldap_workbench.model.message import Message

SLOW = Piece("unindexed", Message("Searches are not indexed"), "SRCH (mail=?)", 30_000_000_000)
REST = Piece("", Message("Unexplained"), "", 10_000_000_000)
BARS = (Bar("10.0.0.1", (SLOW, REST)), Bar("10.0.0.2", (REST,)), Bar("", (REST,)))


@pytest.fixture
def chart(qtbot):
    made = AccountChart()
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.show()
    made.set_bars(BARS)
    qtbot.waitUntil(lambda: len(made.plot.items_shown) == 4)
    return made


def test_it_says_how_much_is_unexplained(chart):
    assert chart.reading() == (
        "Users waited 60.0 s; 50 % of it is unexplained. 10.0.0.1 waited most: 40.0 s."
    )
    assert chart.numbers().texts()[1:3] == [
        ["10.0.0.1", "30.0 s", "SRCH (mail=?)", "Searches are not indexed"],
        ["10.0.0.1", "10.0 s", "(other kinds)", "Unexplained"],
    ]


def test_what_nothing_explains_is_grey_and_a_cause_has_one_colour(chart):
    colours = chart.colours()
    brushes = [item.opts["brush"].color().name() for item in chart.plot.items_shown]
    assert brushes == [colours.series[0], colours.dim, colours.dim, colours.dim]
    words = chart.legend(colours)
    assert words.index("Searches are not indexed") < words.index("Unexplained")


def test_a_click_asks_for_the_operations_of_the_piece(chart, qtbot):
    box, asked = chart.plot.getViewBox(), []
    chart.wanted.connect(asked.append)

    def click(x, y):
        place = chart.canvas.mapFromScene(box.mapViewToScene(QPointF(x, y)))
        qtbot.mouseClick(chart.canvas.viewport(), Qt.MouseButton.LeftButton, pos=place)

    click(5e9, 0)
    click(35e9, 0)
    click(5e9, 1)
    click(5e9, 2)  # nobody in particular
    searches = 'client=10.0.0.1 type=SRCH filter="(mail=?)"'
    assert asked == [searches, "client=10.0.0.1", "client=10.0.0.2"]
    asked.clear()
    entries = chart.more_entries()
    assert [str(text) for text, *_ in entries] == [
        "Show the operations of 10.0.0.1",
        "Show its SRCH (mail=?), which waited 30.0 s",
        "Show the operations of 10.0.0.2",
    ]
    for _, _, show, _ in entries:
        show()
    assert asked == ["client=10.0.0.1", searches, "client=10.0.0.2"], "the same by key"
    assert str(chart.tip_at(35e9, 0)[-1]) == "Unexplained"
    assert chart.tip_at(45e9, 0) == ()


def test_bars_of_kinds_say_the_finding_and_ask_for_their_kind(chart, qtbot):
    asked = []
    chart.wanted.connect(asked.append)
    chart.set_bars((Bar(SLOW.kind, (SLOW,), "kind"), Bar("BIND", (REST,), "kind")))
    assert chart.numbers().texts()[0][0] == "Kind"
    entries = chart.more_entries()
    titles = [str(text) for text, *_ in entries]
    assert titles == ["Show the operations of SRCH (mail=?)", "Show the operations of BIND"]
    entries[0][2]()
    assert asked == ['type=SRCH filter="(mail=?)"']
