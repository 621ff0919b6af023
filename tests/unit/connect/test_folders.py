"""Files of the user's are written whole, and outlive a power cut."""

import os
import stat

import pytest

from ldap_workbench.connect.folders import write_atomically


@pytest.mark.posix("folders are synced on POSIX only")
def test_the_file_is_synced_before_it_gets_its_name_and_the_folder_after(tmp_path, monkeypatch):
    path, steps = tmp_path / "profiles.toml", []
    fsync = os.fsync

    def note(descriptor: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
        steps.append(("folder" if is_folder else "file", path.exists()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    write_atomically(path, "text")
    assert steps == [("file", False), ("folder", True)]
    assert path.read_text() == "text"
