"""A second language: the window in German, and nothing left out."""

import re
import runpy
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QPushButton

from ldap_workbench.gui.parts.style.language import speak
from ldap_workbench.gui.shell.about import AboutDialog
from ldap_workbench.gui.workbench.settings import Settings
from tests.gui.watch import aside

CATALOGUE = Path(__file__).parents[2] / "packaging" / "catalogue.py"
PLACE = re.compile(r"\{[^}]*\}")


@pytest.fixture
def german_window(german, window):
    """Made after the language is set: fixtures are made in this order."""
    return window


def test_the_window_speaks_german(german_window):
    window = german_window
    menus = [action.text() for action in window.menuBar().actions()]
    assert menus == ["&Datei", "&Bearbeiten", "&Server", "&Ansicht", "&Hilfe"]
    rail = [window.rail.item(row).text() for row in range(window.rail.count())]
    assert rail[:4] == ["Start", "SERVER", "Aufzeichnen", "Einstellungen"]
    assert window.start.add_button.text() == "Ser&ver hinzufügen …"
    assert window.context.server.text() == "kein Server"
    assert window.timeline.heading() == "Zeitverlauf"


def test_a_dialog_speaks_german_with_qts_own_words(qtbot, german_window):
    dialog = AboutDialog(german_window)
    qtbot.addWidget(dialog)
    assert dialog.windowTitle() == "Über"
    assert [b.text() for b in dialog.findChildren(QPushButton)] == ["S&chließen"]
    assert QCoreApplication.translate("QPlatformTheme", "Cancel") == "Abbrechen"


def test_fields_write_numbers_as_the_window_does(german_window):
    german_window.tails._slo.setValue(1.5)
    assert german_window.tails._slo.text() == "1,50 ms"


def test_english_needs_no_translator(qapp):
    assert speak(qapp, "en") == []
    assert speak(qapp, "xx") == []


def test_the_language_is_remembered(qtbot, window):
    window.menus._on_language("de")
    with aside():
        window.workbench.settings.sync()
    assert Settings().language == "de"


@pytest.fixture(scope="module")
def catalogue():
    """packaging/catalogue.py, which is no module of the program."""
    return runpy.run_path(str(CATALOGUE))


@pytest.mark.stall_allowed
def test_nothing_that_is_marked_is_left_untranslated(catalogue):
    assert len(catalogue["found"]()) > 2_000
    assert catalogue["missing"]() == [], "run packaging/catalogue.py update, then translate"


@pytest.mark.stall_allowed  # it reads the catalogue itself
def test_translations_keep_what_is_filled_in(catalogue):
    for file in catalogue["languages"]():
        for message in catalogue["read"](file):
            for source, translation in sides(message):
                assert sorted(PLACE.findall(translation)) == sorted(PLACE.findall(source)), source
                assert translation.count("&") == source.count("&"), source
                assert translation.endswith("…") == source.endswith("…"), source
                assert translation.endswith(".") == source.endswith("."), source


def sides(message):
    """Each English text of a message with its translation."""
    if isinstance(message.id, str):
        return [(message.id, message.string)] if message.id else []
    return zip(message.id, message.string, strict=True)
