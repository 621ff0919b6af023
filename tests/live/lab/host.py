"""Where the servers of a lab run: this machine, or a Debian release of another age beside it.

A release is a folder made once by debootstrap (about a minute and a half). Each lab has an overlay
of it in a mount namespace of its own, with its own /run and /dev/shm: programs, users, sudoers and
/etc are those of the release, and go with the lab. Processes and loopback are this machine's, and
the folder of the lab has the same path inside and outside.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.message import Message

SUITES = {
    "389ds-1.4": "bullseye",
    "389ds-1.4-seconds": "bullseye",
    "389ds-2.3": "bookworm",
    "389ds-3.1": "trixie",
    "389ds-3.1-lmdb": "trixie",
    "389ds-3.3-lmdb": "sid",
    "openldap-2.4": "bullseye",
    "openldap-2.5": "bookworm",
    "openldap-2.6": "trixie",
}
"""Name of a server, as `--servers` takes it -> Debian release that brings it.

One that ends in -lmdb has that database, one in -seconds an access log of whole seconds.
"""
MOVING = "sid"
"""It changes every day: only tried where it is named, so no other run of tests rests on it."""
LOCAL = "local"
"""The version of a server that is installed on this machine."""


def suite_here() -> str:
    """The Debian release of this machine, '' where it is another system."""
    system = Path("/etc/os-release")
    found = (
        re.search(r"^VERSION_CODENAME=(\w+)$", system.read_text(), re.M)
        if system.exists()
        else None
    )
    return found[1] if found else ""


def chosen(product: str) -> str:
    """The version of a product that this run of tests is about, '' where it is about another.

    LDAP_WORKBENCH_LAB names one of SUITES, set by `tests/run --servers`; without it each product is
    the one installed here.
    """
    name = os.environ.get("LDAP_WORKBENCH_LAB", LOCAL)
    return name if name == LOCAL or name.startswith(f"{product}-") else ""


_PACKAGES = (
    "389-ds-base", "slapd", "openssh-server", "sysstat", "sudo", "zstd", "procps", "ldap-utils",
    "lmdb-utils",
)  # fmt: skip
_CACHE = Path(os.environ.get("LDAP_WORKBENCH_SUITES", "/var/cache/ldap-workbench-lab"))
_MADE = ".complete"
_INSTALLED = " ".join(_PACKAGES)
"""Stands in the file _MADE when they are."""
# ns-slapd makes semaphores in /dev/shm as its own user: the release's is closed to it.
_MOUNTS = """\
set -eu
mount -t overlay overlay -o lowerdir="$1",upperdir="$2/upper",workdir="$2/work" "$2/root"
mount --rbind /dev "$2/root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$2/root/dev/shm"
mount -t tmpfs -o mode=755 tmpfs "$2/root/run"
mount -t proc proc "$2/root/proc"
mount --rbind /sys "$2/root/sys"
mkdir -p "$2/root$3"
mount --bind "$3" "$2/root$3"
echo mounted
exec sleep infinity
"""
# Some packages look into /proc when they are set up.
_INSIDE = (
    "unshare", "--mount", "--propagation", "private",
    "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"',
)  # fmt: skip


class Host:
    """This machine."""

    def argv(self, *command: str) -> list[str]:
        """The command line that runs `command` where the servers are."""
        return list(command)

    def run(self, *command: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        """Run it there; its status is the caller's to judge."""
        return subprocess.run(
            self.argv(*command), capture_output=True, text=True, timeout=timeout, check=False
        )

    def path(self, inside: str) -> Path:
        """Where a path of the host is seen from here."""
        return Path(inside)

    def stop(self) -> None:
        """Nothing was started."""


