"""What a command left behind: processes here and on the host, locks, files."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pwd
import signal
import time
from collections.abc import Callable
from pathlib import Path

_PATIENCE_S = 60.0
"""sshd notices a connection that ended at its next write; iostat writes once a second, later where
the machine is busy. Only what is left behind is waited for as long."""


def processes(mark: str, user: str | None, server_folder: str) -> list[str]:
    """Command lines of what was started for this seed here (`mark`) or on the host for it.

    On the host: whatever the login runs, and whatever reads below the server's folder.
    """
    uid = pwd.getpwnam(user).pw_uid if user else -1
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            told = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            ours = mark in told or mark.encode() in (path / "environ").read_bytes()
            reads = server_folder in told and "ns-slapd" not in told and " -m tests." not in told
            if told and not _is_zombie(path) and (ours or reads or path.stat().st_uid == uid):
                found.append(f"{path.name} {told.strip()[:160]}")
    return found


def end(mark: str) -> None:
    """End what was started here for this seed: it must not disturb the next one."""
    ours = (f"--mark\0{mark}\0".encode(), f"FAULTS_MARK={mark}\0".encode())
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            told = (path / "cmdline").read_bytes() + (path / "environ").read_bytes()
            if any(sign in told for sign in ours):
                os.kill(int(path.name), signal.SIGKILL)


def _is_zombie(path: Path) -> bool:
    return (path / "stat").read_text().rpartition(") ")[2].startswith("Z")


def until_none(look: Callable[[], list[str]], patience_s: float = _PATIENCE_S) -> list[str]:
    """What is still there after a while."""
    end = time.monotonic() + patience_s
    while (found := look()) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def held_locks(home: Path) -> list[str]:
    """Lock files of a user's folder that somebody still holds."""
    held = []
    for path in (home / "state").rglob("*lock"):
        with path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                held.append(f"lock {path.name}: {file.read(99).decode(errors='replace')}")
    return held


_DRAFT = ".session-"
"""A session is made in a folder of this name; one that a kill left goes with the next session."""
_WANTED = ("profiles.toml", "holder", "known_hosts", "journal.sqlite", "journal.sqlite-wal",
           "journal.sqlite-shm", "history.jsonl", "ballast")  # fmt: skip


def files(home: Path, sessions: Path, temporary: Path, session: str, *, killed: bool) -> list[str]:
    """Files in the folders of a user that no one should find there afterwards.

    The log of a session that could not be closed stays beside it until it is opened for writing.
    """
    allowed = {session, f"{session}.wal"} if killed else {session}
    left = [path for path in temporary.rglob("*") if path.is_file()]
    left += [p for p in sessions.iterdir() if p.name not in allowed and p.name not in _WANTED
             and not (killed and p.name.startswith(_DRAFT))]  # fmt: skip
    for folder in (home / "config", home / "state"):
        left += [p for p in folder.rglob("*") if p.is_file() and not _belongs(p)]
    return [f"file {path}" for path in left]


def _belongs(path: Path) -> bool:
    return (
        path.name in _WANTED or path.parent.name in ("locks", "crashes") or path.suffix == ".lock"
    )
