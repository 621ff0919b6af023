"""packaging/kernel, and what the crate and the workbench say of each other."""

from __future__ import annotations

import re
import subprocess
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from ldap_workbench import __version__

ROOT = Path(__file__).parents[3]
CRATE = tomllib.loads((ROOT / "app/kernel/Cargo.toml").read_text(encoding="utf-8"))
NAME = "ldap-tuning-workbench-kernel"

TOOLS = {"cat", "cksum", "cut", "dirname", "env", "find", "grep", "head", "ls", "mkdir", "mv", "rm"}
TOOLS |= {"sed", "sh", "sort", "xargs"}

posix = pytest.mark.posix("a script for sh")


def test_the_kernel_has_the_version_of_the_workbench() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert CRATE["package"]["version"] == version(NAME) == __version__
    assert f"{NAME}=={__version__}" in project["dependencies"]


def test_each_crate_and_its_reason_stand_side_by_side() -> None:
    text = (ROOT / "app/kernel/Cargo.toml").read_text(encoding="utf-8")
    for crate in CRATE["dependencies"]:
        assert re.search(rf"^# .*\n{crate} = ", text, re.MULTILINE), crate


def rust(folder: Path, release: str) -> Path:
    """A PATH with the tools of the system and a cargo of this release."""
    cargo = folder / "cargo"
    cargo.write_text(f'#!/bin/sh\necho "cargo {release} (f2d3ce0bd 2026-03-21)"\n')
    cargo.chmod(0o755)
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What packaging/kernel reads, with the tools of the system but Rust on its PATH."""
    for name in ("packaging/kernel", "app/kernel/Cargo.toml", "app/kernel/Cargo.lock"):
        copied = tmp_path / name
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes((ROOT / name).read_bytes())
        copied.chmod(0o755)
    (tmp_path / "app/kernel/src").mkdir()
    (tmp_path / "app/kernel/src/lib.rs").write_text("pub fn scan() {}\n")
    (tmp_path / "bin").mkdir()
    for tool in TOOLS:
        (tmp_path / "bin" / tool).symlink_to(f"/usr/bin/{tool}")
    return tmp_path


def kernel(checkout: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    script = checkout / "packaging/kernel"
    text = script.read_text().replace("/usr/bin/cargo", "/nowhere/cargo")
    script.write_text(text)
    return subprocess.run(
        ["/bin/sh", script, *words],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": str(checkout / "bin"), "BUILD_PYTHON": str(checkout / "bin/python"), **more},
    )


@posix
def test_without_rust_one_sentence_says_so(checkout: Path) -> None:
    done = kernel(checkout, "wheel")
    assert done.returncode == 1
    assert done.stderr == (
        "The log kernel is compiled here, which needs Rust 1.83 or newer: install it"
        " (https://rustup.rs), then try again.\n"
    )


@posix
def test_a_rustup_without_a_toolchain_is_told_to_get_one(checkout: Path) -> None:
    for name in ("rustup", "cargo"):
        (checkout / "bin" / name).write_text(
            "#!/bin/sh\necho 'error: no default toolchain' >&2; exit 1\n"
        )
        (checkout / "bin" / name).chmod(0o755)
    done = kernel(checkout, "wheel")
    assert done.returncode == 1
    assert done.stderr == (
        "The log kernel is compiled here, which needs Rust 1.83 or newer, and rustup has none:"
        " run 'rustup default stable' and 'rustup update', then try again.\n"
    )


@posix
def test_of_two_at_once_in_one_checkout_one_waits(tools: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    if not Path("/usr/bin/flock").exists():
        pytest.skip("this system has no flock")
    (tools / "bin/flock").symlink_to("/usr/bin/flock")
    (tools / "build").mkdir()
    lock = tools / "build/kernel.lock"
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        first = subprocess.Popen(
            ["/bin/sh", tools / "packaging/kernel", "install"],
            stderr=subprocess.PIPE,
            text=True,
            env={"PATH": str(tools / "bin"), "BUILD_PYTHON": "/nowhere/python", "LOG": "/dev/null"},
        )
        assert first.stderr is not None
        assert "waiting for it" in first.stderr.readline()
    assert "is compiled by maturin" in first.communicate(timeout=60)[1]


@posix
@pytest.mark.parametrize(
    ("release", "enough"), [("1.82.0", False), ("1.83.0", True), ("1.100.0", True)]
)
def test_a_rust_that_is_too_old_is_none(checkout: Path, release: str, enough: bool) -> None:
    rust(checkout / "bin", release)
    packages = kernel(checkout, "packages").stdout.split()
    assert ({"gcc", "libc6-dev", "ca-certificates"} == set(packages)) is enough


@posix
def test_the_cargo_of_rustup_is_taken_where_it_is_not_on_the_path(checkout: Path) -> None:
    (checkout / ".cargo/bin").mkdir(parents=True)
    rust(checkout / ".cargo/bin", "1.96.0")
    assert "cargo" not in kernel(checkout, "packages", HOME=str(checkout)).stdout


@posix
def test_the_demo_does_not_bring_what_only_checks_need(checkout: Path) -> None:
    for_demo = set(kernel(checkout, "packages", "demo").stdout.split())
    for_tests = set(kernel(checkout, "packages", "test").stdout.split())
    assert any(name.startswith("rustc") for name in for_demo)
    assert any(name.startswith("rustfmt") for name in for_tests - for_demo)


FAKE = """#!/bin/sh
case "$*" in
--version) echo "cargo 1.96.0 (0)" ;;
fetch*) echo fetch >>"$LOG"; [ "$(grep -c fetch "$LOG")" -gt "${FAILURES:-0}" ] ;;
esac
"""
MATURIN = """#!/bin/sh
while [ $# -gt 1 ]; do
    [ "$1" = --out ] && mkdir -p "$2" && : >"$2/kernel.whl"
    shift
done
echo compiled >>"$LOG"
[ ! -e /proc/$$/fd/9 ] || echo has-the-lock >>"$LOG"
"""
PYTHON = """#!/bin/sh
case "$*" in
*kernel_sources*) cat sources ;;
*'pip install'*)
    echo installed >>"$LOG"
    [ ! -e /proc/$$/fd/9 ] || echo has-the-lock >>"$LOG"
    ;;
