"""A second language: the window in German, and nothing left out."""

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QPushButton

import ldap_workbench.gui
from ldap_workbench.gui.shell.about import AboutDialog
from ldap_workbench.gui.style.language import speak
from ldap_workbench.gui.workbench.settings import Settings
from ldap_workbench.resources import resource

GUI = Path(ldap_workbench.gui.__file__).parent
Message = tuple[str, str]


def messages(file: Path) -> dict[Message, ElementTree.Element]:
    """(context, source text) and the translation of each."""
    found = {}
    for context in ElementTree.parse(file).getroot().iter("context"):
        for message in context.iter("message"):
            key = context.findtext("name", ""), message.findtext("source", "")
            found[key] = message.find("translation")
    return found


def tool(name: str) -> str:
    found = shutil.which(name, path=str(Path(sys.executable).parent))
    if found is None:
        pytest.skip(f"{name} is not in this environment")
    return found


@pytest.fixture
def german_window(german, window):
    """Made after the language is set: fixtures are made in this order."""
    return window


def test_the_window_speaks_german(german_window):
    window = german_window
    menus = [action.text() for action in window.menuBar().actions()]
    assert menus == ["&Datei", "&Bearbeiten", "&Server", "&Ansicht", "&Hilfe"]
    rail = [window.rail.item(row).text() for row in range(window.rail.count())]
    assert rail[:4] == ["Start", "Aufzeichnung", "Zeitverlauf", "Ausläufer"]
    assert window.start.add_button.text() == "Ser&ver hinzufügen …"
    assert window.statusBar()._server.text() == "nicht verbunden"
    assert window.timeline._heading.text() == "Zeitverlauf"


def test_a_dialog_speaks_german_with_qts_own_words(qtbot, german_window):
    dialog = AboutDialog(german_window)
    qtbot.addWidget(dialog)
    assert dialog.windowTitle() == "Über"
    assert [b.text() for b in dialog.findChildren(QPushButton)] == ["S&chließen"]
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Abbrechen"


def test_english_needs_no_translator(qapp):
    assert speak(qapp, "en") == []
    assert speak(qapp, "xx") == []


def test_the_language_is_remembered(qtbot, window):
    window.menus._on_language("de")
    window.workbench.settings.sync()
    assert Settings().language == "de"


@pytest.mark.stall_allowed
def test_nothing_that_is_wrapped_is_left_untranslated(tmp_path):
    fresh = tmp_path / "fresh.ts"
    files = sorted(str(file) for file in GUI.rglob("*.py"))
    command = [tool("pyside6-lupdate"), *files, "-ts", str(fresh)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    wanted, known = messages(fresh), messages(resource("translations/de.ts"))
    assert len(wanted) > 200
    assert sorted(set(wanted) - set(known)) == [], "run pyside6-lupdate, translate, release"
    unfinished = [key for key in wanted if known[key].get("type") or not known[key].text]
    assert unfinished == []


def test_translations_keep_what_is_filled_in():
    for (context, source), translation in messages(resource("translations/de.ts")).items():
        given = translation.text or ""
        places = sorted(re.findall(r"\{[^}]*\}", source))
        assert sorted(re.findall(r"\{[^}]*\}", given)) == places, (context, source)
        assert given.count("&") == source.count("&"), (context, source)
        assert given.endswith("…") == source.endswith("…"), (context, source)


@pytest.mark.stall_allowed
def test_the_released_file_is_that_of_the_translations(tmp_path):
    made = tmp_path / "de.qm"
    command = [tool("pyside6-lrelease"), str(resource("translations/de.ts")), "-qm", str(made)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    assert made.read_bytes() == resource("translations/de.qm").read_bytes()
