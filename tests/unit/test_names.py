"""A name says what a thing is: `reasons`, `status` or `match`, and not what was done with it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ldap_workbench

APP = Path(ldap_workbench.__file__).parent
WORDS = {"found", "told", "each", "held", "kept", "given", "somebody"}
"""They fit everything, so they say nothing."""


def names(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every name that a module gives, with its line: variables, parameters, functions, fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno


def empty_names(room: str) -> list[str]:
    """Where a room gives a name that says nothing; '' stands for the files outside of rooms."""
    files = sorted((APP / room).rglob("*.py")) if room else sorted(APP.glob("*.py"))
    return [
        f"{path.relative_to(APP).as_posix()}:{line} {name}"
        for path in files
        for name, line in names(ast.parse(path.read_text("utf-8")))
        if name.strip("_") in WORDS
    ]


def rooms() -> list[str]:
    return sorted(path.name for path in APP.iterdir() if (path / "__init__.py").exists())


@pytest.mark.parametrize("room", ["", *rooms()])
def test_no_name_says_nothing(room):
    assert not empty_names(room)


def test_every_kind_of_name_counts():
    code = "def _told(each, *, kept=1):\n    self.given = 2\n    for found in x: pass\n"
    assert [name for name, _ in names(ast.parse(code))] == [
        "_told",
        "each",
        "kept",
        "given",
        "found",
    ]