esac
"""


@pytest.fixture
def tools(checkout: Path) -> Path:
    """A cargo that may fail to fetch, and a maturin that notes that it was called."""
    for name, text in {"cargo": FAKE, "maturin": MATURIN, "python": PYTHON}.items():
        (checkout / "bin" / name).write_text(text)
        (checkout / "bin" / name).chmod(0o755)
    return checkout


def noted(
    checkout: Path, failures: int = 0, command: str = "wheel"
) -> tuple[subprocess.CompletedProcess[str], list[str]]:
    log = checkout / "log"
    log.unlink(missing_ok=True)
    log.touch()
    done = kernel(checkout, command, LOG=str(log), FAILURES=str(failures))
    return done, log.read_text().split()


@posix
def test_the_kernel_is_compiled_once_and_again_when_a_source_changes(tools: Path) -> None:
    first, steps = noted(tools)
    assert steps == ["fetch", "compiled"], first.stderr
    again, steps = noted(tools)
    assert (steps, again.stdout) == ([], first.stdout)
    (tools / "app/kernel/src/lib.rs").write_text("pub fn scan() { }\n")
    changed, steps = noted(tools)
    assert "compiled" in steps
    assert changed.stdout != first.stdout


@posix
def test_crates_io_is_asked_twice_and_then_named(tools: Path) -> None:
    done, steps = noted(tools, failures=1)
    assert (done.returncode, steps) == (0, ["fetch", "fetch", "compiled"])
    (tools / "app/kernel/src/lib.rs").touch()
    (tools / "app/kernel/src/more.rs").touch()
    done, steps = noted(tools, failures=2)
    assert (done.returncode, steps) == (1, ["fetch", "fetch"])
    assert "could not be fetched from crates.io" in done.stderr.splitlines()[-1]


@posix
@pytest.mark.parametrize("writable", [True, False])
def test_it_is_installed_again_when_what_the_workbench_compares_has_changed(
    tools: Path, writable: bool
) -> None:
    if Path("/usr/bin/flock").exists():
        (tools / "bin/flock").symlink_to("/usr/bin/flock")
    (tools / ".venv").mkdir()
    if not writable:
        (tools / "build/kernel.lock").mkdir(parents=True)
    sources = tools / "sources"
    sources.write_text("0badc0de\n")
    done, steps = noted(tools, command="install")
    assert (done.returncode, steps) == (0, ["fetch", "compiled", "installed"]), done.stderr
    assert noted(tools, command="install")[1] == []
    for now in ("\n", "0ddba11\n"):  # a wheel of the workbench, then a checkout again
        sources.write_text(now)
        assert noted(tools, command="install")[1] == ["installed"]
        assert (tools / ".venv/.kernel-sources").read_text() == now
        assert noted(tools, command="install")[1] == []


@posix
def test_the_sources_that_are_compiled_are_those_behind_the_wait(tools: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    if not Path("/usr/bin/flock").exists():
        pytest.skip("this system has no flock")
    (tools / "bin/flock").symlink_to("/usr/bin/flock")
    (tools / ".venv").mkdir()
    (tools / "build").mkdir()
    (tools / "sources").write_text("0badc0de\n")
    with (tools / "build/kernel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        first = subprocess.Popen(
            ["/bin/sh", tools / "packaging/kernel", "install"],
            stderr=subprocess.PIPE,
            text=True,
            env={
                "PATH": str(tools / "bin"),
                "BUILD_PYTHON": str(tools / "bin/python"),
                "LOG": str(tools / "log"),
            },
        )
        assert first.stderr is not None
        assert "waiting for it" in first.stderr.readline()
        (tools / "app/kernel/src/lib.rs").write_text("pub fn scan() { }\n")
    said = first.communicate(timeout=60)[1]
    assert (first.returncode, (tools / "log").read_text().split()[-1]) == (0, "installed"), said
