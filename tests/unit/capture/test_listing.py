"""The files of a log are listed by a few processes on the host, with the first bytes of each."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import subprocess
from pathlib import Path

import pytest
import zstandard

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.past.host_files import HostFiles
from ldap_workbench.capture.past.host_scripts import HEAD, LIST
from ldap_workbench.connect.commands import host_path
from ldap_workbench.connect.local import LocalShell
from ldap_workbench.model.errors import CommandError
from ldap_workbench.model.progress import Cancel

PACKERS = {
    "gz": gzip.compress,
    "xz": lzma.compress,
    "zst": zstandard.compress,
    "bz2": bz2.compress,
}


def text(number: int, lines: int = 400) -> bytes:
    return b"".join(b"file %d, line %d, whatever it says\n" % (number, n) for n in range(lines))


def listed(log: Path, since_s: int = 0) -> dict[str, bytes]:
    """Name and head of each file."""
    parts = HostFiles(HostLink(LocalShell, Cancel(), 0.0), str(log), Cancel()).listed(since_s)
    assert {part.inode for part in parts} == {Path(part.path).stat().st_ino for part in parts}
    assert len({part.path for part in parts}) == len(parts)
    assert {part.size for part in parts} == {Path(part.path).stat().st_size for part in parts}
    return {Path(part.path).name: part.head for part in parts}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "logs of a server" / "access"
    path.parent.mkdir()
    path.write_bytes(text(0))
    return path


def rotated(log: Path, count: int) -> None:
    for number in range(1, count + 1):
        log.with_name(f"access.{number}").write_bytes(text(number))


def counted_processes(folder: Path, monkeypatch: pytest.MonkeyPatch, log: Path) -> int:
    """How many programs the shell starts for one listing."""
    started = folder / "started"
    started.write_bytes(b"")
    for name in (
        "cat",
        "dd",
        "date",
        "base64",
        "cut",
        "gzip",
        "head",
        "sed",
        "sort",
        "stat",
        "tail",
        "xz",
    ):
        program = folder / name
        program.write_text(f'#!/bin/sh\necho >>{started}\nexec {shutil.which(name)} "$@"\n')
        program.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        listed(log)
    return len(started.read_bytes())


def test_more_files_take_no_more_processes(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    few = counted_processes(programs, monkeypatch, log)
    rotated(log, 100)
    for number in range(101, 151):
        log.with_name(f"access.{number}.gz").write_bytes(gzip.compress(text(number)))
    assert few == counted_processes(programs, monkeypatch, log) == 7
    assert len(listed(log)) == 151


def traced_commands(log: Path, since_s: int) -> int:
    """About how many commands, its own among them, the shell runs for one listing."""
    argv = ["sh", "-x", *LIST.argv(host_path(str(log)), since_s)[1:]]
    done = subprocess.run(argv, capture_output=True, check=True)
    assert done.stdout.endswith(b"\0whole\0")
    return sum(line.startswith(b"+") for line in done.stderr.splitlines())


def test_files_that_were_rotated_long_ago_are_no_work_for_the_shell(log: Path) -> None:
    """2,000 of them took a second of a processor at every rotation: the shell looked at each."""
    os.utime(log, (5000, 5000))
    rotated(log, 3)
    for number in (1, 2, 3):
        os.utime(log.with_name(f"access.{number}"), (4000, 4000))
    few = traced_commands(log, 4500)
    rotated(log, 200)
    for number in range(1, 201):
        os.utime(log.with_name(f"access.{number}"), (4000, 4000))
    # Parts of a pipe write over each other, so that a few lines begin elsewhere.
    assert traced_commands(log, 4500) < few + 100
    assert listed(log, 4500).keys() == {"access"}


@pytest.mark.parametrize("packer", PACKERS)
def test_a_packed_file_is_known_by_its_text(log: Path, packer: str) -> None:
    if packer in ("zst", "bz2") and not shutil.which({"zst": "zstd", "bz2": "bzip2"}[packer]):
        pytest.skip("the host cannot unpack it")
    log.with_name(f"access.1.{packer}").write_bytes(PACKERS[packer](text(1)))
    log.with_name(f"access.2.{packer}").write_bytes(PACKERS[packer](text(2, lines=3)))
    log.with_name("access.3").write_bytes(text(3))
    assert listed(log) == {
        "access": text(0)[:HEAD],
        f"access.1.{packer}": text(1)[:HEAD],
        f"access.2.{packer}": text(2, lines=3),
        "access.3": text(3)[:HEAD],
    }


def test_a_packed_file_that_is_damaged_or_in_the_making_has_no_head(log: Path) -> None:
    log.with_name("access.1.gz").write_bytes(gzip.compress(text(1))[:12])
    log.with_name("access.2.gz").write_bytes(b"\x1f\x8b\x08\x00 no gzip at all")
    log.with_name("access.3.gz").write_bytes(b"")
    assert listed(log) | {"access": b""} == dict.fromkeys(
        ["access", "access.1.gz", "access.2.gz", "access.3.gz"], b""
    )


def test_heads_are_what_the_files_begin_with_zeros_and_all(log: Path) -> None:
    log.write_bytes(bytes(3000))
    log.with_name("access.1").write_bytes(b"")
    log.with_name("access.2").write_bytes(b"a\0\0")
    assert listed(log) == {"access": bytes(HEAD), "access.1": b"", "access.2": b"a\0\0"}


def test_names_that_could_confuse_a_listing_are_passed_over(log: Path) -> None:
    for name in ("access.1\n7 7 9 9 x y\n", "access\\n.1", "access.1 ", "access.d", "access.-"):
        log.with_name(name).write_bytes(b"x")
    log.with_name("access.7").mkdir()
    log.with_name("access.8").symlink_to(log)
    rotated(log, 1)
    assert listed(log) == {"access": text(0)[:HEAD], "access.1": text(1)[:HEAD]}


def test_only_what_was_written_since_is_listed_and_the_log(log: Path) -> None:
    rotated(log, 2)
    os.utime(log.with_name("access.1"), (1000, 1000))
    os.utime(log, (1000, 1000))
    assert listed(log, 1001).keys() == {"access", "access.2"}


def test_a_listing_whose_heads_do_not_fit_is_no_listing(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that gives less than its size says."""
    program = tmp_path / "bin" / "head"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nprintf x\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    with pytest.raises(CommandError):
        listed(log)


