"""The tutorial names what is on the screen; tests/tutorial_tour.py takes all of its steps."""

import re
import runpy
from pathlib import Path

from ldap_workbench.practice.model.scenario import scenario_names

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/tutorial.md").read_text("utf-8")
IDIOMS = {"The bars", "The curves", "The table"}


def plain(text):
    return text.replace("&", "").removesuffix("…").removesuffix("...").strip()


def test_every_word_in_bold_is_a_text_of_the_window():
    catalogue = runpy.run_path(str(ROOT / "packaging/catalogue.py"))["found"]()
    texts = {plain(part) for each in catalogue for part in _ids(each)}
    wanted = {plain(words.rstrip(".")) for words in re.findall(r"\*\*(.+?)\*\*", PAGE)}
    assert len(wanted) > 15
    assert wanted - texts - IDIOMS == set()


def _ids(message):
    return message.id if isinstance(message.id, tuple) else (message.id,)


def test_its_pictures_are_those_of_its_tour():
    shown = re.findall(r"\]\((images/[^)]+)\)", PAGE)
    taken = re.findall(
        r'picture\("([^"]+)"\)', (ROOT / "tests/tutorial_tour.py").read_text("utf-8")
    )
    assert shown == [f"images/tutorial/{name}.png" for name in taken]
    assert all((ROOT / "docs" / each).is_file() for each in shown)


def test_it_counts_the_lessons():
    assert len(scenario_names()) == 13
    assert "Twelve more lessons" in PAGE
