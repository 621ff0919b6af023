"""Command lines on the practice host: what the workbench sends, and what people try."""

from __future__ import annotations

import posixpath
import shlex
from dataclasses import replace

from ldap_workbench.practice.host.call import Call, Command
from ldap_workbench.practice.host.file_commands import FILE_COMMANDS
from ldap_workbench.practice.host.files import HostError
from ldap_workbench.practice.host.host_commands import HOST_COMMANDS
from ldap_workbench.practice.host.log_commands import log_script

NOT_FOUND = 127
_COMMANDS = {**FILE_COMMANDS, **HOST_COMMANDS}


class Commands:
    """Runs command lines; those nobody knows end with 127 and are kept in `unknown`."""

    def __init__(self) -> None:
        self.unknown: list[str] = []
        self._wrappers: dict[str, Command] = {
            "sudo": self._sudo,
            "env": self._env,
            "sh": self._sh,
            "bash": self._sh,
            "nice": self._nice,
            "ionice": self._nice,
        }

    def run(self, call: Call, line: str) -> int:
        """Run one command line and return its exit status."""
        try:
            argv = shlex.split(line)
        except ValueError as error:
            return call.fail(f"sh: 1: Syntax error: {error}", 2)
        return self.run_words(call, argv)

    def run_words(self, call: Call, argv: list[str]) -> int:
        if not argv:
            return 0
        name, arguments = posixpath.basename(argv[0]), argv[1:]
        if name in self._wrappers:
            return self._wrappers[name](call, arguments)
        if name not in _COMMANDS or any(word in ("|", ";", "&&", ">", "<") for word in argv):
            self.unknown.append(shlex.join(argv))
            return call.fail(f"sh: 1: {argv[0]}: not found", NOT_FOUND)
        try:
            return _COMMANDS[name](call, arguments)
        except HostError as error:
            return call.fail(f"{name}: {_last_path(arguments)}: {error}")

    def _sudo(self, call: Call, argv: list[str]) -> int:
        while argv and argv[0].startswith("-"):
            option, argv = argv[0], argv[1:]
            if option == "--":
                break
        return self.run_words(replace(call, root=True), argv)

    def _env(self, call: Call, argv: list[str]) -> int:
        environment = dict(call.environment)
        while argv and "=" in argv[0]:
            name, _, value = argv[0].partition("=")
            environment[name] = value
            argv = argv[1:]
        return self.run_words(replace(call, environment=environment), argv)

    def _nice(self, call: Call, argv: list[str]) -> int:
        while argv and (argv[0].startswith("-") or argv[0].isdigit()):
            argv = argv[1:]
        return self.run_words(call, argv)

    def _sh(self, call: Call, argv: list[str]) -> int:
        """The scripts of the workbench, known by what they do, and single commands."""
        if len(argv) < 2 or argv[0] != "-c":
            return call.fail("sh: only -c is known here", 2)
        script, parameters = argv[1], argv[3:]
        if '"$@"' in script and "cat <&3" in script:
            call.watch()
            return self.run_words(call, parameters)
        if script.startswith("for p in zstd gzip"):
            return 0  # nothing to pack with
        if "/proc/[0-9]*/stat" in script:
            return 0  # no processes to tell of
        played = log_script(call, argv[2], parameters) if parameters else None
        return self.run(call, script) if played is None else played


def _last_path(arguments: list[str]) -> str:
    paths = [word for word in arguments if word.startswith("/")]
    return paths[-1] if paths else ""
