"""One version, and a release that refuses what it cannot vouch for."""

import re
import runpy
import subprocess
import tomllib
from pathlib import Path
from types import SimpleNamespace

from ldap_workbench import __version__

ROOT = Path(__file__).parents[3]


def test_the_version_is_written_in_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    for path in (ROOT / "packaging").rglob("*"):
        if path.is_file() and path.suffix != ".lock" and path.parent.name != "__pycache__":
            assert not re.search(rf"\b{re.escape(__version__)}\b", path.read_text()), path


def checkout(tmp_path, changelog):
    """A repository with what packaging/release reads before it builds anything."""
    for name in ("packaging/release", "app/ldap_workbench/__init__.py"):
        copy = tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())
        copy.chmod(0o755)
    (tmp_path / "CHANGELOG.md").write_text(changelog)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com", "-C", str(tmp_path)]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *words], check=True)
    return tmp_path


def refused(folder):
    done = subprocess.run([folder / "packaging/release"], capture_output=True, text=True)
    assert done.returncode == 1
    assert not (folder / "dist").exists()
    return done.stderr


def test_a_version_without_its_section_of_the_changelog_is_not_released(tmp_path):
    folder = checkout(tmp_path, "# Changelog\n\n## Unreleased\n\n- more\n")
    assert f"no section '## {__version__}'" in refused(folder)


def test_uncommitted_changes_are_not_released(tmp_path):
    folder = checkout(tmp_path, f"# Changelog\n\n## {__version__}\n\n- more\n")
    (folder / "more").touch()
    assert "Uncommitted changes" in refused(folder)


def test_licences_are_texts_and_no_modules_that_are_named_alike(tmp_path):
    texts = runpy.run_path(str(ROOT / "packaging" / "licences.py"))["_texts"]
    names = ("LICENSE", "LICENSE.txt", "notices.py", "notices.cpython-311.pyc", "notices389.toml")
    for name in names:
        (tmp_path / name).touch()
    files = [
        SimpleNamespace(name=name, suffix=Path(name).suffix, locate=lambda n=name: tmp_path / n)
        for name in names
    ]
    found = texts(SimpleNamespace(files=files))
    assert [path.name for path in found] == ["LICENSE", "LICENSE.txt"]
