"""Checklists of what stays by hand: no command that fails costs data, wherever it stands."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ldap_workbench.advice.rules.rule import every_rule
from ldap_workbench.tuning.catalogue import load_catalogue
from tests.live.lab.administrator import commands_of

_KNOBS = [*load_catalogue("389ds").knobs, *load_catalogue("openldap").knobs]
_STEPS = {knob.name: [str(step) for step in knob.steps] for knob in _KNOBS} | {
    rule.id: [step.text for step in rule.steps] for rule in every_rule()
}
_LINES = {name: list(filter(None, map(commands_of, steps))) for name, steps in _STEPS.items()}
CHECKLISTS = {
    name: lines for name, lines in _LINES.items() if any("BACKUP" in line for line in lines)
}
"""Name of a knob or of a piece of advice -> the lines of commands that it prints."""
_STAND_INS = {
    "dsctl": 'case "$2" in db2ldif) echo ldif >"$5" ;; '
    'ldif2db) echo new >"$DB/data.mdb" ;; *2*) echo new >"$DB/data.mdb" ;; esac',
    "dsconf": "echo ruv",
    "systemctl": "",
    "ldapsearch": "echo csn",
    "slapcat": 'for file; do :; done; echo ldif >"$file"',
    "slapadd": 'echo new >"$DB/data.mdb"',
    "mdb_copy": 'echo new >"$3/data.mdb"',
    "mdb_stat": "",
}
_REAL = ("mkdir", "chown", "chmod", "cp", "mv", "rm", "rmdir", "sed", "grep", "diff", "test")


def test_there_are_checklists() -> None:
    assert len(CHECKLISTS) == 5, list(CHECKLISTS)


@pytest.mark.parametrize("name", CHECKLISTS)
def test_a_copy_that_was_compared_is_there_whatever_fails(name: str, tmp_path: Path) -> None:
    """Each command fails once, and nobody looks: all further lines are given to the shell, too."""
    calls = 0
    while True:
        folder = tmp_path / str(calls)
        count = _do(CHECKLISTS[name], folder, calls)
        copies = [file for file in folder.rglob("data.mdb") if file.read_text() == "old\n"]
        assert copies, f"call {calls} failed: {(folder / 'calls').read_text()}"
        if count <= calls:
            break
        calls += 1
    assert calls > 10, "too few commands: the stand-ins were not called"


def test_a_line_ends_at_the_first_command_that_fails() -> None:
    for name, lines in CHECKLISTS.items():
        for line in lines:
            assert ";" not in line, (name, line)
            assert "rm " not in line, (name, line)


def _do(lines: list[str], folder: Path, failing: int) -> int:
    """Run the lines, of whose commands one fails; how many commands there were."""
    bin_folder, database, config = (folder / part for part in ("bin", "db", "config"))
    for made in (bin_folder, database, config):
        made.mkdir(parents=True)
    (database / "data.mdb").write_text("old\n")
    (config / "dse.ldif").write_text("dn: cn=bdb\ncn: bdb\n")
    counting = (
        f'#!/bin/sh\nPATH={os.environ["PATH"]}\necho "${{0##*/}} $*" >>{folder}/calls\n'
        f'[ "$(wc -l <{folder}/calls)" -ne {failing + 1} ] || exit 1\n'
    )
    programs = _STAND_INS | {real: f'exec {shutil.which(real)} "$@"' for real in _REAL}
    for program, text in programs.items():
        (bin_folder / program).write_text(counting + text + "\n")
        (bin_folder / program).chmod(0o755)
    names = {
        "instance": "lab", "database": "userRoot", "suffix": "dc=a", "database_entry": "cn=x",
        "database_folder": str(database), "config_folder": str(config), "value": "mdb",
        "before": "bdb",
    }  # fmt: skip
    for line in lines:
        for word, value in names.items():
            line = line.replace(f"{{{word}}}", value)
        subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=folder, env={"PATH": str(bin_folder), "DB": str(database)},
            capture_output=True, check=False,
        )  # fmt: skip
    return len((folder / "calls").read_text().splitlines())
