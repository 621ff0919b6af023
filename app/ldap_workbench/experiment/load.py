"""The load command of an experiment: started before each window settles, ended after it."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from ldap_workbench.connect.children import Group, environment
from ldap_workbench.connect.secrets import named_password
from ldap_workbench.connect.shell import CommandResult, RemoteShell
from ldap_workbench.model.errors import ExperimentError, UsageError, WorkbenchError
from ldap_workbench.model.experiment import REPLAY
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.passwords import holds_password, with_passwords
from ldap_workbench.model.progress import Cancel
from ldap_workbench.servers.target import Target

if TYPE_CHECKING:
    from ldap_workbench.replay.endpoint import Endpoint

_GRACE_S = 5.0


def _words(command: str) -> list[str]:
    """As a shell divides it; on Windows a backslash is part of a path. Raises ValueError."""
    words = shlex.shlex(command, posix=True, punctuation_chars=False)
    words.whitespace_split = True
    words.commenters = ""
    if sys.platform == "win32":
        words.escape = ""
    return list(words)


def check_command(command: str) -> None:
    """Raises UsageError where it cannot be read, or would take a password into the session."""
    try:
        words = _words(command)
    except ValueError as error:
        raise UsageError(
            Message("The load command cannot be read: {reason}.", reason=str(error)),
            remedy=Message("Close its quotes, as for a shell."),
        ) from error
    if words and words[0].startswith(REPLAY):
        parse_replay(command)
    if holds_password(command):
        raise UsageError(
            Message(
                "The load command holds a password, and commands are kept in sessions and reports."
            ),
            safe=Message("Nothing was stored."),
            remedy=Message(
                "Write {password:NAME} instead: when the command starts, it is read "
                "from the environment variable NAME or the keyring."
            ),
        )


@dataclass(frozen=True)
class Replay:
    """A load that is a captured window sent again."""

    script: Path
    speed: float = 1.0
    onto_original: bool = False
    """Also onto the server it was captured from."""


def parse_replay(command: str) -> Replay | None:
    """'replay:FILE [--speed X] [--this-is-production]'; None for other loads.

    Raises UsageError.
    """
    words = _words(command)
    if not words or not words[0].startswith(REPLAY):
        return None
    path, options = words[0].removeprefix(REPLAY), words[1:]
    replay = Replay(Path(path))
    while options:
        option = options.pop(0)
        if option == "--this-is-production":
            replay = replace(replay, onto_original=True)
        elif option == "--speed" and options and (speed := _speed(options.pop(0))):
            replay = replace(replay, speed=speed)
        else:
            raise UsageError(
                Message("'{option}' is not an option of a replay.", option=option),
                remedy=Message("Write: replay:FILE [--speed 0.5] [--this-is-production]"),
            )
    return replay


def _speed(text: str) -> float:
    """0 where it is no speed."""
    try:
        speed = float(text)
    except ValueError:
        return 0.0
    return speed if 0.01 <= speed <= 100 else 0.0


def replay_endpoint(command: str, target: Target) -> Endpoint | None:
    """Where the replay of a load goes; None for other loads.

    Raises UsageError where the server is the one of the capture and the load does not allow it,
    SessionError where the file is no replay.
    """
    from ldap_workbench.replay.endpoint import endpoint_of, refuse_original
    from ldap_workbench.replay.script import read_script

    replay = parse_replay(command)
    if replay is None:
        return None
    script = read_script(replay.script)
    if not replay.onto_original:
        refuse_original(script, target)
    return endpoint_of(target)


class Load:
    """Runs the operator's load command, here or on the host, while the context lasts.

    It ends with us, also when we are killed (connect/children.py). `{seconds}` in the command
    becomes how long it must run at least, `{password:NAME}` a password that is looked up now and
    kept nowhere. Without a command it does nothing: the server's own clients are the load.
    `ended_early` says that it stopped by itself while it was still needed, and with what. A replay
    goes to `endpoint`.
    """

    def __init__(
        self,
        command: str,
        seconds: float,
        shell: RemoteShell | None = None,
        endpoint: Endpoint | None = None,
    ) -> None:
        self._replay, self._endpoint, self._seconds = parse_replay(command), endpoint, seconds
        words = _words(command.replace("{seconds}", f"{seconds:.0f}"))
        self._argv = [with_passwords(word, named_password) for word in words]
        self._shell = shell
        self._group: Group | None = None
        self._thread: threading.Thread | None = None
        self._stop = Cancel()
        self._remote: CommandResult | WorkbenchError | None = None

    def __enter__(self) -> Load:
        if self._replay and self._endpoint:
            self._group = self._start_replay(self._replay, self._endpoint)
        elif self._argv and self._shell is not None:
            self._thread = threading.Thread(target=self._run_remote, name="load")
            self._thread.start()
        elif self._argv:
            self._group = self._start_local()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._stop.set()
        if self._thread:
            self._thread.join(30)
        if self._group:
            self._group.end(_GRACE_S)

    @property
    def ended_early(self) -> Message:
        """Why the load is not running any more; nothing while it does."""
        if self._group and (status := self._group.process.poll()) is not None:
            return _replay_ended(status) if self._replay else _ended(status)
        if isinstance(self._remote, WorkbenchError):
            return self._remote.what
        if self._remote is not None:
            return _ended(self._remote.status)
        return NOTHING

    def _start_local(self) -> Group:
        program = shutil.which(self._argv[0])
        if program is None:
            raise ExperimentError(
                Message(
                    "The load command cannot be started: there is no program {program}.",
                    program=self._argv[0],
                ),
                remedy=Message("Check the load command, and that its program is installed."),
            )
        argv = [program, *self._argv[1:]]
        quiet = subprocess.DEVNULL
        return Group(argv, stdout=quiet, stderr=quiet, env=environment())

    def _start_replay(self, replay: Replay, endpoint: Endpoint) -> Group:
        from ldap_workbench.replay import child
        from ldap_workbench.replay.player import Pace

        pace = Pace(self._seconds, replay.speed, strict=True)
        return child.start(replay.script, endpoint, pace, quiet=True)

    def _run_remote(self) -> None:
        assert self._shell is not None
        try:
            result = self._shell.stream(self._argv, lambda _: None, cancel=self._stop)
        except WorkbenchError as error:
            self._remote = error
        else:
            self._remote = None if self._stop else result


def _ended(status: int) -> Message:
    return Message("the load command ended with status {status:plain}", status=status)


def _replay_ended(status: int) -> Message:
    from ldap_workbench.replay.child import FAULTY

    if status != FAULTY:
        return Message("the replay ended with status {status:plain}", status=status)
    return Message(
        "the replay fell behind, or the answers were not those of the capture: see "
        "`ldap-workbench replay run`"
    )
