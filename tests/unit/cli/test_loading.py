"""What a command loads is not looked through for garbage, its own work is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ldap_workbench.session import SessionWriter

PROGRAM = """
import gc, sys
from pathlib import Path
from ldap_workbench.cli import main
from ldap_workbench.session import Session
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
