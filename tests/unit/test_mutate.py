"""The mutator: which mistakes it makes, where, and that it tells a test that fails from none."""

import ast
import shutil

import pytest

from tests import mutate
from tests.mutate import Mutant, Tree, draw, lines_of_statement, mutants_of

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


NESTED = """\
LIMIT = (
    3)
def add(a,
        b=2):
    if (a and
            b):
        return (a +
                b)
"""


@pytest.mark.parametrize(
    ("line", "lines"),
    [(2, [1, 2]), (4, [3, 4]), (5, [5, 6]), (6, [5, 6]), (8, [7, 8]), (99, [99])],
)
def test_a_mutant_is_run_with_its_statement_and_not_with_the_body(line, lines):
    assert list(lines_of_statement(NESTED, line)) == lines


ADDING = """\
LIMIT = 3

def add(a, b):
    log()
    return a + b

def log(): ...

def never():
    return 7
"""
TESTS = {
    "test_adding": "from acted.adding import add\ndef test_it():\n    assert add(1, 2) == 3\n",
    "test_limit": "def test_it():\n    from acted.adding import LIMIT\n    assert LIMIT == 3\n",
    "test_through": """\
import pytest
from acted import adding
@pytest.fixture(scope="module")
def three(): return adding.add(1, 2)
def test_what_needs_it_not(): pass
def test_a_fixture_of_all(three): assert three
""",
}


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """Where the tree is."""
    return tmp_path_factory.mktemp("copy")


@pytest.fixture(scope="module")
def tree(tmp_path_factory, copied):
    """Of a checkout with a room of one module and its tests, instead of ours; measured."""
    root = tmp_path_factory.mktemp("checkout")
    room, tests = root / "app" / "acted", root / "tests" / "unit" / "room"
    for folder in (room, tests):
        folder.mkdir(parents=True)
    (room / "__init__.py").touch()
    no_bytecode = shutil.ignore_patterns("__pycache__")
    stages = "tests/stages"
    shutil.copytree(mutate.ROOT / stages, root / stages, ignore=no_bytecode)
    (root / "tests" / "__init__.py").touch()
    (room / "adding.py").write_text(ADDING)
    for name, text in TESTS.items():
        (tests / f"{name}.py").write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mutate, "ROOT", root)
        patch.setattr(mutate, "_COPIED", ("app", "tests"))
        tree = Tree(copied, "room")
    with pytest.MonkeyPatch.context() as patch:
        # All plugins together take longer to start than these tests.
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        patch.setenv("PYTEST_PLUGINS", "xdist.plugin")
        assert tree.measure()
        yield tree
        tree.close()


KILLED = {
    ("3", "4"): True,
    ("log()", "pass"): False,
    ("return a + b", "return None"): True,
    ("return 7", "return None"): False,
    ("7", "8"): False,
    ("7", "6"): False,
    ("3", "2"): True,
}


@pytest.mark.parametrize("few", [6, pytest.param(7, marks=pytest.mark.full)])
def test_a_mutant_is_killed_where_a_test_fails_and_survives_where_none_does(tree, copied, few):
    """The last mutant takes a process of its own, as the first of the same constant does."""
    wanted = dict(list(KILLED.items())[:few])
    mutants = {(each.old, each.new): each for each in mutants_of(ADDING, "app/acted/adding.py")}
    assert mutants.keys() == KILLED.keys()
    assert {change: tree.kills(mutants[change]) for change in wanted} == wanted
    assert (copied / "app/acted/adding.py").read_text() == ADDING


def test_the_tests_that_run_a_mutant_judge_it_and_all_of_them_what_runs_at_import(tree):
    tests = {
        mutant.old: {test.rpartition("/")[2] for test in tree.tests_of(mutant)}
        for mutant in mutants_of(ADDING, "app/acted/adding.py")
    }
    assert tests["7"] == set()
    assert tests["3"] == {""}, "at import"
    shared = "test_through.py::test_a_fixture_of_all"
    assert tests["log()"] == {"test_adding.py::test_it", shared}


def test_tests_that_fail_without_a_mutant_judge_none(tree, copied):
    red = copied / "tests/unit/room/test_red.py"
    red.write_text("def test_it(): assert False\n")
    assert not tree.measure()
    red.unlink()
