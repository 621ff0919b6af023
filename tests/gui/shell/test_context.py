"""Session, server and verdict never mix: each is named on every screen."""

import threading
from dataclasses import replace

import pytest
from PySide6.QtCore import QObject

from ldap_workbench.gui.screens.experiment.screen import CHANGE, VERDICT
from ldap_workbench.gui.screens.overview.cards import AdviceCard
from ldap_workbench.model.finding import Advice
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.session.writer import SessionWriter
from tests import sessions
from tests.gui import sight
from tests.gui.conftest import idle, opened
from tests.gui.fake_server import Server, connect
from tests.unit.tuning.fakes import FACTS

pytestmark = pytest.mark.one_window

HERE = replace(FACTS, identity="389ds:here", host="here.example")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Sessions: of the connected server, another, nobody says which, without an experiment."""
    folder, found = tmp_path_factory.mktemp("context"), {}
    for whose, facts in (
        ("here", HERE),
        ("there", replace(HERE, identity="389ds:there", host="there.example")),
    ):
        found[whose] = path = sessions.build_experiment_session(
            folder / f"{whose}.ldapwb", seconds=3, per_second=20
        )
        with SessionWriter.append(path) as writer:
            writer.set_facts(facts)
    found["unknown"] = folder / "unknown.ldapwb"
    with SessionWriter.create(found["unknown"]):
        pass
    found["plain"] = sessions.build_capture_session(
        folder / "plain.ldapwb", seconds=3, per_second=20
    )
    found["simulated"] = sessions.build_capture_session(
        folder / "simulated.ldapwb", seconds=3, per_second=20
    )
    with SessionWriter.append(found["simulated"]) as writer:
        writer.set_facts(replace(HERE, simulated=True))
    return found


@pytest.fixture
def connected(qtbot, window):
    connect(window, Server(HERE))
    idle(qtbot, window)
    return window


def test_a_session_of_a_simulated_server_says_so_without_a_server(qtbot, window, files):
    opened(qtbot, window, files["simulated"], "tails")
    assert window.context.server.text() == "no server"
    assert window.context.session.text() == "simulated session simulated.ldapwb · here.example"
    assert window.context.session.mood == "good"


def test_the_bar_says_which_server_session_and_experiment(qtbot, window, files):
    bar = window.context
    assert (bar.server.text(), bar.session.text()) == ("no server", "no session")
    opened(qtbot, window, files["here"], "tails")
    connect(window, Server(HERE))
    assert bar.server.text() == "server fake · here.example · 389-Directory 2.3.1"
    assert bar.server.mood == "warn"
    assert bar.session.text() == "session here.ldapwb · here.example"
    assert bar.session.mood == ""
    assert "nsslapd-cachememsize" in bar.experiment.text()
    connect(window, Server(replace(HERE, simulated=True)))
    assert bar.server.text().startswith("simulated server")
    assert bar.server.mood == "good"


def test_a_session_of_another_server_is_marked_and_its_advice_is_off(qtbot, connected, files):
    opened(qtbot, connected, files["there"], "overview")
    assert connected.context.session.text().startswith("another server there.ldapwb")
    assert connected.context.session.mood == "bad"
    page = connected.overview.findings
    told = "These findings are of fake (there.example). The connected server is fake (here.example)"
    assert sight.says(page, told), "two profiles of one name: their hosts tell them apart"
    card = page._advice_card(ADVICE)
    assert not card.test.isEnabled()
    assert "cannot be tried there" in card.test.toolTip()
    assert not page.references.isEnabled(), "what this server says would be mixed with it"
    card.deleteLater()


ADVICE = Advice(
    "x",
    Message("X"),
    (),
    Treatment((Setting("nsslapd-idlistscanlimit", "8000"),)),
    *[Message("Y")] * 4,
    "low",
)


def test_advice_says_for_which_server_it_would_be_tried(qtbot, connected, files):
    opened(qtbot, connected, files["unknown"], "overview")
    page = connected.overview.findings
    unsure = "This session does not say of which server it is."
    assert sight.says(page, unsure)
    card = page._advice_card(ADVICE)
    assert card.test.isEnabled()
    assert "Advice would be tried on fake." in card.test.toolTip()
    opened(qtbot, connected, files["here"], "overview")
    assert not sight.says(page, unsure)
    page._advice.insertWidget(0, card)
    connect(connected, Server(replace(HERE, identity="389ds:third")))
    assert not card.test.isEnabled(), "a card that is there already follows the connection"
    assert isinstance(card, AdviceCard)
    card.deleteLater()


@pytest.mark.one_window(False)  # the plan stays
@pytest.mark.parametrize(("whose", "primary"), [("here", "p99"), ("unknown", "slo")])
def test_only_advice_for_this_very_server_chooses_the_metric(
    qtbot, connected, files, whose, primary
):
    screen = opened(qtbot, connected, files[whose], "experiment")
    screen.try_advice(replace(ADVICE, primary="SRCH:p99"))
    idle(qtbot, connected)
    assert screen.change.planned.treatment == ADVICE.treatment
    assert screen.design.form().primary == primary


def test_the_title_of_a_step_is_of_what_it_shows(qtbot, connected, files):
    screen = opened(qtbot, connected, files["there"], "experiment")
    for step, host in ((CHANGE, "here"), (VERDICT, "there")):
        screen.go_to(step)
        assert screen._subtitle.accessibleName().startswith(f"{host}.example")


class Listener(QObject):
    """Hears of what was read."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = []

    def take(self, answer) -> None:
        self.heard.append(answer)


