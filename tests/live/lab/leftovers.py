"""Labs whose program was killed: the next lab that starts ends and removes them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

PREFIX = "ldap-workbench-lab-"
_OWNER = "owner"


def sign(folder: Path, user: str) -> None:
    """Note in the lab's folder which process it belongs to, and the login made for it, if any."""
    (folder / _OWNER).write_text(f"{os.getpid()} {_started(os.getpid())} {user}\n")


def sweep() -> None:
    """Remove the labs of this user whose process is gone."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        owner = folder / _OWNER
        if not owner.is_file() or owner.stat().st_uid != os.geteuid():
            continue
        pid, started, user = owner.read_text().strip("\n").split(" ")
        if _started(int(pid)) != started:
            _remove(folder, user)


def _started(pid: int) -> str:
    """When a process was started, in ticks since boot; '' where there is none of this number."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[19]
    except FileNotFoundError:
        return ""


def _remove(folder: Path, user: str) -> None:
    control, pidfile = folder / "ds" / "control", folder / "sshd" / "sshd.pid"
    if control.exists():
        subprocess.run([str(control), "stop"], capture_output=True, timeout=120, check=False)
    if pidfile.exists():
        _end_sshd(int(pidfile.read_text()), folder)
    if user:
        (Path("/etc/sudoers.d") / f"ldap-workbench-{user}").unlink(missing_ok=True)
        subprocess.run(["userdel", "-f", "-r", user], capture_output=True, check=False)
    shutil.rmtree(folder, ignore_errors=True)


def _end_sshd(pid: int, folder: Path) -> None:
    """By its number, if that is still this lab's sshd."""
    try:
        if str(folder).encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGTERM)
    except (FileNotFoundError, ProcessLookupError):
        return
