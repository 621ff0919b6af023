"""Which operations the primary metric is of: the kinds of a finding and a session come first."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QLabel

from ldap_workbench.figures.forms.experiment import KINDS, ExperimentForm
from ldap_workbench.gui.screens.experiment.screen import DESIGN
from ldap_workbench.model.finding import Advice
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message
from tests.gui.conftest import idle, opened
from tests.gui.fake_server import Server, connect
from tests.sessions import FACTS, build_capture_session

MAIL = "SRCH[(mail=?)]"
ADVICE = Advice(
    "x",
    Message("An index on mail"),
    (),
    Treatment((Setting("nsslapd-idlistscanlimit", "8000"),)),
    *[Message("Y")] * 4,
    "low",
    primary=f"{MAIL}:p50",
)
OFTEN = ["searches (&(objectclass=person)(mail=?))", "searches (member=?)", "searches (uid=?)"]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    return build_capture_session(tmp_path_factory.mktemp("kinds") / "s.ldapwb", seconds=5)


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """A baseline in which nothing was asked."""
    path = tmp_path_factory.mktemp("empty") / "b.ldapwb"
    return build_capture_session(path, seconds=1, per_second=0)


@pytest.fixture
def design(qtbot, window):
    """The fields of the design are in sight, for a server that a session is of."""
    connect(window, Server(FACTS))
    window.show_screen("experiment")
    window.experiment.go_to(DESIGN)
    page = window.experiment.design
    page.set_treatment(ADVICE.treatment, restart=False)
    qtbot.mouseClick(page.details, Qt.MouseButton.LeftButton)
    return page


def see(qtbot, window, session):
    """Open a session, then look at the design again."""
    opened(qtbot, window, session, "experiment").go_to(DESIGN)


def offered(page):
    return [page._kind.itemText(i) for i in range(page._kind.count())]


def filters(page):
    return [text for text in offered(page) if text.startswith("searches (")]


def test_without_a_session_there_are_types(design):
    assert offered(design) == [str(name) for name in KINDS.values()]
    assert design.form().kind == "ALL"


def test_the_frequent_kinds_of_the_session_stand_before_the_types(qtbot, window, design, session):
    see(qtbot, window, session)
    qtbot.waitUntil(lambda: len(filters(design)) == 3)
    names = offered(design)
    assert sorted(filters(design)) == OFTEN
    assert names[:3] == filters(design)
    assert any(name.startswith("operations from 10.0.0.1") for name in names[3:6])
    assert names[-len(KINDS) :] == [str(name) for name in KINDS.values()]
    assert design.form().kind == "ALL"


def test_a_kind_is_chosen_by_keyboard_and_read_aloud(qtbot, window, design, session):
    see(qtbot, window, session)
    qtbot.waitUntil(lambda: len(filters(design)) == 3)
    design._kind.setFocus()
    qtbot.keyClick(design._kind, Qt.Key.Key_Home)
    name = offered(design)[0]
    assert design._kind.currentText() == name
    assert design.plan().primary_metric.type == str(design._kind.itemData(0))
    [label] = [each for each in design.findChildren(QLabel) if each.buddy() is design._kind]
    assert label.text() == "Of &operations"
    interface = QAccessible.queryAccessibleInterface(design._kind)
    assert interface.text(QAccessible.Text.Value) == name
    assert name in design._kind.toolTip()


def test_the_kinds_of_the_baseline_replace_those_of_the_session(
    qtbot, window, design, session, empty
):
    see(qtbot, window, session)
    qtbot.waitUntil(lambda: len(filters(design)) == 3)
    design._kind.choose("SRCH[(uid=?)]")
    design.set_baseline(empty)
    qtbot.waitUntil(lambda: len(filters(design)) == 1)
    assert design.form().kind == "SRCH[(uid=?)]"


def test_a_baseline_that_cannot_be_read_says_so_where_kinds_are_chosen(qtbot, design, tmp_path):
    design.set_baseline(tmp_path / "nothing.ldapwb")
    qtbot.waitUntil(lambda: "cannot be listed" in design._kind.toolTip())
    assert offered(design) == [str(name) for name in KINDS.values()]


def test_trying_advice_chooses_the_kind_it_is_about(qtbot, window, design, session):
    screen = opened(qtbot, window, session, "experiment")
    screen.try_advice(ADVICE)
    idle(qtbot, window)
    screen.go_to(DESIGN)
    qtbot.waitUntil(lambda: len(filters(design)) == 4)
    assert offered(design)[0] == design._kind.currentText() == "searches (mail=?)"
    assert design.plan().primary == f"{MAIL}:p50"
    screen.try_advice(replace(ADVICE, primary="BIND:p50"))
    idle(qtbot, window)
    assert "searches (mail=?)" not in offered(design)
    assert design.plan().primary == "BIND:p50"


def test_a_plan_of_a_kind_nobody_offers_keeps_it(design):
    plan = replace(design.plan(), primary=f"{MAIL}:p95")
    design._fill(ExperimentForm.of(plan))
    assert design._kind.currentText() == "searches (mail=?)"
    assert design.plan().primary == f"{MAIL}:p95"
