"""packaging/run: each command brings the system packages that it needs, and no others."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LAB = {"389-ds-base", "slapd", "debootstrap", "openssh-server", "xvfb"}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a script for sh and apt")


def run(*words: str, display: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", ROOT / "packaging" / "run", *words],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/bin:/bin", "DISPLAY": display},
    )


def packages(command: str, display: str = "") -> set[str]:
    done = run("packages", command, display=display)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_the_demo_brings_python_rust_and_the_qt_libraries_alone() -> None:
    wanted = packages("demo")
    assert {"python3", "python3-venv", "libegl1", "gcc", "ca-certificates"} <= wanted
    rust = {"rustc", "cargo", "rustc-web", "cargo-web", "gcc", "ca-certificates"}
    libraries = wanted - {"python3", "python3-venv"} - rust
    assert all(re.fullmatch(r"lib\w+[\w.-]*", package) for package in libraries), libraries
    assert not any("xcb" in package for package in wanted), "no window is opened"


def test_the_demo_brings_what_its_window_needs_where_there_is_a_display() -> None:
    assert packages("demo", ":0") - packages("demo") >= {"libxcb-cursor0"}
    assert not packages("demo", ":0") & LAB


@pytest.mark.parametrize("command", ["test", "setup"])
def test_tests_bring_the_lab_and_all_that_the_demo_needs(command: str) -> None:
    assert packages(command) >= LAB | packages("demo", ":0")


def test_packages_of_another_command_are_a_usage_error() -> None:
    done = run("packages", "frobnicate")
    assert (done.returncode, done.stdout) == (2, "")
    assert "demo, test or setup" in done.stderr


def test_help_names_each_command() -> None:
    text = run("help").stdout
    named = re.findall(r"packaging/run (\w+)", text)
    script = (ROOT / "packaging" / "run").read_text(encoding="utf-8")
    main = script[script.rindex("case $command in") :]
    commands = set(re.findall(r"^(\w+)\)", main, re.MULTILINE))
    assert set(named) == commands
    assert text.splitlines()[-1].endswith("are compiled again.")
