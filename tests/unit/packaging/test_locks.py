"""The lock files hold what pyproject.toml asks for; `packaging/run lock` makes them so again."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[3]
LOCKS = {
    "requirements.lock": "dev",
    "packaging/demo.lock": "build",
    "packaging/requirements.lock": "packaging",
}
LINUX = {"sys_platform": "linux", "platform_machine": "x86_64", "python_version": "3.11"}
"""What the locks are made for."""


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_a_version_that_each_requirement_allows(lock: str) -> None:
    pins = locked(ROOT / lock)
    wanted = list(requirements(pyproject(), LOCKS[lock]))
    assert len(wanted) > 10, "else the project's requirements were not read"
    assert [str(one) for one in wanted if not satisfied(one, pins)] == []


@pytest.mark.parametrize("lock", ["packaging/demo.lock", "packaging/requirements.lock"])
def test_what_users_install_is_what_was_tested(lock: str) -> None:
    tested = locked(ROOT / "requirements.lock")
    shipped = locked(ROOT / lock)
    apart = {name for name in shipped.keys() & tested.keys() if shipped[name] != tested[name]}
    assert not apart


@pytest.mark.parametrize(
    ("wanted", "missing"),
    [
        ("rich>=13", False),
        ("rich>=15", True),
        ("Rich[jupyter]<14", True),
        ("ldap3", True),
        ("ldap3; sys_platform == 'win32'", False),
    ],
)
def test_a_requirement_that_a_lock_misses_is_seen(wanted: str, missing: bool) -> None:
    assert satisfied(Requirement(wanted), {"rich": Version("14.1")}) is not missing


def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def requirements(project: dict[str, Any], group: str) -> Iterator[Requirement]:
    """Of the program with its window, and of one group; its own kernel comes with the checkout."""
    texts = [*project["project"]["dependencies"]]
    texts += project["project"]["optional-dependencies"]["gui"]
    for text in texts:
        if not text.startswith("ldap-tuning-workbench-kernel=="):
            yield Requirement(text)
    yield from of_group(project["dependency-groups"], group)


def of_group(groups: dict[str, Any], name: str) -> Iterator[Requirement]:
    for entry in groups[name]:
        if isinstance(entry, dict):
            yield from of_group(groups, entry["include-group"])
        else:
            yield Requirement(entry)


def locked(path: Path) -> dict[str, Version]:
    pins = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        name, equals, rest = line.partition("==")
        if equals and not line.startswith((" ", "#")):
            pins[canonicalize_name(name)] = Version(rest.split()[0])
    return pins


def satisfied(wanted: Requirement, pins: dict[str, Version]) -> bool:
    if wanted.marker and not wanted.marker.evaluate(LINUX):
        return True
    pin = pins.get(canonicalize_name(wanted.name))
    return pin is not None and pin in wanted.specifier
