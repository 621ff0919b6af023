"""What a command loads is not looked through for garbage, its own work is."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ldap_workbench.session.writer import SessionWriter

PROGRAM = """
import gc, sys
from pathlib import Path

import pytest
from ldap_workbench.cli import main
from ldap_workbench.session.reader import Session
def opened(path):
    print(gc.isenabled(), gc.get_freeze_count() > 10_000)
    return before(path)
before, Session.open = Session.open, opened
sys.argv = ["ldap-workbench", "windows", sys.argv[1]]
main()
"""


def test_the_collector_rests_while_a_command_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "empty.ldapwb"
    SessionWriter.create(path).close()
    words = [sys.executable, "-c", PROGRAM, str(path)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "True"], done.stderr
    assert not done.stderr


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["--version"], 0, "ldap-workbench"),
        (["windows", "nowhere"], 1, "does not exist"),
        (["x"], 2, "x"),
    ],
)
def test_a_process_ends_with_all_it_said_and_its_status(words, status, told, tmp_path):
    words = [sys.executable, "-m", "ldap_workbench", *words]
    buffered = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=buffered)
    assert done.returncode == status
    assert told in done.stdout + done.stderr


def test_what_was_to_be_done_at_the_end_is_done(tmp_path):
    program = (
        "import atexit, sys; from ldap_workbench.cli import process\n"
        "atexit.register(print, 'the last word')\n"
        "sys.argv = ['ldap-workbench', '--version']; process()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "the last word"


def test_a_reader_that_is_gone_is_no_error_to_talk_about():
    words = [sys.executable, "-m", "ldap_workbench", "--version"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode in (0, 1)


def test_a_short_command_loads_neither_tables_for_terminals_nor_the_relations_of_duckdb(tmp_path):
    path = tmp_path / "empty.ldapwb"
    SessionWriter.create(path).close()
    program = (
        "import sys; from ldap_workbench.cli import main\n"
        "sys.argv = ['ldap-workbench', 'tails', sys.argv[1]]\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code\n"
        "print(sorted({'rich', 'duckdb', 'numpy.ma', 'PySide6'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1:] == ["[]"], done.stderr
