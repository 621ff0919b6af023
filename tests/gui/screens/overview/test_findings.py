"""What stands out, on cards: ways to the evidence, ways to an experiment, steps for a person."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton

from ldap_workbench.advice.evidence import rows
from ldap_workbench.advice.evidence.rows import evidence_of_rows
from ldap_workbench.advice.evidence.series import DATABASE, LDBM
from ldap_workbench.advice.families import find
from ldap_workbench.advice.families.checkpoint import LOG_BYTES
from ldap_workbench.figures.overview.findings import (
    FIRST_SHOWN,
    FindingsView,
    Share,
    span_of,
    span_of_evidence,
    strip_title,
)
from ldap_workbench.gui.screens.overview.cards import AdviceCard, FindingCard, LinkBar, TimeBar
from ldap_workbench.model.finding import Advice, Evidence, Finding, FindingGroup, Link
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import Message
from ldap_workbench.model.operation_filter import OperationFilter
from ldap_workbench.model.operations import TYPES, client_operations
from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.window import Window
from ldap_workbench.session.reader import Session
from tests.gui import sight
from tests.gui.conftest import idle, opened
from tests.gui.fake_server import Server, connect
from tests.gui.test_accessibility import clashes
from tests.sessions import FACTS, START_NS

pytestmark = pytest.mark.one_window

STALL = Evidence(
    Message("40 operations waited"),
    START_NS,
    START_NS + 2 * NS_PER_S,
    operations=(3, 4),
    which=OperationFilter(START_NS, START_NS + 2 * NS_PER_S, 2, listed=((1, 3), (1, 4))),
)
FINDING = Finding("stall", Message("Operations wait together"), Message("For 2 s."), 3, (STALL,))
TREATMENT = Treatment((Setting("a", "0"), Setting("b", "512", "userRoot")))
WORDS = {
    "why": Message("It helps."),
    "expected": Message("Less."),
    "cost": Message("None."),
    "risk": Message("reverted at once"),
    "risk_level": "low",
}


def test_a_finding_is_a_row_with_its_share_and_opens_by_key_and_mouse(qtbot):
    card = FindingCard(FindingGroup(FINDING), level=2, share=Share(0.125, Message("Share")))
    qtbot.addWidget(card)
    card.show()
    [bar] = card.findChildren(QProgressBar)
    assert bar.value() == 125
    texts = [each.text() for each in card.findChildren(QLabel) if each.isVisible()]
    assert texts == ["Operations wait together", "12.5 %", "medium", "For 2 s."]
    assert not card.details.isVisible()
    card.arrow.setFocus()
    qtbot.keyClick(card.arrow, Qt.Key.Key_Space)
    assert card.details.isVisible()
    assert card.arrow.accessibleName() == "Collapse: Operations wait together For 2 s."
    qtbot.mouseClick(card, Qt.MouseButton.LeftButton, pos=QPoint(card.width() // 2, 8))
    assert not card.details.isVisible()
    head = {"pos": QPoint(card.width() // 2, 8)}
    qtbot.mouseClick(card, Qt.MouseButton.RightButton, **head)
    assert not card.details.isVisible()
    for event in (qtbot.mouseClick, qtbot.mouseDClick, qtbot.mouseRelease):
        event(card, Qt.MouseButton.LeftButton, **head)
    assert card.details.isVisible(), "a double click opens it and leaves it open"


def test_a_row_has_a_small_picture_of_when_it_was(qtbot):
    start, end = START_NS - 2 * NS_PER_S, START_NS + 6 * NS_PER_S
    card = FindingCard(FindingGroup(FINDING), (start, end))
    qtbot.addWidget(card)
    [picture] = card.findChildren(TimeBar)
    [bar] = picture.bars()
    assert (bar.left(), bar.width()) == (picture.width() / 4, picture.width() / 4)
    assert picture.accessibleName() == "08:00:00 – 08:00:02 UTC"
    always = (START_NS, START_NS + 2 * NS_PER_S)
    for finding, whole in ((replace(FINDING, evidence=()), (start, end)), (FINDING, always)):
        plain = FindingCard(FindingGroup(finding), whole)
        qtbot.addWidget(plain)
        assert plain.findChildren(TimeBar) == [], "it would say nothing"


def test_a_finding_whose_cost_is_not_known_has_no_bar(qtbot):
    card = FindingCard(FindingGroup(FINDING), level=3)
    qtbot.addWidget(card)
    assert card.findChildren(QProgressBar) == []


@pytest.mark.parametrize(
    ("user_ns", "worker_ns", "share", "level"),
    [
        (25, None, 0.25, 3),
        (24, 100, 0.24, 2),
        (None, 10, 0.05, 2),
        (4, None, 0.04, 1),
        (300, None, 1.0, 3),
        (None, None, None, 3),
    ],
)
def test_severity_goes_by_the_share_of_the_time(user_ns, worker_ns, share, level):
    finding = replace(FINDING, user_ns=user_ns, worker_ns=worker_ns, over_ns=1)
    view = FindingsView((finding,), (), (), waited_ns=100, used_ns=200)
    group = FindingGroup(finding, (replace(FINDING, id="other"),))
    known = view.share(group)
    assert (known and known.part) == share
    assert view.level(group) == level
    minor = FindingGroup(replace(finding, severity=1))
    assert view.level(minor) == 1, "worth knowing, however much of the time it explains"


def links(card) -> dict[str, QPushButton]:
    return {button.text(): button for button in card.findChildren(QPushButton)}


def test_evidence_leads_to_its_moment_and_its_operations(qtbot):
    card = FindingCard(FindingGroup(FINDING))
    qtbot.addWidget(card)
    with qtbot.waitSignal(card.momentWanted) as wanted:
        qtbot.mouseClick(links(card)["Show when"], Qt.MouseButton.LeftButton)
    assert wanted.args[:2] == list(span_of_evidence(STALL))
    assert wanted.args[0] < START_NS < wanted.args[1]
    with qtbot.waitSignal(card.operationsWanted) as wanted:
        qtbot.mouseClick(links(card)["Show operations"], Qt.MouseButton.LeftButton)
    assert wanted.args == [STALL.which]


def test_evidence_without_a_moment_leads_to_its_windows_and_its_strip(qtbot):
    begin = [START_NS + number * 60 * NS_PER_S for number in range(4)]
    windows = [Window(n, f"w{n}", at, at + 20 * NS_PER_S) for n, at in enumerate(begin, 1)]
    about = {"windows": [windows[1].id, windows[2].id]}
    seen = Evidence(Message("Idle processors."), series="iostat:cpu:idle")
    finding = Finding("x", Message("Seen"), Message("Once."), 1, (seen,), about)
    card = FindingCard(FindingGroup(finding), span_of(finding, windows))
    qtbot.addWidget(card)
    with qtbot.waitSignal(card.momentWanted) as wanted:
        qtbot.mouseClick(links(card)["Show when"], Qt.MouseButton.LeftButton)
    assert wanted.args == [windows[1].start_ns, windows[2].end_ns, Message("Processors idle"), None]


def test_a_chain_is_a_time_line_with_a_bar_for_each_link_that_was_seen(qtbot):
    log, second = Message("access log"), NS_PER_S
    deleted, missed = Message("11 deletions in 50 s."), Message("Missing, not absent.")
    seen = Link(deleted, START_NS, START_NS + 50 * second, link=Message("Deletions"), source=log)
    missing = Link(missed, link=Message("Internal updates"))
    waited, begin = Message("7 operations waited."), START_NS + 200 * second
    stall = Link(
        waited, begin, begin + 200 * second, (1,), link=Message("Stall"), source=log,
        which=STALL.which,
    )  # fmt: skip
    card = FindingCard(
        FindingGroup(
            Finding("deletion_chain", Message("A chain"), Message("So."), 3, (seen, missing, stall))
        )
    )
    qtbot.addWidget(card)
    bars = [bar.bars() for bar in card.findChildren(LinkBar)]
    assert bars[1] == []
    [first], [last] = bars[0], bars[2]
    assert first.left() == 0
    assert last.right() == pytest.approx(card.findChildren(LinkBar)[2].width())
    assert first.width() * 4 == pytest.approx(last.width())
    told = [each.text() for each in card.findChildren(QLabel)]
    assert "access log: 7 operations waited." in told
    assert told.count("not seen") == 1
    with qtbot.waitSignal(card.operationsWanted) as wanted:
        qtbot.mouseClick(links(card)["Show operations"], Qt.MouseButton.LeftButton)
    assert wanted.args == [STALL.which]


def test_evidence_of_no_window_leads_nowhere(qtbot):
    """It was asked of the server, and says what is there, not when."""
    finding = Finding("x", Message("Seen"), Message("Once."), 1, (Evidence(Message("somewhere")),))
    card = FindingCard(FindingGroup(finding), span_of(finding, ()))
    qtbot.addWidget(card)
    assert links(card) == {}


@pytest.mark.parametrize(
    ("series", "title"),
    [
        (f"{DATABASE}:{LOG_BYTES}", "Log since the checkpoint"),
        ("iostat:vda:rareq-sz", "Size of a read"),
        (f"{LDBM}:dbcachehits", "Database cache hits"),
        ("a histogram of a probe", ""),
    ],
)
def test_a_series_leads_to_the_strip_that_draws_it(series, title):
    assert str(strip_title(series)) == title


def test_advice_with_settings_is_tried_and_with_steps_is_told(qtbot):
    advice = Advice("c", Message("A larger cache"), ("stall",), TREATMENT, **WORDS)
    card = AdviceCard(advice)
    qtbot.addWidget(card)
    button = links(card)["Test this change …"]
    assert button.accessibleName() == "Test this change: a=0 + b=512 (userRoot)"
    with qtbot.waitSignal(card.adviceWanted) as wanted:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert wanted.args == [advice]
    steps = (Message("Look at the clients."), Message("Reindex."))
    told = AdviceCard(Advice("s", Message("Ask"), ("stall",), Treatment(()), **WORDS, steps=steps))
    qtbot.addWidget(told)
    [copy] = links(told).values()
    qtbot.mouseClick(copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "1. Look at the clients.\n2. Reindex."
    assert copy.text() == "Copied"
    assert any("2. Reindex." in label.text() for label in told.findChildren(QLabel))


def test_the_first_button_of_a_finding_tries_the_first_advice_that_can_be_tried(qtbot):
    by_hand = Advice("s", Message("Ask"), ("stall",), Treatment(()), **WORDS)
    first = Advice("c", Message("A larger cache"), ("stall",), TREATMENT, **WORDS)
    second = replace(first, id="d", treatment=Treatment((Setting("d", "1"),)))
    group, other = FindingGroup(FINDING), FindingGroup(replace(FINDING, id="memory"))
    view = FindingsView((FINDING,), (by_hand, first, second), ())
    assert view.first_to_test(group) is first
    assert view.first_to_test(other) is None
    card = FindingCard(group, advice=first)
    qtbot.addWidget(card)
    button = card.findChildren(QPushButton)[0]
    assert (button.text(), button.isVisibleTo(card)) == ("Test …", True)
    with qtbot.waitSignal(card.adviceWanted) as wanted:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert wanted.args == [first]
    assert not card.details.isVisibleTo(card), "a click on the button does not open the row"
    card.test.set_server(False, Message("It is of another server."))
    assert not button.isEnabled()
    assert button.toolTip().endswith("It is of another server.")


def test_advice_is_a_grid_of_what_expected_cost_risk_and_evidence(qtbot):
    advice = Advice(
        "c", Message("A larger cache"), ("stall",), TREATMENT, **WORDS, primary="BIND:p50",
        tried=(Message("Tried on 3 May."), Message("Tried on 1 May.")),
    )  # fmt: skip
    card = AdviceCard(advice, (FINDING.title,))
    qtbot.addWidget(card)
    told = [each.text() for each in card.findChildren(QLabel)][2:]  # after the title and its mark
    assert dict(zip(told[::2], told[1::2], strict=True)) == {
        "Change": str(TREATMENT),
        "Tried before": "Tried on 3 May.\nTried on 1 May.",
        "Why": "It helps.",
        "Expected": "Less.",
        "Judged by": "BIND p50 etime",
        "Cost": "None.",
        "Risk": "reverted at once",
        "Evidence": "Operations wait together",
    }


def test_a_session_is_looked_through_when_its_findings_are_shown(qtbot, window, session_file):
    window.show_screen("journal")
    window.open_paths([session_file])
    idle(qtbot, window)
    assert window.overview.findings.seen is None
    window.show_screen("overview")
    idle(qtbot, window)
    page = window.overview.findings
    assert page.isVisible()
    first = [*page.seen.groups[:FIRST_SHOWN], *page.seen.advice[:FIRST_SHOWN]]
    assert first
    qtbot.waitUntil(lambda: len(page.cards()) == len(first))


def made(which, worker_s, **columns):
    return Finding(which, Message(which), Message("So."), 2, (), worker_ns=worker_s * NS_PER_S,
                   over_ns=3600 * NS_PER_S, **columns)  # fmt: skip


def test_five_cards_come_first_the_most_expensive_above_and_the_rest_on_demand(qtbot, window):
    page = window.overview.findings
    window.show_screen("overview")
    many = tuple(made(f"finding {n}", n) for n in range(8))
    page.show_seen(FindingsView(many, (), ()))
    qtbot.waitUntil(lambda: len(page.cards()) == FIRST_SHOWN)
    idle(qtbot, window)
    titles = [card.accessibleName() for card in page.cards()]
    assert titles == [f"finding {n} So." for n in (7, 6, 5, 4, 3)]
    more = next(each for each in page.findChildren(QPushButton) if each.text() == "Show 3 more")
    qtbot.mouseClick(more, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(page.cards()) == len(many))
    assert [card.accessibleName()[8] for card in page.cards()] == list("76543210")
    assert more.isHidden()


def test_a_card_tells_cost_certainty_and_what_would_disprove_it(qtbot):
    owner = (Message("Keep a pool."),)
    cause = made("no_pooling", 90, confidence="high", disproof=Message("It stays."),
                 owner_steps=owner)  # fmt: skip
    card = FindingCard(FindingGroup(cause, (made("slow_binds", 60),)))
    qtbot.addWidget(card)
    told = [each.text() for each in card.findChildren(QLabel)]
    cost = "Cost: 90.0 s of worker threads an hour. Confidence: high. Measured directly."
    assert cost in told
    assert "What would rule this out: It stays." in told
    assert "For the owner of the clients:\n1. Keep a pool." in told
    assert told.count("slow_binds") == 1, "the rest of the group follows below"


def test_a_moment_is_shown_on_the_timeline_at_its_strip(qtbot, window, session_file):
    window.open_paths([session_file])
    idle(qtbot, window)
    first = window.workbench.opened.summary.windows[0]
    start, end = first.start_ns + 2 * NS_PER_S, first.start_ns + 4 * NS_PER_S
    window.show_screen("timeline")
    idle(qtbot, window)
    strip = window.timeline.stack.charts()[-1]
    assert strip.visibleRegion().isEmpty()
    window.overview.findings.momentWanted.emit(start, end, strip._strip.title, None)
    idle(qtbot, window)
    assert window.current_screen().name == "timeline"
    low, high = window.timeline.heatmap.plot.getViewBox().viewRange()[0]
    assert (low, high) == pytest.approx((start / NS_PER_S, end / NS_PER_S), abs=0.01)
    assert strip.visibleRegion().boundingRect().height() > strip.height() / 2


def finding_of_binds(qtbot, window, session_file):
    """The session open, and a finding of all binds of one window: operations, their rows, card."""
    window.open_paths([session_file])
    idle(qtbot, window)
    with Session.open(session_file) as session:
        operations = session.operations(session.windows()[1])
    binds = np.flatnonzero(client_operations(operations) & (operations.kind == TYPES.index("BIND")))
    evidence = evidence_of_rows(operations, Message("Binds."), binds, binds[:3])
    card = FindingCard(FindingGroup(replace(FINDING, evidence=(evidence,))))
    qtbot.addWidget(card)
    return operations, binds, card


def test_a_finding_shows_exactly_its_operations(qtbot, window, session_file):
    """Whatever was selected and looked for before: all binds of one window, and no other."""
    operations, binds, card = finding_of_binds(qtbot, window, session_file)
    card.operationsWanted.connect(window.overview.findings.operationsWanted)
    screen = window.operations
    screen.finder.put("type=SRCH", "client")
    window.workbench.selection.choose(START_NS, START_NS + NS_PER_S)
    qtbot.mouseClick(links(card)["Show operations"], Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    assert window.current_screen() is screen
    shown = [screen.model.row(number) for number in range(screen.model.rowCount())]
    assert len(shown) == len(binds) > 3
    assert {row.type for row in shown} == {"BIND"}
    assert min(row.start_ns for row in shown) == operations.start_ns[binds].min()


def test_the_timeline_of_a_finding_shows_its_operations_alone_when_asked(
    qtbot, window, session_file
):
    _, binds, card = finding_of_binds(qtbot, window, session_file)
    card.momentWanted.connect(window.overview.findings.momentWanted)
    qtbot.mouseClick(links(card)["Show when"], Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    timeline = window.timeline
    assert timeline.filter_bar.isVisible()
    every = timeline.heatmap.grid.counts.sum()
    shown = timeline.heatmap.plot.getViewBox().viewRange()[0]
    timeline.filter_bar.only.click()
    idle(qtbot, window)
    assert timeline.heatmap.grid.counts.sum() == len(binds) < every
    assert timeline.heatmap.plot.getViewBox().viewRange()[0] == pytest.approx(shown)
    timeline.filter_bar.only.click()
    idle(qtbot, window)
    assert timeline.heatmap.grid.counts.sum() == every
    qtbot.mouseClick(timeline.filter_bar.listed, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    assert window.current_screen() is window.operations
    assert window.operations.model.rowCount() == len(binds)


def every_other(view):
    """A finding of operations that no words tell from those between them."""
    clients = np.flatnonzero(client_operations(view.operations))
    wanted = clients[np.random.default_rng(5).random(len(clients)) < 0.5]
    evidence = evidence_of_rows(view.operations, Message("Every other."), wanted, wanted[:3])
    return [replace(FINDING, id="every_other", evidence=(evidence,))]


def test_operations_that_no_words_tell_from_others_are_listed_all_and_alone(
    qtbot, window, session_file, monkeypatch
):
    monkeypatch.setattr(find, "FAMILIES", (every_other,))
    monkeypatch.setattr(rows, "MOST_LISTED", 20)
    opened(qtbot, window, session_file, "overview")
    [finding] = [f for f in window.overview.findings.seen.findings if f.id == "every_other"]
    which = finding.evidence[1].which
    card = FindingCard(FindingGroup(finding))
    qtbot.addWidget(card)
    for signal in ("operationsWanted", "momentWanted"):
        getattr(card, signal).connect(getattr(window.overview.findings, signal))
    ways = [b for b in card.findChildren(QPushButton) if b.text() == "Show operations"]
    qtbot.mouseClick(ways[1], Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    assert window.operations.finder.words.text() == "finding=every_other/2"
    assert window.operations.model.rowCount() == which.count > 20
    ways = [b for b in card.findChildren(QPushButton) if b.text() == "Show when"]
    qtbot.mouseClick(ways[1], Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    window.timeline.filter_bar.only.click()
    idle(qtbot, window)
    assert window.timeline.heatmap.grid.counts.sum() == which.count


def test_a_finding_that_the_session_does_not_have_is_named_below_the_words(
    qtbot, window, session_file
):
    window.open_paths([session_file])
    window.show_screen("operations")
    idle(qtbot, window)
    finder = window.operations.finder
    for grouping in ("", "type"):
        finder.put("finding=no_such", grouping)
        idle(qtbot, window)
        assert "This session has no finding 'no_such'." in finder.error.text()
        assert finder.error.isVisible()
    finder.put("type=BIND", "")
    idle(qtbot, window)
    assert not finder.error.isVisible()


RING = {"cn=a,dc=x": ["cn=b,dc=x"], "cn=b,dc=x": ["cn=a,dc=x"]}
BOSS = {f"cn=g{i},dc=x": ["uid=boss,dc=x"] for i in range(25)}


def ids(page):
    return [finding.id for finding in page.seen.findings]


def test_a_connected_server_is_asked_who_refers_to_whom(qtbot, window, session_file):
    page = window.overview.findings
    assert page.references.isHidden(), "there is nobody to ask"
    server = Server(FACTS, RING | BOSS)
    connect(window, server)
    opened(qtbot, window, session_file, "overview")
    own = ids(page)
    assert server.searches == 0, "never on its own"
    for _ in range(2):
        qtbot.mouseClick(page.references, Qt.MouseButton.LeftButton)
        idle(qtbot, window)
        assert sorted(ids(page)) == sorted([*own, "group_ring", "referred"]), "and not twice"
    assert server.directory.written == []
    assert clashes(window) == [], "its key is nobody else's"
    qtbot.waitUntil(lambda: len(page.cards()) >= len(page.seen.groups[:FIRST_SHOWN]))
    texts = [text.text() for card in page.cards() for text in card.findChildren(QLabel)]
    assert any("uid=boss,dc=x: 25 references" in text for text in texts)
    server._groups = {}
    with qtbot.waitSignal(window.workbench.statusChanged):
        qtbot.mouseClick(page.references, Qt.MouseButton.LeftButton)
    idle(qtbot, window)
    assert ids(page) == own


def test_references_are_told_without_a_session(qtbot, window):
    connect(window, Server(FACTS, RING))
    page = window.overview.findings
    page.ask_references()
    idle(qtbot, window)
    assert ids(page) == ["group_ring"]
    qtbot.waitUntil(lambda: len(page.cards()) > 0)
    window.show_screen("overview")
    assert sight.says(page, "1 finding, ")
    with qtbot.waitSignal(page.seenChanged) as changed:
        connect(window, Server(FACTS))
    assert changed.args == [FindingsView((), (), ())], "nor is its advice shown elsewhere"
    assert page.seen is None, "the next server did not say so"
    assert page.cards() == []
    assert not sight.says(page, "1 finding, ")
    assert sight.says(page, "There is no window to analyse yet.")
