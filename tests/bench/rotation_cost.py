"""What a log that rotates costs its host, beside thousands of older files of it.

    python -m tests.bench.rotation_cost [--files 2000] [--seconds 60] [--every 10] [--app FOLDER]

A login over a real sshd follows a log that is written ten times a second and renamed every few
seconds, as a capture does. Processor time is that of the login on the host, as a session tells it;
beside it stands how long after a rotation the first line of the new file was there. `--app` takes
the program from the app folder of another checkout, to compare an earlier version.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ldap_workbench.capture.host_link import HostLink
from ldap_workbench.capture.live.follow import LogFollower
from ldap_workbench.capture.live.window import host_share
from ldap_workbench.connect.secrets import Secrets
from ldap_workbench.connect.shell import RemoteShell
from ldap_workbench.connect.ssh import open_shell
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.model.progress import Cancel
from tests.live.lab.host import Host
from tests.live.lab.sshd import Sshd

_LINE = (
    b"[21/Nov/2026:03:00:00.%09d +0000] conn=%d op=1 SRCH "
    b'base="dc=x" scope=2 filter="(uid=a)" attrs=ALL\n'
)
_LONG_AGO = 1_000_000_000


class Writer(threading.Thread):
    """Writes a log and rotates it; `rotated` has when each file began, by its number."""

    def __init__(self, log: Path, every_s: float) -> None:
        super().__init__(name="bench-writer")
        self._log = log
        self._every_s = every_s
        self.rotated: dict[int, float] = {}
        self.stop = threading.Event()

    def run(self) -> None:
        number, begun = 0, time.monotonic()
        while not self.stop.wait(0.1):
            if time.monotonic() - begun > self._every_s:
                number, begun = number + 1, time.monotonic()
                self._log.rename(self._log.with_name(f"{self._log.name}.20261128-{number:06d}"))
                self.rotated[number] = begun
            with self._log.open("ab") as file:
                file.write(_LINE % (time.monotonic_ns() % 1_000_000_000, number))


@contextmanager
def logins(folder: Path) -> Iterator[Profile]:
    """A profile of a login on this machine, by a sshd of its own."""
    sshd = Sshd(folder / "sshd", "wbrotate", Host())
    try:
        sshd.start()
        known = folder / "home" / "config" / "known_hosts"
        known.parent.mkdir(parents=True)
        known.write_text(f"[127.0.0.1]:{sshd.port} {sshd.host_key}\n")
        os.environ["LDAP_WORKBENCH_HOME"] = str(folder / "home")
        address = SshAddress("127.0.0.1", sshd.user, sshd.port, str(sshd.identity))
        yield Profile("bench", "ldap://127.0.0.1", ssh=address)
    finally:
        sshd.stop()


def follow(profile: Profile, log: Path, seconds: float, every_s: float) -> None:
    def login() -> RemoteShell:
        shell = open_shell(profile, Secrets())
        assert shell is not None
        return shell

    link = HostLink(login, Cancel())
    follower = LogFollower(link, str(log))
    arrived: dict[int, float] = {}

    def take(text: bytes) -> None:
        for line in text.splitlines():
            arrived.setdefault(int(line.partition(b"conn=")[2].split()[0]), time.monotonic())

    writer, stop = Writer(log, every_s), Cancel()
    log.write_bytes(_LINE % (0, 0))
    follower.start("389")
    writer.start()
    threading.Timer(seconds, stop.set).start()
    try:
        follower.follow(take, stop)
        share = host_share(link)
    finally:
        writer.stop.set()
        writer.join()
        link.close()
    assert share is not None
    late = [arrived[number] - at for number, at in writer.rotated.items() if number in arrived]
    print(
        f"{share:.2%} of a processor, {len(late)} of {len(writer.rotated)} rotations, "
        f"noticed after {statistics.median(late):.2f} s in the median, {max(late):.2f} s at most"
    )


def main() -> None:
    command = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    command.add_argument("--files", type=int, default=2000)
    command.add_argument("--seconds", type=float, default=60)
    command.add_argument("--every", type=float, default=10)
    command.add_argument("--app", type=Path)
    chosen = command.parse_args()
    if chosen.app:
        others = f"{chosen.app}:{os.getcwd()}"
        words = sys.argv[1:]
        del words[words.index("--app") : words.index("--app") + 2]
        again = [sys.executable, "-m", "tests.bench.rotation_cost", *words]
        subprocess.run(again, env=os.environ | {"PYTHONPATH": others}, check=True)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        logs = folder / "logs"
        logs.mkdir()
        for number in range(chosen.files):
            old = logs / f"access.20261121-{number:06d}"
            old.write_bytes(_LINE % (number, number) * 40)
            os.utime(old, (_LONG_AGO + number, _LONG_AGO + number))
        with logins(folder) as profile:
            follow(profile, logs / "access", chosen.seconds, chosen.every)


if __name__ == "__main__":
    main()
