"""A screen reader is told names, roles and values: read out through AT-SPI, as Orca does."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from ldap_workbench.gui.workbench.places import TABS

NEEDED = ("dbus-run-session", "xvfb-run")
BINDING = "import gi; gi.require_version('Atspi', '2.0'); from gi.repository import Atspi"
CONTROLS = ("button", "push button", "check box", "combo box", "spin button", "text", "table")


def lacking() -> str:
    if missing := [each for each in NEEDED if shutil.which(each) is None]:
        return f"not installed: {', '.join(missing)}"
    if not os.path.exists("/usr/libexec/at-spi-bus-launcher"):
        return "not installed: at-spi2-core"
    binding = ["/usr/bin/python3", "-c", BINDING]
    if subprocess.run(binding, capture_output=True, check=False).returncode:
        return "not installed: gir1.2-atspi-2.0 and python3-gi"
    return ""


READ = list(TABS) if os.environ.get("LDAP_WORKBENCH_LARGE") else ["overview", "tails", "operations"]
"""Screens that are read out: each takes seconds, all of them with LDAP_WORKBENCH_LARGE=1. Of each
kind of control one is among the others: charts, cards with buttons, fields, a table."""


@pytest.fixture(scope="module")
def told(session_file, tmp_path_factory):
    """What is said of each screen."""
    if why := lacking():
        pytest.skip(why)
    home = tmp_path_factory.mktemp("atspi")
    output = home / "told.json"
    paths = str(output), str(session_file)
    program = [sys.executable, "-m", "tests.gui.atspi_program", *paths, *READ]
    done = subprocess.run(
        ["dbus-run-session", "--", "xvfb-run", "-a", *program],
        env=os.environ
        | {
            "QT_QPA_PLATFORM": "xcb",
            "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
            "LDAP_WORKBENCH_HOME": str(home),
            "XDG_RUNTIME_DIR": str(home),
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert output.exists(), f"{done.stdout[-2000:]}{done.stderr[-2000:]}"
    return json.loads(output.read_text())


@pytest.mark.parametrize("screen", READ)
def test_every_control_has_a_name_and_every_number_a_value(told, screen):
    controls = [each for each in told[screen] if each["role"] in CONTROLS]
    assert [each for each in controls if not each["name"]] == []
    assert [each for each in controls if "spin" in each["role"] and each["value"] is None] == []


@pytest.mark.parametrize("screen", [each for each in READ if each != "start"])
def test_every_screen_says_its_title(told, screen):
    titles = [e["name"] for e in told[screen] if e["role"] in ("label", "page tab")]
    assert str(TABS[screen].title) in titles


def test_screens_with_a_session_have_controls(told):
    with_session = ("overview", "timeline", "tails", "operations", "report")
    for screen in set(with_session) & set(READ):
        assert len([each for each in told[screen] if each["role"] in CONTROLS]) > 1, screen


@pytest.mark.parametrize("screen", READ)
def test_the_rail_says_which_screens_there_are(told, screen):
    names = [each["name"] for each in told[screen] if each["role"] == "list item"]
    assert names[:5] == ["Home", "SERVER", "Record", "Settings", "Tests"]


CHARTS = (
    ("overview", "before and 600 µs after the change."),
    ("overview", "etime over time: "),
    ("tails", "p50 fell from"),
    ("timeline", "etime over time: "),
    ("timeline", "Operations: latest "),
)


@pytest.mark.parametrize(("screen", "words"), [case for case in CHARTS if case[0] in READ])
def test_a_chart_is_a_panel_that_says_what_it_shows(told, screen, words):
    said = [each["name"] for each in told[screen] if each["role"] == "panel"]
    assert any(words in each for each in said), said


def test_fields_say_their_value(told):
    [shown] = [each["name"] for each in told["tails"] if each["role"] == "combo box"]
    assert shown == "All client operations"
    assert [each["value"] for each in told["tails"] if each["role"] == "spin button"] == [100.0]


def test_cells_and_headings_of_a_table_are_read(told):
    cells = {each["name"] for each in told["operations"] if each["role"] == "table cell"}
    headings = {each["name"] for each in told["operations"] if "header" in each["role"]}
    assert {"SRCH", "BIND"} & cells
    assert {"etime", "Client"} <= headings


def test_a_button_of_a_finding_says_what_it_leads_to(told):
    names = [each["name"] for each in told["overview"] if each["role"] == "push button"]
    [first, *_] = [name for name in names if name.startswith("Show when: ")]
    assert "ended within" in first