def test_a_file_rotated_in_one_look_and_packed_in_the_next_is_listed(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither look sees it: each has the name of a file that is gone when it is looked at."""
    programs = tmp_path / "bin"
    programs.mkdir()
    stat = programs / "stat"
    stat.write_text(
        f"""#!/bin/sh
if [ ! -e "{programs}/once" ]; then
  : >"{programs}/once"; mv "{log}" "{log}.1"; : >"{log}"
elif [ -e "{log}.1" ]; then
  gzip "{log}.1"
fi
exec {shutil.which("stat")} "$@"
"""
    )
    stat.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
        assert listed(log) == {"access": b"", "access.1.gz": text(0)[:HEAD]}


def programs(folder: Path, monkeypatch: pytest.MonkeyPatch, **scripts: str) -> None:
    """Programs of the host that do something of their own before, or instead of, the real ones."""
    folder.mkdir()
    for name, text in scripts.items():
        program = folder / name
        program.write_text("#!/bin/sh\n" + text.format(real=shutil.which(name)))
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")


COMMAS = "{real} \"$@\" | sed 's/\\.\\([0-9]\\{{9\\}}\\)/,\\1/g'\n"


@pytest.mark.parametrize("stat", [COMMAS, "exit 1\n"])
def test_a_listing_that_is_not_understood_is_said_to_be_that(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stat: str
) -> None:
    rotated(log, 2)
    programs(tmp_path / "bin", monkeypatch, stat=stat)
    with pytest.raises(CommandError, match="is not understood") as failed:
        listed(log)
    assert "GNU or busybox" in str(failed.value.remedy)


def test_heads_that_are_not_base64_are_said_to_be_that(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs(tmp_path / "bin", monkeypatch, base64="cat >/dev/null; echo '[odd]'\n")
    with pytest.raises(CommandError, match=r"prints '\[odd\]', which is not understood"):
        listed(log)


def test_numbers_and_dates_are_listed_as_in_the_c_locale(
    log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    commas = '[ "$LC_ALL" = C ] && exec {real} "$@"\n' + COMMAS
    programs(tmp_path / "bin", monkeypatch, stat=commas)
    assert list(listed(log)) == ["access"]
