"""The mutator: which mistakes it makes, where, and that it tells a test that fails from none."""

import ast

import pytest

from tests import mutate
from tests.mutate import Mutant, Tree, draw, mutants_of

CODE = '''\
"""Text with 3 and <."""
from __future__ import annotations

LIMIT: int = 3


def spare(used: int, ö: int = 0) -> int | None:
    assert used >= 0
    if used < LIMIT and not ö:
        note(f"{used + 1} of it")
        return LIMIT - used
    return None
'''


def changes(text):
    return [(mutant.old, mutant.new) for mutant in mutants_of(text, "a.py")]


def test_each_kind_of_mistake_is_made():
    assert set(changes(CODE)) == {
        ("3", "4"),
        ("3", "2"),
        ("0", "1"),
        ("0", "(-1)"),
        ("used < LIMIT", "(used >= LIMIT)"),
        ("used < LIMIT", "(used <= LIMIT)"),
        ("used < LIMIT and not ö", "(used < LIMIT or not ö)"),
        ("used < LIMIT and not ö", "(not (used < LIMIT and (not ö)))"),
        ('note(f"{used + 1} of it")', "pass"),
        ("return LIMIT - used", "return None"),
    }


@pytest.mark.parametrize("mutant", mutants_of(CODE, "a.py"), ids=str)
def test_a_mutant_is_another_program_that_can_be_read(mutant):
    assert ast.dump(ast.parse(mutant.applied_to(CODE))) != ast.dump(ast.parse(CODE))
    assert CODE.splitlines()[mutant.line - 1].count(mutant.old.splitlines()[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = b is None\n", {("b is None", "(b is not None)")}),
        ("a = b not in c\n", {("b not in c", "(b in c)")}),
        ("a = 1 if b else c\n", {("1", "2"), ("1", "0"), ("b", "(not (b))")}),
        ("while a:\n    b()\n", {("a", "(not (a))"), ("b()", "pass")}),
        ("a = True\n", set()),
        ("@cache(1)\ndef a(): ...\n", set()),
        ("if TYPE_CHECKING:\n    a = 1\n", set()),
    ],
)
def test_what_is_changed_of_a_line(text, expected):
    assert set(changes(text)) == expected


def test_a_mutant_reads_as_one_line():
    mutant = Mutant("app/a.py", 7, 0, 9, "a(\n    b,\n)", "pass")
    assert str(mutant) == "app/a.py:7 a( b, ) → pass"


def test_a_seed_draws_the_same_and_another_seed_others():
    assert draw("experiment", 1, 20) == draw("experiment", 1, 20)
    assert draw("experiment", 1, 20) != draw("experiment", 2, 20)
    assert all(m.file.startswith("app/ldap_workbench/tuning/") for m in draw("tuning", 1, 20))


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A tree with a room of one module and one test, instead of ours."""
    root = tmp_path / "checkout"
    room, tests = root / "app" / "acted", root / "tests" / "unit" / "room"
    for folder in (room, tests):
        folder.mkdir(parents=True)
    (room / "__init__.py").touch()
    (room / "adding.py").write_text(
        "def add(a, b):\n    log()\n    return a + b\n\n\ndef log(): ...\n"
    )
    (tests / "test_adding.py").write_text(
        "from acted.adding import add\n\n\ndef test_it():\n    assert add(1, 2) == 3\n"
    )
    monkeypatch.setattr(mutate, "ROOT", root)
    monkeypatch.setattr(mutate, "_COPIED", ("app", "tests"))
    return root


def test_a_mutant_is_killed_where_a_test_fails_and_survives_where_none_does(checkout, tmp_path):
    copied = tmp_path / "copy"
    copied.mkdir()
    tree = Tree(copied, "room")
    assert tree.run() == 0
    text = (checkout / "app/acted/adding.py").read_text()
    verdicts = {
        mutant.new: tree.kills(mutant) for mutant in mutants_of(text, "app/acted/adding.py")
    }
    assert verdicts == {"return None": True, "pass": False}
    assert (copied / "app/acted/adding.py").read_text() == text
    assert tree.run("adding") == 0
