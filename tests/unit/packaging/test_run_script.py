"""packaging/run: each command brings the system packages that it needs, and no others."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LAB = {"389-ds-base", "slapd", "debootstrap", "openssh-server", "xvfb"}

pytestmark = pytest.mark.posix("a script for sh and apt")


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


TOOLS = ("cat", "cksum", "dirname", "flock", "ls", "mkdir")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose set-up is complete, on a system without dpkg."""
    if not Path("/usr/bin/flock").exists():
        pytest.skip("this system has no flock")
    for folder in ("packaging", ".venv/bin", "bin"):
        (tmp_path / folder).mkdir(parents=True)
    for tool in TOOLS:
        (tmp_path / "bin" / tool).symlink_to(shutil.which(tool) or tool)
    shutil.copy(ROOT / "packaging/run", tmp_path / "packaging/run")
    for name, text in {
        "packaging/kernel": "#!/bin/sh\nls -l /proc/$$/fd >open\n",
        ".venv/bin/ldap-workbench": "#!/bin/sh\n",
        "requirements.lock": "",
        "pyproject.toml": "",
    }.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    stamp = subprocess.run(["cksum", "/dev/null"], capture_output=True, text=True, check=True)
    (tmp_path / ".venv/.locked").write_text(stamp.stdout.removesuffix(" /dev/null\n"))
    return tmp_path


def set_up(checkout: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        ["/bin/sh", checkout / "packaging/run", "setup"],
        stderr=subprocess.PIPE,
        text=True,
        env={"PATH": str(checkout / "bin")},
    )


@pytest.mark.parametrize("in_the_way", ["build", "build/setup.lock"])
def test_a_complete_set_up_needs_nothing_written(checkout: Path, in_the_way: str) -> None:
    if in_the_way == "build":
        (checkout / "build").touch()
    else:
        (checkout / "build/setup.lock").mkdir(parents=True)
    process = set_up(checkout)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 0, said
    assert said.splitlines()[-1] == "Ready: .venv/bin/ldap-workbench"


def test_of_two_at_once_one_waits_before_it_asks_for_system_packages(checkout: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    (checkout / "build").mkdir()
    with (checkout / "build/setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = set_up(checkout)
        assert process.stderr is not None
        assert "waiting for it" in process.stderr.readline()
    said = process.communicate(timeout=60)[1]
    assert "not a Debian system" in said
    assert said.splitlines()[-1] == "Ready: .venv/bin/ldap-workbench"
    assert "setup.lock" not in (checkout / "open").read_text(), "what is started keeps the lock"
