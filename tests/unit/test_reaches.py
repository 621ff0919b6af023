"""Tests of the window look at what a person can see: reaches into private attributes go."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1] / "gui"
REACH = re.compile(r"(\w+|\)|\])\._[a-z]\w*")
LIMIT = 607
"""How many there are. Lower it whenever some go; never raise it: give the widget a public `text()`,
or look at rows of a model, accessible names and buttons by their words."""


def reaches(text: str) -> int:
    """How often an underscore of something else than the test itself is touched."""
    return sum(match.group(1) != "self" for match in REACH.finditer(text))


def test_reaches_into_private_attributes_only_become_fewer():
    number = sum(reaches(path.read_text("utf-8")) for path in TESTS.rglob("*.py"))
    assert number <= LIMIT


def test_what_a_reach_is():
    assert reaches("window._bar.text() and rows()[0]._cell") == 2
    assert reaches("self._own + window.bar.text()") == 0
