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
    """Folder of profiles.toml and known_hosts; need not exist yet."""
    return _folder("config", platformdirs.user_config_dir(_NAME, appauthor=False))


def state_folder() -> Path:
    """Folder of the journal of changes; need not exist yet."""
    return _folder("state", platformdirs.user_state_dir(_NAME, appauthor=False))


def cache_folder() -> Path:
    """Folder of what can be made again; need not exist yet."""
    return _folder("cache", platformdirs.user_cache_dir(_NAME, appauthor=False))


def _folder(kind: str, of_the_system: str) -> Path:
    home = os.environ.get("LDAP_WORKBENCH_HOME")
    return Path(home) / kind if home else Path(of_the_system)


def private_folder(folder: Path) -> Path:
    """Make a folder that only its owner may enter, and hand it back."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
