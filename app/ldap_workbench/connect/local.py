"""This machine as a RemoteShell: commands run as subprocesses."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from ldap_workbench.connect.shell import CommandResult
from ldap_workbench.model.errors import CommandError
from ldap_workbench.model.progress import Cancel

_PIECE = 1 << 16


class LocalShell:
    """Runs on the machine the workbench itself runs on."""

    def __init__(self, *, sudo: bool = False) -> None:
        self._sudo = sudo and os.geteuid() != 0

    @property
    def name(self) -> str:
        return f"local://{socket.gethostname()}"

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        sudo: bool = False,
        timeout: float = 30.0,
    ) -> CommandResult:
        try:
            done = subprocess.run(
                self._argv(argv, sudo),
                input=stdin,
                capture_output=True,
                timeout=timeout,
                check=False,
            )
        except FileNotFoundError as error:
            return CommandResult(127, b"", str(error).encode())
        except subprocess.TimeoutExpired as error:
            raise CommandError(f"'{argv[0]}' did not end within {timeout:g} s.") from error
        return CommandResult(done.returncode, done.stdout, done.stderr)

    def stream(
        self,
        argv: Sequence[str],
        on_bytes: Callable[[bytes], None],
        *,
        cancel: Cancel,
        sudo: bool = False,
    ) -> CommandResult:
        try:
            process = subprocess.Popen(
                self._argv(argv, sudo),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            return CommandResult(127, b"", str(error).encode())
        with process:
            watch = threading.Thread(target=_end_when, args=(process, cancel))
            watch.start()
            assert process.stdout is not None
            assert process.stderr is not None
            while data := os.read(process.stdout.fileno(), _PIECE):
                on_bytes(data)
            stderr = process.stderr.read()
            status = process.wait()
            watch.join()
        return CommandResult(status, b"", stderr)

    def read_range(self, path: str, offset: int, length: int, *, sudo: bool = False) -> bytes:
        if sudo and self._sudo:
            argv = ["dd", f"if={path}", "bs=64K", "iflag=skip_bytes,count_bytes", "status=none"]
            result = self.run([*argv, f"skip={offset}", f"count={length}"], sudo=True)
            if result.status:
                raise CommandError(f"{path} cannot be read: {result.stderr.decode().strip()}")
            return result.stdout
        try:
            with Path(path).open("rb") as file:
                file.seek(offset)
                return file.read(length)
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.") from error

    def close(self) -> None:
        """Nothing is held open between commands."""

    def _argv(self, argv: Sequence[str], sudo: bool) -> list[str]:
        return ["sudo", "-n", "--", *argv] if sudo and self._sudo else list(argv)


def _end_when(process: subprocess.Popen[bytes], cancel: Cancel) -> None:
    while process.poll() is None:
        if cancel.wait(0.1):
            os.killpg(process.pid, signal.SIGTERM)
            return
