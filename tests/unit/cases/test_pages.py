"""The pages of docs/cases hold: their commands run, and what they quote is what is printed."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
import zstandard

from ldap_workbench.cli import main
from ldap_workbench.practice.model.scenario import load_scenario, scenario_names
from ldap_workbench.resources import case_files
from tests.cases_data import DATA, LARGE, cases

FOLDER = DATA.parent
PAGES = sorted(path.stem for path in FOLDER.glob("*.md") if path.stem != "README")
ELISION = "..."


def console(page: str) -> list[tuple[str, list[str]]]:
    """Each command of the fenced console blocks, with the passages quoted of what it prints."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"^```console\n(.*?)^```", page, re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, quoted = part.partition("\n")
            passages = re.split(rf"^{re.escape(ELISION)}$", quoted, flags=re.M)
            found.append((command, [flat for each in passages if (flat := flattened(each))]))
    return found


def flattened(text: str) -> str:
    """Without regard to how lines are broken: a page is narrower than a terminal."""
    return " ".join(text.split())


@pytest.mark.parametrize("name", PAGES)
def test_a_page_quotes_what_its_commands_print(name, tmp_path, monkeypatch, capsys):
    shutil.copytree(DATA / name, tmp_path / "docs/cases/data" / name)
    monkeypatch.chdir(tmp_path)
    steps = console((FOLDER / f"{name}.md").read_text(encoding="utf-8"))
    assert any(passages for _, passages in steps)
    for command, passages in steps:
        program, *words = shlex.split(command)
        assert program == "ldap-workbench"
        monkeypatch.setattr(sys, "argv", [program, *words])
        with pytest.raises(SystemExit) as ended:
            main()
        assert ended.value.code == 0, command
        printed = flattened(capsys.readouterr().out)
        for passage in passages:
            assert passage in printed, command


@pytest.mark.parametrize("name", ["README", *PAGES])
def test_whatever_a_page_links_to_is_there(name):
    page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", page)
    assert links
    assert [link for link in links if not (FOLDER / link).exists()] == []


def test_every_case_has_a_page_and_the_index_names_each():
    index = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert set(PAGES) == set(cases()) == {path.name for path in DATA.iterdir()}
    assert all(f"({name}.md)" in index for name in PAGES)


def test_lessons_name_their_case_and_its_page_names_them():
    lessons = [load_scenario(name) for name in scenario_names()]
    linked = [lesson for lesson in lessons if lesson.case]
    assert len(linked) == 5
    for lesson in linked:
        page = (FOLDER / f"{lesson.case}.md").read_text(encoding="utf-8")
        assert f"`{lesson.name}`" in page
        assert case_files(lesson.case).is_dir()


def test_the_list_of_lessons_names_the_page(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ldap-workbench", "practice", "--list"])
    with pytest.raises(SystemExit):
        main()
    listed = capsys.readouterr().out
    assert "Slow on the new volume (a real case: docs/cases/read-ahead.md)" in listed


def test_the_files_are_those_the_generator_writes():
    there = {}
    for path in filter(Path.is_file, DATA.rglob("*")):
        content = path.read_bytes()
        if path.suffix == ".zst":
            content = zstandard.ZstdDecompressor().decompress(content)
        there[path.relative_to(DATA).as_posix().removesuffix(".zst")] = content.decode()
    made = {
        f"{name}/{path}": text for name, files in cases().items() for path, text in files.items()
    }
    assert there == made
    assert all(path.stat().st_size < LARGE for path in DATA.rglob("*"))
