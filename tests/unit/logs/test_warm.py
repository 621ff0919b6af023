"""The kernel as machine code: shipped, from numba, or checked in Python; one behaviour."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ldap_workbench.logs.access.kernel import shipped
from ldap_workbench.logs.access.kernel.ship import MACHINES
from ldap_workbench.logs.access.warm import warm_up
from ldap_workbench.model.progress import Progress
from ldap_workbench.resources import resource

ON_LINUX = pytest.mark.skipif(
    f"{sys.platform}-{platform.machine()}" not in MACHINES, reason="no machine code is shipped here"
)

PROGRAM = """
import sys
from ldap_workbench.logs.access.kernel import entries
from ldap_workbench.logs.access.scanner import Scanner
from ldap_workbench.logs.access.warm import warm_up
warm_up()
print(entries.SHIPPED, 'llvmlite' in sys.modules, 'numba' in sys.modules)
stamp = '[21/Nov/2026:02:20:00.151797648 +0000] conn=7 op=%d '
text = ''.join(
    stamp % i + 'SRCH base="dc=%d" scope=2 filter="(uid=a)"\\n' % i + stamp % i
    + 'RESULT err=0 tag=101 nentries=3 wtime=0.1 optime=0.2 etime=0.%09d\\n' % i
    for i in range(40)
)
scanner = Scanner()
operations = scanner.feed(text.encode())
print(operations.etime_ns.sum(), list(operations.bases)[-1])
print(all(text[at:].startswith(stamp % i + 'SRCH') for i, at in enumerate(operations.request_at)))
print(scanner.counts)
"""
EXPECTED = "780 dc=39\nTrue\nLineCounts(understood=80, set_aside=0, unknown=0, reasons={})"


def run(**environment: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    first, _, rest = done.stdout.partition("\n")
    assert rest.strip() == EXPECTED
    return first.split()


def test_shipped_code_is_of_these_sources() -> None:
    forgotten = "run: python -m ldap_workbench.logs.access.kernel.ship"
    assert shipped.shipped_code() is not None, forgotten
    wanted = {Path(shipped.library_name(machine)).name for machine in MACHINES}
    assert {path.name for path in resource("kernel").glob("*.so")} == wanted, forgotten


def test_only_the_first_use_makes_one_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    warm_up()
    said: list[Progress] = []
    warm_up(said.append)
    assert not said
    monkeypatch.setattr(shipped, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(shipped, "WAY", "llvm")
    warm_up(said.append)
    assert [str(progress.text) for progress in said] == [
        "Preparing the log reader (once on this machine)"
    ]


@pytest.mark.parametrize("room", ["gui.shell.window", "cli.importing", "capture.importing.logs"])
def test_nothing_is_translated_when_a_program_starts(room: str) -> None:
    """That takes seconds the first time: it is the work of a job, under its progress."""
    ask = (
        f"import sys, ldap_workbench.{room}; from ldap_workbench.logs.access.kernel import entries;"
        "print('scan' in vars(entries), 'llvmlite' in sys.modules, 'numba' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", ask],
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["False", "False", "False"], done.stderr


@ON_LINUX
def test_machine_code_needs_no_compiler_and_no_cache(tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    assert run(XDG_CACHE_HOME=cache, LDAP_WORKBENCH_KERNEL="") == ["True", "False", "False"]
    assert not Path(cache).exists()


DAMAGES = [b"", b"no machine code", 1000]
"""What a kept file may hold instead, or so many of its own bytes."""


@pytest.mark.parametrize("damages", [[], pytest.param(DAMAGES, marks=pytest.mark.full)])
def test_translated_code_needs_no_numba(tmp_path: Path, damages: list[bytes | int]) -> None:
    cache = str(tmp_path / "cache")
    translated = ["True", "True", "False"]
    assert run(XDG_CACHE_HOME=cache, LDAP_WORKBENCH_KERNEL="llvm") == translated
    kept = list(Path(cache).rglob("*.code"))
    assert len(kept) == 1
    assert run(XDG_CACHE_HOME=cache, LDAP_WORKBENCH_KERNEL="llvm") == translated
    whole = kept[0].read_bytes()
    for damage in damages:
        kept[0].write_bytes(whole[:damage] if isinstance(damage, int) else damage)
        assert run(XDG_CACHE_HOME=cache, LDAP_WORKBENCH_KERNEL="llvm") == translated
        assert kept[0].read_bytes() == whole


@pytest.mark.full  # it translates once more; a folder that is out of reach is in every run, below
def test_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    ended = run(XDG_CACHE_HOME=str(blocked), LDAP_WORKBENCH_KERNEL="llvm")
    assert ended == ["True", "True", "False"]


def test_folder_that_may_not_be_looked_into_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = os.stat

    def refused(path: Any, *arguments: Any, **more: Any) -> os.stat_result:
        if str(path).startswith(str(tmp_path)):
            raise PermissionError(13, "Permission denied", path)
        return looked(path, *arguments, **more)

    monkeypatch.setattr(shipped, "cache_folder", lambda: tmp_path / "of somebody else")
    monkeypatch.setattr(os, "stat", refused)
    monkeypatch.setattr(shipped, "WAY", "llvm")
    assert not shipped.is_kept()


def test_interpreted_and_checked() -> None:
    assert run(LDAP_WORKBENCH_KERNEL="python")[0] == "False"


@pytest.mark.slow
@pytest.mark.full
def test_numba_compiles_the_same() -> None:
    assert run(LDAP_WORKBENCH_KERNEL="numba") == ["False", "True", "True"]


def test_a_machine_without_code_and_numba_is_told_what_to_install() -> None:
    ask = (
        "import sys; sys.modules['numba'] = sys.modules['llvmlite.binding'] = None\n"
        "from ldap_workbench.model.errors import LogError\n"
        "from ldap_workbench.logs.access.warm import warm_up\n"
        "try: warm_up()\n"
        "except LogError as error: print(error.remedy)"
    )
    done = subprocess.run(
        [sys.executable, "-c", ask],
        env=os.environ | {"LDAP_WORKBENCH_KERNEL": "llvm"},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "Install what makes it: pip install llvmlite numba\n", done.stderr
