"""A name says what a thing is: `reasons`, `status` or `match`, and not what was done with it."""

import ast
from pathlib import Path

import ldap_workbench

APP = Path(ldap_workbench.__file__).parent
EMPTY = "told"
LEFT = 5
"""So many may be left in fields; there were 111 variables of that name."""


def bound(tree: ast.Module) -> list[int]:
    """The lines that bind the name: variables and parameters."""
    stored = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == EMPTY]
    lines = [n.lineno for n in stored if isinstance(n.ctx, ast.Store)]
    return lines + [n.lineno for n in ast.walk(tree) if isinstance(n, ast.arg) and n.arg == EMPTY]


def test_no_variable_of_the_program_has_a_name_that_says_nothing():
    sites = [
        f"{path.relative_to(APP).as_posix()}:{line}"
        for path in sorted(APP.rglob("*.py"))
        for line in bound(ast.parse(path.read_text("utf-8")))
    ]
    assert len(sites) <= LEFT, f"say what it is: {sites}"
