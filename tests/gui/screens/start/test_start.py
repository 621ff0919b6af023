"""Start: what stands on its cards, in a small window as well."""

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractButton, QLabel, QScrollArea, QStyleOptionButton

from ldap_workbench.cli.profiles import list_ as list_profiles
from ldap_workbench.gui.parts.widgets.buttons import LinkButton, link_button
from ldap_workbench.gui.parts.widgets.pages import Pages
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.practice.samples import samples
from tests.gui.conftest import idle

pytestmark = pytest.mark.one_window


def test_nothing_is_cut_at_the_edge_of_a_card_in_a_small_window(qtbot, window):
    window.resize(1024, 700)
    window.show_screen("start")
    qtbot.wait(50)
    areas = [a for a in window.start.findChildren(QScrollArea) if not isinstance(a, Pages)]
    assert len(areas) == 3
    for area in areas:
        assert area.widget().width() <= area.viewport().width()


def test_the_headings_of_the_cards_are_on_one_level(qtbot, window):
    window.show_screen("start")
    qtbot.wait(20)
    headings = [w for w in window.start.findChildren(QLabel) if w.property("role") == "heading"]
    middles = {h.mapTo(window, QPoint(0, h.height() // 2)).y() for h in headings}
    assert len(headings) == 3
    assert max(middles) - min(middles) <= 1


def test_a_server_tells_both_its_addresses_whole(qtbot, window):
    ssh = SshAddress("ldap1.example.com", "admin")
    window.resize(1400, 900)
    window.workbench.profiles.add(Profile("ldap1", "ldaps://ldap1.example.com:636", None, ssh=ssh))
    window.start.fill()
    qtbot.wait(20)
    texts = [shown.text() for shown in window.start._servers.findChildren(QLabel)]
    assert "ldaps://ldap1.example.com:636" in texts
    assert "SSH admin@ldap1.example.com:22" in texts


def test_servers_reached_by_the_socket_of_their_hosts_are_told_apart(qtbot, window, capsys):
    urls = []
    for host in ("ldap2.example.com", "ldap3.example.com"):
        profile = Profile(host, "ldapi:///", None, ssh=SshAddress(host, "admin"))
        window.workbench.profiles.add(profile)
        urls.append(f"ldapi://{host}:22")
    window.start.fill()
    qtbot.wait(20)
    texts = [shown.text() for shown in window.start._servers.findChildren(QLabel)]
    assert set(urls) <= set(texts)
    window.menus._fill_servers()
    entries = " ".join(action.text() for action in window.menus._servers.actions())
    window.canary.plan.replicas.set_profiles(window.workbench.profiles.all())
    names = window.canary.plan.replicas.list
    ticks = " ".join(names.item(number).text() for number in range(names.count()))
    list_profiles()
    printed = capsys.readouterr().out
    for url in urls:
        assert f"({url})" in entries
        assert f"({url})" in ticks
        assert url in printed


def test_sessions_are_listed_the_latest_first_and_then_the_samples(
    qtbot, window, session_file, capture_file
):
    for path in (session_file, capture_file):
        window.open_paths([path])
        idle(qtbot, window)
    window.show_screen("start")
    qtbot.wait(20)  # the rows of before go
    listed = window.start._sessions.findChildren(LinkButton)
    shown = [button.text() for button in listed]
    titles = [str(sample.title) for sample in samples()]
    assert shown == [capture_file.name, session_file.name, *titles]
    listed[1].click()
    idle(qtbot, window)
    assert window.workbench.opened.path == session_file


def test_a_link_is_cut_with_a_sign_and_grows_again(qtbot):
    link = link_button("Sample: 389 DS, password rehash on bind", "Open it")
    qtbot.addWidget(link)
    assert isinstance(link, LinkButton)
    shown = {}
    for width in (link.sizeHint().width(), 120, link.sizeHint().width()):
        link.resize(width, 24)
        option = QStyleOptionButton()
        link.initStyleOption(option)
        shown[width] = option.text
    assert shown[120].endswith("…")
    assert shown[link.sizeHint().width()] == link.text()


def test_a_lesson_offers_the_files_of_a_real_case_like_it(qtbot, window):
    """Five lessons have one; the first by name is the checkpoints of a master."""
    buttons = [
        button
        for button in window.start.findChildren(QAbstractButton)
        if button.accessibleName() == "Read the files of a real case like this one"
    ]
    assert len(buttons) == 5
    buttons[0].click()
    qtbot.waitUntil(lambda: window.workbench.opened is not None)
    (imported,) = window.workbench.opened.summary.windows
    assert imported.name == "access"
