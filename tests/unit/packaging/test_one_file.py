"""The tree of a package as one file, made of a small tree with the names of the real one."""

from __future__ import annotations

import re
import shutil
import subprocess
from configparser import ConfigParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ldap_workbench import __version__

ROOT = Path(__file__).parents[3]
NAME = "io.github.ldap_workbench.LdapWorkbench"


def tree(tmp_path: Path) -> Path:
    """A checkout with what the scripts read, and beside it the tree that they pack."""
    for name in ("flatpak", "flatpak-metadata", "appimage"):
        copied = tmp_path / "packaging/linux" / name
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "packaging/linux" / name, copied)
    (tmp_path / "dist").mkdir()
    (tmp_path / "app/ldap_workbench").mkdir(parents=True)
    shutil.copy(ROOT / "app/ldap_workbench/__init__.py", tmp_path / "app/ldap_workbench")
    share = tmp_path / "tree/usr/share"
    files = {
        tmp_path / "tree/opt/ldap-workbench/ldap-workbench": "#!/bin/sh\n",
        share / f"metainfo/{NAME}.metainfo.xml": metainfo(),
        share / "mime/packages/ldap-workbench.xml": "<mime-info/>",
        share / "applications/ldap-workbench.desktop": desktop_entry(),
        share / "icons/hicolor/scalable/apps/ldap-workbench.svg": icon(),
        share / "icons/hicolor/scalable/mimetypes/session.svg": icon(),
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "tree/opt/ldap-workbench/ldap-workbench").chmod(0o755)
    (tmp_path / "tree/usr/bin").mkdir()
    return tmp_path / "tree"


def desktop_entry() -> str:
    return (ROOT / "packaging/linux/ldap-workbench.desktop").read_text()


def metainfo() -> str:
    return (ROOT / "packaging/linux/ldap-workbench.metainfo.xml.in").read_text()


def icon() -> str:
    return (ROOT / "resources/icons/ldap-workbench.svg").read_text()


def packed(kind: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [folder.parent / "packaging/linux" / kind, folder],
        env={"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": "1700000000", **more},
        capture_output=True,
        text=True,
    )


def test_a_flatpak_may_reach_what_the_program_talks_to() -> None:
    about = ConfigParser()
    about.optionxform = str
    about.read(ROOT / "packaging/linux/flatpak-metadata")
    assert about["Application"]["name"] == ElementTree.fromstring(metainfo()).findtext("id") == NAME
    assert set(about["Context"]["sockets"].split(";")) >= {"wayland", "fallback-x11", "ssh-auth"}
    text = (ROOT / "app/ldap_workbench/connect/desktop.py").read_text()
    for name in re.findall(r'"(org\.freedesktop\.\w+)"', text):
        assert about["Session Bus Policy"][name] == "talk"


@pytest.mark.skipif(not shutil.which("flatpak"), reason="needs flatpak")
def test_a_flatpak_shows_the_desktop_what_carries_its_name(tmp_path: Path) -> None:
    folder = tree(tmp_path)
    done = packed("flatpak", folder)
    assert done.returncode == 0, done.stderr
    (file,) = (tmp_path / "dist").iterdir()
    assert file.name.startswith(f"ldap-workbench-{__version__}-")
    assert file.suffix == ".flatpak"
    shown = {path.name for path in (folder / "export").rglob("*") if path.is_file()}
    ends = ("desktop", "xml", "metainfo.xml", "svg")
    assert shown == {f"{NAME}.{end}" for end in ends}
    entry = (folder / f"files/share/applications/{NAME}.desktop").read_text()
    assert f"\nIcon={NAME}\n" in entry
    said = ElementTree.parse(folder / f"files/share/metainfo/{NAME}.metainfo.xml").getroot()
    assert said.findtext("launchable") == f"{NAME}.desktop"
    assert said.findtext("icon") == NAME
    assert (folder / "files/bin/ldap-workbench").resolve().is_file()


def test_an_appimage_says_what_it_is_missing(tmp_path: Path) -> None:
    done = packed("appimage", tree(tmp_path))
    assert done.returncode == 1
    assert done.stderr.startswith("The runtime of AppImages is missing: set APPIMAGE_RUNTIME")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(not shutil.which("mksquashfs"), reason="needs squashfs-tools")
def test_an_appimage_is_its_runtime_and_the_tree(tmp_path: Path) -> None:
    runtime = tmp_path / "runtime"
    runtime.write_bytes(b"\x7fELF" + bytes(996))
    done = packed("appimage", tree(tmp_path), APPIMAGE_RUNTIME=str(runtime))
    assert done.returncode == 0, done.stderr
    (file,) = (tmp_path / "dist").iterdir()
    assert file.read_bytes().startswith(runtime.read_bytes())
    assert file.stat().st_mode & 0o111 == 0o111
    words = ["unsquashfs", "-offset", "1000", "-ll", "-quiet", str(file)]
    listed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    for wanted in ("AppRun -> opt/ldap-workbench/ldap-workbench", "/ldap-workbench.desktop"):
        assert wanted in listed
    assert re.search(r"-rwxr-xr-x root/root .*/opt/ldap-workbench/ldap-workbench\n", listed)