class SuiteHost(Host):
    """A Debian release in namespaces of its own, for one lab whose files are under `folder`."""

    def __init__(self, suite: str, folder: Path) -> None:
        self._folder = folder / "host"
        for name in ("upper", "work", "root"):
            (self._folder / name).mkdir(parents=True)
        holder = ["unshare", "--mount", "--propagation", "private", "sh", "-c", _MOUNTS, "sh"]
        (self._folder / "upper/etc").mkdir()
        # sudo complains on standard error where it cannot look up the host it is on.
        hosts = f"127.0.0.1 localhost {socket.gethostname()}\n"
        (self._folder / "upper/etc/hosts").write_text(hosts)
        self._holder = subprocess.Popen(
            # Whoever ends us ends it: the servers keep the namespaces as long as they need them.
            ["setpriv", "--pdeathsig", "KILL", *holder, str(root_of(suite)), str(self._folder),
             str(folder)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert self._holder.stdout is not None
        said = self._holder.stdout.readline()
        if said != b"mounted\n":
            raise RuntimeError(f"{suite}: {said.decode(errors='replace')}")

    def argv(self, *command: str) -> list[str]:
        enter = ["nsenter", "--target", str(self._holder.pid), "--mount"]
        return [*enter, "chroot", str(self._folder / "root"), *command]

    def path(self, inside: str) -> Path:
        return Path(f"/proc/{self._holder.pid}/root{self._folder}/root{inside}")

    def stop(self) -> None:
        self._holder.send_signal(signal.SIGKILL)
        self._holder.wait(10)
        if self._holder.stdout:
            self._holder.stdout.close()


def in_suite(suite: str, path: str) -> Path | None:
    """A file of a release that was made before; None where there is none."""
    found = _CACHE / suite / path.lstrip("/")
    return found if (_CACHE / suite / _MADE).exists() and found.exists() else None


def root_of(suite: str) -> Path:
    """The folder of a release; made by debootstrap where it is not there yet. Root only.

    Raises UsageError where it cannot be made.
    """
    root = _CACHE / suite
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        raise UsageError(
            Message(
                "A server of Debian {suite} needs root and the program debootstrap.", suite=suite
            ),
            remedy=Message("As root: apt-get install debootstrap."),
        )
    _CACHE.mkdir(parents=True, exist_ok=True)
    with (_CACHE / f"{suite}.lock").open("w") as lock:
        import fcntl

        fcntl.flock(lock, fcntl.LOCK_EX)  # two runs of tests make it once
        if not (root / _MADE).exists():
            _make(suite, root)
        if (root / _MADE).read_text() != _INSTALLED:
            _install(suite, root)
    return root


def _make(suite: str, root: Path) -> None:
    shutil.rmtree(root, ignore_errors=True)
    _run(suite, "debootstrap", "--variant=minbase", suite, str(root), _mirror())
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    (root / _MADE).touch()


def _install(suite: str, root: Path) -> None:
    """The packages into a release that has none yet, or those of an older list."""
    # apt, unlike debootstrap, finds its way through packages that others provide.
    quiet = ["env", "RUNLEVEL=1", "DEBIAN_FRONTEND=noninteractive"]
    install = ["apt-get", "install", "-y", "--no-install-recommends", *_PACKAGES]
    _run(suite, *_INSIDE, str(root), *quiet, *install)
    _run(suite, "chroot", str(root), "apt-get", "clean")
    (root / _MADE).write_text(_INSTALLED)


def _run(suite: str, *argv: str) -> None:
    made = subprocess.run(argv, capture_output=True, text=True, check=False)
    if made.returncode:
        raise UsageError(
            Message(
                "Debian {suite} could not be made: {said}",
                suite=suite,
                said=(made.stderr or made.stdout)[-500:],
            ),
            remedy=Message("See whether the Debian mirror of this machine is reachable."),
        )


def main() -> int:
    """Make every release of the matrix that is not there yet, one after the other."""
    for suite in dict.fromkeys(SUITES.values()):
        if suite not in (suite_here(), MOVING):
            root_of(suite)
    return 0


def _mirror() -> str:
    """The first Debian mirror that this machine's apt uses."""
    files = (*Path("/etc/apt/sources.list.d").glob("*"), Path("/etc/apt/sources.list"))
    words = [word for path in files if path.is_file() for word in path.read_text().split()]
    mirrors = [word for word in words if re.match(r"https?://.*/debian/?$", word)]
    return mirrors[0] if mirrors else "http://deb.debian.org/debian"


if __name__ == "__main__":
    sys.exit(main())
