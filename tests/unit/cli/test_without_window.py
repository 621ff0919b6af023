"""An installation without the window: the command alone, and a sentence where Qt is needed."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ldap_workbench import __version__
from ldap_workbench.cli.alone import needing_qt
from ldap_workbench.model.errors import UsageError

ROOT = Path(__file__).parents[3]
WITHOUT_QT = """
import sys
for name in ("PySide6", "shiboken6", "pyqtgraph"):
    sys.modules[name] = None
from ldap_workbench.cli import process
sys.argv = ["ldap-workbench", *sys.argv[1:]]
process()
"""


END_OF_A_DEMO = (
    WITHOUT_QT.partition("from")[0]
    + """
from pathlib import Path
from ldap_workbench.cli.demo import _show
_show(Path("demo.ldapwb"), headless=True)
"""
)


def command(*words, program=WITHOUT_QT):
    return subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("words", [(), ("open",)])
def test_the_window_says_how_to_get_it(words):
    done = command(*words)
    assert done.returncode == 2
    assert "pip install 'ldap-tuning-workbench[gui]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_command_needs_no_qt():
    assert command("--version").stdout.startswith("ldap-workbench ")


def test_a_demo_ends_well_without_its_screenshots():
    done = command(program=END_OF_A_DEMO)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("No screenshots. The window is not installed here")
    assert "pip install 'ldap-tuning-workbench[gui]'" in done.stdout


def test_a_library_of_the_system_that_qt_misses_is_named():
    said = "libGL.so.1: cannot open shared object file: No such file or directory"
    with (
        pytest.raises(UsageError, match=r"need libGL\.so\.1, .* apt-get install libgl1 "),
        needing_qt(),
    ):
        raise ImportError(said)
    with pytest.raises(ImportError, match="cannot import name"), needing_qt():
        raise ImportError("cannot import name 'x' from 'duckdb'", name="duckdb")


def test_another_missing_module_is_not_explained_away():
    with pytest.raises(ModuleNotFoundError), needing_qt():
        raise ModuleNotFoundError("no duckdb", name="duckdb")
    with pytest.raises(UsageError), needing_qt():
        raise ModuleNotFoundError("no Qt", name="PySide6.QtWidgets")


def test_the_wheel_holds_what_the_program_reads(tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = next(archive.read(n).decode() for n in names if n.endswith("METADATA"))
    kept = "ldap_workbench/resources/"
    assert f"{kept}knobs/389ds.toml" in names
    assert any(name.startswith(f"{kept}translations/") and name.endswith(".mo") for name in names)
    assert f"Requires-Dist: ldap-tuning-workbench-kernel=={__version__}" in metadata
    assert not [name for name in names if name.endswith((".so", ".rs"))], "it is of every system"
    assert not [name for name in names if name.startswith("tests/")]
    page = (ROOT / "docs/packaging.md").read_text(encoding="utf-8")
    said = re.search(r"\| wheel \| `packaging/build wheel` \| (\d+) MB \|", page)
    assert said
    assert round(wheel.stat().st_size / 1e6) == int(said[1]), "docs/packaging.md has another size"
    needed = [line for line in metadata.splitlines() if "pyside6" in line.lower()]
    assert needed
    assert all("extra == " in line for line in needed)
