"""docs/architecture.md is about the program that is there: its rooms, their lines, its files."""

from __future__ import annotations

import re

import pytest

from tests.code_figures import (
    APP,
    ARCHITECTURE,
    ROOT,
    lines_of_rooms,
    read_modules,
    stated_lines,
    with_lines,
)

TOLERANCE = 0.1
PAGE = ARCHITECTURE.read_text("utf-8")
PLACES = ("app/ldap_workbench", ".")
NAMED = sorted(set(re.findall(r"`([\w./-]+/[\w.-]+\.(?:py|toml|md))`", PAGE)))


@pytest.fixture(scope="module")
def lines() -> dict[str, int]:
    return lines_of_rooms(read_modules(APP))


def test_the_table_has_every_room(lines: dict[str, int]) -> None:
    assert set(stated_lines(PAGE)) == set(lines)


def test_the_lines_of_a_room_are_about_what_the_page_says(lines: dict[str, int]) -> None:
    stale = {
        room: (stated, lines[room])
        for room, stated in stated_lines(PAGE).items()
        if abs(stated - lines[room]) > TOLERANCE * lines[room]
    }
    assert not stale, "python -m tests.code_figures --rooms"


def test_lines_are_written_into_the_table_alone() -> None:
    page = "| a | b | 1 |\n<!-- rooms -->\n| room | for |\n| a | x | 1,000 |\n<!-- end -->\n"
    written = "| a | b | 1 |\n<!-- rooms -->\n| room | for |\n| a | x | 20,000 |\n<!-- end -->\n"
    assert with_lines(page, {"a": 20_000}) == written
    assert stated_lines(written) == {"a": 20_000}


@pytest.mark.parametrize("path", [path for path in NAMED if not re.search("[A-Z]{4}", path)])
def test_a_file_that_the_page_names_is_there(path: str) -> None:
    assert any((ROOT / place / path).is_file() for place in PLACES)
