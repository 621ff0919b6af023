"""Sessions recorded in our own lab that come with the workbench, opened as a read-only copy."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

import zstandard

from ldap_workbench.connect.folders import cache_folder
from ldap_workbench.files import replace
from ldap_workbench.model.message import Message
from ldap_workbench.resources import resource


@dataclass(frozen=True)
class Sample:
    """A recording: what it is called, what it is, its file in resources/samples, its copy's."""

    title: Message
    about: Message
    file: str
    name: str

    @property
    def path(self) -> Path:
        """Where its copy is, or will be."""
        return cache_folder() / self.name

    def copy(self) -> Path:
        """Write the session where this user's files are; gives its path. The copy is read-only.

        One that is there is taken as it is, for a window may have it open. Raises OSError.
        """
        path = self.path
        packed = resource(f"samples/{self.file}").read_bytes()
        size = zstandard.frame_content_size(packed)
        if not path.exists() or path.stat().st_size != size:
            new = path.with_name(f".{path.name}.{os.getpid()}")
            new.write_bytes(zstandard.decompress(packed))
            new.chmod(0o400)
            replace(new, path)
        return path


def samples() -> list[Sample]:
    """All recordings, the one to look at first in front."""
    listed = tomllib.loads(resource("samples/samples.toml").read_text("utf-8"))
    return [_sample(**entry) for entry in listed["sample"]]


def _sample(title: str, about: str, file: str, name: str) -> Sample:
    # By name: the text of a key in brackets would be taken for one to translate.
    return Sample(Message(title), Message(about), file, name)
