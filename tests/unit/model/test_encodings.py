"""Text is UTF-8 on every system: Windows would take the code page of its user."""

import ast
from pathlib import Path

import pytest

APP = Path(__file__).parents[3] / "app"
POSITIONS = {"read_text": 0, "write_text": 1}
"""Methods of a path -> which of their arguments is the encoding. Ruff knows them of a `Path(...)`
that stands right before the dot, and of no variable."""


def unnamed(source: str) -> list[int]:
    """Lines with a call that names no encoding."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [
        call.lineno
        for call in calls
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in POSITIONS
        and len(call.args) <= POSITIONS[call.func.attr]
        and all(keyword.arg != "encoding" for keyword in call.keywords)
    ]


def test_every_text_file_is_read_and_written_with_an_encoding() -> None:
    wrong = [
        f"{path.relative_to(APP)}:{line}"
        for path in APP.rglob("*.py")
        for line in unnamed(path.read_text(encoding="utf-8"))
    ]
    assert wrong == []


@pytest.mark.parametrize("call", ["path.read_text()", "path.write_text(text)"])
def test_a_call_without_one_is_seen(call: str) -> None:
    assert unnamed(call) == [1]


@pytest.mark.parametrize(
    "call", ["path.read_text('utf-8')", "path.write_text(text, encoding='utf-8')"]
)
def test_a_call_with_one_is_none(call: str) -> None:
    assert unnamed(call) == []
