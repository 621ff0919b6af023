"""Text of servers, files and logs is shown letter by letter: nothing in it is read as markup."""

import ast
from collections import Counter
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import Qt as QtGuiQt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QGraphicsTextItem,
    QGraphicsView,
    QLabel,
    QTextEdit,
)

import ldap_workbench.gui
from ldap_workbench.connect.profiles import ProfileStore
from ldap_workbench.gui.parts.style.language import plain_tip
from ldap_workbench.gui.parts.widgets.consent import ConsentBox
from ldap_workbench.gui.parts.widgets.labels import ElidedLabel
from ldap_workbench.gui.screens.connect.questions import (
    CertificateDialog,
    HostKeyDialog,
    PasswordDialog,
)
from ldap_workbench.gui.screens.experiment.agreement import FileConsent
from ldap_workbench.model.errors import (
    ConnectError,
    ShownCertificate,
    UnknownHostKeyError,
    UntrustedCertificateError,
)
from ldap_workbench.model.message import verbatim
from ldap_workbench.model.profile import Profile
from tests import sessions
from tests.gui.conftest import idle
from tests.hostile import make_hostile

EVIL = '<img src="file:////evil.example/x.png"><b>bold</b>'


def reads_markup(text, form=Qt.TextFormat.AutoText):
    """Whether markup of the data is read in a text; our own, with the data escaped, is none."""
    rich = form == Qt.TextFormat.RichText
    if form == Qt.TextFormat.AutoText:
        rich = QtGuiQt.mightBeRichText(text)
    if not rich:
        return False
    document = QTextDocument()
    document.setHtml(text)
    shown = document.toPlainText().count("<img")
    return _has_picture(document) or shown < text.count("evil.example")


def _has_picture(document):
    return any(form.isImageFormat() for form in document.allFormats())


def interpreted(found):
    """Everything on the screen that reads markup in hostile text, and what was looked at."""
    for widget in QApplication.allWidgets():
        found["widgets"] += 1
        if reads_markup(widget.toolTip()):
            yield "tip", widget, widget.toolTip()
        if isinstance(widget, QLabel):
            found["hostile labels"] += "evil.example" in widget.text()
            if reads_markup(widget.text(), widget.textFormat()):
                yield "label", widget, widget.text()
        if isinstance(widget, QAbstractItemView) and widget.model():
            yield from _in_cells(widget, found)
        if isinstance(widget, QTextEdit) and _has_picture(widget.document()):
            yield "text", widget, widget.toPlainText()
        if isinstance(widget, QGraphicsView) and widget.scene():
            yield from _in_scene(widget, found)


def _in_cells(view, found):
    model = view.model()
    for row in range(min(model.rowCount(QModelIndex()), 40)):
        for column in range(30):
            index = model.index(row, column)  # not valid where there is no such column
            tip = index.data(Qt.ItemDataRole.ToolTipRole) or ""
            found["hostile cells"] += "evil.example" in str(index.data())
            if reads_markup(tip):
                yield "cell", view, tip


def _in_scene(view, found):
    for item in view.scene().items():
        found["items"] += 1
        if reads_markup(item.toolTip()):
            yield "item's tip", view, item.toolTip()
        if isinstance(item, QGraphicsTextItem) and _has_picture(item.document()):
            yield "item", view, item.toPlainText()


