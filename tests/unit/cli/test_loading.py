"""What a command loads is not looked through for garbage, its own work is."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import contextlib, gc, sys
from ldap_workbench.cli import main
sys.argv = ["ldap-workbench", "windows", "/not/there.ldapwb"]
with contextlib.suppress(SystemExit):
    main()
print(gc.isenabled(), gc.get_freeze_count() > 10_000)
"""


def test_the_collector_rests_while_a_command_is_loaded() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "True"], done.stderr
