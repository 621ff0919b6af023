"""F1 opens the page of the guide for the screen in front, from the files of the program."""

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QTextDocument

from ldap_workbench.gui.shell import help as pages
from ldap_workbench.gui.workbench.places import TABS
from ldap_workbench.resources import docs_folder


def test_every_screen_has_a_page_and_its_heading_is_there():
    for name in TABS:
        place = pages.page_of(name)
        lines = (docs_folder() / place.page).read_text().splitlines()
        headings = [line.lstrip("#").strip() for line in lines if line.startswith("#")]
        assert not place.heading or place.heading in headings, place


def at(dialog):
    """The page that is shown and the heading its cursor is on."""
    return dialog.page, dialog.text.textCursor().block().text()


def test_f1_opens_the_page_of_the_screen_in_front(window, qtbot):
    for name in ("campaign", "journal"):
        window.show_screen(name)
        qtbot.wait(1)
    window.show_screen("campaign")
    window.actions_["help"].trigger()
    dialog = window.help.page
    qtbot.wait(1)
    assert dialog.isVisible()
    assert at(dialog) == ("guide.md", "Several changes: a campaign")
    window.show_screen("journal")
    window.actions_["help"].trigger()
    assert window.help.page is dialog, "one dialog is enough"
    assert at(dialog) == ("guide.md", "5. Keep or revert, and report")
    dialog.back.click()
    assert at(dialog) == ("guide.md", "Several changes: a campaign")
    assert not dialog.back.isEnabled()


@pytest.fixture
def dialog(qtbot):
    made = pages.HelpDialog()
    qtbot.addWidget(made)
    made.show_page(pages.HelpPage("guide.md", ""))
    return made


def test_a_link_leads_to_its_page_and_heading(dialog):
    dialog.text.anchorClicked.emit(QUrl("#read-a-session"))
    assert at(dialog) == ("guide.md", "Read a session")
    dialog.text.anchorClicked.emit(QUrl("findings.md"))
    assert dialog.page == "findings.md"
    dialog.text.anchorClicked.emit(QUrl("cases/README.md"))
    dialog.text.anchorClicked.emit(QUrl("../guide.md#4-test-the-change"))
    assert at(dialog) == ("guide.md", "4. Test the change")


def test_a_link_out_of_the_pages_leads_nowhere_and_an_address_to_the_browser(dialog, monkeypatch):
    asked = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: asked.append(url.toString()))
    for link in ("../tests/unit", "../CONTRIBUTING.md", "gone.md", "file:///etc/passwd"):
        dialog.text.anchorClicked.emit(QUrl(link))
    assert dialog.page == "guide.md"
    assert asked == []
    dialog.text.anchorClicked.emit(QUrl("https://www.port389.org/"))
    assert asked == ["https://www.port389.org/"]


def test_a_heading_lies_at_the_top_and_no_picture_is_wider_than_the_page(dialog, qtbot):
    dialog.show()
    qtbot.wait(1)  # a person opens one page in a turn
    dialog.show_page(pages.HelpPage("verdict.md", ""))
    qtbot.wait(1)
    dialog.show_page(pages.HelpPage("guide.md", "4. Test the change"))
    assert 0 <= dialog.text.cursorRect().top() < 2 * dialog.fontMetrics().height()
    assert dialog.text.horizontalScrollBar().maximum() == 0


def test_pictures_come_one_by_one_into_their_room(dialog, qtbot):
    def pictures():
        kind = QTextDocument.ResourceType.ImageResource.value
        return [dialog.text.document().resource(kind, place) for place in wanted]

    dialog.show()
    wanted = list(dialog.text.unread)
    assert len(wanted) > 1
    rooms = [picture.size() for picture in pictures()]
    qtbot.waitUntil(lambda: not dialog.text.unread)
    assert [picture.size() for picture in pictures()] == rooms
    for picture in pictures():
        assert picture.pixelColor(picture.rect().center()).alpha() == 255