@pytest.mark.parametrize("name", ["timeline", "tails"])
def test_what_was_read_of_one_session_is_never_shown_as_another(qtbot, window, files, name):
    screen = opened(qtbot, window, files["here"], name)
    assert screen._pages.currentWidget() is screen._body
    bench, gate, listener, seen = window.workbench, threading.Event(), Listener(), []
    bench.ask_session("slow", lambda _: gate.wait(60), listener.take, view=True)
    watching = bench.sessionChanged.connect(lambda: seen.append(screen._pages.currentWidget()))
    bench.open_session(files["there"])
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [screen._reading], "no chart of the other under the new title"
    gate.set()
    idle(qtbot, window)
    assert listener.heard == []
    assert screen._pages.currentWidget() is screen._body
    bench.sessionChanged.disconnect(watching)


def test_what_is_written_of_a_session_is_told_whatever_is_open_by_then(qtbot, window, files):
    opened(qtbot, window, files["here"], "tails")
    bench, gate, listener = window.workbench, threading.Event(), Listener()
    bench.ask_session("write", lambda _: gate.wait(60), listener.take)
    bench.open_session(files["there"])
    gate.set()
    idle(qtbot, window)
    assert listener.heard == [True]


def test_a_verdict_goes_with_its_session(qtbot, connected, files):
    screen = opened(qtbot, connected, files["here"], "experiment")
    screen.go_to(VERDICT)
    assert screen.verdict._metrics.rows
    opened(qtbot, connected, files["plain"], "experiment")
    assert screen.stepper.step() == CHANGE
    assert not screen.verdict._metrics.rows


@pytest.mark.one_window(False)
def test_in_a_small_window_every_part_keeps_the_start_of_its_name(german, qtbot, window, files):
    connect(window, Server(replace(HERE, simulated=True)))
    opened(qtbot, window, files["there"], "tails")
    window.resize(800, 600)
    qtbot.waitUntil(lambda: window.width() == 800)
    bar = window.context
    for part in (bar.server, bar.session, bar.experiment):
        qtbot.waitUntil(lambda name=part._name: len(name.text()) >= 4)


def test_a_notice_about_one_session_goes_when_another_is_opened(qtbot, window, files):
    ours, other = files["here"], files["there"]
    window.workbench.notice("This window is incomplete", "No samples for 25 s.", ours)
    opened(qtbot, window, ours, "overview")
    assert window.notice.isVisible()
    opened(qtbot, window, other, "overview")
    assert not window.notice.isVisible()
    window.workbench.notice("Nothing is reverted", "It is about no session.")
    opened(qtbot, window, ours, "overview")
    assert window.notice.isVisible()
