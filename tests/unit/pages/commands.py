"""The commands of a page, as somebody who follows it would type them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ldap_workbench.cli.app import _COMMANDS as COMMANDS

ROOT = Path(__file__).parents[3]
PAGES = (
    "README.md",
    "docs/tutorial.md",
    "docs/guide.md",
    "docs/other-tools.md",
    "docs/engines.md",
    "docs/security.md",
    "docs/reliability.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs/cases").glob("*.md")),
)
PROGRAM = "ldap-workbench"
_FENCE = re.compile(r"^```.*?^```$", re.M | re.S)
"""A terminal of docs/cases, with what it prints: tests/unit/cases/test_pages.py types that."""
_SPAN = re.compile(r"`([^`]+)`")
_PROSE = re.compile(r"\s{2,}#.*|\s{4,}.*")
"""What stands behind a command in its line."""
_GROUPS = ("profile", "replay", "fleet", "journal")


@dataclass(frozen=True)
class Command:
    """One command line of a page, in one line; `heading` is that of its section."""

    page: str
    heading: str
    text: str

    @property
    def is_ours(self) -> bool:
        return self.text.split()[0].removeprefix(".venv/bin/") == PROGRAM


def commands_of(page: str) -> list[Command]:
    """Everything to be typed: blocks of code, and commands in running text."""
    text = _FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    text = re.sub(r"\s*\\\n\s*", " ", text)
    commands, heading = [], ""
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.startswith("#"):
            heading = paragraph.partition("\n")[0].strip("# ")
        in_block = paragraph.startswith("    ")
        lines = _typed_in_block(paragraph) if in_block else _typed_in_prose(paragraph)
        commands += [Command(page, heading, " ".join(line.split())) for line in lines]
    return commands


def _typed_in_block(block: str) -> Iterator[str]:
    lines = [line.strip() for line in block.splitlines()]
    if lines[0].startswith("["):  # a file of hosts
        return
    for line in lines:
        if line.startswith("--"):
            yield f"{PROGRAM} profile add ldap1 --ldap ldaps://ldap1.example.com {line}"
        else:
            yield _PROSE.sub("", line)


def _typed_in_prose(paragraph: str) -> Iterator[str]:
    if options_of := re.match(r"\| option of `(.*)` \|", paragraph):
        for row in re.findall(r"^\| (`--.*?) \|", paragraph, re.M):
            yield from (f"{PROGRAM} {options_of[1]} {option}" for option in _SPAN.findall(row))
        return
    for span in _SPAN.findall(paragraph):
        words = span.split()
        if words[0].removeprefix(".venv/bin/") == PROGRAM:
            if _is_whole(words[1:]):
                yield span
        elif _is_whole(words):
            yield f"{PROGRAM} {span}"


def _is_whole(words: list[str]) -> bool:
    """Whether it can be typed; `capture --statistics` and `replay run` are only spoken of."""
    if not words or words[0] not in (*COMMANDS, "open"):
        return False
    named = 2 if words[0] in _GROUPS and words[1:] and words[1].isalpha() else 1
    if words[0] in ("practice", "open"):
        return len(words) > named
    return len(words) > named and (not words[named].startswith("-") or "-o" in words)
