"""Ctrl-C before a command has begun: its process ends with a status, not in a stack of lines."""

from __future__ import annotations

import subprocess
import sys

_CTRL_C_WHILE_LOADING = """
import sys
from ldap_workbench.cli import process

class CtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt

sys.meta_path.insert(0, CtrlC())
sys.argv = ["ldap-workbench", "windows", "a.ldapwb"]
process()
"""


def test_ctrl_c_while_modules_are_loaded_is_a_status() -> None:
    argv = [sys.executable, "-c", _CTRL_C_WHILE_LOADING]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (130, "")


def test_nothing_is_searched_for_before_ctrl_c_is_caught() -> None:
    code = (
        "import sys; known = {*sys.modules, *sys.builtin_module_names}\n"
        "import ldap_workbench.cli; print(*sorted({*sys.modules} - known))"
    )
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert loaded.split() == ["ldap_workbench", "ldap_workbench.cli"]
