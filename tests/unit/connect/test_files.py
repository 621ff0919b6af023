"""What systems do in ways of their own with files; each test holds on all of them."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ldap_workbench.files import replace, seize, sync

SEIZES = """
import sys
from ldap_workbench.files import seize
with open(sys.argv[1], "r+b") as file:
    seize(file)
"""


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """A file, and another that is to get its name."""
    path, new = tmp_path / "settings", tmp_path / "new"
    path.write_bytes(b"old")
    new.write_bytes(b"new")
    return path, new


def test_a_read_only_file_is_replaced(pair: tuple[Path, Path]) -> None:
    path, new = pair
    path.chmod(0o400)
    replace(new, path)
    assert path.read_bytes() == b"new"


def test_a_file_that_somebody_reads_for_a_moment_is_replaced(pair: tuple[Path, Path]) -> None:
    """A virus scanner of Windows does so with each file that has just been written."""
    path, new = pair
    with path.open("rb") as scanner:
        over = threading.Timer(0.2, scanner.close)
        over.start()
        replace(new, path)
        over.join()
    assert path.read_bytes() == b"new"


def test_what_is_not_there_cannot_get_a_name(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        replace(tmp_path / "none", tmp_path / "settings")


def test_a_lock_is_for_one_process_until_its_file_is_closed(pair: tuple[Path, Path]) -> None:
    path, _ = pair
    other = [sys.executable, "-c", SEIZES, str(path)]
    with path.open("r+b") as file:
        seize(file)
        assert subprocess.run(other, capture_output=True, check=False).returncode
        assert path.read_bytes() == b"old", "who has it is read by the others"
    assert not subprocess.run(other, capture_output=True, check=False).returncode


def test_files_and_folders_are_written_out(pair: tuple[Path, Path]) -> None:
    sync(pair[0])
    sync(pair[0].parent)
