"""Every command of the pages for users runs as it stands, or a table says which test has it.

The servers are practice directories, which speak real LDAP and SSH. Windows are a second long and
experiments one pair of them; everything else is typed as the page has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path

import pytest

from tests.unit.pages import commands
from tests.unit.pages.commands import PAGES, ROOT, Command, commands_of
from tests.unit.pages.stage import Reader, Servers

ELSEWHERE = {
    r"packaging/run (demo|test|setup)": ".ci/run types them",
    r"export LDAP_PW=\.\.\.": "a password, which the reader here has in that variable",
    r"perf .*": "needs perf and a 389 DS at work; tests/unit/cli/test_stacks.py has its output",
    r"curl .*|pmrep .*": "need Prometheus or PCP; tests/unit/logs has what they print",
    r".* profile network ldap1": "needs Python there: tests/unit/capture/test_network_share.py",
    r".* replay run \S+ --target lab1": "not on a busy machine: tests/live/replay/test_replay.py",
    r"ldap-workbench fleet import --engine ssh:.*": "needs hosts: live/capture/test_fleet.py",
    r"ldap-workbench fleet session \.\.\. --hosts .*": "needs hosts: live/capture/test_fleet.py",
    r"ldap-workbench fleet import --engine dask:.*": "needs Dask: tests/unit/fleet/test_cluster.py",
    r"ldap-workbench experiment .*--set 'index\..*": "practice builds none: "
    "tests/live/tuning/test_indexes.py",
    r"\S*python -m tests\.faults\.campaign_kills": "an hour in the lab; its parts have tests",
    r"\S*python -m tests\.faults\.index_kills .*": "half an hour in the lab",
    r"\S*python -m tests\.faults .*--table .*": "reads the folders of runs in the lab",
}
"""Commands that are not typed here, and why."""


def _reason(command: Command) -> str | None:
    return next((why for what, why in ELSEWHERE.items() if re.fullmatch(what, command.text)), None)


_CODE = re.compile(r"(?ms)^```.*?^```|^(?: {4}|\t).*?$|`+[^`]*`+")
_PLACEHOLDER = re.compile(r"\b(?:[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+|RERUN|TODO|TBD|FIXME|XXX+)\b")
_NAMES = {"DB_CONFIG", "LDAP_WORKBENCH_LOGCONV_PY", "MDB_MAP_FULL", "PBKDF2_SHA256"}
"""Words like placeholders, outside of code, that servers or the program have."""


@pytest.mark.parametrize(
    "page", sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]), ids=lambda page: page.name
)
def test_no_page_has_a_word_that_was_to_be_filled_in(page: Path) -> None:
    prose = _CODE.sub("", page.read_text("utf-8"))
    assert set(_PLACEHOLDER.findall(prose)) <= _NAMES


COMMANDS = [each for page in PAGES for each in commands_of(page)]
TYPED = [each for each in COMMANDS if not _reason(each)]
SECTIONS = [list(part) for _, part in groupby(TYPED, lambda each: (each.page, each.heading))]
OVERNIGHT = {
    "1. Start the lesson (1 minute)",
    "2. Measure",
    "4. Test the change",
    "5. Keep or revert, and report",
    "Choose the design",
    "In a nightly test",
    "Several replicas: a canary",
    "The same on the command line",
}
"""Sections that measure on servers, as the README's five jobs do in every run."""


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with ExitStack() as stack:
        yield Servers(stack)


@pytest.fixture(scope="module")
def captured(servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A session of ldap1 that pages call by several names."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("captured")
        reader = Reader(folder, servers, folder / "none", patch)
        reader.type(Command("", "", "ldap-workbench capture ldap1 -o monday.ldapwb --seconds 4"))
        return folder / "work/monday.ldapwb"


@pytest.fixture
def reader(servers, captured, tmp_path, monkeypatch) -> Iterator[Reader]:
    reader = Reader(tmp_path, servers, captured, monkeypatch)
    yield reader
    reader.close()


def _sections():
    for part in SECTIONS:
        marks = [pytest.mark.full] if part[0].heading in OVERNIGHT else []
        yield pytest.param(part, id=f"{part[0].page}: {part[0].heading}", marks=marks)


@pytest.mark.parametrize("section", [*_sections()])
def test_the_commands_of_a_section_run(section, reader):
    for command in section:
        reader.type(command)


@pytest.mark.parametrize("pattern", ELSEWHERE)
def test_what_is_not_typed_here_is_on_a_page_and_where_it_says(pattern):
    assert any(re.fullmatch(pattern, each.text) for each in COMMANDS)
    for name in re.findall(r"tests/[\w/.]+|\.ci/run", ELSEWHERE[pattern]):
        assert (ROOT / name).exists()


def test_sections_for_the_night_are_on_a_page():
    assert {part[0].heading for part in SECTIONS} >= OVERNIGHT


def test_each_page_is_read():
    """A page whose commands are written in another way would have none."""
    counts = {page: len(commands_of(page)) for page in PAGES}
    assert counts["README.md"] > 12
    assert counts["docs/guide.md"] > 50
    assert counts["docs/other-tools.md"] > 4
    assert counts["docs/tutorial.md"] > 8
    assert counts["docs/security.md"] >= 2
    assert counts["docs/reliability.md"] > 6


def test_a_command_in_running_text_is_typed_and_one_that_is_spoken_of_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr(commands, "ROOT", tmp_path)
    (tmp_path / "page.md").write_text(
        "# Here\n\nTry `tails FILE` or `ldap-workbench stalls a.ldapwb`.\n"
        "`capture --statistics` and `replay run` are words.\n\n"
        "    ldap-workbench capture ldap1 \\\n        -o a.ldapwb     # five minutes\n",
        encoding="utf-8",
    )
    assert [each.text for each in commands_of("page.md")] == [
        "ldap-workbench tails FILE",
        "ldap-workbench stalls a.ldapwb",
        "ldap-workbench capture ldap1 -o a.ldapwb",
    ]
