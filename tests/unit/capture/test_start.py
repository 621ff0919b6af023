"""An import of files starts quickly: what only links to servers need is not loaded."""

import subprocess
import sys

PROGRAM = """
import sys
import ldap_workbench.cli.importing
print([name for name in ("ldap3", "paramiko", "numba", "PySide6") if name in sys.modules])
"""


WINDOW = """
import sys
import ldap_workbench.gui.app
print([name for name in ("ldap3", "paramiko", "keyring", "scipy.special") if name in sys.modules])
"""


def test_a_window_is_there_before_what_only_links_and_verdicts_need():
    done = subprocess.run(
        [sys.executable, "-c", WINDOW], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_an_import_of_files_loads_no_links_and_no_compiler():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
