"""slapd on hosts that differ: its log in the journal alone, and in a container of podman."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

from tests.live.lab.host import SUITES, Host, root_of
from tests.live.lab.openldap import OpenLdap
from tests.live.lab.sshd import Sshd

# A /dev of the lab's own, for syslog(3) writes to /dev/log and the machine's is everybody's.
_DEVICES = """\
set -eu
mkdir /own-dev
mount -t tmpfs -o mode=755 tmpfs /own-dev
cp -a /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty /own-dev
mkdir /own-dev/pts /own-dev/shm
mount --bind /dev/pts /own-dev/pts
mount --bind /dev/shm /own-dev/shm
ln -s pts/ptmx /own-dev/ptmx
ln -s /proc/self/fd /own-dev/fd
ln -s /run/systemd/journal/dev-log /own-dev/log
mount --rbind /own-dev /dev
mkdir -p /run/systemd/journal /run/log/journal
"""


class JournalOpenLdap(OpenLdap):
    """A slapd that logs to syslog, on a host where systemd's journal is all that takes it."""

    has_log_file = False
    _journald: subprocess.Popen[bytes] | None = None

    def _place(self) -> tuple[Host, Sshd | None]:
        host, sshd = super()._place()
        made = host.run("sh", "-c", _DEVICES)
        assert made.returncode == 0, made.stderr
        self._journald = subprocess.Popen(
            host.argv("/lib/systemd/systemd-journald"), stderr=subprocess.DEVNULL
        )
        _wait_for(host, "/run/systemd/journal/dev-log")
        return host, sshd

    def stop(self) -> None:
        if self._journald:
            self._journald.terminate()
            self._journald.wait(20)
        super().stop()

    def journal(self) -> list[str]:
        """All that the journal holds of it, by journalctl on that host."""
        printed = self.host.run("journalctl", "-t", "slapd", "-o", "short-iso-precise")
        return printed.stdout.splitlines()


def _wait_for(host: Host, path: str) -> None:
    end = time.monotonic() + 20
    while host.run("test", "-e", path).returncode:
        assert time.monotonic() < end, f"there is no {path}"
        time.sleep(0.05)


class PodmanHost(Host):
    """A Debian release in a container; the folder of the lab is a volume of it.

    Its network and its processes are this machine's. The container, its image layers and what
    podman notes of it are in the folder.
    """

    def __init__(self, suite: str, folder: Path) -> None:
        self._own = folder / "podman"
        store = ["--root", str(self._own / "root"), "--runroot", str(self._own / "run")]
        self._podman = ["podman", "--runtime", "runc", "--cgroup-manager", "cgroupfs", *store]
        self.name = folder.name
        run = ["run", "--detach", "--name", self.name, "--network", "host", "--pid", "host"]
        # More than the limits of whoever starts the tests is not his to give.
        limits = ["--ulimit", "nofile=4096:4096", "--ulimit", "nproc=4096:4096"]
        where = ["--volume", f"{folder}:{folder}", "--rootfs", f"{root_of(suite)}:O"]
        started = subprocess.run(
            [*self._podman, *run, *limits, *where, "sleep", "infinity"],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if started.returncode:
            raise RuntimeError(f"podman: {started.stderr}")

    def argv(self, *command: str) -> list[str]:
        return [*self._podman, "exec", self.name, *command]

    def path(self, inside: str) -> Path:
        raise NotImplementedError("what is in the container is seen by podman exec alone")

    def stop(self) -> None:
        remove = [*self._podman, "rm", "--force", "--time", "0", self.name]
        subprocess.run(remove, capture_output=True, timeout=120, check=False)
        # After an `exec` that ended podman cleans up beside us, and mounts its layers once more.
        end = time.monotonic() + 30
        while _at_work(self._own) and time.monotonic() < end:
            time.sleep(0.1)
        layers = ["umount", str(self._own / "root" / "overlay")]
        subprocess.run(layers, capture_output=True, check=False)


def _at_work(folder: Path) -> bool:
    """Whether a process has the folder in its command line."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(folder).encode() in path.read_bytes():
                return True
        except (FileNotFoundError, ProcessLookupError):
            continue
    return False


class ContainerOpenLdap(OpenLdap):
    """A slapd in a container, its log inside; the profile's host is the one that runs podman."""

    @staticmethod
    def missing() -> str:
        """Why there is no such lab here, '' where there is."""
        if os.geteuid() != 0:
            return "a container on the release's own files needs root"
        lacking = [each for each in ("podman", "runc") if not shutil.which(each)]
        return f"apt-get install {' '.join(lacking)}" if lacking else ""

    @property
    def log(self) -> Path:
        """In the container: nobody outside sees it."""
        return Path("/var/log/slapd-container.log")

    def lines(self) -> list[str]:
        """All lines of it."""
        return self.host.run("cat", str(self.log)).stdout.splitlines()

    def _place(self) -> tuple[Host, Sshd | None]:
        host = PodmanHost(SUITES[self.version], self.folder)
        made = host.run("install", "-o", self.user, "/dev/null", str(self.log))
        assert made.returncode == 0, made.stderr
        return host, None
