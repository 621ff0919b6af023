"""The practice server in a process of its own, gone when this one is."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from threading import Timer
from types import TracebackType
from typing import Any, Self

from ldap_workbench.connect.children import environment, module_command
from ldap_workbench.model.errors import WorkbenchError
from ldap_workbench.model.message import Message
from ldap_workbench.model.profile import Profile, SshAddress
from ldap_workbench.practice.address import USER, Address
from ldap_workbench.practice.model.scenario import Scenario, load_scenario

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
            name=scenario.profile_name,
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
            test_server=True,
        )
        self._process: subprocess.Popen[str] | None = None

    @property
    def alive(self) -> bool:
        """Whether the server's process still runs."""
        return self._process is not None and self._process.poll() is None

    @classmethod
    def start(
        cls,
        scenario: str = "checkpoint-storms",
        speed: float = 1.0,
        seed: int = 0,
        settings: Mapping[str, str] | None = None,
        mended: bool = False,
    ) -> Practice:
        """Start a server on loopback and wait until it answers (about a second).

        `speed` is practice seconds in a wall second; `settings` are attributes it starts with
        instead of the scenario's own values, by their names in cn=config. `mended` starts it as
        it is after the lesson's remedy. Raises UsageError for an unknown scenario, WorkbenchError
        when the process does not come up.
        """
        changed = dict(settings or {})
        loaded = load_scenario(scenario, mended=mended).with_settings(changed)
        process = subprocess.Popen(
            module_command(
                "ldap_workbench.practice", json.dumps([scenario, speed, seed, changed, mended])
            ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        address = _first_answer(process)
        if address is None:
            _end(process)
            raise WorkbenchError(
                Message("The practice directory did not start."),
                safe=Message("Nothing was left behind."),
                remedy=Message("Try again; a very busy machine may need longer."),
            )
        practice = cls(loaded, speed, Address(**address))
        practice._process = process
        return practice

    def stop(self) -> None:
        """End the server; harmless when it has ended."""
        if self._process is None:
            return
        if not _end(self._process):
            shutil.rmtree(Path(self.address.ca_file).parent, ignore_errors=True)
        self._process = None

    def unknown_commands(self) -> list[str]:
        """Command lines that the practice host was sent and does not know."""
        if self._process is None:
            return []
        return list(_ask(self._process, "unknown"))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def _first_answer(process: subprocess.Popen[str]) -> dict[str, Any] | None:
    """The address a server that has just been started tells; None where it ends, or hangs."""
    assert process.stdout is not None
    too_long = Timer(START_S, process.kill)
    too_long.start()
    try:
        line = process.stdout.readline()
    finally:
        too_long.cancel()
        too_long.join()
    return json.loads(line) if line else None


def _ask(process: subprocess.Popen[str], question: str) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{question}\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def _end(process: subprocess.Popen[str]) -> bool:
    """End a server and wait for it; whether it ended by itself and so has tidied up."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
    return process.returncode == 0
