"""Every control has a name, a key of its own, and a place in the order of Tab."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QGroupBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QSlider,
    QStackedWidget,
    QTabBar,
    QTextEdit,
    QToolButton,
    QWidget,
)

from ldap_workbench.gui.parts.charts.view import ChartView
from ldap_workbench.gui.parts.style.language import speak
from ldap_workbench.gui.screens.connect.dialog import ProfileDialog
from ldap_workbench.gui.screens.connect.questions import (
    CertificateDialog,
    HostKeyDialog,
    PasswordDialog,
)
from ldap_workbench.gui.screens.overview.cards import AdviceCard, FindingCard
from ldap_workbench.gui.shell.about import AboutDialog, ShortcutsDialog
from ldap_workbench.gui.shell.palette import CommandPalette
from ldap_workbench.model.errors import UnknownHostKeyError, UntrustedCertificateError
from ldap_workbench.model.message import Message
from tests.gui.conftest import idle, opened

CONTROLS = (
    QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QLineEdit,
    QPlainTextEdit, QTextEdit, QSlider, QTabBar, ChartView,
)  # fmt: skip
CANCEL = ("Cancel", "Abbrechen")
SCREENS = (
    "start", "capture", "overview", "timeline", "tails", "operations",
    "knobs", "experiment", "campaign", "canary", "journal", "tests", "fleet", "report",
)  # fmt: skip


def controls(root: QWidget) -> Iterator[QWidget]:
    """The controls of a part that a person meets: not those Qt puts inside others."""
    for widget in root.findChildren(QWidget):
        if isinstance(widget, CONTROLS) and not _part_of_another(widget):
            yield widget


def _part_of_another(widget: QWidget) -> bool:
    if widget.objectName().startswith("qt_") or isinstance(widget, QHeaderView):
        return True
    parent = widget.parent()
    inner = (QAbstractSpinBox, QComboBox, QLineEdit, QTabBar, QAbstractItemView)
    while parent is not None:
        if isinstance(parent, inner):
            return True
        parent = parent.parent()
    return False


def name_of(widget: QWidget) -> str:
    """What a screen reader says of a control."""
    accessible = QAccessible.queryAccessibleInterface(widget)
    return accessible.text(QAccessible.Text.Name) if accessible else ""


def where(widget: QWidget) -> str:
    """A control as the author of the window finds it."""
    path, step = [], widget
    while step is not None:
        path.append(step.objectName() or type(step).__name__)
        step = step.parent()
    text = getattr(widget, "text", lambda: "")()
    return f"{' < '.join(path[:4])} {text!r}"


def nameless(root: QWidget) -> list[str]:
    return [where(control) for control in controls(root) if not name_of(control).strip()]


def keyless(root: QWidget) -> list[str]:
    """Buttons with words, and fields with a label, that no key leads to."""
    labels = [label for label in root.findChildren(QLabel) if has_mnemonic(label.text())]
    buddies = [each for label in labels if label.buddy() for each in _in_its_place(label.buddy())]
    found = []
    for control in controls(root):
        if isinstance(control, QAbstractButton):
            # A list of links, or of cards, is gone through with Tab; Esc cancels.
            wanting = control.text() not in ("", *CANCEL) and control.property("role") != "link"
            wanting = wanting and not isinstance(control.parent(), AdviceCard | FindingCard)
            wanting = wanting and not has_mnemonic(control.text())
            wanting = wanting and control.shortcut().isEmpty() and control not in buddies
        else:
            # The one field of a dialog has the focus from the start.
            wanting = isinstance(control, QLineEdit | QComboBox | QAbstractSpinBox)
            wanting = wanting and not isinstance(root, CommandPalette)
            wanting = wanting and control not in buddies
        if wanting:
            found.append(where(control))
    return found


def _in_its_place(buddy: QWidget) -> list[QWidget]:
    """A field, those that take turns with it, and the fields beside it, which are a Tab away."""
    parent = buddy.parent()
    if isinstance(parent, QStackedWidget):
        return [parent.widget(i) for i in range(parent.count())]
    if isinstance(parent, QWidget) and parent.focusProxy() is buddy:
        fields = QAbstractSpinBox | QLineEdit
        return [buddy, *(each for each in parent.children() if isinstance(each, fields))]
    return [buddy]


def has_mnemonic(text: str) -> bool:
    return not QKeySequence.mnemonic(text).isEmpty()


def beyond_tab(root: QWidget) -> list[str]:
    """Controls that the Tab key does not reach."""
    return [
        where(control)
        for control in controls(root)
        if not control.focusPolicy() & Qt.FocusPolicy.TabFocus and not _reached_by(control)
    ]


def _reached_by(control: QWidget) -> bool:
    """Checked buttons of a group share one place."""
    return isinstance(control, QAbstractScrollArea) and control.focusProxy() is not None


def clashes(root: QWidget) -> list[str]:
    """Mnemonics that two controls seen at the same time share: the key would press neither."""
    menus = root.menuBar().actions() if isinstance(root, QMainWindow) else []
    seen = {QKeySequence.mnemonic(menu.text()).toString(): menu.text() for menu in menus}
    found = []
    for text in (text for widget in root.findChildren(QWidget) for text in _texts(widget, root)):
        key = QKeySequence.mnemonic(text).toString()
        if key and key in seen:
            found.append(f"{key}: {seen[key]!r} and {text!r}")
        seen[key] = text
    return found


def _texts(widget: QWidget, root: QWidget) -> list[str]:
    """What a control that is seen says, where a mnemonic in it would act."""
    if not widget.isVisibleTo(root):
        return []
    if isinstance(widget, QTabBar):
        return [widget.tabText(at) for at in range(widget.count()) if widget.isTabVisible(at)]
    if isinstance(widget, QGroupBox):
        return [widget.title()]
    if isinstance(widget, QAbstractButton) or (isinstance(widget, QLabel) and widget.buddy()):
        return [widget.text()]
    return []


@pytest.fixture
def spoken(qapp, request):
    translators = speak(qapp, request.param)
    yield
    for translator in translators:
        qapp.removeTranslator(translator)
    speak(qapp, "en")  # numbers in fields


@pytest.fixture
def screens(qtbot, spoken, window, session_file):
    """Made after the language is set: fixtures are made in this order."""
    opened(qtbot, window, session_file, "journal")
    return window


def show_at_work(screens, name):
    """A screen with its controls, whether or not there is something to show in them, and bands."""
    screens.alert.say("You have open changes", "Look.")
    screens.alert.show()
    screens.workbench.fail(KeyError("x"))
    screens.show_screen(name)
    screen = screens.screens.named(name)
    screen.show_body(screen._body if hasattr(screen, "_body") else screen._pages.currentWidget())
    return screen


LANGUAGES = pytest.mark.parametrize(
    "spoken", [pytest.param("en", marks=pytest.mark.one_window), "de"], indirect=True
)


@LANGUAGES
@pytest.mark.stall_allowed  # walking through a thousand widgets takes its time
def test_every_control_of_every_screen_can_be_named_and_reached(qtbot, screens):
    for name in SCREENS:
        screen = show_at_work(screens, name)
        idle(qtbot, screens)
        assert len(list(controls(screen))) > 1, name
        assert nameless(screen) == []
        assert beyond_tab(screen) == []
        assert keyless(screen) == []
        assert clashes(screens) == [], name


def edit_a_knob(window):
    window.knobs.detail.set_editable(True)


def capture_at_work(window):
    window.capture._show_running(True)


AT_WORK = [("knobs", edit_a_knob), ("capture", capture_at_work)]


@LANGUAGES
@pytest.mark.stall_allowed
def test_no_key_means_two_things_while_something_is_at_work(qtbot, screens):
    for name, work in AT_WORK:
        show_at_work(screens, name)
        idle(qtbot, screens)
        work(screens)
        assert clashes(screens) == [], name


@LANGUAGES
@pytest.mark.stall_allowed
def test_no_key_means_two_things_in_any_step_of_the_experiment(qtbot, screens):
    screen = show_at_work(screens, "experiment")
    for step in range(4):
        screen.go_to(step)
        idle(qtbot, screens)
        screen.verdict.show_end(screens.workbench.opened.summary.experiment)
        assert clashes(screens) == [], step


@pytest.mark.one_window
def test_the_frame_of_the_window_can_be_named_and_reached(qtbot, window):
    for part in (window.rail, window.header, window.bands, window.statusBar()):
        assert nameless(part) == []
        assert beyond_tab(part) == []
    assert name_of(window.rail) == "Places"


@LANGUAGES
def test_every_control_of_every_dialog_can_be_named_and_reached(qtbot, spoken, window):
    unknown = UnknownHostKeyError("ldap1", 22, "ssh-ed25519", "AAAA", "SHA256:x")
    untrusted = UntrustedCertificateError(Message("TLS failed."))
    dialogs: list[Callable[[], QDialog]] = [
        partial(AboutDialog, window),
        partial(ShortcutsDialog, window.actions_.shortcuts(), window),
        partial(CommandPalette, list(window.actions_.by_name.values()), window),
        partial(ProfileDialog, window.workbench, None, window),
        partial(HostKeyDialog, unknown, window),
        partial(CertificateDialog, untrusted, Path.home(), window),
        partial(PasswordDialog, Message("The password of cn=Directory Manager"), True, window),
    ]
    for make in dialogs:
        dialog = make()
        qtbot.addWidget(dialog)
        qtbot.wait(1)  # making one is a turn of the event loop of its own
        assert nameless(dialog) == []
        assert keyless(dialog) == []
        assert beyond_tab(dialog) == []
        assert clashes(dialog) == [], type(dialog).__name__


@pytest.mark.one_window
def test_every_menu_and_every_command_has_a_mnemonic(window):
    for menu in window.menuBar().actions():
        assert has_mnemonic(menu.text()), menu.text()
        letters = [QKeySequence.mnemonic(a.text()).toString() for a in menu.menu().actions()]
        given = [letter for letter in letters if letter]
        assert len(given) == len(set(given)), f"{menu.text()}: {letters}"
    for action in window.actions_.by_name.values():
        assert has_mnemonic(action.text()) or action.shortcuts(), action.text()


def test_the_audit_finds_what_it_looks_for(qtbot):
    """A field without a label, a button without a name, one that Tab passes by."""
    root = QWidget()
    qtbot.addWidget(root)
    QLineEdit(root)
    QToolButton(root)
    button = QPushButton("Go", root)
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    assert len(nameless(root)) == 2
    assert any("Go" in line for line in keyless(root))
    assert any("Go" in line for line in beyond_tab(root))


def test_the_audit_finds_keys_that_mean_two_things(qtbot):
    root, tabs = QWidget(), QTabBar()
    qtbot.addWidget(root)
    tabs.setParent(root)
    for title in ("&One", "&Other", "&Third"):
        tabs.addTab(title)
    QPushButton("&Third", root)
    QPushButton("&Third", root).hide()
    assert len(clashes(root)) == 2


def test_arms_differ_in_more_than_their_colour():
    from ldap_workbench.gui.parts.style.theme import LINE_STYLES

    assert len(set(LINE_STYLES)) == len(LINE_STYLES) >= 5
