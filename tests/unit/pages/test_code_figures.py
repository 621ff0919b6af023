"""The figures of the code are counted as their table says, and the column "before" survives."""

from pathlib import Path

import pytest

from tests import code_figures
from tests.code_figures import Module, figures, modules_of_one, read_modules, small_helpers, updated

CHAPTER = '''"""What the file is for."""

from __future__ import annotations

from house.room import corner

# The reason.
LIMIT = 3  # not a line of its own


def measure(rows: list[list[int]]) -> list[list[int]]:
    """Public: may have one line."""
    return [[_double(cell) for cell in row] for row in rows if row]


def _double(cell: int) -> int:
    return 2 * cell if cell else corner.NOTHING


def _twice_used(cell: int) -> int:
    return cell


def _long(cell: int) -> int:
    cell += 1
    cell += 1
    cell += 1
    return cell


TOTAL = _twice_used(1) + _twice_used(2) + _long(3) + sum(n for n in range(3))
'''


@pytest.fixture
def house(tmp_path: Path) -> Path:
    room = tmp_path / "house" / "room"
    room.mkdir(parents=True)
    (room / "__init__.py").write_text("")
    (room / "chapter.py").write_text(CHAPTER)
    (room / "corner.py").write_text("NOTHING = 0\n")
    (room / "shared.py").write_text("import house.room.chapter\nLONG = 1\n")
    (room / "third.py").write_text("from house.room import shared\n" * 2)
    (tmp_path / "house" / "other.py").write_text("from house.room.third import LONG\n")
    return tmp_path


def test_the_figures_of_a_house_of_one_chapter():
    counted = figures([Module("house.room.chapter", CHAPTER)])
    assert counted["lines / files"] == "31 / 1"
    assert counted["lines that are headers (docstring and imports)"] == "16.1 %"
    assert counted["lines that are comments"] == "3.2 %"
    assert counted["functions"] == "4"
    assert counted["lines in a function, median / p90 / max"] == "2 / 4 / 5"
    assert counted["comprehensions per 1,000 lines"] == "96.8"
    assert counted["nested comprehensions per 1,000 lines"] == "32.26"
    assert counted["conditional expressions per 1,000 lines"] == "32.3"


def test_a_small_private_function_counts_where_it_is_used_once():
    assert small_helpers(Module("house.room.chapter", CHAPTER)) == ["_double"]


def test_a_small_module_counts_where_one_neighbour_imports_it(house):
    pairs = modules_of_one(read_modules(house))
    assert pairs == [
        ("house.room.chapter", "house.room.shared"),
        ("house.room.corner", "house.room.chapter"),
        ("house.room.shared", "house.room.third"),
    ]


def test_a_module_over_the_limit_is_a_chapter_of_its_own(house, monkeypatch):
    monkeypatch.setattr(code_figures, "SMALL_FILE", 30)
    names = [name for name, _ in modules_of_one(read_modules(house))]
    assert names == ["house.room.corner", "house.room.shared"]


def test_the_column_before_stays_and_the_last_one_is_new():
    page = "Text.\n<!-- figures -->\n<!-- end -->\nMore.\n"
    first = updated(page, {"lines": "10", "files": "2"}, "aaaa")
    second = updated(first, {"lines": "8", "files": "1"}, "bbbb")
    assert second == (
        "Text.\n<!-- figures -->\n"
        "| | before (aaaa) | now (bbbb) |\n|---|---:|---:|\n"
        "| lines | 10 | 8 |\n| files | 2 | 1 |\n<!-- end -->\nMore.\n"
    )
