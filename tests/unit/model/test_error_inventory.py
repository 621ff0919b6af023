"""Every error a person may see says what happened, what is safe and what to do, in plain words."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from ldap_workbench.model import errors

APP = Path(errors.__file__).parents[1]
SENTENCES = ("what", "safe", "remedy")
COUNTERED = {"ConflictError", "UnknownHostKeyError", "NotNotedError"}
"""Classes that bring their own remedy, which a raise site need not give."""
FOREIGN = re.compile(
    r"somebody|\bat work\b|\banew\b|mind that|\bset aside\b|guard rail|look again|what there is"
    r"|good answer|who refers|\bto know more\b|\bwhat hurts\b|does not tell"
    r"|(?<!here )\bis no (?!longer)[a-z]",
    re.IGNORECASE,
)
"""What DESIGN.md, 'Words', writes otherwise."""
END = re.compile(r"[.?]$|\}$|: \S.*$")
"""A full stop, a place (whose text brings its own), or a command to copy after a colon."""


@dataclass(frozen=True)
class Site:
    """A place that makes an error; `texts` are the literal parts of its sentences."""

    where: str
    kind: str
    texts: dict[str, list[str]]


def error_classes(trees: dict[Path, ast.Module]) -> set[str]:
    """WorkbenchError and whatever derives from it, by name."""
    derived = {"WorkbenchError"}
    bases = {
        node.name: {ast.unparse(base) for base in node.bases}
        for tree in trees.values()
        for node in tree.body
        if isinstance(node, ast.ClassDef)
    }
    while more := {name for name in bases if bases[name] & derived} - derived:
        derived |= more
    return derived


def literals(node: ast.expr) -> list[str]:
    """The templates in an argument: of messages, of plain texts, with {} for what is filled in."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return ["".join(p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)]
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "Message":
        return literals(node.args[0])
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "count_of":
        return [text for each in node.args[:2] for text in literals(each)]
    if isinstance(node, ast.IfExp):
        return [*literals(node.body), *literals(node.orelse)]
    return []


def sites_in_code() -> Iterator[Site]:
    trees = {path: ast.parse(path.read_text("utf-8")) for path in sorted(APP.rglob("*.py"))}
    kinds = error_classes(trees)
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if (kind := node.func.id) in kinds:
                given = dict(zip(SENTENCES[:1], node.args, strict=False))
                given |= {k.arg: k.value for k in node.keywords if k.arg in SENTENCES}
                where = f"{path.relative_to(APP).as_posix()}:{node.lineno}"
                yield Site(where, kind, {name: literals(v) for name, v in given.items()})


@pytest.fixture(scope="module")
def sites() -> list[Site]:
    return list(sites_in_code())


def test_the_inventory_sees_the_errors_of_every_room(sites):
    assert len(sites) > 200
    rooms = {site.where.split("/")[0] for site in sites}
    assert {"connect", "tuning", "session", "experiment", "capture", "cli"} <= rooms


def test_every_error_says_what_to_do(sites):
    lacking = [f"{s.where} {s.kind}" for s in sites if s.kind not in COUNTERED]
    with_remedy = {s.where for s in sites if "remedy" in s.texts and s.texts["remedy"] != [""]}
    assert [line for line in lacking if line.split()[0] not in with_remedy] == []


def test_every_sentence_is_whole_and_in_the_words_of_the_field(sites):
    told = [
        (f"{site.where} {name}", text)
        for site in sites
        for name, texts in site.texts.items()
        for text in texts
        if text
    ]
    assert [each for each in told if not END.search(each[1])] == []
    assert [each for each in told if FOREIGN.search(each[1])] == []


@pytest.mark.parametrize("kind", [k for k in vars(errors).values() if isinstance(k, type)])
def test_every_class_says_what_is_unharmed(kind):
    if issubclass(kind, errors.WorkbenchError):
        assert str(kind.unharmed).endswith(".")
        assert not FOREIGN.search(str(kind.unharmed))


def plain_texts(path: Path) -> Iterator[tuple[str, str]]:
    """What the command and the report say without a Message; docstrings show up as help only."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield f"{path.relative_to(APP).as_posix()}:{node.lineno}", node.value


@pytest.mark.parametrize("room", ["cli", "report"])
def test_plain_texts_are_in_the_words_of_the_field(room):
    texts = [each for path in sorted((APP / room).rglob("*.py")) for each in plain_texts(path)]
    assert len(texts) > 100
    assert [each for each in texts if FOREIGN.search(each[1])] == []
