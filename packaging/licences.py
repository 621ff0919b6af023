"""Collect the licences of all that is bundled: packaging/licences.py FOLDER.

Runs in build/venv, where the bundled packages are installed; tools that are only used to build are
left out.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = "ldap-tuning-workbench"
_TEXTS = ("LICEN", "COPYING", "NOTICE", "AUTHORS")
_NO_TEXTS = (".py", ".pyc", ".toml")
_KERNEL = Path(__file__).with_name("kernel")


def bundled() -> list[Distribution]:
    """The program and all that it needs with the window, by name."""
    found: dict[str, Distribution] = {}
    open_ = [(ROOT, frozenset({"gui"}))]
    while open_:
        name, extras = open_.pop()
        if name in found:
            continue
        found[name] = distribution(name)
        open_ += _needed(found[name], extras)
    return [found[name] for name in sorted(found)]


def _needed(package: Distribution, extras: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    for line in package.requires or ():
        needs = Requirement(line)
        marker = needs.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in (*extras, "")):
            yield canonicalize_name(needs.name), frozenset(needs.extras)


def crates() -> list[tuple[str, str, str]]:
    """Name, version and licence of what is compiled into the log kernel."""
    words = ["sh", str(_KERNEL), "crates"]
    lines = subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()
    return [tuple(line.split(maxsplit=2)) for line in lines]


def licence_of(package: Distribution) -> str:
    """What a package says of its licence, in a line; '' where it says nothing."""
    data = package.metadata
    if expression := data.get("License-Expression"):
        return expression
    classified = [c for c in data.get_all("Classifier", []) if c.startswith("License :: ")]
    said = (data.get("License") or "").strip().splitlines()
    if classified:
        return ", ".join(c.rpartition(" :: ")[2] for c in classified)
    return said[0] if said else ""


def _texts(package: Distribution) -> Iterator[Path]:
    for file in package.files or ():
        named = file.name.upper().startswith(_TEXTS) and file.suffix not in _NO_TEXTS
        if named and (path := Path(file.locate())).is_file():
            yield path


def _python_licence() -> Path:
    """The interpreter is bundled, too."""
    library = Path(sys.base_prefix, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}")
    return library / "LICENSE.txt"


def main(folder: Path) -> None:
    """Write every licence text into a folder a package, and a list of what is bundled."""
    shutil.rmtree(folder, ignore_errors=True)
    lines = []
    for package in bundled():
        room = folder / package.name
        room.mkdir(parents=True)
        for path in _texts(package):
            shutil.copy(path, room / path.name)
        lines.append(f"{package.name} {package.version}: {licence_of(package)}")
    # Each may be used under Apache-2.0, whose text is the kernel's own, or the Unlicense.
    lines += [f"{name} {version}, in the log kernel: {said}" for name, version, said in crates()]
    if (python := _python_licence()).is_file():
        (folder / "Python").mkdir()
        shutil.copy(python, folder / "Python" / "LICENSE.txt")
    lines.append(f"Python {sys.version.split()[0]}: PSF-2.0")
    (folder / "README").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
