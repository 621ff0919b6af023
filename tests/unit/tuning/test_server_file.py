"""Files of a server are replaced by a real sh: whole or not at all, and never through a link."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ldap_workbench.connect.commands import PROGRAM, command_line
from ldap_workbench.model.errors import CommandError
from ldap_workbench.tuning.server_file import ServerFile
from tests.systems import IS_ROOT

as_root = pytest.mark.skipif(not IS_ROOT, reason="only root becomes the owner of a file")
NOBODY = 65534


class FailedError(Exception):
    """What a command said that did not end with 0."""


def run(argv: list[str], stdin: bytes) -> bytes:
    done = subprocess.run(argv, input=stdin, capture_output=True, check=False)
    if done.returncode:
        raise FailedError(done.stderr.decode())
    return done.stdout


@pytest.fixture
def path() -> Iterator[Path]:
    """A file as a package leaves it, in a folder of the server's account.

    Not below pytest's own folders: those are root's alone, and any other pytest that starts makes
    them so again.
    """
    with TemporaryDirectory() as home:
        os.chmod(home, 0o755)
        folder = Path(home) / "slapd-x"
        folder.mkdir(mode=0o750)
        path = folder / "dse.ldif"
        path.write_bytes(b"old\n")
        path.chmod(0o640)
        if IS_ROOT:
            os.chown(folder, NOBODY, NOBODY)
            os.chown(path, NOBODY, NOBODY)
        yield path


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """What only we may write."""
    victim = tmp_path / "shadow"
    victim.write_bytes(b"root's own")
    victim.chmod(0o600)
    return victim


def state(path: Path) -> tuple[int, int, int, bytes]:
    found = path.stat()
    return found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode), path.read_bytes()


@given(data=st.binary(min_size=1, max_size=2000))
@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_is_put_is_there_to_the_byte_with_owner_and_rights(path: Path, data: bytes) -> None:
    before = state(path)
    file = ServerFile(str(path), run)
    file.put(data)
    assert state(path) == (*before[:3], data)
    assert file.read() == data
    assert list(path.parent.iterdir()) == [path]


def test_a_copy_is_kept_put_back_and_forgotten(path: Path) -> None:
    before, file, copy = state(path), ServerFile(str(path), run), f"{path}.before-1"
    file.keep(copy)
    file.put(b"new")
    assert state(Path(copy)) == before
    file.restore(copy)
    assert state(path) == before
    file.forget(copy)
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_is_absent_is_made_and_absent_again(path: Path) -> None:
    """It belongs to the owner of its folder, and nobody else may read it."""
    account = path.stat().st_uid
    path.unlink()
    file, copy = ServerFile(str(path), run), f"{path}.before-1"
    assert file.read() == b""
    file.keep(copy)
    file.put(b"new")
    assert state(path) == (account, path.stat().st_gid, 0o600, b"new")
    file.restore(copy)
    assert not path.exists()
    file.put(b"new")
    file.put(b"")
    file.forget(copy)
    assert list(path.parent.iterdir()) == []


def test_without_its_copy_a_file_stays(path: Path) -> None:
    before = state(path)
    with pytest.raises(FailedError):
        ServerFile(str(path), run).restore(f"{path}.before-1")
    assert state(path) == before


def test_less_than_was_sent_is_not_put(path: Path) -> None:
    """As when the link breaks while the text is on its way."""
    before = state(path)
    cut = ServerFile(str(path), lambda argv, stdin: run(argv, stdin[:3]))
    with pytest.raises(FailedError):
        cut.put(b"a new text")
    assert state(path) == before
    assert list(path.parent.iterdir()) == [path]


def test_a_link_in_the_place_of_the_copy_is_replaced_not_followed(path: Path, victim: Path) -> None:
    before, copy = state(victim), Path(f"{path}.before-1")
    copy.symlink_to(victim)
    ServerFile(str(path), run).keep(str(copy))
    assert state(victim) == before
    assert not copy.is_symlink()


def test_a_folder_in_the_place_of_the_copy_is_told(path: Path) -> None:
    copy = Path(f"{path}.before-1")
    copy.mkdir()
    with pytest.raises(FailedError):
        ServerFile(str(path), run).keep(str(copy))
    assert sorted(path.parent.iterdir()) == [path, copy]


@as_root
def test_a_link_in_the_place_of_the_file_reads_and_writes_nothing_of_root(
    path: Path, victim: Path
) -> None:
    before, file = state(victim), ServerFile(str(path), run)
    path.unlink()
    path.symlink_to(victim)
    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    with pytest.raises(FailedError, match="Permission denied"):
        file.read()
    with pytest.raises(FailedError, match="Permission denied"):
        file.keep(f"{path}.before-1")
    assert state(victim) == before


@as_root
@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_a_file_of_root_in_a_folder_of_others_is_refused(path: Path, mode: int) -> None:
    os.chown(path, 0, 0)
    for owner in (0, NOBODY):
        os.chown(path.parent, owner, NOBODY)
        path.parent.chmod(mode)
        with pytest.raises(FailedError, match="others may write"):
            ServerFile(str(path), run).put(b"new")
    os.chown(path.parent, 0, 0)
    path.parent.chmod(0o755)
    ServerFile(str(path), run).put(b"new")
    assert path.read_bytes() == b"new"


def test_a_path_that_is_none_is_refused() -> None:
    with pytest.raises(CommandError, match="not used as a path"):
        ServerFile("dse.ldif", run)
    with pytest.raises(CommandError, match="not used as a path"):
        ServerFile("/etc/dirsrv/dse.ldif", run).keep("/etc/dirsrv/dse.ldif.before\n1")


def test_it_is_a_script_that_the_hosts_own_program_may_have(path: Path) -> None:
    lines: list[list[str]] = []
    ServerFile(str(path), lambda argv, _: lines.append(argv) or b"").keep(f"{path}.before-1")
    argv = command_line(lines[0], sudo=True, installed=lines[0][2])
    assert argv[3:] == [PROGRAM, "server-file", str(path), "keep", "before-1"]
