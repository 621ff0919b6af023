"""Hosts of a fleet on loopback: an sshd with a login of its own for each, which reads its logs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from tests.live.lab.host import Host
from tests.live.lab.leftovers import PREFIX, sign, sweep
from tests.live.lab.sshd import Sshd

# The login made for root's labs does not reach an interpreter in root's home by itself.
_SUDO = ["/usr/bin/sudo", "-n"] if os.geteuid() == 0 else []
PROGRAM = Path(sys.executable).with_name("ldap-workbench")


@dataclass(frozen=True)
class FleetHost:
    """One of them; `logs` is a folder that its login can read."""

    name: str
    sshd: Sshd
    logs: Path

    @property
    def fingerprint(self) -> str:
        public = str(self.sshd.folder / "host_ed25519.pub")
        said = subprocess.run(["ssh-keygen", "-lf", public], capture_output=True, check=True)
        return said.stdout.split()[1].decode()

    @property
    def _mark(self) -> str:
        return f"FLEET_HOST={self.sshd.port}"

    def workers(self) -> list[int]:
        """Processes of the workbench that run there."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                words = (path / "cmdline").read_bytes().split(b"\0")
                marks = (path / "environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[-3:] == [b"fleet", b"worker", b""] and self._mark.encode() in marks:
                found.append(int(path.name))
        return found

    @property
    def table(self) -> dict[str, Any]:
        """As in hosts.toml."""
        return {
            "address": "127.0.0.1",
            "port": self.sshd.port,
            "user": self.sshd.user,
            "identity": str(self.sshd.identity),
            "host_key": self.fingerprint,
            "program": [*_SUDO, "/usr/bin/env", self._mark, str(PROGRAM)],
            "logs": [str(self.logs)],
        }


@contextmanager
def fleet_hosts(names: Sequence[str]) -> Iterator[list[FleetHost]]:
    """Up as long as the block runs."""
    sweep()
    with ExitStack() as stack:
        yield [stack.enter_context(_fleet_host(name)) for name in names]


@contextmanager
def _fleet_host(name: str) -> Iterator[FleetHost]:
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    folder.chmod(0o755)
    sshd = Sshd(folder / "sshd", f"wblab{name}", Host())
    sign(folder, sshd.user if sshd.made_user else "")
    try:
        sshd.start()
        logs = folder / "logs"
        logs.mkdir(mode=0o755)
        yield FleetHost(name, sshd, logs)
    finally:
        sshd.stop()
        shutil.rmtree(folder)


def write_hosts(path: Path, hosts: Sequence[FleetHost], **changes: Mapping[str, Any]) -> Path:
    """Their hosts.toml; `changes` by name of a host."""
    tables = {host.name: {**host.table, **changes.get(host.name, {})} for host in hosts}
    path.write_text(tomli_w.dumps({"hosts": tables}))
    return path
