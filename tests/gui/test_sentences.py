"""Every sentence of the core is listed, translated, and known again by its template."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import ldap_workbench
from ldap_workbench.gui.retold import DATA, KINDS, by_id, retold, templates
from ldap_workbench.gui.sentences import SENTENCES
from ldap_workbench.model import errors
from ldap_workbench.resources import resource
from tests.unit.advice.test_find import session as troubled  # noqa: F401

FIELDS = {
    "advice": {
        "title", "sentence", "why", "expected", "cost", "risk_words", "needs", "steps", "disagree"
    },
    "knobs": {"title", "about", "trap"},
}  # fmt: skip
"""What a person reads of the files of a folder of resources."""
PLACE = re.compile(r"\{[^}]*\}")
CORE = (
    "advice", "capture", "connect", "experiment", "gui/connect", "gui/start", "gui/tails", "logs",
    "model", "report", "servers", "session", "statistics", "tuning",
)  # fmt: skip
COMPOSED = {
    "sits between the usual and the stalled operations: small changes of how many stall move it "
    "far",
    "sit between the usual and the stalled operations: small changes of how many stall move it far",
    "Afterwards: ask",
    "Afterwards: keep",
    "Afterwards: revert",
    "Afterwards: keep-if-better",
    "A stall begins at",
    "A burst of writing begins at",
    "consecutive stack dumps",
    "distances fit, which chance alone gives 1 in",
    "That is what the default of",
    "as yours is not known, gives: itself, 0 to 2.5 s until the server looks, and the checkpoint's "
    "own duration",
    "That is what the configured interval of",
    "gives: itself, 0 to 2.5 s until the server looks, and the checkpoint's own duration",
    "other on the same entry",
    "others on the same entry",
    "other of its kind",
    "others of its kind",
    "DB cache; the rest 90:10 =",
    "DB cache; the rest over",
    "back ends 90:10 =",
    "this machine runs",
    "refused to bind this user (EXTERNAL",
    "none of its first",
    "none of its last",
    "No latency is printed: each is the time from the line of the request to that of the result, "
    "in steps of",
    "latencies are not printed: each is the time from the line of the request to that of the "
    "result, in steps of",
    "1 latency is not printed: it is the time from the line of the request to that of the result, "
    "in steps of",
    "a second (3 stands for anything between 2 and 4 s, 0 for anything below 1 s",
    "Latencies are printed in whole seconds of the clock: 3 stands for anything between 2 and 4 s, "
    "0 for anything below 1 s",
    "absent →",
    "→ absent",
}
"""Parts of sentences that the code puts together of two or three strings."""


def texts(
    node: object, fields: set[str], place: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every text in some fields, and where it stands."""
    if isinstance(node, str):
        yield place, node.strip()
    elif isinstance(node, dict):
        for key, value in node.items():
            if isinstance(value, dict) or key in fields:
                yield from texts(value, fields, (*place, key))
    elif isinstance(node, list):
        for at, value in enumerate(node):
            yield from texts(value, fields, (*place, str(at)))


def read(path: str) -> dict[tuple[str, ...], str]:
    document = tomllib.loads(resource(path).read_text("utf-8"))
    fields = next(each for folder, each in FIELDS.items() if f"{folder}/" in path)
    return dict(texts({key: by_id(value) for key, value in document.items()}, fields))


@pytest.mark.parametrize("name", DATA)
def test_a_translation_stands_where_its_sentence_stands(name):
    english, german = read(f"{name}.toml"), read(f"translations/de/{name}.toml")
    assert german.keys() - english.keys() == set()
    for place, text in german.items():
        places = sorted(PLACE.findall(english[place]))
        assert sorted(PLACE.findall(text)) == places, place
        assert text.endswith(".") == english[place].endswith("."), place


@pytest.mark.parametrize("name", DATA)
def test_every_sentence_of_the_advice_is_known_again(german, name):
    """Filled with anything, each is told by its own translation and by none of another."""
    plain, placed = templates("de")
    told = plain | {template.source: template.target for template in placed}
    for place, text in read(f"{name}.toml").items():
        if PLACE.sub("", text).strip(" .:;") and not text.startswith(
            ("dsconf", "echo", "389 DS 3")
        ):
            assert text in told, place
            assert retold(filled(text)) == filled(told[text]), place


def filled(template: str) -> str:
    return re.sub(r"\{(\w+)(:\w+)?\}", r"<\1>", template)


