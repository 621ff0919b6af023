"""Directory servers in Java, from Maven Central: kept outside the checkout, fetched once."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest

_CACHE = Path(os.environ.get("LDAP_WORKBENCH_SUITES", "/var/cache/ldap-workbench-lab"))
_CENTRAL = "https://repo1.maven.org/maven2"


def fetched(artefact: str, sha256: str) -> Path:
    """The file of an artefact, `GROUP/NAME/VERSION/FILE`; the test is skipped where it cannot be
    had, and where there is no Java to run it."""
    if not shutil.which("java"):
        pytest.skip("Java is not installed: apt-get install default-jre-headless")
    try:
        _CACHE.mkdir(parents=True, exist_ok=True)
        with (_CACHE / "java.lock").open("w") as lock:
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)  # two runs of tests fetch it once
            path = _CACHE / artefact.rpartition("/")[2]
            if not path.exists():
                _fetch(f"{_CENTRAL}/{artefact}", path)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"{artefact} cannot be fetched from Maven Central: {error}")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    assert found == sha256, f"{path} is another file than the one tried: {found}"
    return path


def _fetch(url: str, path: Path) -> None:
    draft = path.with_suffix(".part")
    argv = ["curl", "--fail", "--silent", "--show-error", "--location", "-o", str(draft), url]
    subprocess.run(argv, check=True, timeout=300)
    draft.rename(path)
