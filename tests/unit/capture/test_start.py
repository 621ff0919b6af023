"""An import of files starts quickly: what only links to servers need is not loaded."""

import subprocess
import sys

PROGRAM = """
import sys
import ldap_workbench.cli.importing
print([name for name in ("ldap3", "paramiko", "PySide6") if name in sys.modules])
"""


WINDOW = """
import sys
from ldap_workbench import cli
from ldap_workbench.gui import app
later = ("ldap3", "paramiko", "keyring", "typer", "rich", "pydantic", "pyqtgraph", "duckdb")
sys.argv = ["ldap-workbench"]
later += ("ldap_workbench.advice", "ldap_workbench.experiment", "ldap_workbench.gui.screens.tails")
app.run = lambda paths, smoke: print([n for n in later if n in sys.modules]) or 0
cli.main()
"""


def test_a_window_is_there_before_what_its_screens_need():
    done = subprocess.run(
        [sys.executable, "-c", WINDOW], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


BROKEN = """
import sys
from ldap_workbench import cli
from ldap_workbench.gui import app
from ldap_workbench.model.errors import ProfileError
def run(paths, smoke):
    raise ProfileError("The profiles cannot be read.", remedy="Mend the file.")
app.run = run
sys.argv = ["ldap-workbench"]
cli.main()
"""


def test_a_window_that_cannot_start_says_why():
    done = subprocess.run([sys.executable, "-c", BROKEN], capture_output=True, text=True)
    assert done.returncode == 1
    assert "The profiles cannot be read." in done.stderr
    assert "Traceback" not in done.stderr


def test_an_import_of_files_loads_no_links_and_no_compiler():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


TAILS = """
import sys
import ldap_workbench.cli.sessions
later = ("model.verdict", "session.writer", "inference.significance", "inference.verdict")
print([n for n in later if f"ldap_workbench.{n}" in sys.modules], "rich.progress" in sys.modules)
"""


def test_the_tails_of_a_session_need_neither_a_writer_nor_a_verdict():
    done = subprocess.run([sys.executable, "-c", TAILS], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] False"