def test_places_name_kinds_that_exist():
    kinds = {kind for each in SENTENCES for kind in re.findall(r"\{\w+:(\w+)\}", each)}
    assert kinds <= KINDS.keys()
    assert all(each.count("{") == each.count("}") for each in SENTENCES)


@pytest.fixture(scope="module")
def core() -> str:
    """All strings of the rooms whose sentences are retold, their places empty."""
    root = Path(ldap_workbench.__file__).parent
    files = [file for room in CORE for file in sorted((root / room).rglob("*.py"))]
    strings = [
        bare(node) for file in files for node in ast.walk(ast.parse(file.read_text("utf-8")))
    ]
    data = [
        *read("advice/findings.toml").values(),
        resource("advice/autotune.toml").read_text(),
        resource("logs/notices389.toml").read_text(),
    ]
    return "\n".join([*strings, *data]).lower()


def bare(node: ast.AST) -> str:
    """A string or f-string of the source with {} for what is filled in."""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            bare(part) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def words_of(template: str) -> list[str]:
    """The parts between the places that say something."""
    parts = (part.strip(" .,:;()[]%") for part in re.split(r"\{[^}]*\}|\): ", template))
    return [part for part in parts if len(part) > 3]


@pytest.mark.stall_allowed  # all sources are read
def test_the_sentences_are_those_of_the_code(core):
    """A sentence that was worded anew must be listed anew, or it stays in English."""
    gone = {
        each: part for each in SENTENCES for part in words_of(each) if not spoken_in(core, part)
    }
    assert gone == {}


OURS = {name for name, each in vars(errors).items() if isinstance(each, type)}
SAYING = ("advice", "statistics", "experiment/plan.py", "experiment/foresight.py")
_UNIT = re.compile(r"^(?:ns|ms|s|h|min)\b[ ,.]*")


def sentences_in(file: Path) -> Iterator[str]:
    """What a file of the core says, as parts of sentences; not what is in its errors and notes."""
    tree = ast.parse(file.read_text("utf-8"))
    left_out: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr | ast.JoinedStr):
            left_out.update(ast.iter_child_nodes(node))
        name = str(getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Raise) or name.endswith("Error"):
            left_out.update(ast.walk(node))
    for node in ast.walk(tree):
        if node not in left_out:
            yield from (_UNIT.sub("", part) for part in words_of(bare(node)))


@pytest.mark.stall_allowed  # all sources are read
def test_what_the_core_says_is_listed():
    """A new sentence must be listed and translated, or it stays in English."""
    listed = [
        *SENTENCES,
        *(text for name in DATA for text in read(f"{name}.toml").values()),
    ]
    corpus = "\n".join(listed).lower()
    root = Path(ldap_workbench.__file__).parent
    files = [
        file for name in SAYING for file in (sorted((root / name).glob("*.py")) or [root / name])
    ]
    missing = {
        part: file.name
        for file in files
        if file.name != "handbook.py"
        for part in sentences_in(file)
        if re.search("[a-z]{2,} [a-z]", part) and "cn=" not in part and part.lower() not in corpus
    }
    assert len(files) > 40
    assert missing == {}


def spoken_in(core: str, part: str) -> bool:
    """Whether the code has it; a count has its noun there, without the 1."""
    bare_part = part.removeprefix("1 ").lower()
    return bare_part in core or (part in COMPOSED and in_strings(core, bare_part, 4))


def in_strings(core: str, part: str, most: int) -> bool:
    """Whether it can be put together of so many strings of the code."""
    words = part.split(" ")
    if not part or (most and part in core):
        return True
    heads = (" ".join(words[:end]) for end in range(len(words) - 1, 0, -1))
    return most > 1 and any(
        head in core and in_strings(core, part[len(head) + 1 :], most - 1) for head in heads
    )


@pytest.mark.stall_allowed  # all sources are read
def test_what_errors_say_is_listed():
    """An error that is not listed is told in English."""
    corpus = "\n".join(SENTENCES).lower()
    root = Path(ldap_workbench.__file__).parent
    files = [file for room in CORE for file in sorted((root / room).rglob("*.py"))]
    missing = {
        part: file.name
        for file in files
        for part in errors_in(file)
        if re.search("[a-z]{2,} [a-z]", part) and part.lower() not in corpus
    }
    assert missing == {}


def errors_in(file: Path) -> Iterator[str]:
    """What the errors of a file say: what happened, what is safe, what to do."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        name = str(getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
        if name in OURS:
            for given in (*node.args, *(keyword.value for keyword in node.keywords)):
                yield from words_of(bare(given))
