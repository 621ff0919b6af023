"""The first use compiles; a folder that cannot be written is no error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ldap_workbench.logs.kernel.scan import scan
from ldap_workbench.logs.warm import warm_up
from ldap_workbench.model.progress import Progress


def test_warm_up_compiles_the_scanner_and_says_so() -> None:
    said: list[Progress] = []
    warm_up(said.append)
    assert scan.signatures  # type: ignore[attr-defined]
    assert said[-1].fraction == 1.0


@pytest.mark.slow
def test_without_a_writable_folder_it_still_compiles(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(blocked), "HOME": str(blocked)}
    code = (
        "from ldap_workbench.logs.kernel import compiled;"
        "f = compiled.inner(lambda a: a + 1); print('ok')"
    )
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True)
    assert done.stdout.strip() == b"ok", done.stderr