@pytest.fixture(scope="module")
def evil_session(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evil")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "HOSTILE", (f"(cn={EVIL})",))
        path = sessions.build_experiment_session(
            folder / "a<img src=evil.example><b>.ldapwb", seconds=10, per_second=60, hostile=True
        )
    return make_hostile(path, EVIL)


@pytest.mark.stall_allowed  # every widget is looked at
def test_no_screen_reads_markup_in_a_session(qtbot, window, evil_session):
    ProfileStore().add(Profile(f"p{EVIL}", "ldap://x.example", bind_dn=f"cn={EVIL}"))
    evil = verbatim(EVIL)
    window.workbench.fail(ConnectError(verbatim(f"x{EVIL}"), safe=evil, remedy=evil))
    window.workbench.notice(f"n{EVIL}", EVIL)
    window.workbench.show_status(f"t{EVIL}")
    window.open_paths([evil_session])
    idle(qtbot, window)
    found, read = Counter(), []
    for screen in window.screens:
        window.show_screen(screen.name)
        idle(qtbot, window)
        read += [(screen.name, *each) for each in interpreted(found)]
    for step in range(5):
        window.show_screen("experiment")
        window.experiment.go_to(step)
        idle(qtbot, window)
        read += [(f"experiment {step}", *each) for each in interpreted(found)]
    assert read == []
    assert min(found["hostile labels"], found["hostile cells"], found["items"]) > 0, found


def dialogs(folder):
    untrusted = UntrustedCertificateError(verbatim(EVIL))
    untrusted.shown = ShownCertificate(EVIL, EVIL, EVIL, EVIL)
    return [
        HostKeyDialog(UnknownHostKeyError(EVIL, 22, EVIL, "", EVIL)),
        CertificateDialog(untrusted, folder),
        PasswordDialog(verbatim(EVIL), keyring=False),
        FileConsent([EVIL], runs=True),
        ConsentBox(EVIL, EVIL, EVIL, "&Start"),
    ]


@pytest.mark.stall_allowed
def test_no_dialog_reads_markup(qtbot, tmp_path):
    for dialog in dialogs(tmp_path):
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.waitExposed(dialog)
        found = Counter()
        assert list(interpreted(found)) == []
        assert found["widgets"] > 0
        dialog.close()


@pytest.mark.parametrize("text", [EVIL, "<a href=x>", "plain", "a < b", "<b>\n  two", "&amp;"])
def test_a_tip_shows_its_text_letter_by_letter(qtbot, text):
    tip = plain_tip(text)
    document = QTextDocument()
    if QtGuiQt.mightBeRichText(tip):
        document.setHtml(tip)
    else:
        document.setPlainText(tip)
    assert document.toPlainText() == text


def test_a_label_that_is_cut_tells_the_rest_as_text(qtbot):
    made = ElidedLabel(EVIL)
    qtbot.addWidget(made)
    assert not reads_markup(made.toolTip())
    assert made.textFormat() == Qt.TextFormat.PlainText


ONE_PLACE = {
    "QLabel": {"parts/widgets/labels.py"},
    "QMessageBox": set(),
    "QTextBrowser": {"screens/report/screen.py", "shell/help.py"},
    "QTextEdit": set(),
    "QTextDocument": set(),
    "setToolTip": {"parts/widgets/labels.py"},
    "setStatusTip": set(),
    "setWhatsThis": set(),
    "setHtml": {"screens/report/pdf.py"},
    "QToolTip.showText": set(),
    "QStaticText": set(),
    "QErrorMessage": set(),
    "QInputDialog.getText": set(),
}
"""What reads markup by itself, and the one file that may use it."""


@pytest.mark.stall_allowed
def test_what_reads_markup_is_used_in_one_place():
    root = Path(ldap_workbench.gui.__path__[0])
    wrong = []
    for path in sorted(root.rglob("*.py")):
        name = path.relative_to(root).as_posix()
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(call, ast.Call):
                continue
            said = ast.unparse(call.func)
            for each, allowed in ONE_PLACE.items():
                if (said == each or said.endswith(f".{each}")) and name not in allowed:
                    wrong.append((name, call.lineno, said))
    assert wrong == []


def test_the_report_fetches_nothing(qtbot):
    from ldap_workbench.gui.screens.report.pdf import document_of

    document = document_of('<p>x<img src="file:///etc/hostname.png"></p>', margin=1.0)
    document.setLayoutEnabled(True)
    document.setTextWidth(100)
    assert document.loadResource(2, "file:///etc/hostname.png") is None
