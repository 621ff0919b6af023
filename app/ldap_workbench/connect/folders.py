"""Where the workbench keeps what belongs to its user: profiles, host keys, journal.

`LDAP_WORKBENCH_HOME` names one folder that holds them all; without it they are where the operating
system wants them.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

_NAME = "ldap-workbench"


def config_folder() -> Path:
    """Folder of profiles.toml and known_hosts."""
    return _folder("config", platformdirs.user_config_dir(_NAME, appauthor=False))


def state_folder() -> Path:
    """Folder of the journal of changes."""
    return _folder("state", platformdirs.user_state_dir(_NAME, appauthor=False))


def cache_folder() -> Path:
    """Folder of what can be made again."""
    return _folder("cache", platformdirs.user_cache_dir(_NAME, appauthor=False))


def _folder(kind: str, of_the_system: str) -> Path:
    """Made where it is missing, for its owner alone."""
    home = os.environ.get("LDAP_WORKBENCH_HOME")
    folder = Path(home) / kind if home else Path(of_the_system)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def write_atomically(path: Path, text: str) -> None:
    """Write a file whole, for its owner alone: after a crash it is the old one or the new one."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
