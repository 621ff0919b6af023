"""The practice server in a process of its own, gone when this one is."""

from __future__ import annotations

import multiprocessing
import shutil
import signal
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Self

from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.practice.address import USER, Address
from ldap_workbench.practice.scenario import Scenario, load_scenario

START_S = 30.0
STOP_S = 10.0


class Practice:
    """A running practice directory. Use it with `with`, or call `stop`.

    `profile` reaches it over StartTLS and SSH, `environment` holds the passwords the profile names
    (put it into os.environ or hand it to a subprocess), `host_key` is the SSH host key to trust:
    (type, base64). `ldaps_url` is a second way in.
    """

    def __init__(self, scenario: Scenario, speed: float, address: Address) -> None:
        self.scenario, self.speed, self.address = scenario, speed, address
        password_env = f"LDAP_WORKBENCH_PRACTICE_{address.ldap_port}"
        self.environment = {password_env: address.password}
        self.host_key = (address.host_key_type, address.host_key_base64)
        self.fingerprint = address.fingerprint
        self.ldaps_url = f"ldaps://127.0.0.1:{address.ldaps_port}"
        self.profile = Profile(
            name=f"practice-{scenario.name}",
            ldap_url=f"ldap://127.0.0.1:{address.ldap_port}",
            bind_dn="cn=Directory Manager",
            password_env=password_env,
            ca_file=address.ca_file,
            starttls=True,
            ssh=SshAddress("127.0.0.1", USER, address.ssh_port, address.identity),
            ssh_password_env=password_env,
            sudo=True,
            instance="practice",
            restart_command="systemctl restart dirsrv@practice",
        )
        self._pipe: Connection | None = None
        self._process: multiprocessing.process.BaseProcess | None = None

    @property
    def alive(self) -> bool:
        """Whether the server's process still runs."""
        return self._process is not None and self._process.is_alive()

    @classmethod
    def start(
        cls,
        scenario: str = "checkpoint-storms",
        speed: float = 1.0,
        seed: int = 0,
        settings: Mapping[str, str] | None = None,
    ) -> Practice:
        """Start a server on loopback and wait until it answers (about a second).

        `speed` is practice seconds in a wall second; `settings` are attributes it starts with
        instead of the scenario's own values, by their names in cn=config. Raises UsageError for
        an unknown scenario, WorkbenchError when the process does not come up.
        """
        changed = dict(settings or {})
        loaded = load_scenario(scenario).with_settings(changed)
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        arguments = (theirs, scenario, speed, seed, changed)
        process = context.Process(target=serve, args=arguments, name="practice", daemon=True)
        process.start()
        theirs.close()
        try:
            address = ours.recv() if ours.poll(START_S) else None
        except EOFError:
            address = None
        if address is None:
            process.kill()
            process.join()
            ours.close()
            raise WorkbenchError(
                "The practice directory did not start.",
                safe="Nothing was left behind.",
                remedy="Try again; a very busy machine may need longer.",
            )
        practice = cls(loaded, speed, address)
        practice._pipe, practice._process = ours, process
        return practice

    def stop(self) -> None:
        """End the server; harmless when it has ended."""
        if self._pipe is None or self._process is None:
            return
        self._pipe.close()
        self._process.join(STOP_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
            shutil.rmtree(Path(self.address.ca_file).parent, ignore_errors=True)
        self._process.close()
        self._pipe = self._process = None

    def unknown_commands(self) -> list[str]:
        """Command lines somebody sent that the practice host does not know."""
        if self._pipe is None:
            return []
        self._pipe.send("unknown")
        answer: list[str] = self._pipe.recv()
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def serve(
    pipe: Connection, scenario: str, speed: float, seed: int, settings: Mapping[str, str]
) -> None:
    """The child process: serve until the other end of the pipe is closed, by whatever cause."""
    # imported here: the program that starts a practice server needs none of what it is made of
    from ldap_workbench.practice.server import PracticeServer

    # Ctrl-C reaches the whole group, and the program still has to revert its changes on us
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # a program that ends without `stop` terminates its children
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server = PracticeServer(scenario, speed, seed, settings)
    try:
        pipe.send(server.address)
        while pipe.recv() == "unknown":
            pipe.send(list(server.commands.unknown))
    except (EOFError, OSError):
        pass  # the program has closed its end, or is gone
    finally:
        server.close()
