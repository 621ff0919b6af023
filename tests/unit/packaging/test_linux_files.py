"""The files of the Linux packages agree with each other and with the program."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ldap_workbench.cli.app import _COMMANDS

ROOT = Path(__file__).parents[3]
LINUX = ROOT / "packaging" / "linux"
MIME = "application/vnd.ldap-workbench.session"


@pytest.fixture(scope="module")
def entry() -> dict[str, str]:
    parser = ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(LINUX / "ldap-workbench.desktop")
    return dict(parser["Desktop Entry"])


@pytest.fixture(scope="module")
def metainfo() -> ElementTree.Element:
    return ElementTree.parse(LINUX / "ldap-workbench.metainfo.xml.in").getroot()


def test_a_double_click_on_a_session_opens_it(entry: dict[str, str]) -> None:
    kind = ElementTree.parse(LINUX / "ldap-workbench.xml").getroot()[0]
    names = {part.tag.rpartition("}")[2]: part for part in kind}
    assert kind.get("type") == MIME
    assert names["glob"].get("pattern") == "*.ldapwb"
    assert entry["MimeType"].split(";") == [MIME, ""]
    assert entry["Exec"] == "ldap-workbench open %F"


def test_the_window_is_known_by_its_entry(entry: dict[str, str]) -> None:
    """Docks find the icon of a window by the name that the window gives of its entry."""
    text = (ROOT / "app/ldap_workbench/gui/app.py").read_text()
    assert f'setDesktopFileName("{entry["Icon"]}")' in text


def test_what_software_centres_show_is_there(
    entry: dict[str, str], metainfo: ElementTree.Element
) -> None:
    assert metainfo.findtext("launchable") == "ldap-workbench.desktop"
    assert metainfo.findtext("provides/mediatype") == MIME
    assert metainfo.findtext("summary") == entry["Comment"]
    pictures = [image.text or "" for image in metainfo.iter("image")]
    assert len(pictures) >= 3
    for picture in pictures:
        assert (ROOT / "docs" / picture.removeprefix("@WEBSITE@/")).is_file(), picture


def test_the_manual_has_every_command() -> None:
    pages = runpy.run_path(str(ROOT / "packaging" / "man.py"))
    said = pages["manual"]()
    text = pages["markdown"]()
    for name in [*_COMMANDS, "open"]:
        assert f".SS ldap\\-workbench {name.replace('-', chr(92) + '-')} " in said, name
        assert f"\n## {name}" in text, name
    assert "--smoke" not in text.replace("\\-", "-")


@pytest.mark.parametrize(
    ("shell", "words", "wanted"),
    [
        ("bash", {"COMP_WORDS": "ldap-workbench jour", "COMP_CWORD": "1"}, "journal"),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "ldap-workbench profile su"}, "sudoers"),
        (
            "fish",
            {
                "_TYPER_COMPLETE_ARGS": "ldap-workbench tails --js",
                "_TYPER_COMPLETE_FISH_ACTION": "get-args",
            },
            "--json",
        ),
    ],
)
def test_words_are_completed(shell: str, words: dict[str, str], wanted: str) -> None:
    """As the files for the shells ask for them, without opening a window."""
    ask = {"_LDAP_WORKBENCH_COMPLETE": f"complete_{shell}", **words}
    done = subprocess.run(
        [Path(sys.executable).with_name("ldap-workbench")],
        env=os.environ | ask,
        capture_output=True,
        text=True,
    )
    assert wanted in done.stdout, done.stderr
    files = (LINUX / "completions").iterdir()
    (file,) = [path.read_text() for path in files if f"complete_{shell}" in path.read_text()]
    assert all(name in file for name in ask)
