"""Pinned comparisons and saved filters: kept, shown again, forgotten; by name and by key."""

import pytest

from ldap_workbench.figures.overview.session_summary import comparison_name
from ldap_workbench.gui.parts.widgets.saved_views import SavedViewsButton
from ldap_workbench.gui.workbench.settings import Settings
from ldap_workbench.session.reader import Session
from tests.gui.conftest import idle, opened
from tests.gui.watch import aside


def entries(button: SavedViewsButton) -> list[str]:
    """What its menu offers now; '' between its parts."""
    button._fill()
    return [action.text() for action in button._menu.actions()]


def choose(button: SavedViewsButton, text: str, *, remove: bool = False) -> None:
    button._fill()
    menu = button._menu.actions()[-1].menu() if remove else button._menu
    next(action for action in menu.actions() if action.text() == text).trigger()


def test_a_comparison_is_pinned_and_shown_again(qtbot, window, session_file):
    tails = opened(qtbot, window, session_file, "tails")
    every = window.workbench.opened.summary.windows
    first, second = every[1], every[2]
    tails._a.set_windows(every, [first, second])
    tails._b.set_windows(every, [])
    tails._kind.setCurrentIndex(tails._kind.findData("SRCH"))
    choose(tails.pins, "&Pin this comparison")
    name = f"{first.name}, {second.name} · SRCH"
    assert entries(tails.pins)[2] == name
    assert not tails.pins._menu.actions()[0].isEnabled(), "it is kept already"
    tails._on_session()
    tails._kind.setCurrentIndex(0)
    idle(qtbot, window)
    whole = tails.chart._picture.curves[0].n
    choose(tails.pins, name)
    idle(qtbot, window)
    assert (tails._a.windows(), tails._b.windows()) == ((first, second), ())
    assert tails.kind() == "SRCH"
    assert 0 < tails.chart._picture.curves[0].n < whole / 2


@pytest.mark.stall_allowed  # it reads the file itself
def test_a_comparison_is_named_by_its_windows(session_file):
    with Session.open(session_file) as session:
        one, two, three = session.windows()[:3]
    assert str(comparison_name((one, two), (three,), "BIND")) == (
        f"{one.name}, {two.name} against {three.name} · BIND"
    )
    assert str(comparison_name((one,), (), "ALL")) == f"{one.name} · all operations"


def test_pins_are_those_of_the_open_session(qtbot, window, session_file, capture_file):
    tails = opened(qtbot, window, session_file, "tails")
    choose(tails.pins, "&Pin this comparison")
    opened(qtbot, window, capture_file, "tails")
    assert entries(tails.pins) == ["&Pin this comparison"]
    window.workbench.close_session()
    idle(qtbot, window)
    assert not tails.pins.isEnabled()


def test_a_filter_is_saved_used_and_removed(qtbot, window, session_file):
    operations = opened(qtbot, window, session_file, "operations")
    assert entries(operations.filters) == ["&Save this filter"]
    assert not operations.filters._menu.actions()[0].isEnabled(), "everything is no filter"
    finder = operations.finder
    finder.put("etime>10ms type=SRCH & x", "client")
    choose(operations.filters, "&Save this filter")
    name = "etime>10ms type=SRCH && x · by client"
    assert name in entries(operations.filters)
    finder.put("", "")
    choose(operations.filters, name)
    assert (finder.words.text(), finder.group_by()) == ("etime>10ms type=SRCH & x", "client")
    choose(operations.filters, name, remove=True)
    assert entries(operations.filters) == ["&Save this filter"]
    idle(qtbot, window)


@pytest.mark.parametrize("text", ["[1]", "{", '{"a": 1}'])
def test_settings_of_somebody_elses_making_keep_nothing(qapp, tmp_path, text):
    settings = Settings(tmp_path / "window.json")
    settings._set("filters", text)
    assert settings.saved_views("filters") == {}
    settings.save_views("filters", {"x": {"words": "smith"}})
    with aside():
        settings.close()
    again = Settings(tmp_path / "window.json")
    assert again.saved_views("filters") == {"x": {"words": "smith"}}
    again.close()
