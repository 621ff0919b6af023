"""The commands that can write to a server: what the code says is what the pages say."""

import ast
import re
from contextlib import closing
from pathlib import Path

import pytest

import ldap_workbench
from ldap_workbench.cli.link import Writer, opened_journal
from ldap_workbench.model.change import ChangeState
from ldap_workbench.model.errors import ChangeError
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.tuning.journal import Journal

ROOT = Path(__file__).parents[3]
APP = Path(ldap_workbench.__file__).parent
SERVER, THREADS = "ldap://ldap1:389", "nsslapd-threadnumber"
TREATMENT = Treatment((Setting(THREADS, "8"),))
FUNCTIONS = (ast.FunctionDef, ast.ClassDef)


def tree_of(path: Path, word: str = "") -> ast.Module:
    """What a module says; of one without the word, which has nothing that is looked for, no more
    than nothing: to read all of them takes seconds."""
    text = path.read_text(encoding="utf-8")
    return ast.parse(text if word in text else "")


def names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def writers_in(node: ast.AST) -> set[str]:
    """The members of Writer that a function names."""
    return {
        Writer[each.attr].value
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute)
        and isinstance(each.value, ast.Name)
        and each.value.id == "Writer"
    }


def changes_entries(node: ast.AST) -> bool:
    """Whether it calls `add` or `delete` of a directory itself."""
    return any(
        isinstance(each, ast.Attribute)
        and each.attr in ("add", "delete")
        and "directory" in ast.unparse(each.value)
        for each in ast.walk(node)
    )


def what_changes_entries() -> set[str]:
    """The names in replay/tidying.py by which entries of a server are added or removed."""
    known = {n.name: n for n in tree_of(APP / "replay/tidying.py").body if isinstance(n, FUNCTIONS)}
    reaching = {name for name, node in known.items() if changes_entries(node)}
    before: set[str] = set()
    while before != reaching:
        before = set(reaching)
        reaching |= {name for name, node in known.items() if names_in(node) & before}
    return reaching


def commands_that_change_entries() -> set[str]:
    functions = [n for n in tree_of(APP / "cli/replay.py").body if isinstance(n, ast.FunctionDef)]
    reaching = what_changes_entries()
    public = [n for n in functions if n.decorator_list]
    return {f"replay {n.name}" for n in public if names_in(n) & reaching}


def commands_that_begin_changes() -> set[str]:
    found: set[str] = set()
    for path in sorted((APP / "cli").rglob("*.py")):
        for node in ast.walk(tree_of(path, "Writer.")):
            if isinstance(node, ast.FunctionDef):
                for line in writers_in(node):
                    assert line.split()[0] == node.name, f"{path.name} opens it as {line}"
                    found.add(line)
    return found


def listed_in_readme() -> set[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    sentence = re.search(r"^Only (`.*?)write to a server", text, re.DOTALL | re.MULTILINE)
    assert sentence
    return set(re.findall("`([^`]+)`", sentence[1]))


def listed_in_security() -> set[str]:
    text = (ROOT / "docs/security.md").read_text(encoding="utf-8")
    part = text.partition("## What writes to a server\n")[2].partition("\n\n`demo`")[0]
    rows = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    return set(re.findall("`([^`]+)`", " ".join(rows)))


@pytest.mark.parametrize("listed", [listed_in_readme, listed_in_security])
def test_the_pages_list_every_command_that_can_write(listed):
    writing = commands_that_begin_changes() | commands_that_change_entries()
    assert commands_that_begin_changes() == set(Writer)
    assert commands_that_change_entries() == {"replay run", "replay clean"}
    assert {line.removesuffix(" --writes-under") for line in listed()} == writing
    assert "replay run --writes-under" in listed()


def test_nothing_else_opens_the_journal():
    """The demo has a server and a home of its own; the window asks before every change."""
    opening = set()
    for path in sorted(APP.rglob("*.py")):
        calls = (node for node in ast.walk(tree_of(path, "Journal(")) if isinstance(node, ast.Call))
        if any(isinstance(call.func, ast.Name) and call.func.id == "Journal" for call in calls):
            opening.add(path.relative_to(APP).as_posix())
    assert opening == {"cli/demo.py", "cli/link.py", "gui/workbench/journal.py"}


def test_entries_of_users_are_changed_by_the_replay_alone():
    """Tuning changes those of the configuration, of an index and its task, behind the journal; and
    the practice directory, a server itself, its own."""
    changing = [
        path for path in sorted(APP.rglob("*.py")) if changes_entries(tree_of(path, "directory"))
    ]
    rooms = {path.relative_to(APP).as_posix() for path in changing}
    assert {room for room in rooms if not room.startswith(("tuning/", "practice/"))} == {
        "replay/tidying.py"
    }


def test_a_command_that_only_reads_notes_no_change(tmp_path, monkeypatch):
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    with closing(Journal()) as journal:
        group = journal.begin(SERVER, TREATMENT, "20261121010000Z")
        change = journal.intend(
            group=group, server=SERVER, knob=THREADS, dn="cn=config", attribute=THREADS,
            before=["16"], asked=["8"],
        )  # fmt: skip
    with opened_journal() as journal:
        with pytest.raises(ChangeError, match="only reads"):
            journal.begin(SERVER, TREATMENT, "20261121010000Z")
        with pytest.raises(ChangeError, match="only reads"):
            journal.update(change, state=ChangeState.REVERTING)
        assert journal.get(change.id) == change
    with opened_journal(Writer.REVERT) as journal:
        assert journal.update(change, state=ChangeState.REVERTING).state is ChangeState.REVERTING
