"""The window's settings of version 0.1 are taken over, and their file stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from ldap_workbench.gui.parts.style.theme import Scheme
from ldap_workbench.gui.workbench.settings import Settings
from tests.gui.watch import aside

WRITTEN = Path(__file__).parents[2] / "unit/packaging/from_0_1/window.ini"
"""Its recent sessions are in /home/anna; the geometry is 0, 5, 10, ... 255."""


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """The file in a home of its own, with the sessions that it names."""
    path = tmp_path / "window.ini"
    path.write_text(WRITTEN.read_text("utf-8").replace("/home/anna", str(tmp_path)), "utf-8")
    for name in ("sessions/checkpoint.ldapwb", "Müller & Söhne/rehash.ldapwb"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).touch()
    return path


def test_every_setting_is_taken_over_and_its_file_stays(earlier: Path) -> None:
    before = earlier.read_bytes()
    now = earlier.with_name("window.json")
    for _ in range(2):  # from the earlier file, then from the one of this version
        settings = Settings(now)
        assert settings.scheme is Scheme.DARK
        assert settings.read_only
        assert settings.slo_ms == 40.0
        assert settings.folder == earlier.parent / "sessions"
        assert [path.name for path in settings.recent] == ["checkpoint.ldapwb", "rehash.ldapwb"]
        assert settings.bytes("geometry").data() == bytes(range(0, 256, 5))
        settings.language = "de"
        with aside():
            settings.close()
    assert now.is_file()
    assert earlier.read_bytes() == before


def test_the_earlier_file_does_not_count_once_there_is_one_of_this_version(earlier: Path) -> None:
    now = earlier.with_name("window.json")
    now.write_text("{}")
    settings = Settings(now)
    assert not settings.read_only
    with aside():
        settings.close()
